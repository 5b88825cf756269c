// A plot against time with the player's cursor and the pointer's on it.
import { Axis, ChartSpec, Curve, Plane, drawChart, fromX, makePlane, rangeOf, toX, toY } from "./chart";
import { h } from "./dom";
import { isScrolling, wheelFactor } from "./gestures";
import { Pen } from "./pen";
import { Player } from "./player";
import { onTheme } from "./theme";
import { TimeWindow } from "./time_window";
import { Shown, number, suit, withUnit } from "./units";

/// Curves over time in the unit of the axis.
export interface Content {
  curves: Curve[];
  y: { title: string; log: boolean; range?: [number, number] };
  right?: { title: string; log: boolean };
}

const grab = 6; // pixels from the cursor at which it is taken hold of

export class TimePlot {
  readonly element: HTMLElement;
  /// Room for an axis on the right, also where this plot has none, so that all plots are one below the other.
  wideRight = false;
  private canvas = h("canvas", { class: "plot-canvas" });
  private over = h("div", { class: "plot-over" });
  private cursor = h("div", { class: "time-cursor" });
  private hair = h("div", { class: "hair", hidden: true });
  private hairTime = h("span", { class: "hair-time" });
  private dots: HTMLElement[] = [];
  private band = h("div", { class: "zoom-band", hidden: true });
  private unit: Shown = { factor: 1, unit: "s" };
  private make?: (unit: Shown) => Content;
  private spec?: ChartSpec;
  private plane?: Plane;

  constructor(
    private player: Player,
    private window: TimeWindow,
    private height = 168,
  ) {
    this.hair.append(this.hairTime);
    this.over.append(this.band, this.hair, this.cursor);
    this.element = h("div", { class: "plot", style: `height:${height}px` }, this.canvas, this.over);
    player.onTime(() => this.moveCursor());
    window.onRange(() => this.draw());
    window.onHover(() => this.moveHair());
    new ResizeObserver(() => this.draw()).observe(this.element);
    onTheme(() => this.rebuild());
    this.listen();
  }

  /// Times in seconds are given; the axis shows a unit that suits them.
  show(make: (unit: Shown) => Content): void {
    this.make = make;
    this.rebuild();
  }

  private rebuild(): void {
    if (!this.make) return;
    this.unit = suit(this.window.end, "s");
    this.content = this.make(this.unit);
    this.draw();
  }
  private content?: Content;

  private specFor(): ChartSpec {
    const { curves, y, right } = this.content!;
    const [from, to] = this.window.range();
    const x: Axis = { title: `time [${this.unit.unit}]`, range: [from * this.unit.factor, to * this.unit.factor], log: false };
    const range = (side: boolean, log: boolean) => rangeOf(curves.filter((c) => !!c.right === side), log, x.range);
    return {
      x,
      y: { title: y.title, log: y.log, range: y.range ?? range(false, y.log) },
      right: right && { title: right.title, log: right.log, range: range(true, right.log) },
      curves,
    };
  }

  /// With any pen and at any size.
  paint(pen: Pen, width: number, height: number): void {
    const spec = this.specFor();
    drawChart(pen, spec, makePlane(spec, width, height, this.wideRight));
  }

