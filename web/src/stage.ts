// The mechanism in its bed, to scale, on a canvas.
import { Camera, View, toScreen } from "./camera";
import { Run, Scene } from "./data";
import { h, iconButton } from "./dom";
import { arrowLength, arrowsAt, Arrow, drawArrows, drawEvents, drawImpacts, largestForce } from "./forces";
import { framedBox } from "./framing";
import { deflection, middleOf, nameSpot, place, Pose, posesAt, sizeOf, travelSpans } from "./geometry";
import { Grip, addGestures } from "./gestures";
import { drawGround, drawRidingWalls, drawScaleBar } from "./ground";
import { Labels, Rect } from "./labels";
import { drawConnectors } from "./connectors";
import { bodyAt, bodyColour, coverOf, covers, drawBodies, drawOutlines, drawRails, drawStrobe, drawTrail, makeTrail } from "./mechanism";
import { Pen, Point } from "./pen";
import { StressRow, drawStress, drawStressScale, isHeld, largestStress, longestStress, stressAt } from "./stress";
import { colour, onTheme } from "./theme";

/// A run drawn behind the current one.
export interface Ghost {
  label: string;
  scene: Scene;
  run: Run;
  colour: () => string;
}

/// More ghosts than these are named in the plots only.
const most_named = 5;

/// A body that the reader moves, from and to places of the world.
export interface Held {
  move(from: Point, to: Point, turns: boolean): void;
}

export class Stage {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", { class: "stage-canvas", role: "img", tabindex: "0", "aria-label": "The mechanism in motion", "aria-describedby": "stage-help" });
  /// What happens at this instant.
  readonly caption = h("p", { class: "event-caption", "aria-live": "polite" });
  readonly camera = new Camera();
  showForces = true;
  showStress = true;
  showTrail = true;
  showNames = false;
  showPoses = false;
  magnification = 1;
  /// Called when the reader has moved the view.
  onView?: () => void;
  /// Called when a body is taken hold of at the start of the run.
  onHold?: (body: number) => Held | undefined;
  /// How long the last frames took to draw [ms].
  readonly drawTimes: number[] = [];
  /// What the last frame has drawn, for tests.
  readonly seen: { arrows: Arrow[]; stress: StressRow[]; stressScale?: Rect; labels: (Rect & { text: string })[]; scaleBar?: Rect } = { arrows: [], stress: [], labels: [] };

  private scene!: Scene;
  private run!: Run;
  private ghosts: Ghost[] = [];
  /// Names of the runs behind the one in front; it stands below the picture.
  readonly legend = h("ul", { class: "stage-legend", hidden: true });
  private tools: HTMLElement;
  private overlays: Rect[] = [];
  private layer = document.createElement("canvas");
  private layerView = "";
  private width = 0;
  private height = 0;
  private ratio = 1;
  private time = 0;
  private largestForce = 0;
  private longestArrow = 0;
  private largestStress = 0;
  private isMoving = false; // a body
  private trail: Point[] = [];
  private largestDeflection = 0;
  private spans: ([number, number] | undefined)[] = [];

  constructor() {
    this.tools = h(
      "div",
      { class: "stage-tools" },
      iconButton("plus", "Closer ( + )", () => this.zoom(1.5), "zoom-in"),
      iconButton("minus", "Farther ( − )", () => this.zoom(1 / 1.5), "zoom-out"),
      iconButton("fit", "See everything ( 0 )", () => this.fit(), "zoom-fit"),
    );
    const help = h("p", { id: "stage-help", hidden: true }, "Plus and minus zoom, shift and arrows move the view, 0 shows everything. Space plays.");
    this.element = h("div", { class: "stage" }, this.canvas, this.caption, this.tools, help);
    new ResizeObserver(() => this.resize()).observe(this.element);
    onTheme(() => this.refresh());
    addGestures(this.canvas, {
      zoom: (factor, at) => {
        if (factor <= 1 && this.camera.isFit()) return false;
        this.zoom(factor, at);
        return true;
      },
      pan: (dx, dy) => this.pan(dx, dy),
      holds: () => !this.camera.isFit(),
      reset: () => this.fit(),
      grab: (at) => this.grab(at),
    });
    this.canvas.addEventListener("pointermove", (e) => this.canvas.classList.toggle("movable", e.buttons === 0 ? !!this.grab([e.offsetX, e.offsetY]) : this.isMoving));
  }

  /// Something to stand with the buttons in the corner.
  addTool(tool: HTMLElement): void {
    this.tools.append(tool);
  }

