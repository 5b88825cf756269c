// Arrows of forces, and flashes where something struck or switched.
import { View, toScreen } from "./camera";
import { Run, RunEvent, Scene, at, locate } from "./data";
import { Pose, magnified, place, posesAt, tipOf } from "./geometry";
import { Labels } from "./labels";
import { Pen, Point, trace } from "./pen";
import { colour } from "./theme";
import { largest, quantity } from "./units";

/// Below this share of what a run has to offer, a force is an error of arithmetic.
const noise = 1e-9;
const edge = 8; // arrows end so far from the edge of the picture [pixels]

const eventColours: Record<string, string> = {
  enter: "event-touch",
  leave: "event-touch",
  submerge: "event-touch",
  emerge: "event-touch",
  bottom: "event-touch",
  impact: "event-touch",
  touch: "event-touch",
  settle: "event-stick",
  stick: "event-stick",
  rest: "event-stick",
  condition: "event-goal",
};

export function eventColour(kind: string): string {
  return colour(eventColours[kind] ?? (/impact|contact|collision/.test(kind) ? "event-touch" : "event-switch"));
}

/// The largest force of a run, or 0 when all of them are noise beside its weights and its energy.
export function largestForce(scene: Scene, run: Run, size: number): number {
  let most = 0;
  for (const f of run.forces) for (let k = 0; k < f.fx.length; ++k) most = Math.max(most, Math.hypot(f.fx[k], f.fz[k]));
  const weight = scene.bodies.reduce((sum, b) => sum + b.mass, 0) * Math.hypot(...scene.gravity);
  const energy = largest(run.columns["energy.kinetic"] ?? []) / Math.max(size, 1e-9);
  return most > noise * Math.max(weight, energy) ? most : 0;
}

/// How far a ray from a point of the picture goes until it leaves it.
function roomFor(view: View, [x, y]: Point, [ux, uy]: Point): number {
  const across = ux > 0 ? (view.width - edge - x) / ux : ux < 0 ? (edge - x) / ux : Infinity;
  const down = uy > 0 ? (view.height - edge - y) / uy : uy < 0 ? (edge - y) / uy : Infinity;
  return Math.min(across, down);
}

/// Pixels of the largest force: a quarter of the picture, or less where arrows of the run would leave it.
export function arrowLength(view: View, run: Run, largestForce: number): number {
  const size = Math.min(view.width, view.height);
  let length = 0.26 * size;
  for (const f of run.forces)
    for (let k = 0; k < f.fx.length; ++k) {
      const force = Math.hypot(f.fx[k], f.fz[k]);
      if (force < 0.05 * largestForce) continue;
      const room = roomFor(view, toScreen(view, f.x[k], f.z[k]), [f.fx[k] / force, f.fz[k] / force]);
      if (room > 0) length = Math.min(length, (room * largestForce) / force);
    }
  return Math.max(length, 0.1 * size);
}

export interface Arrow {
  from: Point;
  direction: Point;
  length: number;
  /// It would be longer than the picture has room for.
  isCut: boolean;
  force: number;
}

export function arrowsAt(view: View, scene: Scene, run: Run, t: number, poses: Pose[], magnification: number, most: number, longest: number): Arrow[] {
  if (!(most > 0)) return [];
  const real = magnification === 1 ? poses : posesAt(scene, run, t, 1);
  const now = locate(run.time, t);
  const out: Arrow[] = [];
  for (const f of run.forces) {
    const [fx, fz] = [at(f.fx, now), at(f.fz, now)];
    const force = Math.hypot(fx, fz);
    const length = (longest * force) / most;
    if (!(length > 1.5)) continue;
    const from = toScreen(view, ...magnified(scene.bodies[f.body], real[f.body], poses[f.body], magnification, at(f.x, now), at(f.z, now)));
    const direction: Point = [fx / force, fz / force];
    const room = roomFor(view, from, direction);
    const isSeen = from[0] > edge && from[1] > edge && from[0] < view.width - edge && from[1] < view.height - edge;
    if (isSeen) out.push({ from, direction, length: Math.min(length, room), isCut: length > room * 1.001, force });
  }
  return out;
}

export function drawArrows(pen: Pen, arrows: Arrow[], labels: Labels, longest: number): void {
  pen.lineCap = "butt";
  for (const a of arrows) drawArrow(pen, a);
  for (const a of [...arrows].sort((p, q) => q.force - p.force).slice(0, 6)) {
    if (a.length < 0.25 * longest && !a.isCut) continue;
    const tip: Point = [a.from[0] + a.direction[0] * a.length, a.from[1] + a.direction[1] * a.length];
    labels.put(quantity(a.force, "N", 3), tip, colour("force"), a.direction, 6);
  }
}

