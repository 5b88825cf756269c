// z over x and y in colours.
import { h } from "./dom";
import { Pen } from "./pen";
import { Figure, csv, pictureItems, saveMenu, saveText } from "./save";
import { colour, onTheme } from "./theme";
import { number, suit, ticks, withUnit } from "./units";

export interface MapData {
  x: number[]; // ascending, as shown
  y: number[];
  z: (number | null)[]; // row by row, z[j * nx + i]; null: missing
  xLabel: string;
  yLabel: string;
  zLabel: string;
  zUnit: string; // SI
}

// Viridis at eleven places.
const tones = [
  [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140],
  [34, 168, 132], [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];

export function tone(share: number): string {
  const p = Math.min(1, Math.max(0, share)) * (tones.length - 1);
  const k = Math.min(tones.length - 2, Math.floor(p));
  const c = tones[k].map((v, i) => Math.round(v + (tones[k + 1][i] - v) * (p - k)));
  return `rgb(${c[0]},${c[1]},${c[2]})`;
}

let made = 0;

export class HeatMap {
  readonly element = h("div", { class: "map" });
  readonly readout = h("p", { class: "map-readout dim", "aria-live": "polite" });
  onPick?: (i: number, j: number) => void;
  private canvas = h("canvas", { class: "map-canvas", role: "img", "aria-label": "Map" });
  private data?: MapData;
  private frame = { left: 62, top: 10, right: 96, bottom: 44 };
  private marked?: [number, number];

  constructor() {
    const save = saveMenu(`save-map-${++made}`, "Save this map", [...pictureItems(() => this.figure()), { label: "Data, CSV", save: () => this.saveData() }]);
    this.element.append(this.canvas, h("div", { class: "plot-tools" }, this.readout, save));
    new ResizeObserver(() => this.draw()).observe(this.element);
    onTheme(() => this.draw());
    this.canvas.addEventListener("pointermove", (e) => this.point(e));
    this.canvas.addEventListener("click", (e) => {
      const cell = this.cellAt(e);
      if (cell) this.onPick?.(...cell);
    });
  }

  load(data: MapData): void {
    this.data = data;
    this.readout.textContent = this.onPick ? "Point at the map to read it; click to run that point." : "Point at the map to read it.";
    this.draw();
  }

  mark(x: number, y: number): void {
    this.marked = [x, y];
    this.draw();
  }

  private range(): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const z of this.data!.z) {
      if (z === null || !Number.isFinite(z)) continue;
      low = Math.min(low, z);
      high = Math.max(high, z);
    }
    return [low, high];
  }

  private size(): [number, number, number, number] {
    const width = this.element.clientWidth;
    const height = Math.round(Math.min(440, Math.max(240, 0.62 * width)));
    return [width, height, width - this.frame.left - this.frame.right, height - this.frame.top - this.frame.bottom];
  }

  private figure(): Figure {
    const [width, height] = this.size();
    return { name: `${this.data?.zLabel ?? "map"}-map`, size: () => [width, height], paint: (pen) => this.paint(pen) };
  }

  private saveData(): void {
    const d = this.data;
    if (!d) return;
    const at = (k: number) => [k % d.x.length, Math.floor(k / d.x.length)];
    saveText(
      `${d.zLabel}-map.csv`,
      csv([
        { name: d.xLabel, values: d.z.map((_, k) => d.x[at(k)[0]]) },
        { name: d.yLabel, values: d.z.map((_, k) => d.y[at(k)[1]]) },
        { name: d.zUnit ? `${d.zLabel} [${d.zUnit}]` : d.zLabel, values: d.z },
      ]),
      "text/csv",
    );
  }

  private draw(): void {
    const [width, height, w] = this.size();
    if (!this.data || width === 0 || w < 20) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = `${height}px`;
    const c = this.canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint(c as Pen);
  }

  private paint(c: Pen): void {
    const d = this.data!;
    const [, , w, hgt] = this.size();
    const { left, top } = this.frame;
    const [low, high] = this.range();
    const [nx, ny] = [d.x.length, d.y.length];
    c.fillStyle = colour("missing");
    c.fillRect(left, top, w, hgt);
    for (let j = 0; j < ny; ++j)
      for (let i = 0; i < nx; ++i) {
        const z = d.z[j * nx + i];
        if (z === null || !Number.isFinite(z)) continue;
        c.fillStyle = tone(high > low ? (z - low) / (high - low) : 0.5);
        const x0 = left + (w * i) / nx;
        const y0 = top + hgt - (hgt * (j + 1)) / ny;
        c.fillRect(Math.floor(x0), Math.floor(y0), Math.ceil(w / nx + 0.999), Math.ceil(hgt / ny + 0.999));
      }
    this.drawAxes(c, w, hgt);
    if (high >= low) this.drawScale(c, w, hgt, low, high);
    if (this.marked) {
      const [x, y] = [this.toX(this.marked[0], w), this.toY(this.marked[1], hgt)];
      c.strokeStyle = "#fff";
      c.lineWidth = 4;
      c.strokeRect(x - 5, y - 5, 10, 10);
      c.strokeStyle = "#111";
      c.lineWidth = 2;
      c.strokeRect(x - 5, y - 5, 10, 10);
    }
  }

  // Values lie in the middle of their cells.
  private toX(x: number, w: number): number {
    const list = this.data!.x;
    const step = list.length > 1 ? (list[list.length - 1] - list[0]) / (list.length - 1) : 1;
    return this.frame.left + (w * ((x - list[0]) / step + 0.5)) / list.length;
  }
  private toY(y: number, hgt: number): number {
    const list = this.data!.y;
    const step = list.length > 1 ? (list[list.length - 1] - list[0]) / (list.length - 1) : 1;
    return this.frame.top + hgt - (hgt * ((y - list[0]) / step + 0.5)) / list.length;
  }

  private drawAxes(c: Pen, w: number, hgt: number): void {
    const d = this.data!;
    const { left, top } = this.frame;
    c.fillStyle = c.strokeStyle = colour("muted");
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeRect(left + 0.5, top + 0.5, w, hgt);
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const x of ticks(d.x[0], d.x[d.x.length - 1], Math.max(2, w / 55))) {
      const px = this.toX(x, w);
      c.fillRect(px, top + hgt, 1, 4);
      c.fillText(number(x), px, top + hgt + 7);
    }
    c.fillText(d.xLabel, left + w / 2, top + hgt + 24);
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const y of ticks(d.y[0], d.y[d.y.length - 1], Math.max(2, hgt / 50))) {
      const py = this.toY(y, hgt);
      c.fillRect(left - 4, py, 4, 1);
      c.fillText(number(y), left - 7, py);
    }
    c.save();
    c.translate(14, top + hgt / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.fillText(d.yLabel, 0, 0);
    c.restore();
  }

  private drawScale(c: Pen, w: number, hgt: number, low: number, high: number): void {
    const { left, top } = this.frame;
    const x = left + w + 14;
    const shown = suit(Math.max(Math.abs(low), Math.abs(high)), this.data!.zUnit);
    for (let k = 0; k < hgt; ++k) {
      c.fillStyle = tone(1 - k / hgt);
      c.fillRect(x, top + k, 12, 1.5);
    }
    c.fillStyle = colour("muted");
    c.textAlign = "left";
    c.textBaseline = "middle";
    for (const z of ticks(low * shown.factor, high * shown.factor, Math.max(2, hgt / 50))) {
      const y = top + hgt * (1 - (high > low ? (z / shown.factor - low) / (high - low) : 0.5));
      c.fillText(number(z, 4), x + 17, y);
    }
    c.save();
    c.translate(left + w + 86, top + hgt / 2);
    c.rotate(Math.PI / 2);
    c.textAlign = "center";
    c.fillText(shown.unit ? `${this.data!.zLabel} [${shown.unit}]` : this.data!.zLabel, 0, 0);
    c.restore();
  }

  private cellAt(e: MouseEvent): [number, number] | undefined {
    if (!this.data) return undefined;
    const box = this.canvas.getBoundingClientRect();
    const [, , w, hgt] = this.size();
    const i = Math.floor(((e.clientX - box.left - this.frame.left) / w) * this.data.x.length);
    const j = Math.floor((1 - (e.clientY - box.top - this.frame.top) / hgt) * this.data.y.length);
    return i >= 0 && j >= 0 && i < this.data.x.length && j < this.data.y.length ? [i, j] : undefined;
  }

  private point(e: PointerEvent): void {
    const cell = this.cellAt(e);
    const d = this.data;
    if (!cell || !d) return;
    const z = d.z[cell[1] * d.x.length + cell[0]];
    const [, zHigh] = this.range();
    const shown = suit(Math.abs(zHigh), d.zUnit);
    const text = z === null ? "no value" : withUnit(number(z * shown.factor), shown.unit);
    this.readout.textContent = `${d.xLabel} ${number(d.x[cell[0]])}, ${d.yLabel} ${number(d.y[cell[1]])}: ${d.zLabel} ${text}`;
  }
}
