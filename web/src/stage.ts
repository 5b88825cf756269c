// The mechanism in its bed, to scale, on a canvas.
import { Bed, Run, RunEvent, Scene, at, locate } from "./data";
import { h } from "./dom";
import { Box, Pose, deflection, magnified, place, posesAt, sweptBox, tipOf, railAt, travelSpans } from "./geometry";
import { colour, onTheme } from "./theme";
import { quantity, roundDown, ticks } from "./units";

/// A run drawn behind the current one.
export interface Ghost {
  scene: Scene;
  run: Run;
  colour: () => string;
}

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

export class Stage {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", { class: "stage-canvas", role: "img", tabindex: "0", "aria-label": "The mechanism in motion" });
  /// What happens at this instant.
  readonly caption = h("p", { class: "event-caption", "aria-live": "polite" });
  showForces = true;
  showTrail = true;
  magnification = 1;
  /// How long the last frames took to draw [ms].
  readonly drawTimes: number[] = [];

  private scene!: Scene;
  private run!: Run;
  private ghosts: Ghost[] = [];
  private box: Box = { left: 0, right: 1, top: 0, bottom: 1 };
  private layer = document.createElement("canvas");
  private layerIsCurrent = false;
  private scale = 1;
  private offset: [number, number] = [0, 0];
  private width = 0;
  private height = 0;
  private ratio = 1;
  private time = 0;
  private largestForce = 0;
  private trail: [number, number][] = [];
  private largestDeflection = 0;
  private spans: ([number, number] | undefined)[] = [];

  constructor() {
    this.element = h("div", { class: "stage" }, this.canvas, this.caption);
    new ResizeObserver(() => this.resize()).observe(this.element);
    onTheme(() => this.refresh());
  }

  load(scene: Scene, run: Run, keepView = false, ghosts: Ghost[] = []): void {
    this.scene = scene;
    this.run = run;
    this.ghosts = ghosts;
    this.largestForce = 0;
    for (const f of run.forces)
      for (let k = 0; k < f.fx.length; ++k) this.largestForce = Math.max(this.largestForce, Math.hypot(f.fx[k], f.fz[k]));
    this.largestDeflection = this.findLargestDeflection();
    this.spans = travelSpans(scene, run);
    this.frameBox(keepView);
    this.refresh();
  }

  setMagnification(magnification: number): void {
    this.magnification = magnification;
    this.frameBox(false);
    this.refresh();
  }

  isElastic(): boolean {
    return this.scene.bodies.some((b) => b.elastic > 0);
  }

  /// A round magnification at which the largest deflection is a tenth of the beam.
  suitedMagnification(): number {
    const length = Math.max(0, ...this.scene.bodies.map((b) => b.beam?.length ?? 0));
    if (!(this.largestDeflection > 0)) return 1;
    const wanted = (0.1 * length) / this.largestDeflection;
    return [1000, 500, 200, 100, 50, 20, 10, 5, 2].find((m) => m <= wanted) ?? 1;
  }

  private findLargestDeflection(): number {
    let most = 0;
    for (const e of this.run.elastic)
      for (const line of this.scene.bodies[e.body].lines)
        for (let k = 0; k < this.run.time.length; k += 4) {
          const eta = e.eta.map((column) => column[k]);
          for (const shapes of line.shapes ?? []) most = Math.max(most, Math.abs(deflection(shapes, eta)));
        }
    return most;
  }

  // Everything that moves, and some of the sand below; while a knob is dragged the view only grows.
  private frameBox(keepView: boolean): void {
    const box = sweptBox(this.scene, this.run, this.magnification);
    for (const g of this.ghosts) {
      const other = sweptBox(g.scene, g.run, this.magnification);
      box.left = Math.min(box.left, other.left);
      box.right = Math.max(box.right, other.right);
      box.top = Math.min(box.top, other.top);
      box.bottom = Math.max(box.bottom, other.bottom);
    }
    const size = Math.max(box.right - box.left, box.bottom - box.top, 1e-6);
    for (const bed of this.scene.beds) {
      const middle = bed.z + ((box.left + box.right) / 2 - bed.x) * Math.tan(bed.slope);
      if (middle < box.bottom + size && middle > box.top - size) {
        box.bottom = Math.max(box.bottom, middle + 0.12 * size);
        box.top = Math.min(box.top, middle - 0.05 * size);
      }
    }
    const margin = 0.07 * size;
    const wanted = { left: box.left - margin, right: box.right + margin, top: box.top - margin, bottom: box.bottom + margin };
    const old = this.box;
    const grows = wanted.left < old.left || wanted.right > old.right || wanted.top < old.top || wanted.bottom > old.bottom;
    const shrinks = wanted.right - wanted.left < 0.6 * (old.right - old.left) && wanted.bottom - wanted.top < 0.6 * (old.bottom - old.top);
    if (!keepView || grows || shrinks) this.box = wanted;
  }

