// A small sweep over one or two knobs, watched while it runs.
import { ApiError, Axis, RunRequest, sweep } from "./api";
import { Knob, Scene } from "./data";
import { h } from "./dom";
import { HeatMap } from "./heatmap";
import { Track } from "./knobs";
import { pretty, suit } from "./units";
import { xyPlot } from "./xy_plot";

const most_runs = 10_000;

/// What is wrong with the fields, in their own words.
function wrongAxis(axes: Axis[]): string {
  for (const a of axes) {
    if (!Number.isFinite(a.low) || !Number.isFinite(a.high)) return `“from” and “to” of ${a.knob} must be numbers.`;
    if (!(Number.isInteger(a.count) && a.count >= 2 && a.count <= 1000)) return `“steps” of ${a.knob} must be a whole number from 2 to 1000.`;
  }
  if (axes.length === 2 && axes[0].knob === axes[1].knob) return `${axes[0].knob} cannot go across and up at once.`;
  const runs = axes.reduce((n, a) => n * a.count, 1);
  return runs > most_runs ? `${runs} runs are too many here: ${most_runs} at most.` : "";
}

export class SweepPanel {
  readonly form = h("form", { class: "sweep-form" });
  readonly result = h("div", { class: "sweep-result" });
  /// The request of the current scenario, without its sweep.
  request?: () => RunRequest;
  onPick?: (values: Record<string, number>) => void;
  onStart?: () => void;

  private scene?: Scene;
  private shape = "";
  private axes: { knob: HTMLSelectElement; low: HTMLInputElement; high: HTMLInputElement; count: HTMLInputElement }[] = [];
  private output = h("select", { id: "sweep-output" });
  private start = h("button", { type: "submit", class: "primary", id: "sweep-start" }, "Run the sweep");
  private cancel = h("button", { type: "button", id: "sweep-cancel", disabled: true, onclick: () => this.abort?.abort() }, "Cancel");
  private bar = h("progress", { id: "sweep-progress", max: 1, value: 0, "aria-label": "Progress of the sweep" });
  private status = h("p", { class: "dim", id: "sweep-status", "aria-live": "polite" });
  private abort?: AbortController;

