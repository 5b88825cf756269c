// Plots of observables against time; all share the cursor, the pointer and the part of time that is shown.
import { Curve } from "./chart";
import { Run, Scene, columnLike } from "./data";
import { h, icon, iconButton } from "./dom";
import { Pen } from "./pen";
import { Player } from "./player";
import { Figure } from "./save";
import { colour } from "./theme";
import { Content, TimePlot, valueAt } from "./time_plot";
import { TimeWindow } from "./time_window";
import { Shown, largest, number, pretty, suit, withUnit } from "./units";

/// What is smaller than this in SI is zero with the errors of arithmetic.
const noise = 1e-12;
const most_curves = 6;
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 4], [4, 4]];
const plotHeight = 168;

/// A run in the plots: the current one, or one that is pinned.
export interface Source {
  label: string;
  scene: Scene;
  run: Run;
  colour: () => string;
}

/// What a plot shows.
export interface PlotState {
  names: string[];
  log: boolean;
}

interface Shelf {
  name: string;
  select: HTMLSelectElement;
  swatch: HTMLElement;
  value: HTMLElement;
  unit: Shown;
  most: number;
  isRight: boolean;
}

interface Entry {
  curves: Shelf[];
  log: boolean;
  plot: TimePlot;
  row: HTMLElement;
  list: HTMLElement;
  pins: HTMLElement;
  logButton: HTMLButtonElement;
  addButton: HTMLButtonElement;
}

export class PlotPanel {
  readonly element = h("div", { class: "plots" });
  /// Called when a plot asks for an observable that the run does not carry.
  onMissing?: (name: string) => void;
  /// Called when the reader has changed what is shown.
  onChange?: () => void;
  private scene!: Scene;
  private sources: Source[] = [];
  private entries: Entry[] = [];
  private wanted?: PlotState[] | "default";
  private whole = h("button", { type: "button", id: "whole-time", hidden: true, onclick: () => this.window.showAll() }, "All of the time");
  private foot: HTMLElement;

  constructor(
    private player: Player,
    private window: TimeWindow,
  ) {
    const add = iconButton("plus", "Another plot", () => this.change(() => this.addPlot({ names: [this.nextName()], log: false })), "add-plot");
    this.foot = h("div", { class: "plots-more" }, add, this.whole);
    this.element.append(this.foot);
    player.onTime(() => this.window.hover === undefined && this.showValues());
    window.onHover(() => this.showValues());
    window.onRange(() => (this.whole.hidden = window.isWhole()));
  }

  /// Something to stand below the plots.
  addTool(tool: HTMLElement): void {
    this.foot.append(tool);
  }

  names(): string[] {
    return [...new Set(this.entries.flatMap((e) => e.curves.map((c) => c.name)))];
  }

  states(): PlotState[] {
    return this.entries.map((e) => ({ names: e.curves.map((c) => c.name), log: e.log }));
  }

  /// Whether these are not the plots that the scenario asks for.
  isChanged(): boolean {
    return JSON.stringify(this.states()) !== JSON.stringify(defaultPlots(this.scene));
  }

  /// What to show with the next run, or what the scenario asks for.
  want(states?: PlotState[]): void {
    this.wanted = states ?? "default";
  }

  load(scene: Scene, sources: Source[]): void {
    const isOther = !this.scene || this.scene.name !== scene.name;
    this.scene = scene;
    this.sources = sources;
    this.whole.hidden = this.window.isWhole();
    const known = new Set(scene.observables.map((o) => o.name));
    const wanted = this.wanted ?? (isOther ? "default" : this.states());
    const asked = wanted === "default" ? defaultPlots(scene) : wanted;
    this.wanted = undefined;
    let states = asked.map((s) => ({ ...s, names: s.names.filter((n) => known.has(n)) })).filter((s) => s.names.length);
    if (!states.length) states = defaultPlots(scene);
    if (isOther || JSON.stringify(states) !== JSON.stringify(this.states())) {
      for (const e of this.entries) e.row.remove();
      this.entries = [];
      for (const state of states) this.addPlot(state);
    }
    this.update();
  }

  // ---- which plots ------------------------------------------------------------------------------------------------

  private change(what: () => void): void {
    what();
    this.update();
    const missing = this.names().find((n) => !(n in this.sources[0].run.columns));
    if (missing) this.onMissing?.(missing);
    this.onChange?.();
  }

  private nextName(): string {
    const shown = new Set(this.names());
    const carried = this.onMissing ? undefined : this.sources[0].run.columns;
    return this.scene.observables.find((o) => !shown.has(o.name) && o.name !== "time" && (!carried || o.name in carried))?.name ?? this.names()[0];
  }

