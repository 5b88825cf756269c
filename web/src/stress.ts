// The stress of the sand along what of a body is under the surface and leads, as arrows that end on its outline.
import { View, toScreen } from "./camera";
import { Run, Scene, StressStretch, at, locate } from "./data";
import { Pose, place } from "./geometry";
import { freeCorner } from "./ground";
import { Rect } from "./labels";
import { Pen, Point, trace } from "./pen";
import { colour } from "./theme";
import { quantity, roundDown } from "./units";

/// The largest stress of a run [Pa].
export function largestStress(run: Run): number {
  let most = 0;
  for (const s of run.stress ?? [])
    s.sx.forEach((sx, i) => {
      for (let k = 0; k < sx.length; ++k) most = Math.max(most, Math.hypot(sx[k] ?? 0, s.sz[i][k] ?? 0));
    });
  return most;
}

/// Pixels of the largest stress.
export const longestStress = (view: View): number => 0.16 * Math.min(view.width, view.height);

export interface StressArrow {
  tip: Point;
  tail: Point;
  stress: number; // [Pa]
}

/// The arrows of one stretch, in order along it.
export interface StressRow {
  body: number;
  arrows: StressArrow[];
  /// It pushes rather than rubs: a line through the tails shows how it is spread.
  pushes: boolean;
}

const closest = 6; // two arrows along an outline [pixels]

/// Where a stretch is at a share of the way from one end to the other, and across it; of an arc, at an angle.
function spot(s: StressStretch, pose: Pose, x: number): { at: Point; across: Point } {
  if (s.center) {
    const [cx, cz] = place(pose, ...s.center);
    const e: Point = [Math.sin(x), Math.cos(x)];
    return { at: [cx + s.radius! * e[0], cz + s.radius! * e[1]], across: e };
  }
  const [a, b] = [s.a!, s.b!];
  const [from, to] = [place(pose, ...a), place(pose, ...b)];
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const across: Point = long > 0 ? [(to[1] - from[1]) / long, (from[0] - to[0]) / long] : [0, 0];
  return { at: [from[0] + x * (to[0] - from[0]), from[1] + x * (to[1] - from[1])], across };
}

export function stressAt(view: View, run: Run, t: number, poses: Pose[], most: number, longest: number): StressRow[] {
  if (!(most > 0)) return [];
  const now = locate(run.time, t);
  const out: StressRow[] = [];
  for (const s of run.stress ?? []) {
    const [from, to] = [at(s.from, now), at(s.to, now)];
    if (!Number.isFinite(from + to)) continue;
    const count = s.sx.length;
    const row: StressRow = { body: s.body, arrows: [], pushes: false };
    let [pushed, all] = [0, 0];
    for (let k = 0; k < count; ++k) {
      const { at: middle, across } = spot(s, poses[s.body], from + ((k + 0.5) / count) * (to - from));
      const [sx, sz] = [at(s.sx[k], now), at(s.sz[k], now)];
      const stress = Math.hypot(sx, sz);
      const push = sx * across[0] + sz * across[1];
      pushed += Math.abs(push);
      all += stress;
      // On the side of a plate from which it is pushed.
      const side = (s.half ?? 0) * (push > 0.2 * stress ? -1 : 1);
      const tip = toScreen(view, middle[0] + side * across[0], middle[1] + side * across[1]);
      const length = stress > 0 ? (longest * stress) / most / stress : 0;
      row.arrows.push({ tip, tail: [tip[0] - length * sx, tip[1] - length * sz], stress });
    }
    row.pushes = count > 2 && pushed > 0.4 * all;
    out.push(row);
  }
  return out;
}

/// Whether the sand holds a body whose stress is shown while it moves: then only the resultant is known.
export function isHeld(run: Run, t: number): boolean {
  const now = locate(run.time, t);
  return (run.stress ?? []).some((s) => {
    const known = (run.stress ?? []).some((o) => o.body === s.body && Number.isFinite(at(o.from, now)));
    const acts = run.forces.some((f) => f.body === s.body && f.bed === s.bed && Math.hypot(at(f.fx, now), at(f.fz, now)) > 0);
    return !known && acts;
  });
}

export function drawStress(pen: Pen, rows: StressRow[]): void {
  pen.lineCap = "butt";
  pen.lineJoin = "round";
  for (const { arrows, pushes } of rows) {
    if (pushes) {
      pen.fillStyle = pen.strokeStyle = colour("stress");
      trace(pen, [...arrows.map((a) => a.tail), ...arrows.map((a) => a.tip).reverse()], true);
      pen.globalAlpha = 0.16;
      pen.fill();
      pen.globalAlpha = 1;
      pen.lineWidth = 1;
      trace(pen, arrows.map((a) => a.tail));
      pen.stroke();
    }
    const ends = [arrows[0], arrows[arrows.length - 1]];
    const spacing = arrows.length > 1 ? Math.hypot(ends[1].tip[0] - ends[0].tip[0], ends[1].tip[1] - ends[0].tip[1]) / (arrows.length - 1) : Infinity;
    const stride = Math.min(arrows.length, Math.max(1, Math.ceil(closest / Math.max(spacing, 1e-6))));
    arrows.forEach((a, k) => k % stride === (stride - 1) >> 1 && drawArrow(pen, a));
  }
}

function drawArrow(pen: Pen, { tip, tail }: StressArrow): void {
  const [dx, dy] = [tip[0] - tail[0], tip[1] - tail[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > 1.5)) return;
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(6, 0.6 * length);
  const [nx, ny] = [tip[0] - ux * head, tip[1] - uy * head];
  pen.strokeStyle = pen.fillStyle = colour("stress");
  pen.lineWidth = 1.4;
  trace(pen, [tail, [nx, ny]]);
  pen.stroke();
  trace(pen, [tip, [nx - 0.42 * head * uy, ny + 0.42 * head * ux], [nx + 0.42 * head * uy, ny - 0.42 * head * ux]], true);
  pen.fill();
}

/// What a length means; returns where it stands.
export function drawStressScale(pen: Pen, view: View, scene: Scene, most: number, longest: number, held: boolean, taken: Rect[]): Rect {
  const value = roundDown(most);
  const wide = (longest * value) / most;
  const text = `${quantity(value, "Pa", 3)} of stress`;
  const note = "at rest: resultant only";
  pen.font = "12px system-ui, sans-serif";
  const words = Math.max(pen.measureText(text).width, held ? pen.measureText(note).width : 0);
  const box = freeCorner(view, scene, wide + words + 22, held ? 40 : 24, taken);
  pen.globalAlpha = 0.85;
  pen.fillStyle = colour("sky");
  pen.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  pen.globalAlpha = 1;
  drawArrow(pen, { tail: [box.left + 7, box.top + 12], tip: [box.left + 7 + wide, box.top + 12], stress: value });
  pen.fillStyle = colour("stress");
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(text, box.left + wide + 14, box.top + 12);
  if (held) pen.fillText(note, box.left + wide + 14, box.top + 28);
  return box;
}
