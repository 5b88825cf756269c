// Plots against time that share the cursor of the player.
import uPlot from "uplot";
import { Run, Scene, at, locate } from "./data";
import { h, iconButton } from "./dom";
import { Player } from "./player";
import { colour, onTheme, seriesColours } from "./theme";
import { Shown, column, largest, number, suit, withUnit } from "./units";

/// What is smaller than this in SI is zero with the errors of arithmetic.
const noise = 1e-12;

/// A run in the plots: the current one, or one that is pinned.
export interface Source {
  label: string;
  run: Run;
  colour: () => string;
}

export function axisStyle(): Partial<uPlot.Axis> {
  return {
    stroke: colour("muted"),
    grid: { stroke: colour("grid"), width: 1 },
    ticks: { stroke: colour("grid"), width: 1, size: 5 },
    font: "11px system-ui, sans-serif",
  };
}

/// Values of one run at the instants of another.
function resample(time: number[], values: (number | null)[], onto: number[]): (number | null)[] {
  const end = time[time.length - 1];
  return onto.map((t) => {
    if (t > end * (1 + 1e-9)) return null;
    const v = at(values, locate(time, t));
    return Number.isFinite(v) ? v : null;
  });
}

/// A plot with the player's cursor on it; drag or click to move the cursor.
export class TimePlot {
  readonly element = h("div", { class: "plot" });
  private plot?: uPlot;
  private cursor = h("div", { class: "time-cursor" });
  private unit: Shown = { factor: 1, unit: "s" };
  private dragging = false;
  private make?: () => { options: Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData };

  constructor(
    private player: Player,
    private height = 150,
  ) {
    player.onTime(() => this.moveCursor());
    new ResizeObserver(() => this.resize()).observe(this.element);
    onTheme(() => this.rebuild());
    addEventListener("pointerup", () => (this.dragging = false));
  }

  /// Times in seconds are given; the axis shows a unit that suits them.
  show(end: number, make: (unit: Shown) => { options: Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData }): void {
    this.unit = suit(end, "s");
    this.make = () => make(this.unit);
    this.rebuild();
  }

  private rebuild(): void {
    if (!this.make || this.element.clientWidth === 0) return;
    this.plot?.destroy();
    const { options, data } = this.make();
    this.plot = new uPlot({ ...options, width: this.element.clientWidth, height: this.height }, data, this.element);
    const over = this.plot.over;
    over.append(this.cursor);
    const seek = (e: PointerEvent) => {
      this.player.pause();
      this.player.seek(this.plot!.posToVal(e.clientX - over.getBoundingClientRect().left, "x") / this.unit.factor);
    };
    over.addEventListener("pointerdown", (e) => {
      this.dragging = true;
      seek(e);
    });
    over.addEventListener("pointermove", (e) => this.dragging && seek(e));
    this.moveCursor();
  }

  private resize(): void {
    if (!this.make) return;
    if (!this.plot) return this.rebuild();
    const width = this.element.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.height });
    this.moveCursor();
  }

  private moveCursor(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.player.time * this.unit.factor, "x");
    this.cursor.style.transform = `translateX(${Number.isFinite(x) ? x : 0}px)`;
  }
}

/// Round numbers along an axis, the last one with the unit.
function named(unit: string): (u: uPlot, list: number[]) => string[] {
  return (_u, list) => list.map((v, k) => (k === list.length - 1 ? withUnit(number(v), unit) : number(v)));
}

function baseOptions(x: string, y: string): Omit<uPlot.Options, "width" | "height" | "series"> {
  return {
    legend: { show: false },
    cursor: { show: false },
    pxAlign: false,
    padding: [8, 18, 0, 0],
    scales: { x: { time: false } },
    axes: [
      { ...axisStyle(), size: 28, values: named(x) },
      { ...axisStyle(), size: 64, values: named(y) },
    ],
  };
}

/// Plots of observables, each with a choice of what it shows.
export class PlotPanel {
  readonly element = h("div", { class: "plots" });
  /// Called when a plot asks for an observable that the run does not carry.
  onMissing?: (name: string) => void;
  private scene!: Scene;
  private sources: Source[] = [];
  private plots: { name: string; plot: TimePlot; value: HTMLElement; select: HTMLSelectElement; row: HTMLElement; unit: Shown; most: number }[] = [];
  private add = iconButton("plus", "Another plot", () => this.addPlot(this.nextName()), "add-plot");

  constructor(private player: Player) {
    this.element.append(h("div", { class: "plots-more" }, this.add));
    player.onTime(() => this.showValues());
  }

  names(): string[] {
    return this.plots.map((p) => p.name);
  }

