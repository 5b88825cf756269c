// Words in a picture that never cover each other.
import { Pen, Point } from "./pen";
import { colour } from "./theme";

export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const overlap = (a: Rect, b: Rect): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const size = 12;

export class Labels {
  /// Where words stand, for tests.
  readonly placed: (Rect & { text: string })[] = [];
  private taken: Rect[];

  constructor(
    private pen: Pen,
    private width: number,
    private height: number,
    taken: Rect[] = [],
  ) {
    this.taken = [...taken];
  }

  /// Writes a word at the first of the places where it has room: at `at` itself if `onIt`, else beside it, best in the
  /// direction given.
  put(text: string, at: Point, tone: string, direction: Point = [0, -1], distance = 10, onIt = false): boolean {
    const pen = this.pen;
    pen.font = `600 ${size}px system-ui, sans-serif`;
    const w = pen.measureText(text).width;
    const turn = Math.atan2(direction[1], direction[0]);
    if (onIt && this.take(text, at, w, tone)) return true;
    for (const away of [distance, distance + 14])
      for (const change of [0, 0.6, -0.6, 1.2, -1.2, 2.2, -2.2, Math.PI]) {
        const [ux, uy] = [Math.cos(turn + change), Math.sin(turn + change)];
        // The middle of the word, so far out that its box ends at the distance.
        const out = away + Math.min(w / 2 / Math.max(1e-9, Math.abs(ux)), size / 2 / Math.max(1e-9, Math.abs(uy)));
        if (this.take(text, [at[0] + ux * out, at[1] + uy * out], w, tone)) return true;
      }
    return false;
  }

  private take(text: string, [x, y]: Point, w: number, tone: string): boolean {
    const box = { left: x - w / 2 - 3, right: x + w / 2 + 3, top: y - size / 2 - 3, bottom: y + size / 2 + 3 };
    if (box.left < 2 || box.top < 2 || box.right > this.width - 2 || box.bottom > this.height - 2) return false;
    if (this.taken.some((r) => overlap(r, box))) return false;
    this.taken.push(box);
    this.placed.push({ ...box, text });
    this.write(text, x, y, tone);
    return true;
  }

  private write(text: string, x: number, y: number, tone: string): void {
    const pen = this.pen;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    pen.strokeStyle = colour("sky");
    pen.strokeText(text, x, y);
    pen.fillStyle = tone;
    pen.fillText(text, x, y);
  }
}
