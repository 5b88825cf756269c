// The documents of docs/guide/web-api.md.

export interface Knob {
  name: string;
  about: string;
  unit: string;
  integer: boolean;
  choices?: string[];
  value: number | string;
  si?: number; // the value in SI
  default: number | string;
  range?: [number, number] | null;
}

export interface Line {
  points: [number, number][];
  width: number;
  closed: boolean;
  shapes?: number[][];
}

export interface Body {
  name: string;
  mass: number;
  parent: number;
  free: boolean;
  joint: "pin" | "free" | "slider" | "weld";
  /// Of a slider: its direction [s, n] in the frame of the body.
  line?: [number, number];
  attach?: [number, number];
  attach_shapes?: number[];
  anchor?: [number, number];
  elastic: number;
  beam?: { start: number; length: number };
  lines: Line[];
}

export interface Bed {
  name: string;
  x: number;
  z: number;
  slope: number;
  depth: number | null;
  law: string;
}

export interface Wall {
  name: string;
  x: number;
  z: number;
  slope: number;
  /// The body that carries it: the rest is as if that hung straight down from the origin.
  body?: number;
}

export interface Observable {
  name: string;
  unit: string;
  about: string;
}

/// A point of a body, or of the world.
export interface Place {
  body?: number;
  s?: number;
  n?: number;
  shapes?: number[];
  x?: number;
  z?: number;
}

/// What ties two points together, or acts at one.
export interface Connector {
  kind: "spring" | "damper" | "strut" | "rope" | "loop" | "force" | "limit";
  name: string;
  from: Place;
  to?: Place;
  length?: number; // of a rope
  min?: number; // of a limit: angles in the joint
  max?: number;
}

export interface Scene {
  name: string;
  title: string;
  about: string;
  text: string;
  knobs: Knob[];
  gravity: [number, number];
  bodies: Body[];
  beds: Bed[];
  walls: Wall[];
  connectors?: Connector[];
  observables: Observable[];
  results: { name: string; unit: string; rule: string }[];
  plot: string[];
}

export interface RunEvent {
  time: number;
  kind: string;
  subject: string;
  before: string;
  after: string;
}

export interface Account {
  initial: number;
  final: number;
  supplied: number;
  loss: Record<string, number>;
  settled: number;
  residual: number;
}

/// The stress of the sand along a straight stretch from a to b of a body, or on the rim around a centre: at the middles of
/// equal parts of what lies between `from` and `to`, shares of the way or angles from straight down. Null where it is not known.
export interface StressStretch {
  body: number;
  bed: number;
  a?: [number, number];
  b?: [number, number];
  half?: number; // of the thickness
  center?: [number, number];
  radius?: number;
  from: (number | null)[];
  to: (number | null)[];
  sx: (number | null)[][];
  sz: (number | null)[][];
}

export interface Run {
  stop: { time: number; reason: string; text: string; reached: boolean };
  results: { name: string; value: number | null; unit: string; rule: string }[];
  notes: string[];
  peaks: { body: string; force: number; time: number }[];
  account: Account;
  stats: { steps: number; rejected: number; evaluations: number; events: number };
  events: RunEvent[];
  events_total: number;
  time: number[];
  poses: { x: number[]; z: number[]; angle: number[] }[];
  elastic: { body: number; eta: number[][] }[];
  forces: { body: number; bed?: number; contact?: string; x: number[]; z: number[]; fx: number[]; fz: number[] }[];
  stress?: StressStretch[];
  /// Where contacts struck, and with which impulses [N s].
  impacts: { contact: string[]; time: number[]; x: number[]; z: number[]; normal: number[]; tangential: number[] };
  columns: Record<string, (number | null)[]>;
}

export interface RunDocument {
  kind: "run";
  thud: string;
  /// In a page that computes: how the run was asked for.
  live?: object;
  scene: Scene;
  run: Run;
}

/// The column of a run for an observable of the scene in front: of the same name, else of the body that stands at the same
/// place in the list of its bodies.
export function columnLike(front: Scene, name: string, scene: Scene, run: Run): (number | null)[] | undefined {
  if (name in run.columns) return run.columns[name];
  const body = front.bodies.findIndex((b) => name.startsWith(`${b.name}.`));
  if (body < 0 || !scene.bodies[body]) return undefined;
  return run.columns[scene.bodies[body].name + name.slice(front.bodies[body].name.length)];
}

/// The frame at or before a time, and how far the time is towards the next one.
export function locate(time: number[], t: number): { k: number; f: number } {
  const last = time.length - 1;
  if (last <= 0 || !(t > time[0])) return { k: 0, f: 0 };
  if (t >= time[last]) return { k: last, f: 0 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  const span = time[high] - time[low];
  return { k: low, f: span > 0 ? (t - time[low]) / span : 0 };
}

export function at(column: (number | null)[], place: { k: number; f: number }): number {
  const a = column[place.k];
  const b = place.f > 0 ? column[place.k + 1] : a;
  return a === null || b === null || a === undefined || b === undefined ? NaN : a + (b - a) * place.f;
}