  load(scene: Scene, run: Run, keepView = false, ghosts: Ghost[] = []): void {
    this.scene = scene;
    this.run = run;
    this.ghosts = ghosts;
    if (!keepView) this.camera.fit();
    if (this.camera.follow >= scene.bodies.length) this.camera.follow = -1;
    this.largestDeflection = this.findLargestDeflection();
    this.spans = travelSpans(scene, run);
    this.frameBox(keepView);
    this.largestForce = largestForce(scene, run, sizeOf(this.camera.box));
    this.largestStress = largestStress(run);
    this.trail = makeTrail(scene, run, this.magnification);
    this.legend.hidden = !ghosts.length || ghosts.length > most_named;
    this.legend.replaceChildren(
      ...ghosts.map((g) => h("li", {}, h("span", { class: "swatch line", style: `background:${g.colour()}` }), g.label)),
    );
    this.refresh();
  }

  setMagnification(magnification: number): void {
    this.magnification = magnification;
    this.frameBox(false);
    this.trail = makeTrail(this.scene, this.run, magnification);
    this.refresh();
  }

  // ---- the view ---------------------------------------------------------------------------------------------------

  bodies(): string[] {
    return this.scene.bodies.map((b) => b.name);
  }

  zoom(factor: number, at?: Point): void {
    this.camera.zoomBy(factor, this.view(), at);
    this.moved();
  }

  pan(dx: number, dy: number): void {
    this.camera.panBy(dx, dy, this.view());
    this.moved();
  }

  fit(): void {
    this.camera.fit();
    this.frameBox(false);
    this.moved();
  }

  follow(body: number): void {
    this.camera.followBody(body);
    this.moved();
  }

  // The view stays while something is moved in it.
  private grab(at: Point): Grip | undefined {
    if (!this.onHold || !this.run || this.time > 0) return undefined;
    const view = this.view();
    const body = bodyAt(view, this.scene, posesAt(this.scene, this.run, 0, this.magnification), at);
    const held = body >= 0 ? this.onHold(body) : undefined;
    if (!held) return undefined;
    const world = (p: Point): Point => [(p[0] - view.offset[0]) / view.scale, (p[1] - view.offset[1]) / view.scale];
    return {
      move: (to, turns) => {
        this.isMoving = true;
        held.move(world(at), world(to), turns);
      },
      end: () => {
        if (!this.isMoving) return;
        this.isMoving = false;
        this.frameBox(true);
        this.refresh();
      },
    };
  }

  private moved(): void {
    this.canvas.classList.toggle("moved", !this.camera.isFit());
    this.redraw();
    this.onView?.();
  }

  /// At the time shown, and for a picture of the size of the canvas unless told otherwise.
  view(width = this.width, height = this.height, t = this.time): View {
    const body = this.camera.follow;
    if (body < 0) return this.camera.view(width, height);
    return this.camera.view(width, height, place(posesAt(this.scene, this.run, t, this.magnification)[body], ...middleOf(this.scene.bodies[body])));
  }

  // Everything that moves; while a knob is dragged the view only grows.
  private frameBox(keepView: boolean): void {
    if (this.isMoving) return;
    const wanted = framedBox([{ scene: this.scene, run: this.run }, ...this.ghosts], this.magnification);
    const old = this.camera.box;
    const grows = wanted.left < old.left || wanted.right > old.right || wanted.top < old.top || wanted.bottom > old.bottom;
    const shrinks = wanted.right - wanted.left < 0.6 * (old.right - old.left) && wanted.bottom - wanted.top < 0.6 * (old.bottom - old.top);
    if (!keepView || grows || shrinks) this.camera.box = wanted;
  }

  /// Sand that acts along the surface of something.
  hasStress(): boolean {
    return this.largestStress > 0;
  }

  // ---- deflections ------------------------------------------------------------------------------------------------

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

  // ---- drawing ----------------------------------------------------------------------------------------------------

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = Math.min(2, devicePixelRatio || 1);
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    [this.width, this.height, this.ratio] = [width, height, ratio];
    for (const canvas of [this.canvas, this.layer]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.refresh();
  }

  private refresh(): void {
    this.layerView = "";
    this.findOverlays();
    if (this.run && this.width > 0) this.longestArrow = arrowLength(this.camera.view(this.width, this.height), this.run, this.largestForce);
    this.redraw();
  }

  redraw(): void {
    this.draw(this.time);
  }

  draw(t: number): void {
    this.time = t;
    if (!this.run || this.width === 0) return;
    const started = performance.now();
    const view = this.view();
    const c = this.canvas.getContext("2d")!;
    this.drawStill(c, view);
    this.drawMoving(c as Pen, view, t, this.longestArrow, this.cornersTaken());
    this.drawTimes.push(performance.now() - started);
    if (this.drawTimes.length > 2000) this.drawTimes.shift();
  }

  /// The stage at an instant, with any pen and at any size.
  paint(pen: Pen, width: number, height: number, t: number): void {
    const view = this.view(width, height, t);
    drawGround(pen, view, this.scene);
    if (this.showPoses) drawStrobe(pen, view, this.scene, this.run, this.magnification);
    this.drawMoving(pen, view, t, arrowLength(this.camera.view(width, height), this.run, this.largestForce), []);
  }