// One that is cut short by the edge has a gap. A rim of the colour of the sky sets it off from the body behind it.
function drawArrow(pen: Pen, { from: [x, y], direction: [ux, uy], length, isCut }: Arrow): void {
  const head = Math.min(10, 0.6 * length);
  const [ex, ey] = [x + ux * length, y + uy * length];
  const point = (s: number): Point => [x + ux * s, y + uy * s];
  const shaft = length - head * 0.8;
  const tip: Point[] = [[ex, ey], [ex - ux * head - uy * head * 0.45, ey - uy * head + ux * head * 0.45], [ex - ux * head + uy * head * 0.45, ey - uy * head - ux * head * 0.45]];
  for (const [tone, width] of [["sky", 5], ["force", 2.5]] as const) {
    pen.strokeStyle = pen.fillStyle = colour(tone);
    pen.lineWidth = width;
    for (const [a, b] of isCut ? [[0, 0.45 * shaft], [0.45 * shaft + 5, shaft]] : [[0, shaft]]) {
      trace(pen, [point(a), point(Math.max(a, b))]);
      pen.stroke();
    }
    trace(pen, tip, true);
    pen.lineWidth = 2.5;
    if (tone === "sky") pen.stroke();
    pen.fill();
  }
}

/// How long something that happened is still seen, as a share of the run.
const afterglow = 0.04;

/// Where something struck a moment ago: a flash that fades, with its impulse.
export function drawImpacts(pen: Pen, view: View, run: Run, t: number, labels: Labels): void {
  if (!run.impacts) return;
  const { contact, time, x, z, normal, tangential } = run.impacts;
  const span = afterglow * run.stop.time;
  const sizes = time.map((_, k) => Math.hypot(normal[k], tangential[k]));
  const most = largest(sizes);
  const now = time.map((_, k) => k).filter((k) => t >= time[k] - 1e-9 * run.stop.time && t - time[k] <= span);
  for (const k of now) {
    const age = Math.max(0, (t - time[k]) / span);
    const [px, py] = toScreen(view, x[k], z[k]);
    const r = 5 + 9 * Math.sqrt(sizes[k] / most);
    pen.strokeStyle = pen.fillStyle = colour("event-touch");
    pen.globalAlpha = 0.55 * (1 - age);
    pen.beginPath();
    pen.arc(px, py, r * (1 - 0.6 * age), 0, 7);
    pen.fill();
    pen.globalAlpha = 1 - age;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let ray = 0; ray < 8; ++ray) {
      const [c, s] = [Math.cos((ray * Math.PI) / 4), Math.sin((ray * Math.PI) / 4)];
      pen.moveTo(px + c * r * (1.1 + age), py + s * r * (1.1 + age));
      pen.lineTo(px + c * r * (1.5 + age), py + s * r * (1.5 + age));
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
  // Of each contact the last impact, and the strongest first.
  const last = now.filter((k) => !now.some((j) => j > k && contact[j] === contact[k]) && sizes[k] > 0.02 * most);
  for (const k of last.sort((a, b) => sizes[b] - sizes[a]).slice(0, 5)) {
    labels.put(quantity(sizes[k], "N s", 3), toScreen(view, x[k], z[k]), colour("event-touch"), [0.5, -0.9], 16);
  }
}

/// Where something else happened a moment ago: a ring that grows and fades.
export function drawEvents(pen: Pen, view: View, scene: Scene, run: Run, t: number, poses: Pose[]): void {
  const span = 0.03 * run.stop.time;
  const hasImpacts = (run.impacts?.time.length ?? 0) > 0;
  for (const e of run.events) {
    const age = (t - e.time) / span;
    if (age < -1e-6 || age > 1 || e.kind === "start" || e.kind === "condition" || (hasImpacts && e.kind === "impact")) continue;
    const spot = spotOf(e, scene, run, poses);
    if (!spot) continue;
    const [x, y] = toScreen(view, ...spot);
    pen.globalAlpha = Math.max(0, 1 - age);
    pen.strokeStyle = eventColour(e.kind);
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x, y, 6 + 12 * Math.max(0, age), 0, 7);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function spotOf(e: RunEvent, scene: Scene, run: Run, poses: Pose[]): Point | undefined {
  let body = -1;
  scene.bodies.forEach((b, i) => {
    if (e.subject.startsWith(b.name) && (body < 0 || b.name.length > scene.bodies[body].name.length)) body = i;
  });
  if (body < 0) return undefined;
  if (/joint/.test(e.subject)) return [poses[body].x, poses[body].z];
  const force = run.forces.find((f) => f.body === body);
  const then = locate(run.time, e.time);
  if (force && Math.hypot(at(force.fx, then), at(force.fz, then)) > 0) return [at(force.x, then), at(force.z, then)];
  const tip = tipOf(scene.bodies[body]);
  return place(poses[body], tip.s, tip.n, tip.shapes);
}