  load(scene: Scene, sources: Source[]): void {
    const isOther = !this.scene || this.scene.name !== scene.name;
    this.scene = scene;
    this.sources = sources;
    const known = new Set(scene.observables.map((o) => o.name));
    const wanted = isOther ? defaultPlots(scene) : this.names().filter((n) => known.has(n));
    if (isOther || wanted.length !== this.plots.length) {
      for (const p of this.plots) p.row.remove();
      this.plots = [];
      for (const name of wanted.length ? wanted : defaultPlots(scene)) this.addPlot(name);
    } else {
      for (const p of this.plots) this.fillSelect(p.select, p.name);
    }
    this.plots.forEach((_, k) => this.update(k));
  }

  private nextName(): string {
    const shown = new Set(this.names());
    return this.scene.observables.find((o) => !shown.has(o.name) && o.name !== "time")?.name ?? "time";
  }

  private addPlot(name: string): void {
    const plot = new TimePlot(this.player);
    const value = h("output", { class: "plot-value" });
    const select = h("select", { "aria-label": "What this plot shows", class: "plot-select" });
    this.fillSelect(select, name);
    const row = h("div", { class: "plot-row" });
    const entry = { name, plot, value, select, row, unit: { factor: 1, unit: "" }, most: 0 };
    const remove = iconButton("close", "Remove this plot", () => {
      if (this.plots.length < 2) return;
      this.plots.splice(this.plots.indexOf(entry), 1);
      row.remove();
    });
    select.addEventListener("change", () => {
      entry.name = select.value;
      if (!(entry.name in this.sources[0].run.columns)) this.onMissing?.(entry.name);
      this.update(this.plots.indexOf(entry));
    });
    row.append(h("div", { class: "plot-head" }, select, value, remove), plot.element);
    this.element.insertBefore(row, this.element.lastChild);
    this.plots.push(entry);
    if (this.sources.length) {
      if (!(name in this.sources[0].run.columns)) this.onMissing?.(name);
      this.update(this.plots.length - 1);
    }
  }

  private fillSelect(select: HTMLSelectElement, chosen: string): void {
    const carried = this.onMissing ? undefined : this.sources[0]?.run.columns;
    const groups = new Map<string, HTMLOptGroupElement>();
    select.replaceChildren();
    for (const o of this.scene.observables) {
      if (o.name === "time" || (carried && !(o.name in carried))) continue;
      const prefix = o.name.includes(".") ? o.name.slice(0, o.name.indexOf(".")) : "";
      let group = groups.get(prefix);
      if (!group) {
        group = h("optgroup", { label: prefix || "other" });
        groups.set(prefix, group);
        select.append(group);
      }
      group.append(h("option", { value: o.name, title: o.about }, o.name));
    }
    select.value = chosen;
  }

  private update(k: number): void {
    const entry = this.plots[k];
    const about = this.scene.observables.find((o) => o.name === entry.name);
    if (!about) return;
    entry.select.title = about.about;
    const lists = this.sources.map((s) => s.run.columns[entry.name]);
    entry.most = Math.max(0, ...lists.map((l) => (l ? largest(l) : 0)));
    entry.unit = suit(entry.most, about.unit);
    const end = Math.max(...this.sources.map((s) => s.run.stop.time));
    entry.plot.show(end, (unit) => this.build(entry.name, entry.unit, unit));
    this.showValues();
  }

  private build(name: string, shown: Shown, unit: Shown): { options: Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData } {
    const carrying = this.sources.filter((s) => name in s.run.columns);
    const time = carrying.length === 1 ? carrying[0].run.time : merge(carrying.map((s) => s.run.time));
    const data: (number | null)[][] = [time.map((t) => t * unit.factor)];
    const series: uPlot.Series[] = [{}];
    for (const s of carrying) {
      const values = carrying.length === 1 ? s.run.columns[name] : resample(s.run.time, s.run.columns[name], time);
      const isNoise = largest(values) < noise;
      data.push(values.map((v) => (v === null ? null : isNoise ? 0 : v * shown.factor)));
      series.push({ stroke: s.colour(), width: s === this.sources[0] ? 2 : 1.5, points: { show: false } });
    }
    return { options: { ...baseOptions(unit.unit, shown.unit), series }, data: data as uPlot.AlignedData };
  }

  private showValues(): void {
    const run = this.sources[0]?.run;
    if (!run) return;
    const place = locate(run.time, this.player.time);
    for (const p of this.plots) {
      const column = run.columns[p.name];
      const value = column ? at(column, place) : NaN;
      const isNoise = Math.abs(value) < Math.max(noise, 1e-9 * p.most);
      p.value.textContent = column ? withUnit(number(isNoise ? 0 : value * p.unit.factor, 4), p.unit.unit) : "…";
    }
  }
}

function merge(lists: number[][]): number[] {
  const all = lists.flat().sort((a, b) => a - b);
  return all.filter((t, k) => k === 0 || t > all[k - 1]);
}

function defaultPlots(scene: Scene): string[] {
  if (scene.plot.length) return scene.plot.slice(0, 4);
  const known = new Set(scene.observables.map((o) => o.name));
  const body = scene.bodies[0]?.name;
  return [`${body}.depth`, `${body}.v`, `${body}.angle`].filter((n) => known.has(n));
}