  private resize(): void {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    const ratio = Math.min(2, devicePixelRatio || 1);
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    for (const c of [this.canvas, this.layer]) {
      c.width = Math.max(1, Math.round(width * ratio));
      c.height = Math.max(1, Math.round(height * ratio));
    }
    this.refresh();
  }

  refresh(): void {
    if (!this.run || this.width === 0) return;
    const { left, right, top, bottom } = this.box;
    this.scale = Math.min(this.width / (right - left), this.height / (bottom - top));
    this.offset = [this.width / 2 - (this.scale * (left + right)) / 2, this.height / 2 - (this.scale * (top + bottom)) / 2];
    this.trail = this.makeTrail();
    this.layerIsCurrent = false;
    this.draw(this.time);
  }

  private toScreen(x: number, z: number): [number, number] {
    return [this.offset[0] + this.scale * x, this.offset[1] + this.scale * z];
  }

  private makeTrail(): [number, number][] {
    const parents = new Set(this.scene.bodies.map((b) => b.parent));
    const last = this.scene.bodies.reduce((best, _, i) => (parents.has(i) ? best : i), 0);
    const tip = tipOf(this.scene.bodies[last]);
    return this.run.time.map((t) => {
      const pose = posesAt(this.scene, this.run, t, this.magnification)[last];
      return this.toScreen(...place(pose, tip.s, tip.n, tip.shapes));
    });
  }

  // ---- what stands still ------------------------------------------------------------------------------------------

  private drawLayer(): void {
    const c = this.layer.getContext("2d")!;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.fillStyle = colour("sky");
    c.fillRect(0, 0, this.width, this.height);
    this.drawGrid(c);
    for (const bed of this.scene.beds) this.drawBed(c, bed);
    for (const wall of this.scene.walls) this.drawWall(c, wall.x, wall.z, wall.slope);
    for (const body of this.scene.bodies) if (body.anchor && !body.line) this.drawAnchor(c, body.anchor[0], body.anchor[1]);
    this.drawScaleBar(c);
    this.layerIsCurrent = true;
  }

  private drawGrid(c: CanvasRenderingContext2D): void {
    c.strokeStyle = colour("grid");
    c.lineWidth = 1;
    const span = Math.max(this.width, this.height) / this.scale;
    const step = ticks(0, span, 10)[1] ?? span;
    const from = (v: number) => Math.ceil(v / step) * step;
    const [x0, z0] = [-this.offset[0] / this.scale, -this.offset[1] / this.scale];
    c.beginPath();
    for (let x = from(x0); x < x0 + this.width / this.scale; x += step) {
      const px = Math.round(this.toScreen(x, 0)[0]) + 0.5;
      c.moveTo(px, 0);
      c.lineTo(px, this.height);
    }
    for (let z = from(z0); z < z0 + this.height / this.scale; z += step) {
      const pz = Math.round(this.toScreen(0, z)[1]) + 0.5;
      c.moveTo(0, pz);
      c.lineTo(this.width, pz);
    }
    c.stroke();
  }

  // The part of the canvas below a line through (x, z) that falls with `slope`, down to `depth`.
  private bedPath(bed: Bed, pad = 0): Path2D {
    const [px, pz] = this.toScreen(bed.x, bed.z);
    const reach = 4 * (this.width + this.height) + Math.hypot(px, pz);
    const [tx, tz] = [Math.cos(bed.slope) * reach, Math.sin(bed.slope) * reach];
    const deep = bed.depth === null ? reach : bed.depth * this.scale;
    const [nx, nz] = [-Math.sin(bed.slope), Math.cos(bed.slope)];
    const path = new Path2D();
    path.moveTo(px - tx + nx * pad, pz - tz + nz * pad);
    path.lineTo(px + tx + nx * pad, pz + tz + nz * pad);
    path.lineTo(px + tx + nx * deep, pz + tz + nz * deep);
    path.lineTo(px - tx + nx * deep, pz - tz + nz * deep);
    path.closePath();
    return path;
  }

