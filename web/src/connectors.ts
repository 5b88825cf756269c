// What ties points together: springs, dampers, struts, ropes; where forces act; and stops of joints.
import { View, toScreen } from "./camera";
import { Connector, Place, Scene } from "./data";
import { Pose, place } from "./geometry";
import { Pen, Point, trace } from "./pen";
import { colour } from "./theme";

function at(view: View, poses: Pose[], p: Place): Point {
  if (p.body === undefined) return toScreen(view, p.x!, p.z!);
  return toScreen(view, ...place(poses[p.body], p.s!, p.n!, p.shapes));
}

/// A zigzag between two points, with straight ends.
function zigzag(a: Point, b: Point): Point[] {
  const turns = 7;
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > 1)) return [a, b];
  const across: Point = [(-dy / length) * 6, (dx / length) * 6];
  const points: Point[] = [a];
  for (let k = 0; k <= 2 * turns; ++k) {
    const share = 0.15 + (0.7 * k) / (2 * turns);
    const side = k === 0 || k === 2 * turns ? 0 : k % 2 ? 1 : -1;
    points.push([a[0] + share * dx + side * across[0], a[1] + share * dy + side * across[1]]);
  }
  return [...points, b];
}

/// A piston in a cylinder, filled where it is a strut that can be crushed.
function drawPiston(pen: Pen, a: Point, b: Point, filled: boolean): void {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > 1)) return;
  const on = (share: number, side: number): Point => [a[0] + share * dx - (side * dy) / length, a[1] + share * dy + (side * dx) / length];
  trace(pen, [on(0.65, 5), on(0.25, 5), on(0.25, -5), on(0.65, -5)], filled);
  if (filled) {
    pen.fillStyle = colour("sand");
    pen.fill();
  }
  pen.stroke();
  trace(pen, [a, on(0.25, 0)]);
  pen.stroke();
  trace(pen, [on(0.5, 4), on(0.5, -4)]);
  pen.stroke();
  trace(pen, [on(0.5, 0), b]);
  pen.stroke();
}

/// A rope between two points: taut where it is as long as it can be, else it hangs through.
function rope(a: Point, b: Point, slack: number): Point[] {
  const points: Point[] = [];
  for (let k = 0; k <= 16; ++k) {
    const x = k / 16;
    points.push([a[0] + x * (b[0] - a[0]), a[1] + x * (b[1] - a[1]) + 4 * x * (1 - x) * slack]);
  }
  return points;
}

function drawOne(pen: Pen, view: View, poses: Pose[], c: Connector): void {
  const a = at(view, poses, c.from);
  if (!c.to) {  // where a force acts
    pen.beginPath();
    pen.arc(a[0], a[1], 4, 0, 7);
    pen.stroke();
    return;
  }
  const b = at(view, poses, c.to);
  if (c.kind === "spring") {
    trace(pen, zigzag(a, b));
    pen.stroke();
  } else if (c.kind === "damper" || c.kind === "strut") {
    drawPiston(pen, a, b, c.kind === "strut");
  } else if (c.kind === "rope") {
    const length = (c.length ?? 0) * view.scale;
    const chord = Math.hypot(b[0] - a[0], b[1] - a[1]);
    // The sag of a shallow arc of that length over the chord.
    trace(pen, rope(a, b, length > chord ? Math.sqrt((3 / 8) * chord * (length - chord)) : 0));
    pen.stroke();
  } else {  // the pin of a loop
    pen.fillStyle = colour("joint");
    pen.beginPath();
    pen.arc(a[0], a[1], 3.5, 0, 7);
    pen.fill();
    pen.stroke();
  }
}

/// Two short lines from a joint, in the directions at which its body meets a stop.
function drawStops(pen: Pen, view: View, scene: Scene, poses: Pose[], c: Connector): void {
  const i = c.from.body!;
  const body = scene.bodies[i];
  if (body.joint !== "pin") return;
  const [x, y] = toScreen(view, poses[i].x, poses[i].z);
  const base = body.parent >= 0 ? Math.atan2(poses[body.parent].sin, poses[body.parent].cos) : 0;
  for (const stop of [c.min, c.max]) {
    if (stop === undefined) continue;
    const angle = base + stop;
    trace(pen, [
      [x + 8 * Math.sin(angle), y + 8 * Math.cos(angle)],
      [x + 18 * Math.sin(angle), y + 18 * Math.cos(angle)],
    ]);
    pen.stroke();
  }
}

export function drawConnectors(pen: Pen, view: View, scene: Scene, poses: Pose[]): void {
  if (!scene.connectors?.length) return;
  pen.save();
  pen.strokeStyle = colour("body-edge");
  pen.lineWidth = 1.5;
  pen.lineJoin = "round";
  pen.lineCap = "round";
  for (const c of scene.connectors) (c.kind === "limit" ? drawStops(pen, view, scene, poses, c) : drawOne(pen, view, poses, c));
  pen.restore();
}
