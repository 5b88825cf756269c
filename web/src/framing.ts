// What the stage has to show: everything that a run sweeps over, but for what has flown away.
import { Run, Scene } from "./data";
import { Box, bodyBox, include, includeBox, nowhere, posesAt, sizeOf } from "./geometry";

/// What leaves by more than this many sizes of what happened before is left to itself.
const far = 4;
const samples = 80;

/// Of every body the one that its mechanism begins with.
function roots(scene: Scene): number[] {
  const out: number[] = [];
  scene.bodies.forEach((b, i) => (out[i] = b.parent >= 0 ? out[b.parent] : i));
  return out;
}

/// When something last happened to each mechanism.
function lastTimes(scene: Scene, run: Run, root: number[]): number[] {
  const last = scene.bodies.map(() => 0);
  for (const e of run.events) {
    if (e.kind === "start" || e.kind === "condition") continue;
    const words = e.subject.split(/[^\w]+/);
    scene.bodies.forEach((b, i) => {
      if (words.includes(b.name)) last[root[i]] = Math.max(last[root[i]], e.time);
    });
  }
  return last;
}

export function sweptBox(scene: Scene, run: Run, magnification: number): Box {
  const root = roots(scene);
  const last = lastTimes(scene, run, root);
  const nothingHappens = last.every((t) => t === 0);
  const isFree = (i: number) => scene.bodies[root[i]].free;
  const box = nowhere();
  const later: Box[] = [];
  const frames = Math.min(samples, run.time.length);
  for (let k = 0; k < frames; ++k) {
    const t = run.time[Math.round((k * (run.time.length - 1)) / Math.max(1, frames - 1))];
    const poses = posesAt(scene, run, t, magnification);
    scene.bodies.forEach((body, i) => {
      const room = bodyBox(body, poses[i]);
      if (nothingHappens || !isFree(i) || t <= last[root[i]]) includeBox(box, room);
      else includeBox((later[root[i]] ??= nowhere()), room);
    });
  }
  // The start belongs to it, whatever happens.
  posesAt(scene, run, run.time[0] ?? 0, magnification).forEach((pose, i) => includeBox(box, bodyBox(scene.bodies[i], pose)));
  for (const body of scene.bodies) if (body.anchor) include(box, body.anchor[0], body.anchor[1]);
  const size = sizeOf(box);
  for (const other of later) {
    if (!other) continue;
    const both = { ...box };
    includeBox(both, other);
    if (sizeOf(both) <= far * size) includeBox(box, other);
  }
  return Number.isFinite(box.left) ? box : { left: -1, right: 1, top: -1, bottom: 1 };
}

/// That of a run and those beside it, with some of the sand below and a margin.
export function framedBox(runs: { scene: Scene; run: Run }[], magnification: number): Box {
  const box = nowhere();
  for (const { scene, run } of runs) includeBox(box, sweptBox(scene, run, magnification));
  const size = Math.max(box.right - box.left, box.bottom - box.top, 1e-6);
  for (const bed of runs[0].scene.beds) {
    const middle = bed.z + ((box.left + box.right) / 2 - bed.x) * Math.tan(bed.slope);
    if (middle < box.bottom + size && middle > box.top - size) {
      box.bottom = Math.max(box.bottom, middle + 0.12 * size);
      box.top = Math.min(box.top, middle - 0.05 * size);
    }
  }
  const margin = 0.07 * size;
  return { left: box.left - margin, right: box.right + margin, top: box.top - margin, bottom: box.bottom + margin };
}