  private addPlot(state: PlotState): void {
    const list = h("div", { class: "plot-curves" });
    const logButton = h("button", { type: "button", class: "log-button", title: "Powers of ten along the axis" }, "log");
    const addButton = iconButton("plus", "Another curve in this plot", () => this.change(() => this.addCurve(entry, this.nextFor(entry))));
    addButton.classList.add("add-curve");
    const entry: Entry = { curves: [], log: state.log, plot: new TimePlot(this.player, this.window, plotHeight), row: h("div", { class: "plot-row" }), list, pins: h("ul", { class: "plot-pins" }), logButton, addButton };
    logButton.addEventListener("click", () => this.change(() => (entry.log = !entry.log)));
    const remove = iconButton("close", "Remove this plot", () => {
      if (this.entries.length > 1) this.change(() => (this.entries.splice(this.entries.indexOf(entry), 1), entry.row.remove()));
    });
    entry.row.append(h("div", { class: "plot-head" }, this.grip(entry), list, addButton, logButton, remove), entry.pins, entry.plot.element);
    this.element.insertBefore(entry.row, this.foot);
    this.entries.push(entry);
    for (const name of state.names) this.addCurve(entry, name);
  }

  // Of the same unit, if there is one left.
  private nextFor(entry: Entry): string {
    const shown = new Set(entry.curves.map((c) => c.name));
    const carried = this.onMissing ? undefined : this.sources[0].run.columns;
    const open = this.scene.observables.filter((o) => !shown.has(o.name) && o.name !== "time" && (!carried || o.name in carried) && this.fits(entry, o.name));
    const unit = this.unitOf(entry.curves[0].name);
    const last = (name: string) => name.slice(name.lastIndexOf(".") + 1);
    const like = (name: string) => last(name) === last(entry.curves[0].name);
    return (open.find((o) => o.unit === unit && like(o.name)) ?? open.find((o) => o.unit === unit) ?? open[0])?.name ?? entry.curves[0].name;
  }

  private unitOf = (name: string): string => this.scene.observables.find((o) => o.name === name)?.unit ?? "";

  // There are two axes, so there can be two units.
  private fits(entry: Entry, name: string, instead?: Shelf): boolean {
    const units = new Set(entry.curves.filter((c) => c !== instead).map((c) => this.unitOf(c.name)));
    return units.add(this.unitOf(name)).size <= 2;
  }

  private addCurve(entry: Entry, name: string): void {
    const select = h("select", { "aria-label": "What this curve shows", class: "plot-select" });
    const shelf: Shelf = { name, select, swatch: h("span", { class: "swatch line" }), value: h("output", { class: "plot-value" }), unit: { factor: 1, unit: "" }, most: 0, isRight: false };
    select.addEventListener("change", () => this.change(() => (shelf.name = select.value)));
    const item = h("span", { class: "curve" }, shelf.swatch, select, shelf.value);
    if (entry.curves.length)
      item.append(iconButton("close", "Remove this curve", () => this.change(() => (entry.curves.splice(entry.curves.indexOf(shelf), 1), item.remove()))));
    entry.curves.push(shelf);
    entry.list.append(item);
  }

  private fillSelect(entry: Entry, shelf: Shelf): void {
    const carried = this.onMissing ? undefined : this.sources[0]?.run.columns;
    const groups = new Map<string, HTMLOptGroupElement>();
    shelf.select.replaceChildren();
    for (const o of this.scene.observables) {
      if (o.name === "time" || (carried && !(o.name in carried)) || !this.fits(entry, o.name, shelf)) continue;
      const prefix = o.name.includes(".") ? o.name.slice(0, o.name.indexOf(".")) : "";
      let group = groups.get(prefix);
      if (!group) {
        group = h("optgroup", { label: prefix || "other" });
        groups.set(prefix, group);
        shelf.select.append(group);
      }
      group.append(h("option", { value: o.name, title: o.about }, o.name));
    }
    shelf.select.value = shelf.name;
    shelf.select.title = this.scene.observables.find((o) => o.name === shelf.name)?.about ?? "";
  }

  // ---- order ------------------------------------------------------------------------------------------------------

