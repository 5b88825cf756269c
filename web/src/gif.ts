// Animated GIF: a palette for all frames, and of every frame what has changed.

/// The most frequent colours, at five bits a channel.
export function makePalette(frames: Uint8ClampedArray[], most = 256): Uint8Array {
  const count = new Uint32Array(32768);
  for (const f of frames) for (let i = 0; i < f.length; i += 4) ++count[bits(f, i)];
  const used = [...count.keys()].filter((k) => count[k] > 0).sort((a, b) => count[b] - count[a]).slice(0, most);
  const palette = new Uint8Array(3 * most);
  used.forEach((k, n) => palette.set([(k >> 10) & 31, (k >> 5) & 31, k & 31].map((v) => (v << 3) | (v >> 2)), 3 * n));
  return palette;
}

const bits = (f: Uint8ClampedArray, i: number): number => ((f[i] >> 3) << 10) | ((f[i + 1] >> 3) << 5) | (f[i + 2] >> 3);

export class GifWriter {
  private parts: Uint8Array[] = [];
  private nearest = new Int16Array(32768).fill(-1);
  private last?: Uint8Array;

  constructor(
    private width: number,
    private height: number,
    private palette: Uint8Array,
  ) {
    const head = [..."GIF89a"].map((c) => c.charCodeAt(0));
    head.push(width & 255, width >> 8, height & 255, height >> 8, 0xf7, 0, 0);
    const loop = [0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0];
    this.parts.push(Uint8Array.from(head), palette, Uint8Array.from(loop));
  }

  /// Pixels as a canvas has them, shown for so many hundredths of a second.
  add(pixels: Uint8ClampedArray, hundredths: number): void {
    const indices = new Uint8Array(this.width * this.height);
    for (let i = 0; i < indices.length; ++i) indices[i] = this.indexOf(pixels, 4 * i);
    const { x, y, w, h } = this.changed(indices);
    const part = new Uint8Array(w * h);
    for (let r = 0; r < h; ++r) part.set(indices.subarray((y + r) * this.width + x, (y + r) * this.width + x + w), r * w);
    this.last = indices;
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, hundredths & 255, hundredths >> 8, 0, 0, 0x2c, ...[x, y, w, h].flatMap((v) => [v & 255, v >> 8]), 0]));
    this.parts.push(compress(part));
  }

  finish(): Blob {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: "image/gif" });
  }

  private indexOf(f: Uint8ClampedArray, i: number): number {
    const key = bits(f, i);
    if (this.nearest[key] >= 0) return this.nearest[key];
    let [best, least] = [0, Infinity];
    for (let k = 0; k < 256; ++k) {
      const d = (this.palette[3 * k] - f[i]) ** 2 + (this.palette[3 * k + 1] - f[i + 1]) ** 2 + (this.palette[3 * k + 2] - f[i + 2]) ** 2;
      if (d < least) [best, least] = [k, d];
    }
    return (this.nearest[key] = best);
  }

  private changed(now: Uint8Array): { x: number; y: number; w: number; h: number } {
    if (!this.last) return { x: 0, y: 0, w: this.width, h: this.height };
    let [left, right, top, bottom] = [this.width, -1, this.height, -1];
    for (let i = 0; i < now.length; ++i) {
      if (now[i] === this.last[i]) continue;
      const [x, y] = [i % this.width, Math.floor(i / this.width)];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
    return right < 0 ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
  }
}

// LZW with codes of 9 to 12 bits, in blocks of 255 bytes.
function compress(data: Uint8Array): Uint8Array {
  const [clear, end] = [256, 257];
  const table = new Int16Array(4096 * 256).fill(-1);
  let bytes = new Uint8Array(data.length + 64);
  let [length, buffer, held] = [0, 0, 0];
  const put = (code: number, size: number) => {
    buffer |= code << held;
    held += size;
    while (held >= 8) {
      if (length === bytes.length) {
        const larger = new Uint8Array(2 * length);
        larger.set(bytes);
        bytes = larger;
      }
      bytes[length++] = buffer & 255;
      buffer >>>= 8;
      held -= 8;
    }
  };
  let [next, size] = [258, 9];
  put(clear, size);
  let prefix = data[0];
  for (let i = 1; i < data.length; ++i) {
    const key = (prefix << 8) | data[i];
    if (table[key] >= 0) {
      prefix = table[key];
      continue;
    }
    put(prefix, size);
    if (next === 4096) {
      put(clear, size);
      table.fill(-1);
      [next, size] = [258, 9];
    } else {
      if (next === 1 << size) ++size;
      table[key] = next++;
    }
    prefix = data[i];
  }
  put(prefix, size);
  put(end, size);
  put(0, 7);
  const out = new Uint8Array(2 + length + Math.ceil(length / 255));
  out[0] = 8;
  let at = 1;
  for (let i = 0; i < length; i += 255) {
    const block = bytes.subarray(i, Math.min(length, i + 255));
    out[at] = block.length;
    out.set(block, at + 1);
    at += block.length + 1;
  }
  return out.subarray(0, at + 1);
}