  private drawBed(c: CanvasRenderingContext2D, bed: Bed): void {
    const path = this.bedPath(bed);
    c.save();
    c.fillStyle = colour("sand");
    c.fill(path);
    c.clip(path);
    // Grains, always the same ones.
    let seed = 12345;
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const count = Math.round((this.width * this.height) / 220);
    for (let pass = 0; pass < 2; ++pass) {
      c.fillStyle = colour(pass ? "grain-dark" : "grain-light");
      c.beginPath();
      for (let k = 0; k < count; ++k) {
        const [x, y, r] = [random() * this.width, random() * this.height, 0.4 + 0.8 * random()];
        c.moveTo(x + r, y);
        c.arc(x, y, r, 0, 7);
      }
      c.fill();
    }
    c.restore();
    const [px, pz] = this.toScreen(bed.x, bed.z);
    const reach = 4 * (this.width + this.height) + Math.hypot(px, pz);
    c.strokeStyle = colour("sand-edge");
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(px - Math.cos(bed.slope) * reach, pz - Math.sin(bed.slope) * reach);
    c.lineTo(px + Math.cos(bed.slope) * reach, pz + Math.sin(bed.slope) * reach);
    c.stroke();
  }

  private drawWall(c: CanvasRenderingContext2D, x: number, z: number, slope: number): void {
    const [px, pz] = this.toScreen(x, z);
    const reach = 2 * (this.width + this.height);
    c.save();
    c.translate(px, pz);
    c.rotate(slope);
    c.fillStyle = colour("wall");
    c.fillRect(-reach, 0, 2 * reach, 8);
    c.strokeStyle = colour("wall-edge");
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(-reach, 0);
    c.lineTo(reach, 0);
    for (let k = -reach; k < reach; k += 9) {
      c.moveTo(k + 8, 0);
      c.lineTo(k, 8);
    }
    c.stroke();
    c.restore();
  }

  private drawAnchor(c: CanvasRenderingContext2D, x: number, z: number): void {
    const [px, pz] = this.toScreen(x, z);
    c.fillStyle = colour("wall");
    c.strokeStyle = colour("wall-edge");
    c.lineWidth = 1.25;
    c.beginPath();
    c.moveTo(px, pz);
    c.lineTo(px - 9, pz - 14);
    c.lineTo(px + 9, pz - 14);
    c.closePath();
    c.fill();
    c.stroke();
    c.beginPath();
    c.moveTo(px - 14, pz - 14);
    c.lineTo(px + 14, pz - 14);
    for (let k = -12; k <= 12; k += 6) {
      c.moveTo(px + k, pz - 14);
      c.lineTo(px + k + 5, pz - 19);
    }
    c.stroke();
  }

