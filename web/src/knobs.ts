// Sliders made from [parameters].
import { Knob } from "./data";
import { h } from "./dom";
import { number, pretty } from "./units";

const steps = 1000;

/// From a place of the slider, 0 … 1, to a value and back; evenly over powers of ten where the range spans many.
export class Track {
  readonly low: number;
  readonly high: number;
  private logarithmic: boolean;

  constructor(private knob: Knob) {
    const value = Number(knob.default);
    [this.low, this.high] = knob.range ?? (value === 0 ? [-1, 1] : value > 0 ? [0, 2 * value] : [2 * value, 0]);
    this.logarithmic = this.low > 0 && this.high / this.low >= 1000;
  }

  value(place: number): number {
    const x = this.logarithmic ? this.low * (this.high / this.low) ** place : this.low + (this.high - this.low) * place;
    if (this.knob.integer) return Math.round(x);
    return Number(x.toPrecision(4));
  }

  place(value: number): number {
    const p = this.logarithmic ? Math.log(value / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
    return Math.min(1, Math.max(0, p));
  }
}

export class KnobPanel {
  readonly element = h("div", { class: "knobs" });
  onTurn?: () => void;
  private knobs: Knob[] = [];
  private values = new Map<string, number | string>();
  private shape = "";

  /// What differs from the defaults, as the server wants it.
  settings(): Record<string, string> {
    const out: Record<string, string> = {};
    for (const k of this.knobs) {
      const v = this.values.get(k.name);
      if (v !== undefined && v !== k.default) out[k.name] = typeof v === "string" ? v : k.unit ? `${v} ${k.unit}` : String(v);
    }
    return out;
  }

  value(name: string): number | string | undefined {
    return this.values.get(name) ?? this.knobs.find((k) => k.name === name)?.value;
  }

  list(): Knob[] {
    return this.knobs;
  }

  set(name: string, value: number | string): void {
    this.values.set(name, value);
    this.build();
  }

  reset(): void {
    this.values.clear();
    this.build();
  }

  load(knobs: Knob[], keep: boolean): void {
    const shape = JSON.stringify(knobs.map((k) => [k.name, k.unit, k.range, k.choices, k.default]));
    this.knobs = knobs;
    if (!keep) this.values.clear();
    for (const name of [...this.values.keys()]) if (!knobs.some((k) => k.name === name)) this.values.delete(name);
    for (const k of knobs) this.values.set(k.name, k.value);
    if (shape === this.shape && this.element.childElementCount) return;
    this.shape = shape;
    this.build();
  }

  private build(): void {
    this.element.replaceChildren();
    if (!this.knobs.length) this.element.append(h("p", { class: "dim" }, "This scenario has no knobs: declare some under [parameters]."));
    for (const knob of this.knobs) this.element.append(knob.choices ? this.choice(knob) : this.slider(knob));
    if (this.knobs.length)
      this.element.append(
        h("button", { type: "button", id: "reset-knobs", onclick: () => (this.reset(), this.onTurn?.()) }, "Back to the defaults"),
      );
  }

  private turned(knob: Knob, value: number | string): void {
    this.values.set(knob.name, value);
    this.onTurn?.();
  }

  private choice(knob: Knob): HTMLElement {
    const id = `knob-${knob.name}`;
    const select = h("select", { id }, ...knob.choices!.map((c) => h("option", { value: c }, c)));
    select.value = String(this.values.get(knob.name) ?? knob.value);
    select.addEventListener("change", () => this.turned(knob, select.value));
    return h("div", { class: "knob" }, h("label", { for: id }, knob.name), select, knob.about && h("p", { class: "knob-about" }, knob.about));
  }

  private slider(knob: Knob): HTMLElement {
    const id = `knob-${knob.name}`;
    const track = new Track(knob);
    const value = Number(this.values.get(knob.name) ?? knob.value);
    const count = knob.integer ? Math.min(steps, Math.max(1, track.high - track.low)) : steps;
    const range = h("input", { type: "range", min: 0, max: count, step: 1, value: Math.round(track.place(value) * count), id: `${id}-slider`, "aria-label": knob.name });
    const box = h("input", { type: "number", step: knob.integer ? 1 : "any", value: String(value), id, inputmode: "decimal" });
    const tell = (v: number) => range.setAttribute("aria-valuetext", `${number(v)} ${pretty(knob.unit)}`);
    tell(value);
    range.addEventListener("input", () => {
      const v = track.value(Number(range.value) / count);
      box.value = String(v);
      tell(v);
      this.turned(knob, v);
    });
    box.addEventListener("change", () => {
      const v = Number(box.value);
      if (!box.value || !Number.isFinite(v)) return;
      range.value = String(Math.round(track.place(v) * count));
      this.turned(knob, v);
    });
    return h(
      "div",
      { class: "knob" },
      h("div", { class: "knob-head" }, h("label", { for: id }, knob.name), h("span", { class: "knob-value" }, box, h("span", { class: "unit" }, pretty(knob.unit)))),
      range,
      knob.about && h("p", { class: "knob-about" }, knob.about),
    );
  }
}
