// Bodies on the stage: as they are, as they were, and those of pinned runs.
import { View, toScreen } from "./camera";
import { Run, Scene, locate } from "./data";
import { Pose, place, posesAt, railAt, tipOf } from "./geometry";
import { bedOutline } from "./ground";
import { Rect, overlap } from "./labels";
import { Pen, Point, trace } from "./pen";
import { colour } from "./theme";

interface Shape {
  points: Point[];
  width: number;
  closed: boolean;
}

/// The colour of a body; those of a mechanism differ.
export function bodyColour(scene: Scene, i: number): string {
  return colour(scene.bodies.length > 1 ? `body-${(i % 6) + 1}` : "body");
}

function shapesOf(view: View, scene: Scene, poses: Pose[], i: number): Shape[] {
  return scene.bodies[i].lines.map((line) => ({
    points: line.points.map(([s, n], k) => toScreen(view, ...place(poses[i], s, n, line.shapes?.[k]))),
    width: line.width * view.scale,
    closed: line.closed,
  }));
}

/// The body under a place of the picture, or −1; the one drawn last is above the others.
export function bodyAt(view: View, scene: Scene, poses: Pose[], at: Point): number {
  const reach = 5; // pixels beside it that count
  for (let i = scene.bodies.length - 1; i >= 0; --i)
    for (const { points, width, closed } of shapesOf(view, scene, poses, i)) {
      if (closed && isInside(points, at)) return i;
      for (let k = 1; k < points.length; ++k) if (distanceTo(points[k - 1], points[k], at) <= width / 2 + reach) return i;
    }
  return -1;
}

/// What bodies cover of the picture.
export type Cover = { shape: Shape; around: Rect }[];

export function coverOf(view: View, scene: Scene, poses: Pose[]): Cover[] {
  return scene.bodies.map((_, i) =>
    shapesOf(view, scene, poses, i).map((shape) => {
      const [xs, ys] = [0, 1].map((k) => shape.points.map((p) => p[k]));
      return { shape, around: grown({ left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }, shape.width / 2) };
    }),
  );
}

export function covers(cover: Cover, box: Rect): boolean {
  const middle: Point = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return cover.some(({ shape: { points, width, closed }, around }) => {
    if (!overlap(around, box)) return false;
    if (closed && isInside(points, middle)) return true;
    const wide = grown(box, width / 2);
    return points.some((b, k) => (k > 0 || closed) && crosses(wide, points[k > 0 ? k - 1 : points.length - 1], b));
  });
}

const grown = (r: Rect, by: number): Rect => ({ left: r.left - by, right: r.right + by, top: r.top - by, bottom: r.bottom + by });

// Whether a line between two points has a part in a box.
function crosses(box: Rect, a: Point, b: Point): boolean {
  let [from, to] = [0, 1];
  for (const [p, d, low, high] of [[a[0], b[0] - a[0], box.left, box.right], [a[1], b[1] - a[1], box.top, box.bottom]]) {
    if (d === 0 && (p < low || p > high)) return false;
    if (d === 0) continue;
    const [s, t] = d > 0 ? [(low - p) / d, (high - p) / d] : [(high - p) / d, (low - p) / d];
    [from, to] = [Math.max(from, s), Math.min(to, t)];
  }
  return from <= to;
}

function distanceTo(a: Point, b: Point, p: Point): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const share = Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy);
}

function isInside(corners: Point[], [x, y]: Point): boolean {
  let inside = false;
  corners.forEach(([ax, ay], k) => {
    const [bx, by] = corners[(k + 1) % corners.length];
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) inside = !inside;
  });
  return inside;
}

/// A colour between two of the form #rrggbb.
function mix(a: string, b: string, share: number): string {
  const part = (c: string, k: number) => parseInt(c.slice(k, k + 2), 16);
  return `#${[1, 3, 5].map((k) => Math.round(part(a, k) + (part(b, k) - part(a, k)) * share).toString(16).padStart(2, "0")).join("")}`;
}

function paint(pen: Pen, shapes: Shape[], fill: string, edge: string): void {
  pen.lineJoin = "round";
  for (const { points, width, closed } of shapes) {
    trace(pen, points, closed);
    if (closed) {
      pen.fillStyle = fill;
      pen.strokeStyle = edge;
      pen.lineWidth = 1.5;
      pen.fill();
      pen.stroke();
      continue;
    }
    const w = width > 0 ? Math.max(width, 4) : 2;
    pen.lineCap = width > 0 ? "butt" : "round";
    pen.strokeStyle = edge;
    pen.lineWidth = w;
    pen.stroke();
    if (w < 4) continue;
    pen.strokeStyle = fill;
    pen.lineWidth = Math.max(w - 2.5, 1.5);
    pen.stroke();
  }
}