  private grip(entry: Entry): HTMLElement {
    const grip = h("button", { type: "button", class: "icon-button grip", title: "Drag to another place (or arrow up, down)", "aria-label": "Move this plot" }, icon("grip") as unknown as Node);
    grip.addEventListener("pointerdown", (e) => {
      grip.setPointerCapture(e.pointerId);
      entry.row.classList.add("moving");
    });
    grip.addEventListener("pointermove", (e) => {
      if (!entry.row.classList.contains("moving")) return;
      const over = this.entries.findIndex((o) => {
        const box = o.row.getBoundingClientRect();
        return e.clientY >= box.top && e.clientY <= box.bottom;
      });
      if (over >= 0) this.move(entry, over);
    });
    const end = () => {
      if (!entry.row.classList.contains("moving")) return;
      entry.row.classList.remove("moving");
      this.onChange?.();
    };
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
    grip.addEventListener("keydown", (e) => {
      const by = e.key === "ArrowUp" ? -1 : e.key === "ArrowDown" ? 1 : 0;
      if (!by) return;
      e.preventDefault();
      e.stopPropagation();
      this.move(entry, this.entries.indexOf(entry) + by);
      grip.focus();
      this.onChange?.();
    });
    return grip;
  }

  private move(entry: Entry, to: number): void {
    const from = this.entries.indexOf(entry);
    if (to < 0 || to >= this.entries.length || to === from) return;
    this.entries.splice(from, 1);
    this.entries.splice(to, 0, entry);
    // Others are moved about it: what is moved itself loses the pointer.
    for (const e of this.entries.slice(0, to)) this.element.insertBefore(e.row, entry.row);
    for (const e of this.entries.slice(to + 1)) this.element.insertBefore(e.row, this.foot);
  }

  // ---- content ----------------------------------------------------------------------------------------------------

  private update(): void {
    if (!this.sources.length) return;
    for (const e of this.entries) this.measure(e);
    const wide = this.entries.some((e) => e.curves.some((c) => c.isRight));
    for (const e of this.entries) {
      e.plot.wideRight = wide;
      e.plot.show((unit) => this.build(e, unit));
      this.showPins(e);
    }
    this.showValues();
  }

  // Units, sides and colours of the curves.
  private measure(e: Entry): void {
    const first = this.unitOf(e.curves[0].name);
    for (const side of [false, true]) {
      const curves = e.curves.filter((c) => (this.unitOf(c.name) !== first) === side);
      for (const c of curves) c.most = Math.max(0, ...this.sources.map((s) => largest(this.columnOf(s, c.name) ?? [])));
      const unit = curves.length ? suit(Math.max(...curves.map((c) => c.most)), this.unitOf(curves[0].name)) : { factor: 1, unit: "" };
      for (const c of curves) Object.assign(c, { unit, isRight: side });
    }
    e.curves.forEach((c, k) => {
      this.fillSelect(e, c);
      const tone = this.colourOf(e, k, this.sources[0]);
      const [on, off] = this.sources.length > 1 ? dashes[k % dashes.length] : [];
      c.swatch.style.background = on ? `repeating-linear-gradient(90deg, ${tone} 0 ${on}px, transparent ${on}px ${on + off}px)` : tone;
      c.swatch.hidden = e.curves.length < 2 && this.sources.length < 2;
    });
    e.addButton.hidden = e.curves.length >= most_curves;
    const values = e.curves.map((c) => this.sources[0].run.columns[c.name] ?? []);
    e.logButton.disabled = !e.log && !values.some((list) => list.some((v) => v !== null && v > 0));
    e.logButton.setAttribute("aria-pressed", String(e.log));
  }

  // Beside pinned runs colours are of runs, and curves differ in their dashes.
  private colourOf(e: Entry, k: number, source: Source): string {
    return this.sources.length > 1 || e.curves.length < 2 ? source.colour() : colour(`series-${(k % 6) + 1}`);
  }

  private build(e: Entry, unit: Shown): Content {
    const curves: Curve[] = [];
    // The current run is drawn over those that are pinned.
    for (const s of [...this.sources.slice(1).reverse(), this.sources[0]]) {
      const x = s.run.time.map((t) => t * unit.factor);
      e.curves.forEach((c, k) => {
        const values = this.columnOf(s, c.name);
        if (!values) return;
        const isNoise = largest(values) < noise;
        const y = values.map((v) => (v === null ? null : isNoise ? 0 : v * c.unit.factor));
        const dash = this.sources.length > 1 ? dashes[k % dashes.length] : [];
        curves.push({ x, y, colour: this.colourOf(e, k, s), width: s === this.sources[0] ? 2 : 1.5, dash, right: c.isRight });
      });
    }
    const right = e.curves.filter((c) => c.isRight);
    return {
      curves,
      y: { title: titleOf(e.curves.filter((c) => !c.isRight)), log: e.log },
      right: right.length ? { title: titleOf(right), log: e.log } : undefined,
    };
  }

