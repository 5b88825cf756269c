// Where the lines of a mechanism are at an instant.
import { Body, Run, Scene, at, locate } from "./data";

export interface Pose {
  x: number;
  z: number;
  sin: number;
  cos: number;
  eta: number[];
}

/// The poses at a time, with deflections magnified. What hangs on a bent link is shifted with it.
export function posesAt(scene: Scene, run: Run, t: number, magnification: number): Pose[] {
  const place = locate(run.time, t);
  const eta: number[][] = scene.bodies.map(() => []);
  for (const e of run.elastic) eta[e.body] = e.eta.map((column) => at(column, place));
  const shift: [number, number][] = [];
  return scene.bodies.map((body, i) => {
    const p = run.poses[i];
    const angle = at(p.angle, place);
    shift[i] = [0, 0];
    if (body.parent >= 0) {
      shift[i] = [...shift[body.parent]];
      if (body.attach_shapes && magnification !== 1) {
        const parent = at(run.poses[body.parent].angle, place);
        const extra = (magnification - 1) * deflection(body.attach_shapes, eta[body.parent]);
        shift[i][0] += extra * Math.cos(parent);
        shift[i][1] -= extra * Math.sin(parent);
      }
    }
    return {
      x: at(p.x, place) + shift[i][0],
      z: at(p.z, place) + shift[i][1],
      sin: Math.sin(angle),
      cos: Math.cos(angle),
      eta: magnification === 1 ? eta[i] : eta[i].map((e) => e * magnification),
    };
  });
}

export function deflection(shapes: number[], eta: number[]): number {
  let w = 0;
  for (let k = 0; k < eta.length; ++k) w += shapes[k] * eta[k];
  return w;
}

/// A point of a body, s along its axis and n across it.
export function place(pose: Pose, s: number, n: number, shapes?: number[]): [number, number] {
  const across = shapes && pose.eta.length > 0 ? n + deflection(shapes, pose.eta) : n;
  return [pose.x + s * pose.sin + across * pose.cos, pose.z + s * pose.cos - across * pose.sin];
}

/// Where a point of a bent body is drawn when its deflection is magnified: `pose` is the magnified one.
export function magnified(body: Body, real: Pose, pose: Pose, magnification: number, x: number, z: number): [number, number] {
  if (magnification === 1) return [x, z];
  const [dx, dz] = [x - real.x, z - real.z];
  const s = dx * real.sin + dz * real.cos;
  const n = dx * real.cos - dz * real.sin;
  let extra = 0;
  let nearest = Infinity;
  for (const line of body.lines)
    line.shapes?.forEach((shapes, k) => {
      const distance = Math.abs(line.points[k][0] - s);
      if (distance >= nearest) return;
      nearest = distance;
      extra = deflection(shapes, pose.eta) * (1 - 1 / magnification);
    });
  return place(pose, s, n + extra);
}

/// Where a slider is on its line, with the direction of that in the world.
function onLine(scene: Scene, poses: Pose[], i: number): { travel: number; ux: number; uz: number } {
  const body = scene.bodies[i];
  const [s, n] = body.line!;
  const [ux, uz] = [s * poses[i].sin + n * poses[i].cos, s * poses[i].cos - n * poses[i].sin];
  const seat = body.anchor ?? place(poses[body.parent], body.attach![0], body.attach![1], body.attach_shapes);
  return { travel: (poses[i].x - seat[0]) * ux + (poses[i].z - seat[1]) * uz, ux, uz };
}

/// From the least to the largest travel of every slider in a run.
export function travelSpans(scene: Scene, run: Run): ([number, number] | undefined)[] {
  const spans: ([number, number] | undefined)[] = scene.bodies.map(() => undefined);
  if (!scene.bodies.some((b) => b.line)) return spans;
  for (const t of run.time) {
    const poses = posesAt(scene, run, t, 1);
    scene.bodies.forEach((body, i) => {
      if (!body.line) return;
      const { travel } = onLine(scene, poses, i);
      const old = spans[i] ?? [travel, travel];
      spans[i] = [Math.min(old[0], travel), Math.max(old[1], travel)];
    });
  }
  return spans;
}

/// Both ends of what a run uses of a slider's line.
export function railAt(scene: Scene, poses: Pose[], i: number, span: [number, number]): [[number, number], [number, number]] {
  const { travel, ux, uz } = onLine(scene, poses, i);
  const end = (x: number): [number, number] => [poses[i].x + (x - travel) * ux, poses[i].z + (x - travel) * uz];
  return [end(span[0]), end(span[1])];
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const nowhere = (): Box => ({ left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity });

export function include(box: Box, x: number, z: number, r = 0): void {
  box.left = Math.min(box.left, x - r);
  box.right = Math.max(box.right, x + r);
  box.top = Math.min(box.top, z - r);
  box.bottom = Math.max(box.bottom, z + r);
}

export function includeBox(box: Box, other: Box): void {
  if (!(other.right >= other.left)) return;
  include(box, other.left, other.top);
  include(box, other.right, other.bottom);
}

export const sizeOf = (box: Box): number => (box.right >= box.left ? Math.hypot(box.right - box.left, box.bottom - box.top) : 0);

/// Room that a body takes in a pose.
export function bodyBox(body: Body, pose: Pose, withJoint = true): Box {
  const box = nowhere();
  if (withJoint) include(box, pose.x, pose.z);
  for (const line of body.lines) {
    const last = line.points.length - 1;
    const stride = Math.max(1, Math.floor(line.points.length / 12));
    for (let p = 0; p <= last; p = p < last ? Math.min(last, p + stride) : last + 1)
      include(box, ...place(pose, line.points[p][0], line.points[p][1], line.shapes?.[p]), line.width / 2);
  }
  return box;
}

const origin: Pose = { x: 0, z: 0, sin: 0, cos: 1, eta: [] };

/// The middle of a body in its own frame.
export function middleOf(body: Body): [number, number] {
  const box = bodyBox(body, origin);
  return [(box.top + box.bottom) / 2, (box.left + box.right) / 2];
}

/// Where the name of a body belongs: the middle of what is filled of it, else of all, and how far that reaches from there.
export function nameSpot(body: Body): { at: [number, number]; half: number } {
  const filled = body.lines.filter((l) => l.closed);
  const box = bodyBox(filled.length ? { ...body, lines: filled } : body, origin, !filled.length);
  return { at: [(box.top + box.bottom) / 2, (box.left + box.right) / 2], half: Math.min(box.right - box.left, box.bottom - box.top) / 2 };
}

/// The far end of a body: what leaves the trail.
export function tipOf(body: Body): { s: number; n: number; shapes?: number[] } {
  let best = { s: 0, n: 0, shapes: undefined as number[] | undefined };
  for (const line of body.lines) {
    if (line.closed) continue;
    line.points.forEach(([s, n], k) => {
      if (Math.abs(s) >= Math.abs(best.s) && s >= best.s) best = { s, n, shapes: line.shapes?.[k] };
    });
  }
  return best;
}
