// Where the energy is and where it went: stacked, so that the top line is what was there and what was supplied.
import { Run, at, locate } from "./data";
import { h } from "./dom";
import { Player } from "./player";
import { Figure } from "./save";
import { colour, onTheme } from "./theme";
import { Content, TimePlot } from "./time_plot";
import { TimeWindow } from "./time_window";
import { Shown, column, largest, suit } from "./units";

const height = 230;

export class EnergyPlot {
  readonly element = h("div", { class: "energy" });
  private plot: TimePlot;
  private legend = h("ul", { class: "energy-legend" });
  private parts: { name: string; values: number[]; colour: () => string; value: HTMLElement }[] = [];
  private run?: Run;
  private unit: Shown = { factor: 1, unit: "J" };
  private text = (x: number): string => String(x);

  constructor(
    private player: Player,
    private window: TimeWindow,
  ) {
    this.plot = new TimePlot(player, window, height);
    this.element.append(this.plot.element, this.legend);
    player.onTime(() => this.showValues());
    window.onHover(() => this.showValues());
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
    add("strain", c["energy.strain"], "energy-strain");
    add("potential", potential.map((v) => v - floor), "energy-potential");
    add("kinetic", c["energy.kinetic"], "energy-kinetic");
    this.parts.reverse();
    const total = run.time.map((_, k) => this.parts.reduce((sum, p) => sum + p.values[k], 0));
    this.unit = suit(largest(total), "J");
    this.text = column(total, "J");
    this.legend.replaceChildren(
      ...this.parts.map((p) => h("li", {}, h("span", { class: "swatch", style: `background:${p.colour()}` }), h("span", {}, p.name), p.value)),
    );
    this.plot.show((unit) => this.build(run, unit));
    this.showValues();
  }

  private build(run: Run, unit: Shown): Content {
    const x = run.time.map((t) => t * unit.factor);
    let base = x.map(() => 0);
    const curves = this.parts.map((p) => {
      const y = p.values.map((v, k) => v * this.unit.factor + base[k]);
      const curve = { x, y, base, colour: p.colour() };
      base = y;
      return curve;
    });
    return { curves, y: { title: `energy [${this.unit.unit}]`, log: false, range: [0, Math.max(1e-300, largest(base)) * 1.05] } };
  }

  private showValues(): void {
    if (!this.run) return;
    const place = locate(this.run.time, this.window.hover ?? this.player.time);
    for (const p of this.parts) p.value.textContent = this.text(at(p.values, place));
  }

  figure(name: string): Figure {
    const row = 18;
    return {
      name: `${name}-energy`,
      size: () => [Math.max(420, this.element.clientWidth), height + row * Math.ceil(this.parts.length / 2) + 16],
      paint: (pen, width) => {
        this.plot.paint(pen, width, height);
        pen.font = "12px system-ui, sans-serif";
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        this.parts.forEach((p, k) => {
          const [x, y] = [70 + ((k % 2) * (width - 86)) / 2, height + 12 + row * Math.floor(k / 2)];
          pen.fillStyle = p.colour();
          pen.fillRect(x, y - 5, 11, 11);
          pen.fillStyle = colour("ink");
          pen.fillText(p.name, x + 17, y);
        });
      },
    };
  }
}