  // What stands still is kept as long as the view is the same; a view that follows a body is another in every frame.
  private drawStill(c: CanvasRenderingContext2D, view: View): void {
    const draw = (pen: Pen) => {
      drawGround(pen, view, this.scene);
      if (this.showPoses) drawStrobe(pen, view, this.scene, this.run, this.magnification);
    };
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.camera.follow >= 0) return draw(c as Pen);
    const key = `${view.scale} ${view.offset} ${this.showPoses}`;
    if (key !== this.layerView) {
      this.layerView = key;
      const layer = this.layer.getContext("2d")!;
      layer.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      draw(layer as Pen);
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.layer, 0, 0);
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  private drawMoving(pen: Pen, view: View, t: number, longest: number, taken: Rect[]): void {
    const { scene, run, magnification } = this;
    if (this.showTrail) drawTrail(pen, view, run, this.trail, t);
    for (const g of this.ghosts) {
      const poses = posesAt(g.scene, g.run, Math.min(t, g.run.stop.time), magnification);
      drawOutlines(pen, view, g.scene, poses, g.colour, 0.75, 2);
    }
    const poses = posesAt(scene, run, t, magnification);
    drawRails(pen, view, scene, poses, this.spans);
    drawRidingWalls(pen, view, scene, poses);
    drawBodies(pen, view, scene, poses);
    drawConnectors(pen, view, scene, poses);
    const note = this.drawNote(pen, view);
    const bar = drawScaleBar(pen, view, scene, note ? [...taken, note] : taken);
    const notes = note ? [...taken, note, bar] : [...taken, bar];
    const showsStress = this.showStress && this.hasStress();
    const stress = showsStress ? stressAt(view, run, t, poses, this.largestStress, longestStress(view)) : [];
    const stressScale = showsStress ? drawStressScale(pen, view, scene, this.largestStress, longestStress(view), isHeld(run, t), notes) : undefined;
    const labels = new Labels(pen, view.width, view.height, stressScale ? [...notes, stressScale] : notes);
    drawStress(pen, stress);
    // Names first: they stay where they are, and numbers that come and go keep clear of them.
    if (this.showNames) this.drawNames(view, poses, labels);
    drawEvents(pen, view, scene, run, t, poses);
    drawImpacts(pen, view, run, t, labels);
    const arrows = this.showForces ? arrowsAt(view, scene, run, t, poses, magnification, this.largestForce, longest) : [];
    drawArrows(pen, arrows, labels, longest);
    labels.write();
    Object.assign(this.seen, { arrows, stress, stressScale, labels: labels.placed, scaleBar: bar });
  }

  // On the body where it is large enough, else beside it, not along it, and not on others where there is room.
  private drawNames(view: View, poses: Pose[], labels: Labels): void {
    const cover = coverOf(view, this.scene, poses);
    this.scene.bodies.forEach((body, i) => {
      const { at, half } = nameSpot(body);
      const wide = half * view.scale;
      const tone = this.scene.bodies.length > 1 ? bodyColour(this.scene, i) : colour("ink");
      const isBusy = (box: Rect) => cover.some((c, other) => other !== i && covers(c, box));
      labels.put(body.name, toScreen(view, ...place(poses[i], ...at)), tone, [poses[i].cos, -poses[i].sin], 6 + Math.min(wide, 80), wide > 20, isBusy);
    });
  }

  /// Where all bodies are at the time shown.
  posesNow(): Pose[] {
    return posesAt(this.scene, this.run, this.time, this.magnification);
  }

  private drawNote(pen: Pen, view: View): Rect | undefined {
    if (!this.isElastic()) return undefined;
    const text = this.magnification === 1 ? "deflection to scale" : `deflection × ${this.magnification}`;
    pen.font = "12px system-ui, sans-serif";
    const box = { left: view.width - 19 - pen.measureText(text).width, right: view.width - 7, top: view.height - 31, bottom: view.height - 7 };
    pen.globalAlpha = 0.85;
    pen.fillStyle = colour("sky");
    pen.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.globalAlpha = 1;
    pen.fillStyle = colour("ink");
    pen.textAlign = "right";
    pen.textBaseline = "bottom";
    pen.fillText(text, view.width - 12, view.height - 12);
    return box;
  }

  // What stands over the canvas. Asking for the place of the caption would cost a layout in every frame.
  private cornersTaken(): Rect[] {
    const words = this.caption.textContent!.length;
    return words ? [...this.overlays, { left: 0, top: 0, right: Math.min(this.width, 34 + 7.5 * words), bottom: 40 }] : this.overlays;
  }

  private findOverlays(): void {
    const from = this.canvas.getBoundingClientRect();
    this.overlays = [];
    const r = this.tools.getBoundingClientRect();
    if (r.width > 0) this.overlays.push({ left: r.left - from.left, right: r.right - from.left, top: r.top - from.top, bottom: r.bottom - from.top });
  }
}
