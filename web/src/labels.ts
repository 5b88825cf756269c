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

export interface Word extends Rect {
  text: string;
  tone: string;
}

const size = 12;

export class Labels {
  /// Where words stand, for tests.
  readonly placed: Word[] = [];
  private taken: Rect[];

  constructor(
    private pen: Pen,
    private width: number,
    private height: number,
    taken: Rect[] = [],
  ) {
    this.taken = [...taken];
  }

  /// Finds a word the first of the places where it has room: at `at` itself if `onIt`, else beside it, best in the
  /// direction given. It stays clear of what `isBusy` tells, where it can.
  put(text: string, at: Point, tone: string, direction: Point = [0, -1], distance = 10, onIt = false, isBusy?: (box: Rect) => boolean): boolean {
    this.pen.font = `600 ${size}px system-ui, sans-serif`;
    const w = this.pen.measureText(text).width;
    const free = this.places(at, w, direction, distance, onIt).filter((box) => this.hasRoom(box));
    const box = (isBusy && free.find((b) => !isBusy(b))) ?? free[0];
    if (!box) return false;
    this.taken.push(box);
    this.placed.push({ ...box, text, tone });
    return true;
  }

  private places([x, y]: Point, w: number, direction: Point, distance: number, onIt: boolean): Rect[] {
    const boxAt = (cx: number, cy: number): Rect => ({ left: cx - w / 2 - 3, right: cx + w / 2 + 3, top: cy - size / 2 - 3, bottom: cy + size / 2 + 3 });
    const turn = Math.atan2(direction[1], direction[0]);
    const out = onIt ? [boxAt(x, y)] : [];
    for (const away of [distance, distance + 14, distance + 28])
      for (const change of [0, 0.6, -0.6, 1.2, -1.2, 2.2, -2.2, Math.PI]) {
        const [ux, uy] = [Math.cos(turn + change), Math.sin(turn + change)];
        // The middle of the word, so far out that its box ends at the distance.
        const far = away + Math.min(w / 2 / Math.max(1e-9, Math.abs(ux)), size / 2 / Math.max(1e-9, Math.abs(uy)));
        out.push(boxAt(x + ux * far, y + uy * far));
      }
    return out;
  }

  private hasRoom(box: Rect): boolean {
    if (box.left < 2 || box.top < 2 || box.right > this.width - 2 || box.bottom > this.height - 2) return false;
    return !this.taken.some((r) => overlap(r, box));
  }

  /// Writes all words, over everything that is drawn by then.
  write(): void {
    const pen = this.pen;
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    for (const { left, right, top, bottom, text, tone } of this.placed) {
      pen.strokeStyle = colour("sky");
      pen.strokeText(text, (left + right) / 2, (top + bottom) / 2);
      pen.fillStyle = tone;
      pen.fillText(text, (left + right) / 2, (top + bottom) / 2);
    }
  }
}
