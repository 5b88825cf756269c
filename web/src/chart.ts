// Curves in a frame with axes, drawn with any pen.
import { Pen, Point } from "./pen";
import { colour } from "./theme";
import { number, ticks } from "./units";

export interface Curve {
  x: number[];
  y: (number | null)[];
  colour: string;
  width?: number;
  dash?: number[];
  /// Marks instead of a line; "both" for few points.
  points?: boolean | "both";
  /// Filled down to these values.
  base?: number[];
  /// Along the axis on the right.
  right?: boolean;
}

export interface Axis {
  title: string;
  range: [number, number];
  log: boolean;
}

export interface ChartSpec {
  x: Axis;
  y: Axis;
  right?: Axis;
  curves: Curve[];
}

/// Where the curves are, and where values are in it.
export interface Plane {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Axis;
  y: Axis;
  right?: Axis;
}

export const margins = { left: 70, right: 16, wideRight: 66, top: 8, bottom: 42 };
const font = "11px system-ui, sans-serif";

const share = (axis: Axis, v: number): number => {
  const [low, high] = axis.range;
  return axis.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
};
export const toX = (plane: Plane, v: number): number => plane.left + plane.width * share(plane.x, v);
export const toY = (plane: Plane, v: number, right = false): number => plane.top + plane.height * (1 - share(right && plane.right ? plane.right : plane.y, v));

export function fromX(plane: Plane, px: number): number {
  const s = (px - plane.left) / plane.width;
  const [low, high] = plane.x.range;
  return plane.x.log ? low * (high / low) ** s : low + (high - low) * s;
}

/// A range that holds the values with some room; of a logarithmic axis the positive ones only.
export function rangeOf(curves: { x: number[]; y: (number | null)[]; base?: number[] }[], log: boolean, between?: [number, number]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  const see = (v: number | null) => {
    if (v === null || !Number.isFinite(v) || (log && v <= 0)) return;
    low = Math.min(low, v);
    high = Math.max(high, v);
  };
  for (const c of curves)
    c.y.forEach((v, k) => {
      // Neighbours of what is seen count, since lines lead to them.
      if (between && ((c.x[k + 1] ?? c.x[k]) < between[0] || (c.x[k - 1] ?? c.x[k]) > between[1])) return;
      see(v);
      if (c.base) see(c.base[k]);
    });
  if (!(high >= low)) return log ? [0.1, 1] : [0, 1];
  if (log) return high > low ? [low / (high / low) ** 0.05, high * (high / low) ** 0.05] : [low / 2, high * 2];
  // A line that is flat but for rounding is not made a mountain of.
  const room = Math.max(0.06 * (high - low), 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
  return high > low ? [low - room, high + room] : high === 0 ? [-1, 1] : [Math.min(low, 0.9 * low, 1.1 * low), Math.max(high, 0.9 * high, 1.1 * high)];
}

function ticksOf(axis: Axis, wanted: number): number[] {
  const [low, high] = axis.range;
  if (!axis.log) return ticks(low, high, wanted);
  const [from, to] = [Math.log10(low), Math.log10(high)];
  if (to - from < 1.2) return ticks(low, high, wanted).filter((v) => v > 0);
  const step = Math.max(1, Math.ceil((to - from) / wanted));
  const out: number[] = [];
  for (let k = Math.ceil(from - 1e-9); k <= to + 1e-9; ++k) if (k % step === 0) out.push(Number(`1e${k}`));
  return out;
}

export function makePlane(spec: ChartSpec, width: number, height: number, wideRight = !!spec.right): Plane {
  const { left, top, bottom } = margins;
  const right = wideRight ? margins.wideRight : margins.right;
  return { left, top, width: Math.max(10, width - left - right), height: height - top - bottom, x: spec.x, y: spec.y, right: spec.right };
}

export function drawChart(pen: Pen, spec: ChartSpec, plane: Plane): void {
  drawAxes(pen, plane);
  pen.save();
  pen.beginPath();
  const { left, top, width, height } = plane;
  pen.moveTo(left, top - 1);
  for (const [x, y] of [[left + width, top - 1], [left + width, top + height + 1], [left, top + height + 1]]) pen.lineTo(x, y);
  pen.closePath();
  pen.clip();
  for (const curve of spec.curves) drawCurve(pen, plane, curve);
  pen.restore();
}

function drawAxes(pen: Pen, plane: Plane): void {
  const { left, top, width, height } = plane;
  pen.font = font;
  pen.lineWidth = 1;
  pen.fillStyle = colour("muted");
  pen.strokeStyle = colour("grid");
  const yTicks = ticksOf(plane.y, Math.max(2, height / 22)).filter((v) => share(plane.y, v) > -1e-9 && share(plane.y, v) < 1 + 1e-9);
  const xTicks = ticksOf(plane.x, Math.max(2, width / 52)).filter((v) => share(plane.x, v) > -1e-9 && share(plane.x, v) < 1 + 1e-9);
  pen.beginPath();
  for (const v of yTicks) {
    const y = Math.round(toY(plane, v)) + 0.5;
    pen.moveTo(left - 4, y);
    pen.lineTo(left + width, y);
  }
  for (const v of xTicks) {
    const x = Math.round(toX(plane, v)) + 0.5;
    pen.moveTo(x, top);
    pen.lineTo(x, top + height + 4);
  }
  pen.stroke();
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const v of yTicks) pen.fillText(number(v), left - 7, toY(plane, v));
  if (plane.right) {
    pen.textAlign = "left";
    for (const v of ticksOf(plane.right, Math.max(2, height / 22))) {
      const y = toY(plane, v, true);
      if (y > top - 1 && y < top + height + 1) pen.fillText(number(v), left + width + 7, y);
    }
  }
  pen.textBaseline = "top";
  // The last one may not leave the picture.
  const end = left + width + (plane.right ? margins.wideRight : margins.right) - 2;
  for (const v of xTicks) {
    const [text, x] = [number(v), toX(plane, v)];
    const half = pen.measureText(text).width / 2;
    pen.textAlign = "center";
    pen.fillText(text, Math.min(x, end - half), top + height + 7);
  }
  pen.fillText(plane.x.title, left + width / 2, top + height + 24);
  drawTitle(pen, plane.y.title, 11, plane, -1);
  if (plane.right) drawTitle(pen, plane.right.title, left + width + margins.wideRight - 9, plane, 1);
}

