// Results, events, energy and knobs in words and numbers.
import { Knob, Run, Scene } from "./data";
import { card, clear, h } from "./dom";
import { Player } from "./player";
import { eventColour } from "./forces";
import { column, largest, number, pretty, quantity, withUnit } from "./units";

export function showKnob(knob: Knob, value: number | string = knob.value): string {
  return typeof value === "string" ? value : withUnit(number(value, 6), pretty(knob.unit));
}

export function stopText(run: Run): string {
  const after = quantity(run.stop.time, "s", 6);
  switch (run.stop.reason) {
    case "condition":
      return `Stopped after ${after}: ${run.stop.text}`;
    case "results":
      return `Stopped after ${after}: all results found`;
    case "rest":
      return `Came to rest after ${after}`;
    case "time limit":
      return `Ended at the time limit of ${after}`;
    case "bottom":
      return `Reached the bottom of the bed after ${after}`;
    case "cancelled":
      return `Interrupted after ${after} of simulated time`;
    default:
      return `${run.stop.reason} after ${after}: ${run.stop.text}`;
  }
}

/// A run beside others, for the table of results.
export interface Column {
  label: string;
  run: Run;
  colour?: () => string;
}

export function resultsTable(columns: Column[]): HTMLElement {
  const body = h("tbody");
  // What other scenarios have besides stands below.
  const rows = columns.flatMap((c) => c.run.results).filter((r, k, all) => all.findIndex((o) => o.name === r.name) === k);
  for (const row of rows) {
    const cells = columns.map((c) => {
      const found = c.run.results.find((r) => r.name === row.name);
      const reached = found && found.value !== null;
      return h("td", { class: "number" }, reached ? quantity(found.value, row.unit, 6) : found ? "not reached" : "–");
    });
    body.append(h("tr", {}, h("th", { scope: "row" }, row.name), ...cells, h("td", { class: "dim rule" }, row.rule)));
  }
  const time = columns.map((c) => h("td", { class: "number" }, quantity(c.run.stop.time, "s", 6)));
  body.append(h("tr", {}, h("th", { scope: "row" }, "end"), ...time, h("td", { class: "dim rule" }, "time at the end of the run")));
  const head =
    columns.length > 1 &&
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td"),
        ...columns.map((c) =>
          h("th", { scope: "col", class: "number" }, h("span", { class: "swatch", style: `background:${c.colour?.() ?? "transparent"}` }), c.label),
        ),
        h("td"),
      ),
    );
  return h("div", { class: "scroll-x" }, h("table", { class: "results" }, head || null, body));
}

export function peaksTable(run: Run): HTMLElement | null {
  if (!run.peaks.length) return null;
  const peaks = [...run.peaks].sort((a, b) => b.force - a.force).slice(0, 5);
  return h(
    "table",
    { class: "peaks" },
    h("caption", {}, "Peak force of the sand"),
    h(
      "tbody",
      {},
      ...peaks.map((p) =>
        h("tr", {}, h("th", { scope: "row" }, p.body), h("td", { class: "number" }, quantity(p.force, "N", 4)), h("td", { class: "dim" }, `at ${quantity(p.time, "s", 4)}`)),
      ),
    ),
  );
}