  private drawScaleBar(c: CanvasRenderingContext2D): void {
    const room = Math.min(140, 0.3 * this.width) / this.scale;
    const length = roundDown(room);
    const [x, y] = [14, this.height - 14];
    c.globalAlpha = 0.75;
    c.fillStyle = colour("sky");
    c.fillRect(x - 7, y - 22, length * this.scale + 14, 29);
    c.globalAlpha = 1;
    c.strokeStyle = c.fillStyle = colour("ink");
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, y - 4);
    c.lineTo(x, y);
    c.lineTo(x + length * this.scale, y);
    c.lineTo(x + length * this.scale, y - 4);
    c.stroke();
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "left";
    c.textBaseline = "bottom";
    c.fillText(quantity(length, "m", 3), x + 5, y - 4);
  }

  // ---- what moves -------------------------------------------------------------------------------------------------

  draw(t: number): void {
    this.time = t;
    if (!this.run || this.width === 0) return;
    const started = performance.now();
    if (!this.layerIsCurrent) this.drawLayer();
    const c = this.canvas.getContext("2d")!;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.layer, 0, 0);
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.showTrail) this.drawTrail(c, t);
    for (const g of this.ghosts) this.drawGhost(c, g, t);
    const poses = posesAt(this.scene, this.run, t, this.magnification);
    this.drawRails(c, poses);
    this.drawBodies(c, poses);
    this.drawEvents(c, t, poses);
    if (this.showForces) this.drawForces(c, t, poses);
    this.drawNotes(c);
    this.drawTimes.push(performance.now() - started);
    if (this.drawTimes.length > 2000) this.drawTimes.shift();
  }

  private drawTrail(c: CanvasRenderingContext2D, t: number): void {
    const until = locate(this.run.time, t).k;
    c.strokeStyle = colour("trail");
    c.lineWidth = 1.5;
    c.setLineDash([3, 4]);
    c.beginPath();
    for (let k = 0; k <= until; ++k) c.lineTo(this.trail[k][0], this.trail[k][1]);
    c.stroke();
    c.setLineDash([]);
  }

  // Two lines that a slider runs between.
  private drawRails(c: CanvasRenderingContext2D, poses: Pose[]): void {
    c.strokeStyle = colour("wall-edge");
    c.lineWidth = 1.25;
    this.spans.forEach((span, i) => {
      if (!span) return;
      const [a, b] = railAt(this.scene, poses, i, span).map(([x, z]) => this.toScreen(x, z));
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (!(length > 0)) return;
      const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
      c.beginPath();
      for (const side of [-4, 4]) {
        c.moveTo(a[0] - 10 * ux - side * uy, a[1] - 10 * uy + side * ux);
        c.lineTo(b[0] + 10 * ux - side * uy, b[1] + 10 * uy + side * ux);
      }
      c.stroke();
    });
  }

  private bodyPaths(scene: Scene, poses: Pose[], i: number): { path: Path2D; width: number; closed: boolean }[] {
    return scene.bodies[i].lines.map((line) => {
      const path = new Path2D();
      line.points.forEach(([s, n], k) => {
        const [x, y] = this.toScreen(...place(poses[i], s, n, line.shapes?.[k]));
        if (k === 0) path.moveTo(x, y);
        else path.lineTo(x, y);
      });
      if (line.closed) path.closePath();
      return { path, width: line.width * this.scale, closed: line.closed };
    });
  }

  private drawBodies(c: CanvasRenderingContext2D, poses: Pose[]): void {
    const paths = this.scene.bodies.map((_, i) => this.bodyPaths(this.scene, poses, i));
    this.paint(c, paths, colour("body"), colour("body-edge"));
    // What is immersed shows through the sand.
    for (const bed of this.scene.beds) {
      c.save();
      c.clip(this.bedPath(bed));
      this.paint(c, paths, colour("body-immersed"), colour("body-immersed-edge"));
      c.restore();
    }
    c.lineWidth = 1.5;
    this.scene.bodies.forEach((body, i) => {
      if (body.joint !== "pin") return;
      const [x, y] = this.toScreen(poses[i].x, poses[i].z);
      c.fillStyle = colour("joint");
      c.strokeStyle = colour("body-edge");
      c.beginPath();
      c.arc(x, y, 3.5, 0, 7);
      c.fill();
      c.stroke();
    });
  }

  private paint(c: CanvasRenderingContext2D, paths: { path: Path2D; width: number; closed: boolean }[][], fill: string, edge: string): void {
    c.lineJoin = "round";
    for (const body of paths)
      for (const { path, width, closed } of body) {
        if (closed) {
          c.fillStyle = fill;
          c.strokeStyle = edge;
          c.lineWidth = 1.5;
          c.fill(path);
          c.stroke(path);
          continue;
        }
        const w = width > 0 ? Math.max(width, 4) : 2;
        c.lineCap = width > 0 ? "butt" : "round";
        c.strokeStyle = edge;
        c.lineWidth = w;
        c.stroke(path);
        if (w < 4) continue;
        c.strokeStyle = fill;
        c.lineWidth = Math.max(w - 2.5, 1.5);
        c.stroke(path);
      }
  }

  private drawGhost(c: CanvasRenderingContext2D, ghost: Ghost, t: number): void {
    const poses = posesAt(ghost.scene, ghost.run, Math.min(t, ghost.run.stop.time), this.magnification);
    c.save();
    c.globalAlpha = 0.75;
    c.strokeStyle = ghost.colour();
    c.lineCap = "round";
    ghost.scene.bodies.forEach((_, i) => {
      for (const { path } of this.bodyPaths(ghost.scene, poses, i)) {
        c.lineWidth = 2;
        c.stroke(path);
      }
    });
    c.restore();
  }

  private drawForces(c: CanvasRenderingContext2D, t: number, poses: Pose[]): void {
    if (!(this.largestForce > 0)) return;
    const real = this.magnification === 1 ? poses : posesAt(this.scene, this.run, t, 1);
    const at_ = locate(this.run.time, t);
    const longest = 0.26 * Math.min(this.width, this.height);
    c.strokeStyle = c.fillStyle = colour("force");
    c.font = "600 12px system-ui, sans-serif";
    c.lineCap = "butt";
    let labels = 0;
    for (const f of this.run.forces) {
      const [fx, fz] = [at(f.fx, at_), at(f.fz, at_)];
      const size = Math.hypot(fx, fz);
      const length = (longest * size) / this.largestForce;
      if (!(length > 1.5)) continue;
      const spot = magnified(this.scene.bodies[f.body], real[f.body], poses[f.body], this.magnification, at(f.x, at_), at(f.z, at_));
      const [x, y] = this.toScreen(...spot);
      this.drawArrow(c, x, y, fx / size, fz / size, length);
      if (length < 0.25 * longest || ++labels > 3) continue;
      const text = quantity(size, "N", 3);
      const [lx, ly] = [x + (fx / size) * (length + 12), y + (fz / size) * (length + 12)];
      c.textAlign = fx / size > 0.3 ? "left" : fx / size < -0.3 ? "right" : "center";
      c.textBaseline = "middle";
      c.lineWidth = 3;
      c.strokeStyle = colour("sky");
      c.strokeText(text, lx, ly);
      c.strokeStyle = colour("force");
      c.fillText(text, lx, ly);
    }
  }

  private drawArrow(c: CanvasRenderingContext2D, x: number, y: number, ux: number, uy: number, length: number): void {
    const head = Math.min(10, 0.6 * length);
    const [ex, ey] = [x + ux * length, y + uy * length];
    c.lineWidth = 2.5;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(ex - ux * head * 0.8, ey - uy * head * 0.8);
    c.stroke();
    c.beginPath();
    c.moveTo(ex, ey);
    c.lineTo(ex - ux * head - uy * head * 0.45, ey - uy * head + ux * head * 0.45);
    c.lineTo(ex - ux * head + uy * head * 0.45, ey - uy * head - ux * head * 0.45);
    c.closePath();
    c.fill();
  }

  // Where something happened a moment ago: a ring that grows and fades.
  private drawEvents(c: CanvasRenderingContext2D, t: number, poses: Pose[]): void {
    const span = 0.03 * this.run.stop.time;
    for (const e of this.run.events) {
      const age = (t - e.time) / span;
      if (age < -1e-6 || age > 1 || e.kind === "start" || e.kind === "condition") continue;
      const spot = this.spotOf(e, poses);
      if (!spot) continue;
      const [x, y] = this.toScreen(...spot);
      c.globalAlpha = Math.max(0, 1 - age);
      c.strokeStyle = eventColour(e.kind);
      c.lineWidth = 2.5;
      c.beginPath();
      c.arc(x, y, 6 + 12 * Math.max(0, age), 0, 7);
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  private spotOf(e: RunEvent, poses: Pose[]): [number, number] | undefined {
    let body = -1;
    this.scene.bodies.forEach((b, i) => {
      if (e.subject.startsWith(b.name) && (body < 0 || b.name.length > this.scene.bodies[body].name.length)) body = i;
    });
    if (body < 0) return undefined;
    if (/joint/.test(e.subject)) return [poses[body].x, poses[body].z];
    const force = this.run.forces.find((f) => f.body === body);
    const at_ = locate(this.run.time, e.time);
    if (force && Math.hypot(at(force.fx, at_), at(force.fz, at_)) > 0) return [at(force.x, at_), at(force.z, at_)];
    const tip = tipOf(this.scene.bodies[body]);
    return place(poses[body], tip.s, tip.n, tip.shapes);
  }

  private drawNotes(c: CanvasRenderingContext2D): void {
    if (!this.isElastic()) return;
    c.globalAlpha = 0.75;
    c.fillStyle = colour("sky");
    c.fillRect(this.width - 136, this.height - 31, 129, 24);
    c.globalAlpha = 1;
    c.fillStyle = colour("ink");
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "right";
    c.textBaseline = "bottom";
    c.fillText(this.magnification === 1 ? "deflection to scale" : `deflection × ${this.magnification}`, this.width - 12, this.height - 12);
  }
}