export function drawBodies(pen: Pen, view: View, scene: Scene, poses: Pose[]): void {
  const shapes = scene.bodies.map((_, i) => shapesOf(view, scene, poses, i));
  shapes.forEach((s, i) => paint(pen, s, bodyColour(scene, i), colour("body-edge")));
  // What is immersed shows through the sand.
  for (const bed of scene.beds) {
    const outline = bedOutline(view, bed);
    if (!outline.length) continue;
    pen.save();
    trace(pen, outline, true);
    pen.clip();
    shapes.forEach((s, i) => paint(pen, s, mix(bodyColour(scene, i), colour("sand"), 0.5), colour("body-immersed-edge")));
    pen.restore();
  }
  pen.lineWidth = 1.5;
  scene.bodies.forEach((body, i) => {
    if (body.joint !== "pin") return;
    const [x, y] = toScreen(view, poses[i].x, poses[i].z);
    pen.fillStyle = colour("joint");
    pen.strokeStyle = colour("body-edge");
    pen.beginPath();
    pen.arc(x, y, 3.5, 0, 7);
    pen.fill();
    pen.stroke();
  });
}

/// Outlines only.
export function drawOutlines(pen: Pen, view: View, scene: Scene, poses: Pose[], tone: (body: number) => string, alpha: number, width: number): void {
  pen.save();
  pen.globalAlpha = alpha;
  pen.lineCap = "round";
  pen.lineWidth = width;
  scene.bodies.forEach((_, i) => {
    pen.strokeStyle = tone(i);
    for (const { points, closed } of shapesOf(view, scene, poses, i)) {
      trace(pen, points, closed);
      pen.stroke();
    }
  });
  pen.restore();
}

const strobes = 10;

/// The mechanism at instants evenly over the run.
export function drawStrobe(pen: Pen, view: View, scene: Scene, run: Run, magnification: number): void {
  for (let k = 0; k < strobes; ++k) {
    const poses = posesAt(scene, run, (run.stop.time * k) / (strobes - 1), magnification);
    drawOutlines(pen, view, scene, poses, (i) => bodyColour(scene, i), 0.25 + (0.4 * k) / strobes, 1.25);
  }
}

/// Two lines that a slider runs between.
export function drawRails(pen: Pen, view: View, scene: Scene, poses: Pose[], spans: ([number, number] | undefined)[]): void {
  pen.strokeStyle = colour("wall-edge");
  pen.lineWidth = 1.25;
  spans.forEach((span, i) => {
    if (!span) return;
    const [a, b] = railAt(scene, poses, i, span).map(([x, z]) => toScreen(view, x, z));
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 0)) return;
    const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    pen.beginPath();
    for (const side of [-4, 4]) {
      pen.moveTo(a[0] - 10 * ux - side * uy, a[1] - 10 * uy + side * ux);
      pen.lineTo(b[0] + 10 * ux - side * uy, b[1] + 10 * uy + side * ux);
    }
    pen.stroke();
  });
}

/// Where the tip of the last body has been, in the world.
export function makeTrail(scene: Scene, run: Run, magnification: number): Point[] {
  const parents = new Set(scene.bodies.map((b) => b.parent));
  const last = scene.bodies.reduce((best, _, i) => (parents.has(i) ? best : i), 0);
  const tip = tipOf(scene.bodies[last]);
  return run.time.map((t) => place(posesAt(scene, run, t, magnification)[last], tip.s, tip.n, tip.shapes));
}

export function drawTrail(pen: Pen, view: View, run: Run, trail: Point[], t: number): void {
  const until = locate(run.time, t).k;
  pen.strokeStyle = colour("trail");
  pen.lineWidth = 1.5;
  pen.setLineDash([3, 4]);
  pen.beginPath();
  const isBeyond = (a: Point, b: Point) =>
    Math.max(a[0], b[0]) < 0 || Math.min(a[0], b[0]) > view.width || Math.max(a[1], b[1]) < 0 || Math.min(a[1], b[1]) > view.height;
  let old = toScreen(view, ...trail[0]);
  pen.moveTo(...old);
  for (let k = 1; k <= until; ++k) {
    const p = toScreen(view, ...trail[k]);
    // Steps of less than a pixel and what is not seen only cost time.
    if (k < until && Math.abs(p[0] - old[0]) + Math.abs(p[1] - old[1]) < 1) continue;
    if (isBeyond(old, p)) pen.moveTo(...p);
    else pen.lineTo(...p);
    old = p;
  }
  pen.stroke();
  pen.setLineDash([]);
}