export function accountTable(run: Run): HTMLElement {
  const a = run.account;
  // What is smaller beside the energies of the run is no loss but arithmetic.
  const rounding = 1e-13 * Math.max(Math.abs(a.initial), Math.abs(a.final), largest(run.columns["energy.kinetic"] ?? []));
  const losses = Object.entries(a.loss)
    .concat(a.settled > 0 ? [["settling", a.settled]] : [])
    .filter(([, x]) => x > rounding)
    .sort((x, y) => y[1] - x[1]);
  const sum = losses.reduce((s, [, x]) => s + x, 0);
  const text = column([a.initial, a.final, a.supplied, sum], "J");
  const line = (name: string, x: number, strong = false) =>
    h("tr", {}, h("th", { scope: "row", class: strong ? "" : "plain" }, name), h("td", { class: "number" }, text(x)), h("td"), h("td"));
  return h(
    "table",
    { class: "account" },
    h(
      "tbody",
      {},
      line("at the start", a.initial, true),
      a.supplied !== 0 && line("supplied by torques", a.supplied, true),
      line("at the end", a.final, true),
      line("lost", sum, true),
      ...losses.map(([name, x]) => {
        const share = sum > 0 ? x / sum : 0;
        return h(
          "tr",
          {},
          h("th", { scope: "row", class: "plain indent" }, name.replaceAll("_", " ")),
          h("td", { class: "number" }, text(x)),
          h("td", { class: "number dim" }, share < 0.001 ? "<0.1 %" : `${(100 * share).toFixed(1)} %`),
          h("td", { class: "bar-cell" }, h("span", { class: "bar", style: `width:${100 * share}%` })),
        );
      }),
    ),
    h("caption", { class: "below" }, `The account closes to ${number(Math.abs(a.residual), 2)} of the energy exchanged.`),
  );
}

/// All events; the rows are buttons that move the cursor.
export class EventTable {
  readonly element = h("div", { class: "events scroll-y", tabindex: "0", role: "region", "aria-label": "Events" });
  private rows: { time: number; row: HTMLElement }[] = [];

  constructor(private player: Player) {
    player.onTime((t) => this.mark(t));
  }

  load(run: Run): void {
    clear(this.element);
    this.rows = [];
    const events = run.events.filter((e) => e.kind !== "start");
    if (!events.length) {
      this.element.append(h("p", { class: "dim" }, "Nothing switched during this run."));
      return;
    }
    const body = h("tbody");
    const text = column([run.stop.time], "s", 6);
    for (const e of events.slice(0, 1000)) {
      const button = h("button", { type: "button", class: "link", onclick: () => (this.player.pause(), this.player.seek(e.time)) }, text(e.time));
      const change = e.before || e.after ? `${e.before} → ${e.after}` : "";
      const row = h(
        "tr",
        {},
        h("td", { class: "number" }, button),
        h("td", {}, h("span", { class: "swatch round", style: `background:${eventColour(e.kind)}` }), e.kind),
        h("td", {}, e.subject),
        h("td", { class: "dim" }, change),
      );
      this.rows.push({ time: e.time, row });
      body.append(row);
    }
    const head = h("tr", {}, ...["time", "event", "what", "change"].map((t, k) => h("th", { scope: "col", class: k === 0 ? "number" : "" }, t)));
    this.element.append(h("table", {}, h("thead", {}, head), body));
    if (run.events_total > events.length) this.element.append(h("p", { class: "dim" }, `${run.events_total} events in all; the first are shown.`));
    this.mark(this.player.time);
  }

  private mark(t: number): void {
    const small = 1e-9 * this.player.end;
    for (const { time, row } of this.rows) row.classList.toggle("past", time <= t + small);
  }
}

export function knobTable(scene: Scene): HTMLElement | null {
  if (!scene.knobs.length) return null;
  return h(
    "div",
    { class: "scroll-x" },
    h(
      "table",
      { class: "knob-table" },
      h("thead", {}, h("tr", {}, ...["knob", "value", "range", "meaning"].map((t) => h("th", { scope: "col" }, t)))),
      h(
        "tbody",
        {},
        ...scene.knobs.map((k) =>
          h(
            "tr",
            { class: k.value !== k.default ? "changed" : "" },
            h("th", { scope: "row" }, k.name),
            h("td", { class: "nowrap" }, showKnob(k)),
            h("td", { class: "dim nowrap" }, k.choices ? k.choices.join(", ") : k.range ? `${number(k.range[0])} … ${showKnob(k, k.range[1])}` : ""),
            h("td", { class: "dim" }, k.about),
          ),
        ),
      ),
    ),
  );
}

export function notesList(run: Run): HTMLElement | null {
  const notes = [...run.notes];
  if (!run.stop.reached && run.stop.text) notes.unshift(`Not what was asked: ${run.stop.text}`);
  return notes.length ? h("ul", { class: "notes" }, ...notes.map((n) => h("li", {}, n))) : null;
}

export { card };