  draw(): void {
    const width = this.element.clientWidth;
    if (!this.content || width === 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    const c = this.canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.spec = this.specFor();
    const plane = (this.plane = makePlane(this.spec, width, this.height, this.wideRight));
    drawChart(c as Pen, this.spec, plane);
    Object.assign(this.over.style, { left: `${plane.left}px`, top: `${plane.top}px`, width: `${plane.width}px`, height: `${plane.height}px` });
    this.moveCursor();
    this.moveHair();
  }

  private moveCursor(): void {
    if (!this.plane) return;
    const x = toX(this.plane, this.player.time * this.unit.factor) - this.plane.left;
    const isSeen = x >= -0.5 && x <= this.plane.width + 0.5;
    this.cursor.style.visibility = isSeen ? "" : "hidden";
    if (isSeen) this.cursor.style.transform = `translateX(${x}px)`;
  }

  // The line under the pointer, in all plots, with a dot on every curve.
  private moveHair(): void {
    const t = this.window.hover;
    this.hair.hidden = t === undefined || !this.plane;
    if (t === undefined || !this.plane || !this.spec) return;
    const at = t * this.unit.factor;
    this.hair.style.transform = `translateX(${toX(this.plane, at) - this.plane.left}px)`;
    this.hairTime.textContent = withUnit(number(at, 5), this.unit.unit);
    this.hairTime.classList.toggle("left", toX(this.plane, at) > this.plane.left + 0.7 * this.plane.width);
    const curves = this.spec.curves.filter((c) => !c.base);
    while (this.dots.length < curves.length) this.hair.append((this.dots[this.dots.length] = h("i", { class: "hair-dot" })));
    this.dots.forEach((dot, k) => {
      const v = curves[k] ? valueAt(curves[k], at) : NaN;
      const y = toY(this.plane!, v, curves[k]?.right) - this.plane!.top;
      dot.hidden = !(y >= -1 && y <= this.plane!.height + 1);
      if (!dot.hidden) Object.assign(dot.style, { top: `${y}px`, background: curves[k].colour });
    });
  }

  // ---- mouse and fingers ------------------------------------------------------------------------------------------

  private timeAt(clientX: number): number {
    return fromX(this.plane!, clientX - this.over.getBoundingClientRect().left + this.plane!.left) / this.unit.factor;
  }

  private seek(e: PointerEvent): void {
    this.player.pause();
    this.player.seek(this.timeAt(e.clientX));
  }

  private listen(): void {
    const { over, window } = this;
    const fingers = new Map<number, number>();
    let drag: { kind: "seek" | "zoom" | "pan"; from: number } | undefined;
    over.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !this.plane) return;
      fingers.set(e.pointerId, e.clientX);
      const cursorAt = toX(this.plane, this.player.time * this.unit.factor) - this.plane.left;
      const isOnCursor = Math.abs(e.clientX - over.getBoundingClientRect().left - cursorAt) <= grab;
      drag = { kind: e.pointerType === "touch" || isOnCursor ? "seek" : e.shiftKey ? "pan" : "zoom", from: e.clientX };
      over.setPointerCapture(e.pointerId);
      if (drag.kind === "seek" && !isOnCursor) this.seek(e);
    });
    over.addEventListener("pointermove", (e) => {
      if (!this.plane) return;
      if (fingers.size === 2 && fingers.has(e.pointerId)) return this.pinch(fingers, e);
      if (e.pointerType !== "touch") window.point(Math.max(0, Math.min(window.end, this.timeAt(e.clientX))));
      if (!drag) return;
      if (drag.kind === "seek") this.seek(e);
      else if (drag.kind === "pan") {
        window.pan(this.timeAt(drag.from) - this.timeAt(e.clientX));
        drag.from = e.clientX;
      } else this.showBand(drag.from, e.clientX);
    });
    const end = (e: PointerEvent) => {
      fingers.delete(e.pointerId);
      if (drag?.kind === "zoom" && e.type === "pointerup") {
        const [a, b] = [this.timeAt(drag.from), this.timeAt(e.clientX)].sort((p, q) => p - q);
        if (Math.abs(e.clientX - drag.from) > 5) window.show(a, b);
        else this.seek(e);
      }
      drag = undefined;
      this.band.hidden = true;
    };
    over.addEventListener("pointerup", end);
    over.addEventListener("pointercancel", end);
    over.addEventListener("pointerleave", () => window.point(undefined));
    over.addEventListener("dblclick", () => window.showAll());
    over.addEventListener(
      "wheel",
      (e) => {
        if (!this.plane || (isScrolling() && !e.ctrlKey)) return;
        if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
          if (window.isWhole()) return;
          window.pan(this.timeAt(e.deltaX) - this.timeAt(0));
        } else {
          const factor = wheelFactor(e);
          if (factor <= 1 && window.isWhole()) return;
          window.zoom(factor, this.timeAt(e.clientX));
        }
        e.preventDefault();
      },
      { passive: false },
    );
  }

  private pinch(fingers: Map<number, number>, e: PointerEvent): void {
    const [a0, b0] = [...fingers.values()];
    fingers.set(e.pointerId, e.clientX);
    const [a1, b1] = [...fingers.values()];
    const middle = this.timeAt((a0 + b0) / 2);
    this.window.zoom(Math.max(20, Math.abs(a1 - b1)) / Math.max(20, Math.abs(a0 - b0)), middle);
    this.window.pan(this.timeAt((a0 + b0) / 2) - this.timeAt((a1 + b1) / 2));
  }

  private showBand(from: number, to: number): void {
    const left = this.over.getBoundingClientRect().left;
    this.band.hidden = Math.abs(to - from) <= 5;
    Object.assign(this.band.style, { left: `${Math.min(from, to) - left}px`, width: `${Math.abs(to - from)}px` });
  }
}

/// The value of a curve at a place of its axis, between its points on a line.
export function valueAt(c: { x: number[]; y: (number | null)[] }, x: number): number {
  const last = c.x.length - 1;
  if (last < 0 || x < c.x[0] || x > c.x[last] * (1 + 1e-9)) return NaN;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (c.x[middle] <= x) low = middle;
    else high = middle;
  }
  const [a, b] = [c.y[low], c.y[high]];
  const span = c.x[high] - c.x[low];
  if (a === null || b === null) return NaN;
  return span > 0 ? a + ((b - a) * (x - c.x[low])) / span : b;
}