// What is too long loses its beginning: the unit is at the end.
function drawTitle(pen: Pen, title: string, x: number, plane: Plane, direction: number): void {
  const room = plane.top + plane.height + margins.bottom - 8;
  let text = title;
  if (pen.measureText(text).width > room) text = text.replace(/^[^.\s]+\./, "");
  while (text.length > 4 && pen.measureText(text).width > room) text = `…${text.slice(2)}`;
  const half = pen.measureText(text).width / 2;
  pen.save();
  pen.translate(x, Math.max(4 + half, Math.min(room + 4 - half, plane.top + plane.height / 2)));
  pen.rotate((direction * Math.PI) / 2);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, 0, 0);
  pen.restore();
}

/// Pieces of a line in pixels. Where many points share a column of pixels, their extremes stand for all.
export function polylines(plane: Plane, c: Curve): Point[][] {
  const axis = c.right && plane.right ? plane.right : plane.y;
  const out: Point[][] = [];
  let piece: Point[] = [];
  let bundle: { px: number; first: number; low: number; high: number; last: number } | undefined;
  const flush = () => {
    if (!bundle) return;
    const { px, first, low, high, last } = bundle;
    piece.push([px, first]);
    if (high > Math.max(first, last)) piece.push([px, high]);
    if (low < Math.min(first, last)) piece.push([px, low]);
    if (last !== first) piece.push([px, last]);
    bundle = undefined;
  };
  const cut = () => {
    flush();
    if (piece.length) out.push(piece);
    piece = [];
  };
  const [from, to] = plane.x.range;
  for (let k = 0; k < c.x.length; ++k) {
    if ((c.x[k + 1] ?? c.x[k]) < from || (c.x[k - 1] ?? c.x[k]) > to) continue;
    const v = c.y[k];
    if (v === null || !Number.isFinite(v) || (axis.log && v <= 0) || (plane.x.log && c.x[k] <= 0)) {
      cut();
      continue;
    }
    const px = toX(plane, c.x[k]);
    const py = plane.top + plane.height * (1 - Math.max(-20, Math.min(20, share(axis, v))));
    if (bundle && Math.abs(px - bundle.px) < 0.5) {
      bundle.low = Math.min(bundle.low, py);
      bundle.high = Math.max(bundle.high, py);
      bundle.last = py;
    } else {
      flush();
      bundle = { px, first: py, low: py, high: py, last: py };
    }
  }
  cut();
  return out;
}

function drawCurve(pen: Pen, plane: Plane, c: Curve): void {
  const pieces = polylines(plane, c);
  pen.strokeStyle = c.colour;
  pen.lineWidth = c.width ?? 2;
  pen.lineJoin = "round";
  pen.lineCap = "butt";
  if (c.base) {
    const below = polylines(plane, { ...c, y: c.base }).flat().reverse();
    pen.fillStyle = c.colour;
    pen.beginPath();
    for (const [x, y] of [...pieces.flat(), ...below]) pen.lineTo(x, y);
    pen.closePath();
    pen.fill();
    return;
  }
  if (c.points !== true) {
    pen.setLineDash(c.dash ?? []);
    pen.beginPath();
    for (const piece of pieces) piece.forEach(([x, y], k) => (k === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
    pen.stroke();
    pen.setLineDash([]);
  }
  // A point between two gaps has no line to be seen by.
  const marks = c.points ? pieces.flat() : pieces.filter((p) => p.length === 1).flat();
  pen.fillStyle = c.colour;
  pen.lineWidth = 1.2;
  for (const [x, y] of marks) {
    pen.beginPath();
    pen.arc(x, y, c.points === true ? 2.6 : 2, 0, 7);
    if (c.points === true) pen.stroke();
    else pen.fill();
  }
}