const energyNames: Record<string, string> = {
  kinetic: "kinetic",
  potential: "potential",
  strain: "strain",
};

/// Where the energy is and where it went: stacked, so that the top line is what was there and what was supplied.
export class EnergyPlot {
  readonly element = h("div", { class: "energy" });
  private plot: TimePlot;
  private legend = h("ul", { class: "energy-legend" });
  private parts: { name: string; values: number[]; colour: () => string; value: HTMLElement }[] = [];
  private run?: Run;
  private unit: Shown = { factor: 1, unit: "J" };
  private text = (x: number): string => String(x);

  constructor(private player: Player) {
    this.plot = new TimePlot(player, 220);
    this.element.append(this.plot.element, this.legend);
    player.onTime(() => this.showValues());
    onTheme(() => this.run && this.load(this.run));
  }

  load(run: Run): void {
    this.run = run;
    this.parts = [];
    const add = (name: string, values: (number | null)[] | undefined, tone: string) => {
      if (!values || largest(values) === 0) return;
      this.parts.push({ name, values: values.map((v) => v ?? 0), colour: () => colour(tone), value: h("span", { class: "energy-value" }) });
    };
    const c = run.columns;
    const potential = c["energy.potential"]?.map((v) => v ?? 0) ?? [];
    const floor = Math.min(...potential);
    let tone = 0;
    for (const [key, value] of Object.entries(c))
      if (key.startsWith("energy.loss.")) add(`lost to ${key.slice(12).replaceAll("_", " ")}`, value, `loss-${(tone++ % 6) + 1}`);
    this.parts.reverse();
    add(energyNames.strain, c["energy.strain"], "energy-strain");
    add(energyNames.potential, potential.map((v) => v - floor), "energy-potential");
    add(energyNames.kinetic, c["energy.kinetic"], "energy-kinetic");
    this.parts.reverse();
    const total = run.time.map((_, k) => this.parts.reduce((sum, p) => sum + p.values[k], 0));
    this.unit = suit(largest(total), "J");
    this.text = column(total, "J");
    this.legend.replaceChildren(
      ...this.parts.map((p) =>
        h("li", {}, h("span", { class: "swatch", style: `background:${p.colour()}` }), h("span", {}, p.name), p.value),
      ),
    );
    this.plot.show(run.stop.time, (unit) => this.build(run, unit));
    this.showValues();
  }

  private build(run: Run, unit: Shown): { options: Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData } {
    const sums: number[][] = [];
    this.parts.forEach((p, i) => sums.push(p.values.map((v, k) => v * this.unit.factor + (i ? sums[i - 1][k] : 0))));
    const series: uPlot.Series[] = [{}];
    // The topmost first, so that lower ones are painted over it.
    for (let i = this.parts.length - 1; i >= 0; --i)
      series.push({ stroke: this.parts[i].colour(), fill: this.parts[i].colour(), width: 0, points: { show: false } });
    return {
      options: { ...baseOptions(unit.unit, this.unit.unit), series, scales: { x: { time: false }, y: { range: (_u, _min, max) => [0, max * 1.05] } } },
      data: [run.time.map((t) => t * unit.factor), ...sums.reverse()] as uPlot.AlignedData,
    };
  }

  private showValues(): void {
    if (!this.run) return;
    const place = locate(this.run.time, this.player.time);
    for (const p of this.parts) p.value.textContent = this.text(at(p.values, place));
  }
}

/// y against x for several curves, not tied to time.
export function xyPlot(
  height: number,
  xUnit: string,
  yUnit: string,
  curves: { x: number[]; y: (number | null)[]; name: string; points?: boolean }[],
): HTMLElement {
  const element = h("div", { class: "plot" });
  const x = merge(curves.map((c) => c.x));
  const data: (number | null)[][] = [x];
  const build = () => {
    element.replaceChildren();
    const colours = seriesColours();
    const series: uPlot.Series[] = [{}];
    curves.forEach((c, k) => {
      const stroke = colours[k % colours.length];
      series.push({
        label: c.name,
        stroke,
        width: c.points ? 0 : 2,
        spanGaps: !c.points,
        paths: c.points ? () => null : undefined,
        points: { show: c.points || c.x.length < 40, size: c.points ? 5 : 4, stroke, fill: c.points ? "transparent" : stroke, width: 1.2 },
      });
    });
    if (element.clientWidth === 0) return;
    new uPlot(
      { ...baseOptions(xUnit, yUnit), series, width: element.clientWidth, height },
      data as uPlot.AlignedData,
      element,
    );
  };
  for (const c of curves) {
    const known = new Map(c.x.map((v, k) => [v, c.y[k]]));
    data.push(x.map((v) => known.get(v) ?? null));
  }
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    build();
  }).observe(element);
  onTheme(build);
  return element;
}