  private showPins(e: Entry): void {
    const items = this.sources.slice(1).map((s) => h("li", {}, h("span", { class: "swatch line", style: `background:${s.colour()}` }), h("span", { class: "pin-name" }, s.label), h("output", { class: "pin-value" })));
    e.pins.replaceChildren(...items);
    e.pins.hidden = !items.length;
  }

  // At the pointer, else at the cursor.
  private showValues(): void {
    const t = this.window.hover ?? this.player.time;
    this.element.classList.toggle("pointing", this.window.hover !== undefined);
    for (const e of this.entries) {
      for (const c of e.curves) c.value.textContent = this.valueText(this.sources[0], c, t);
      this.sources.slice(1).forEach((s, k) => {
        const value = e.pins.children[k]?.lastElementChild;
        if (value) value.textContent = e.curves.map((c) => this.valueText(s, c, t)).join(" · ");
      });
    }
  }

  private columnOf(s: Source, name: string): (number | null)[] | undefined {
    return columnLike(this.scene, name, s.scene, s.run);
  }

  private valueText(s: Source, c: Shelf, t: number): string {
    const column = this.columnOf(s, c.name);
    if (!column) return "…";
    const value = valueAt({ x: s.run.time, y: column }, t);
    if (!Number.isFinite(value)) return "–";
    const isNoise = Math.abs(value) < Math.max(noise, 1e-9 * c.most);
    return withUnit(number(isNoise ? 0 : value * c.unit.factor, 4), c.unit.unit);
  }

  /// All plots, one below the other, with what they show above each.
  figure(): Figure {
    const heads = this.entries.map((e) => 20 + (this.sources.length > 1 ? 16 * (this.sources.length - 1) : 0) + (e.curves.length > 1 || this.sources.length > 1 ? 16 * e.curves.length : 0));
    return {
      name: `${this.scene.name}-plots`,
      size: () => [Math.max(420, this.element.clientWidth), heads.reduce((sum, x) => sum + x + plotHeight + 8, 8)],
      paint: (pen, width) => {
        let y = 8;
        this.entries.forEach((e, k) => {
          this.paintHead(pen, e, y);
          pen.save();
          pen.translate(0, y + heads[k]);
          e.plot.paint(pen, width, plotHeight);
          pen.restore();
          y += heads[k] + plotHeight + 8;
        });
      },
    };
  }

  private paintHead(pen: Pen, e: Entry, top: number): void {
    const keys: { text: string; tone: string; dash: number[] }[] = [];
    if (e.curves.length > 1 || this.sources.length > 1)
      e.curves.forEach((c, k) => keys.push({ text: this.sources.length > 1 ? `${c.name} (${this.sources[0].label})` : c.name, tone: this.colourOf(e, k, this.sources[0]), dash: this.sources.length > 1 ? dashes[k] : [] }));
    for (const s of this.sources.slice(1)) keys.push({ text: s.label, tone: s.colour(), dash: [] });
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillStyle = colour("ink");
    if (!keys.length) pen.fillText(e.curves[0].name, 70, top + 12);
    pen.font = "12px system-ui, sans-serif";
    keys.forEach((key, k) => {
      const y = top + 12 + 16 * k;
      pen.strokeStyle = key.tone;
      pen.lineWidth = 2;
      pen.setLineDash(key.dash);
      pen.beginPath();
      pen.moveTo(70, y);
      pen.lineTo(96, y);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillText(key.text, 102, y);
    });
  }
}

/// The names of curves with their unit; without the body where it is the same for all.
function titleOf(curves: Shelf[]): string {
  if (!curves.length) return "";
  const heads = new Set(curves.map((c) => c.name.slice(0, c.name.indexOf(".") + 1)));
  const names = heads.size === 1 && curves.length > 1 ? curves.map((c) => c.name.slice([...heads][0].length)) : curves.map((c) => c.name);
  return curves[0].unit.unit ? `${names.join(", ")} [${pretty(curves[0].unit.unit)}]` : names.join(", ");
}

function defaultPlots(scene: Scene): PlotState[] {
  const known = new Set(scene.observables.map((o) => o.name));
  const body = scene.bodies[0]?.name;
  const names = scene.plot.length ? scene.plot.slice(0, 4) : [`${body}.depth`, `${body}.v`, `${body}.angle`].filter((n) => known.has(n));
  return names.map((name) => ({ names: [name], log: false }));
}