  constructor() {
    this.axes = [this.makeAxis(1), this.makeAxis(2)];
    this.form.append(
      this.axisField("Across", 0),
      this.axisField("Up", 1),
      h("label", { class: "field" }, h("span", {}, "Colour"), this.output),
      h("div", { class: "row" }, this.start, this.cancel),
      this.bar,
      this.status,
    );
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.run();
    });
  }

  load(scene: Scene): void {
    this.scene = scene;
    const shape = JSON.stringify([scene.name, scene.knobs.map((k) => [k.name, k.range]), scene.results.map((r) => r.name)]);
    if (shape === this.shape) return;
    this.shape = shape;
    const numeric = this.numeric();
    this.axes.forEach((axis, k) => {
      axis.knob.replaceChildren(...(k === 1 ? [h("option", { value: "" }, "nothing: a curve")] : []), ...numeric.map((n) => h("option", { value: n.name }, n.name)));
      axis.knob.value = numeric[k]?.name ?? "";
      this.suitAxis(k);
    });
    this.output.replaceChildren(
      h("optgroup", { label: "results" }, ...scene.results.map((r) => h("option", { value: r.name }, r.name)), h("option", { value: "end.time" }, "end.time")),
      h("optgroup", { label: "observables at the end" }, ...scene.observables.filter((o) => o.name !== "time").map((o) => h("option", { value: o.name }, o.name))),
    );
    this.start.disabled = numeric.length === 0;
    this.status.textContent = numeric.length ? "" : "A sweep needs a knob that is a number.";
  }

  private numeric(): Knob[] {
    return this.scene!.knobs.filter((k) => !k.choices);
  }

  private makeAxis(k: number) {
    const input = (name: string) => h("input", { type: "number", step: "any", "aria-label": `${name} of axis ${k}`, id: `sweep-${name}-${k}` });
    const axis = { knob: h("select", { id: `sweep-knob-${k}` }), low: input("low"), high: input("high"), count: input("count") };
    axis.count.step = "1";
    axis.count.min = "2";
    axis.count.max = "100";
    axis.knob.addEventListener("change", () => this.suitAxis(k - 1));
    return axis;
  }

  private axisField(title: string, k: number): HTMLElement {
    const a = this.axes[k];
    return h(
      "fieldset",
      { class: "field" },
      h("legend", {}, title),
      a.knob,
      h("div", { class: "triple" }, h("label", {}, "from", a.low), h("label", {}, "to", a.high), h("label", {}, "steps", a.count)),
    );
  }

  // The whole range, or what lies about the default where the range is very wide.
  private suitAxis(k: number): void {
    const axis = this.axes[k];
    const knob = this.numeric().find((n) => n.name === axis.knob.value);
    for (const i of [axis.low, axis.high, axis.count]) i.disabled = !knob;
    if (!knob) return;
    const track = new Track(knob);
    const value = Number(knob.default);
    const wide = value > 0 && track.high > 4 * value;
    const low = wide ? Math.max(track.low, value / 2) : track.low;
    const high = wide ? Math.min(track.high, 2 * value) : track.high;
    axis.low.value = String(knob.integer ? Math.ceil(low) : Number(low.toPrecision(4)));
    axis.high.value = String(knob.integer ? Math.floor(high) : Number(high.toPrecision(4)));
    axis.count.value = knob.integer ? String(Math.min(20, Number(axis.high.value) - Number(axis.low.value) + 1)) : "20";
  }

  private async run(): Promise<void> {
    if (!this.scene || !this.request) return;
    const knobs = this.numeric();
    const axes: Axis[] = [];
    for (const a of this.axes)
      if (a.knob.value) axes.push({ knob: a.knob.value, low: a.low.valueAsNumber, high: a.high.valueAsNumber, count: Number(a.count.value) });
    const wrong = wrongAxis(axes);
    if (wrong) {
      this.status.textContent = wrong;
      return;
    }
    const lists = axes.map((a) => Array.from({ length: a.count }, (_, i) => a.low + ((a.high - a.low) * i) / (a.count - 1)));
    const units = axes.map((a) => knobs.find((k) => k.name === a.knob)!.unit);
    const labels = axes.map((a, k) => (units[k] ? `${a.knob} [${pretty(units[k])}]` : a.knob));
    const output = this.output.value;
    const unit = this.scene.results.find((r) => r.name === output)?.unit ?? this.scene.observables.find((o) => o.name === output)?.unit ?? (output === "end.time" ? "s" : "");
    const values: (number | null)[] = new Array(lists.reduce((n, l) => n * l.length, 1)).fill(null);
    const map = axes.length === 2 ? new HeatMap() : undefined;
    if (map) {
      map.onPick = (i, j) => {
        this.onPick?.({ [axes[0].knob]: lists[0][i], [axes[1].knob]: lists[1][j] });
        map.mark(lists[0][i], lists[1][j]);
      };
    }
    const show = () => {
      if (map) map.load({ x: lists[0], y: lists[1], z: values, xLabel: labels[0], yLabel: labels[1], zLabel: output, zUnit: unit });
    };
    this.result.replaceChildren(map ? map.element : h("p", { class: "dim" }, "…"));
    this.abort = new AbortController();
    this.start.disabled = true;
    this.cancel.disabled = false;
    this.status.textContent = "running";
    this.onStart?.();
    let painted = 0;
    try {
      await sweep(
        { ...this.request(), vary: axes, output },
        (chunk) => {
          chunk.values.forEach((v, k) => (values[chunk.from + k] = v));
          this.bar.value = chunk.done / chunk.total;
          this.status.textContent = `${chunk.done} of ${chunk.total} runs`;
          if (performance.now() - painted > 60 || chunk.done === chunk.total) {
            show();
            painted = performance.now();
          }
        },
        this.abort.signal,
      );
      if (!map) {
        const shown = suit(Math.max(0, ...values.map((v) => Math.abs(v ?? 0))), unit);
        const y = values.map((v) => (v === null ? null : v * shown.factor));
        this.result.replaceChildren(xyPlot(300, labels[0], shown.unit ? `${output} [${shown.unit}]` : output, [{ x: lists[0], y, name: output }]));
      }
      const missing = values.filter((v) => v === null).length;
      this.status.textContent = `${values.length} runs done${missing ? `, ${missing} without a value` : ""}`;
    } catch (e) {
      this.status.textContent = this.abort.signal.aborted ? "cancelled" : e instanceof ApiError ? e.message : "the server does not answer";
    } finally {
      this.start.disabled = false;
      this.cancel.disabled = true;
    }
  }
}
