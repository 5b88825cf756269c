// A body that is dragged to where it is to begin: by its knob, or in [initial] of the text.
import { Knob, Run, Scene } from "./data";
import { Point } from "./pen";
import { Held } from "./stage";

/// What is to be asked for instead.
export interface Start {
  text: string;
  knobs: Record<string, number>;
}

interface Change {
  key: string;
  by: number; // SI
  isAngle: boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const short = (x: number): string => String(Number(x.toFixed(5)));

/// Where [initial] begins and ends, in lines; undefined where there is none.
function section(lines: string[]): [number, number] | undefined {
  const from = lines.findIndex((l) => /^\s*\[initial\]\s*(#.*)?$/.test(l));
  if (from < 0) return undefined;
  const next = lines.findIndex((l, k) => k > from && /^\s*\[/.test(l));
  return [from, next < 0 ? lines.length : next];
}

/// The keys that [initial] sets, as they are written.
export function initialKeys(text: string): string[] {
  const lines = text.split("\n");
  const place = section(lines);
  if (!place) return [];
  return lines.slice(place[0] + 1, place[1]).flatMap((l) => l.match(/^\s*"([^"]+)"\s*=/)?.[1] ?? []);
}

/// Observables that a start is counted from.
export const startColumns = (text: string): string[] => initialKeys(text).filter((n) => /\.(x|z|angle|travel)$/.test(n)).slice(0, 60);

/// The knob that a value is, with its sign: "=angle" or "=-height".
function soleKnob(value: string, knobs: Knob[]): { knob: Knob; sign: number } | undefined {
  const found = value.match(/^"=\s*(-?)\s*([A-Za-z_]\w*)\s*"$/);
  const knob = found && knobs.find((k) => k.name === found[2] && !k.choices);
  return knob ? { knob, sign: found[1] ? -1 : 1 } : undefined;
}

/// How many of its units a knob counts for one of SI; undefined where that is not known.
function unitsPerSi(knob: Knob): number | undefined {
  if (knob.si) return Number(knob.value) / knob.si;
  return { "": 1, m: 1, rad: 1, deg: 180 / Math.PI, mm: 1000, cm: 100 }[knob.unit];
}

function turned(knob: Knob, by: number, factor: number): number {
  const value = Number(((knob.si ?? 0) * factor + by * factor).toPrecision(5));
  return knob.range ? Math.min(knob.range[1], Math.max(knob.range[0], value)) : value;
}

/// The value of a line with something added: a formula keeps its knobs.
function added(value: string, by: number, now: number, isAngle: boolean): string {
  const formula = value.match(/^"=(.*)"$/)?.[1].trim();
  if (formula !== undefined) {
    const before = formula.match(/^\((.*)\) ([+-]) ([\d.e-]+)$/);
    const sum = by + (before ? Number(`${before[2]}${before[3]}`) : 0);
    return `"=(${before ? before[1] : formula}) ${sum < 0 ? "-" : "+"} ${short(Math.abs(sum))}"`;
  }
  return isAngle ? `"${short(((now + by) * 180) / Math.PI)} deg"` : short(now + by);
}

/// Throws an Error with words for the reader.
function apply(start: Start, change: Change, knobs: Knob[], now: number): void {
  const lines = start.text.split("\n");
  const place = section(lines);
  const written = new RegExp(`^(\\s*"${escaped(change.key)}"\\s*=\\s*)("[^"]*"|[-+\\d.eE_]+)(\\s*(#.*)?)$`);
  const at = place ? lines.findIndex((l, k) => k > place[0] && k < place[1] && written.test(l)) : -1;
  const fresh = `"${change.key}" = ${added("0", change.by, now, change.isAngle)}`;
  if (at >= 0) {
    const [, head, value, tail] = lines[at].match(written)!;
    const sole = soleKnob(value, knobs);
    const factor = sole && unitsPerSi(sole.knob);
    if (sole && factor) {
      start.knobs[sole.knob.name] = turned(sole.knob, sole.sign * change.by, factor);
      return;
    }
    lines[at] = head + added(value, change.by, now, change.isAngle) + tail;
  } else if (place && lines.slice(...place).some((l) => /^\s*(repeat\s*=|"[^"]*\{)/.test(l))) {
    throw new Error("[initial] of this scenario is written for several bodies at once; its text says where they begin.");
  } else if (place) lines.splice(place[0] + 1, 0, fresh);
  else lines.push("", "[initial]", fresh, "");
  start.text = lines.join("\n");
}

/// A body in the hand of the reader.
class Drag {
  private body: number;
  private keys: { x: string; z: string; angle: string; travel: string };

  /// `body`: what was taken hold of; welded ones move what they are welded to.
  constructor(
    private scene: Scene,
    private run: Run,
    private text: string,
    body: number,
  ) {
    while (scene.bodies[body].joint === "weld" && scene.bodies[body].parent >= 0) body = scene.bodies[body].parent;
    this.body = body;
    const name = scene.bodies[body].name;
    const all = initialKeys(text);
    const pick = (end: string) => all.find((k) => k.startsWith(`${name}.`) && k.endsWith(`.${end}`)) ?? `${name}.${end}`;
    this.keys = { x: pick("x"), z: pick("z"), angle: `${name}.angle`, travel: `${name}.travel` };
  }

  /// Whether it can begin elsewhere: what a loop holds follows from the others.
  isFree(): boolean {
    const { joint } = this.scene.bodies[this.body];
    if (joint === "weld") return false;
    const key = joint === "slider" ? this.keys.travel : joint === "free" ? this.keys.x : this.keys.angle;
    return !this.scene.connectors?.some((c) => c.kind === "loop") || initialKeys(this.text).includes(key);
  }

  /// From one place of the world to another; `turns`: a free body turns instead.
  move(from: Point, to: Point, turns: boolean): Start {
    const body = this.scene.bodies[this.body];
    const start: Start = { text: this.text, knobs: {} };
    const pose = this.run.poses[this.body];
    const now = (key: string, other: number): number => this.run.columns[key]?.[0] ?? other;
    const change = (key: string, by: number, isAngle: boolean, value: number) => apply(start, { key, by, isAngle }, this.scene.knobs, now(key, value));
    const angle = pose.angle[0];
    if (body.line) {
      const [s, n] = body.line;
      const [ux, uz] = [s * Math.sin(angle) + n * Math.cos(angle), s * Math.cos(angle) - n * Math.sin(angle)];
      change(this.keys.travel, (to[0] - from[0]) * ux + (to[1] - from[1]) * uz, false, 0);
    } else if (body.joint === "pin" || turns) {
      const pivot: Point = body.joint === "pin" ? [pose.x[0], pose.z[0]] : [now(this.keys.x, pose.x[0]), now(this.keys.z, pose.z[0])];
      const direction = (p: Point) => Math.atan2(p[0] - pivot[0], p[1] - pivot[1]);
      const by = direction(to) - direction(from);
      change(this.keys.angle, Math.atan2(Math.sin(by), Math.cos(by)), true, angle);
    } else {
      change(this.keys.x, to[0] - from[0], false, pose.x[0]);
      change(this.keys.z, to[1] - from[1], false, pose.z[0]);
    }
    return start;
  }
}

/// Takes hold of a body, where it can begin elsewhere.
export function holdBody(scene: Scene, run: Run, text: string, body: number, complain: (message: string) => void, begin: (start: Start) => void): Held | undefined {
  const drag = new Drag(scene, run, text, body);
  if (!drag.isFree()) return undefined;
  return {
    move: (from, to, turns) => {
      try {
        begin(drag.move(from, to, turns));
      } catch (e) {
        complain((e as Error).message);
      }
    },
  };
}
