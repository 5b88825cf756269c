// Reports of reproduce, sweep and fit.
import { card, h } from "./dom";
import { HeatMap } from "./heatmap";
import { pageFoot, pageHead, sourceCard } from "./report";
import { SaveItem, csv, saveMenu, saveText } from "./save";
import { number, pretty, quantity, suit, withUnit } from "./units";
import { xyPlot } from "./xy_plot";

/// The data of a page as files.
function dataMenu(name: string, data: unknown, columns: () => { name: string; values: (number | string | null)[] }[]): HTMLElement {
  const items: SaveItem[] = [
    { label: "Data, CSV", save: () => saveText(`${name}.csv`, csv(columns()), "text/csv") },
    { label: "Data, JSON", save: () => saveText(`${name}.json`, JSON.stringify(data), "application/json") },
  ];
  return saveMenu("save-data", "Save the data", items);
}

// ---- reproduce ----------------------------------------------------------------------------------------------------

interface ComparedValue {
  result: string;
  unit: string;
  published?: number;
  published_text?: string;
  misprint?: string;
  computed: number | null;
  relative_difference: number | null;
  verdict: string;
  right?: number | null;
  implied?: [number, number]; // positions that may have been measured
}
interface Table {
  id: string;
  title: string;
  source?: string;
  scenario: string;
  own?: boolean;
  derived?: boolean; // from the paper's equations, not printed
  note?: string;
  why?: string;
  right_set?: Record<string, string>;
  ok?: number;
  total?: number;
  runs?: number;
  failed?: number;
  measured?: number; // relative errors of measurements, which cannot be checked
  not_reproduced?: string; // why
  not_reproduced_count?: number;
  worst_relative_difference?: number;
  rows: { set: Record<string, string>; group?: string; label?: string; values: ComparedValue[]; note?: string }[];
}
export interface ReproduceDocument {
  kind: "reproduce";
  thud: string;
  reproduction: { tables: Table[]; ok: number; total: number; count?: Record<string, { count: number }>; own_runs: number; own_failed: number };
}

const percent = (x: number | null | undefined): string =>
  x === null || x === undefined ? "–" : Math.abs(x) < 5e-7 ? "0 %" : `${number(100 * x, 2)} %`;

function verdictClass(verdict: string): string {
  return verdict === "ok" ? "good" : verdict === "not judged" || verdict === "measured" ? "dim" : "bad";
}

function tableCard(table: Table): HTMLElement {
  const results: string[] = [];
  const knobs: string[] = [];
  for (const row of table.rows) {
    for (const v of row.values) if (!results.includes(v.result)) results.push(v.result);
    for (const k of Object.keys(row.set)) if (!knobs.includes(k)) knobs.push(k);
  }
  // Knobs that never change are said once.
  const fixed = knobs.filter((k) => table.rows.length > 1 && table.rows.every((r) => r.set[k] === table.rows[0].set[k]));
  const moving = knobs.filter((k) => !fixed.includes(k));
  const labelled = table.rows.some((r) => r.label);
  const own = !!table.own;
  const corrected = !own && !!table.right_set;
  const measured = !!table.measured;
  const parts = own ? ["computed", "difference"] : measured ? ["γ [%]", "simulated", "measured, if less", "if more"] : [table.derived ? "by its equations" : "published", "computed", "difference", ...(corrected ? ["corrected model"] : [])];
  const unitOf = (r: string) => table.rows.flatMap((row) => row.values).find((v) => v.result === r)?.unit ?? "";
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      labelled && h("th", { rowspan: 2 }, ""),
      ...moving.map((k) => h("th", { scope: "col", rowspan: 2 }, k)),
      ...results.map((r) => h("th", { scope: "colgroup", colspan: parts.length, class: "group" }, r, unitOf(r) && h("span", { class: "dim" }, ` [${pretty(unitOf(r))}]`))),
    ),
    h("tr", {}, ...results.flatMap(() => parts.map((p) => h("th", { scope: "col", class: "number" }, p)))),
  );
  const body = h("tbody");
  let group = "";
  for (const row of table.rows) {
    if (row.group && row.group !== group) {
      group = row.group;
      body.append(h("tr", {}, h("th", { colspan: (labelled ? 1 : 0) + moving.length + results.length * parts.length, class: "group-row" }, group)));
    }
    const cells = results.flatMap((r) => {
      const v = row.values.find((x) => x.result === r);
      if (!v) return parts.map(() => h("td"));
      const digits = Math.max(6, (v.published_text ?? "").replace(/[^\d]/g, "").length + 2);
      const published = h("td", { class: "number", title: v.misprint ? `misprint for ${v.misprint}` : "" }, v.published_text ?? "", v.misprint && h("sup", {}, "†"));
      const computed = h("td", { class: "number" }, v.computed === null ? "not reached" : number(v.computed, digits));
      const difference = h("td", { class: `number ${verdictClass(v.verdict)}`, title: v.verdict }, percent(v.relative_difference));
      if (own) return [computed, difference];
      if (measured) return [published, computed, ...(v.implied ?? [NaN, NaN]).map((q) => h("td", { class: "number dim" }, number(q, 4)))];
      const right = h("td", { class: "number dim" }, number(v.right ?? NaN, digits));
      return corrected ? [published, computed, difference, right] : [published, computed, difference];
    });
    body.append(h("tr", {}, labelled && h("th", { scope: "row", class: "plain" }, row.label ?? ""), ...moving.map((k) => h("td", { class: "nowrap" }, row.set[k] ?? "")), ...cells));
  }
  const isOk = own ? table.failed === 0 : table.ok === table.total;
  const count = own ? `${table.runs} runs of our own` : measured ? `${table.measured} of measurements` : `${table.ok} of ${table.total}, worst difference ${percent(table.worst_relative_difference)}`;
  const misprints = table.rows.some((r) => r.values.some((v) => v.misprint));
  const settings = Object.entries(table.right_set ?? {}).map(([k, v]) => `${k} = ${v}`).join(", ");
  const notes = [table.not_reproduced ? `Not reproduced: ${table.not_reproduced}` : "", table.note, corrected ? `Corrected model: ${settings}. ${table.why ?? ""}` : "", fixed.length ? `In all rows: ${fixed.map((k) => `${k} = ${table.rows[0].set[k]}`).join(", ")}.` : "", misprints ? "† a misprint; ours is held against what should be printed." : ""].filter(Boolean) as string[];
  return h(
    "section",
    { class: "card wide", id: table.id },
    h("div", { class: "card-head" }, h("h2", {}, table.title), h("span", { class: `badge ${isOk ? "good" : "bad"}` }, count)),
    h("p", { class: "dim" }, [table.source, `scenario ${table.scenario}`].filter(Boolean).join(" · ")),
    h("div", { class: "scroll-x" }, h("table", { class: "compare" }, head, body)),
    ...notes.map((n) => h("p", { class: "dim small" }, n)),
  );
}

// "175 reproduced, 3 misprinted, 18 not reproduced, 30 measured."
function countText(data: ReproduceDocument): string {
  const { ok, total, count } = data.reproduction;
  if (!count) return `${ok} of ${total} published numbers agree with ours.`;
  const groups = Object.entries(count).map(([name, group]) => `${group.count} ${name.replace("_", " ")}`);
  return `Of the published numbers: ${groups.join(", ")}.`;
}

function reproducedColumns(tables: Table[]): { name: string; values: (number | string | null)[] }[] {
  const rows = tables.flatMap((t) => t.rows.flatMap((r) => r.values.map((v) => ({ t, r, v }))));
  const column = (name: string, value: (row: (typeof rows)[number]) => number | string | null | undefined) => ({ name, values: rows.map((row) => value(row) ?? null) });
  return [
    column("table", ({ t }) => t.id),
    column("row", ({ r }) => r.label ?? ""),
    column("settings", ({ r }) => Object.entries(r.set).map(([k, v]) => `${k} = ${v}`).join("; ")),
    column("result", ({ v }) => v.result),
    column("unit", ({ v }) => v.unit),
    column("published", ({ v }) => v.published),
    column("computed", ({ v }) => v.computed),
    column("relative difference", ({ v }) => v.relative_difference),
    column("verdict", ({ v }) => v.verdict),
  ];
}

export function showReproduceReport(root: HTMLElement, data: ReproduceDocument): void {
  const { tables } = data.reproduction;
  const contents = h(
    "table",
    { class: "contents" },
    h("thead", {}, h("tr", {}, ...["table", "what", "numbers", "worst difference"].map((t, k) => h("th", { scope: "col", class: k > 1 ? "number" : "" }, t)))),
    h(
      "tbody",
      {},
      ...tables.map((t) =>
        h(
          "tr",
          {},
          h("td", {}, h("a", { href: `#${t.id}` }, t.id)),
          h("td", {}, t.title),
          h("td", { class: `number ${(t.own ? t.failed === 0 : t.ok === t.total) ? "good" : "bad"}` }, t.own ? `${t.runs}` : t.measured ? `${t.measured} measured` : `${t.ok} / ${t.total}`),
          h("td", { class: "number" }, t.own ? "–" : percent(t.worst_relative_difference)),
        ),
      ),
    ),
  );
  root.append(
    h(
      "div",
      { class: "page report" },
      pageHead("Published tables, reproduced", countText(data), [], [dataMenu("tables", data.reproduction, () => reproducedColumns(tables))]),
      h("main", { class: "view" }, card("Contents", { class: "wide" }, h("div", { class: "scroll-x" }, contents)), ...tables.map(tableCard)),
      pageFoot(data.thud),
    ),
  );
}

// ---- sweep --------------------------------------------------------------------------------------------------------

interface SweepColumn {
  name: string;
  unit: string;
  about: string;
  knob: boolean;
  choices?: string[];
  values: (number | null)[];
}
export interface SweepDocument {
  kind: "sweep";
  thud: string;
  title: string;
  about: string;
  text: string;
  scenario: { name: string; text: string };
  summary: {
    runs: number;
    unreached: number;
    outputs: Record<string, { unit: string; count: number; min: number | null; median: number | null; max: number | null }>;
    failures: { status: string; count: number; first_run: number; message: string }[];
  };
  stride: number;
  grid: boolean;
  columns: SweepColumn[];
  plots: { kind: string; title: string; x: string; y: string; z: string; by: string }[];
}

const label = (c: SweepColumn): string => (c.unit ? `${c.name} [${pretty(c.unit)}]` : c.name);
const distinct = (c: SweepColumn): number[] => [...new Set(c.values.filter((v): v is number => v !== null))].sort((a, b) => a - b);

function sweepMap(x: SweepColumn, y: SweepColumn, z: SweepColumn): HeatMap {
  const [xs, ys] = [distinct(x), distinct(y)];
  const values: (number | null)[] = new Array(xs.length * ys.length).fill(null);
  z.values.forEach((v, k) => (values[ys.indexOf(y.values[k]!) * xs.length + xs.indexOf(x.values[k]!)] = v));
  const map = new HeatMap();
  map.load({ x: xs, y: ys, z: values, xLabel: label(x), yLabel: label(y), zLabel: z.name, zUnit: z.knob ? "" : z.unit });
  return map;
}

function sweepCurves(x: SweepColumn, y: SweepColumn, by?: SweepColumn): HTMLElement {
  const shown = y.knob ? { factor: 1, unit: pretty(y.unit) } : suit(Math.max(0, ...y.values.map((v) => Math.abs(v ?? 0))), y.unit);
  const groups = by ? distinct(by) : [0];
  const curves = groups.slice(0, 6).map((g) => {
    const points = x.values
      .map((v, k) => [v, y.values[k], by ? by.values[k] : 0] as const)
      .filter((p) => p[0] !== null && p[2] === g)
      .sort((a, b) => a[0]! - b[0]!);
    const xs = points.map((p) => p[0]!);
    const repeated = new Set(xs).size < xs.length;
    return {
      x: repeated ? xs.map((v, k) => v * (1 + 1e-9 * k)) : xs,
      y: points.map((p) => (p[1] === null ? null : p[1] * shown.factor)),
      name: by ? `${by.name} ${by.choices?.[g] ?? withUnit(number(g), pretty(by.unit))}` : y.name,
      points: repeated || xs.length > 400,
    };
  });
  const legend = by && h("ul", { class: "energy-legend" }, ...curves.map((c, k) => h("li", {}, h("span", { class: "swatch", style: `background:var(--series-${k + 1})` }), c.name)));
  return h("div", {}, xyPlot(300, label(x), shown.unit ? `${y.name} [${shown.unit}]` : y.name, curves), legend || null);
}

/// A picture whose axes can be chosen.
function sweepPicture(data: SweepDocument, plot: SweepDocument["plots"][number]): HTMLElement {
  const find = (name: string) => data.columns.find((c) => c.name === name);
  const holder = h("div");
  const isMap = plot.kind === "map";
  const draw = () => {
    const [x, y, z] = [find(plot.x), find(plot.y), find(plot.z)];
    if (!x || !y) return;
    holder.replaceChildren(isMap && z ? sweepMap(x, y, z).element : sweepCurves(x, y, find(plot.by)));
  };
  const choose = (axis: "x" | "y" | "z", columns: SweepColumn[], name: string) => {
    const select = h("select", { "aria-label": name }, ...columns.map((c) => h("option", { value: c.name }, c.name)));
    select.value = plot[axis];
    select.addEventListener("change", () => ((plot[axis] = select.value), draw()));
    return h("label", {}, h("span", { class: "small" }, name), select);
  };
  const outputs = data.columns.filter((c) => !c.knob);
  const choices = isMap ? [choose("z", outputs, "colour")] : [choose("x", data.columns, "across"), choose("y", data.columns, "up")];
  draw();
  return card(plot.title || (isMap ? "Map" : "Curves"), {}, h("div", { class: "row" }, ...choices), holder);
}

export function showSweepReport(root: HTMLElement, data: SweepDocument): void {
  const s = data.summary;
  const knobs = data.columns.filter((c) => c.knob && distinct(c).length > 1);
  const outputs = data.columns.filter((c) => !c.knob);
  const plots = data.plots.length
    ? data.plots
    : data.grid && knobs.length === 2 && outputs.length
      ? [{ kind: "map", title: "", x: knobs[0].name, y: knobs[1].name, z: outputs[0].name, by: "" }]
      : outputs.length && knobs.length
        ? [{ kind: "curves", title: "", x: knobs[0].name, y: outputs[0].name, z: "", by: "" }]
        : [];
  const usable = plots.filter((p) => p.kind !== "map" || data.grid);
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...["output", "least", "median", "largest", "runs"].map((t, k) => h("th", { scope: "col", class: k ? "number" : "" }, t)))),
    h(
      "tbody",
      {},
      ...Object.entries(s.outputs).map(([name, o]) =>
        h("tr", {}, h("th", { scope: "row" }, name), ...[o.min, o.median, o.max].map((v) => h("td", { class: "number" }, quantity(v, o.unit))), h("td", { class: "number" }, String(o.count))),
      ),
    ),
  );
  const failures = s.failures.length
    ? card(
        "Runs that did not reach what was asked",
        { class: "wide" },
        h("table", {}, h("tbody", {}, ...s.failures.map((f) => h("tr", {}, h("td", { class: "number" }, String(f.count)), h("td", {}, f.status), h("td", { class: "dim" }, `${f.message} (run ${f.first_run})`))))),
      )
    : null;
  const reached = `${s.runs} runs of ${data.scenario.name}, ${s.unreached === 0 ? "all reached what was asked" : `${s.unreached} did not reach what was asked`}.`;
  root.append(
    h(
      "div",
      { class: "page report" },
      pageHead(data.title, [data.about, reached].filter(Boolean).join(" "), [], [dataMenu("sweep", data, () => data.columns.map((c) => ({ name: c.unit ? `${c.name} [${c.unit}]` : c.name, values: c.choices ? c.values.map((v) => c.choices![v ?? -1] ?? null) : c.values })))]),
      h(
        "main",
        { class: "view even" },
        ...usable.map((p) => sweepPicture(data, p)),
        card("Outputs", { class: "wide" }, h("div", { class: "scroll-x" }, table), data.stride > 1 ? h("p", { class: "dim" }, `Pictures show every ${data.stride}th run.`) : null),
        failures,
        sourceCard("Study", data.text, "study.toml"),
        sourceCard("Scenario", data.scenario.text, `${data.scenario.name}.toml`),
      ),
      pageFoot(data.thud),
    ),
  );
}

// ---- fit ----------------------------------------------------------------------------------------------------------

interface Estimate {
  knob: string;
  file: string | null;
  shown_in: string;
  about: string;
  status: string;
  shown: number | null;
  shown_start: number | null;
  shown_interval?: [number, number];
}
interface Residual {
  file: string;
  observable: string;
  unit: string;
  values: number;
  rms: number | null;
  gamma: number | null;
  lag_one_correlation: number | null;
  time: number[];
  measured: number[];
  fitted: number[];
  curve_time: number[];
  curve: number[];
}
export interface FitDocument {
  kind: "fit";
  thud: string;
  text: string;
  scenario_title: string;
  fit: {
    study: { title: string; scenario: string };
    converged: boolean;
    sound: boolean;
    message: string;
    estimates: Estimate[];
    correlation: { names: string[]; matrix: (number | null)[][] };
    undetermined: string[];
    warnings: string[];
    values: number;
    degrees_of_freedom: number;
    residuals: Residual[];
    chi_square: number | null;
    chi_square_probability: number | null;
    runs: number;
  };
}

function correlationTable(c: { names: string[]; matrix: (number | null)[][] }): HTMLElement {
  return h(
    "table",
    { class: "correlation" },
    h("thead", {}, h("tr", {}, h("td"), ...c.names.map((n) => h("th", { scope: "col", class: "number" }, n)))),
    h(
      "tbody",
      {},
      ...c.matrix.map((row, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, c.names[i]),
          ...row.map((v) => h("td", { class: "number", style: `background:color-mix(in srgb, var(${(v ?? 0) < 0 ? "--force" : "--series-1"}) ${Math.round(45 * Math.abs(v ?? 0))}%, transparent)` }, v === null ? "–" : v.toFixed(2).replace("-", "−"))),
        ),
      ),
    ),
  );
}

function fitPictures(residuals: Residual[]): HTMLElement[] {
  const names = [...new Set(residuals.map((r) => r.observable))];
  return names.map((name) => {
    const list = residuals.filter((r) => r.observable === name).slice(0, 6);
    const unit = suit(Math.max(...list.flatMap((r) => r.measured.map(Math.abs))), list[0].unit);
    const time = suit(Math.max(...list.map((r) => r.time[r.time.length - 1] ?? 0)), "s");
    const error = suit(Math.max(...list.flatMap((r) => r.measured.map((m, k) => Math.abs(m - r.fitted[k])))), list[0].unit);
    const scaled = (v: number[], f: number) => v.map((x) => x * f);
    // Points and curve of a file have the same colour: the same place in a list of six.
    const points = list.map((r) => ({ x: scaled(r.time, time.factor), y: scaled(r.measured, unit.factor), name: r.file, points: true }));
    const filler = new Array((6 - (list.length % 6)) % 6).fill({ x: [], y: [], name: "" });
    const curves = list.map((r) => ({ x: scaled(r.curve_time, time.factor), y: scaled(r.curve, unit.factor), name: `${r.file}, fitted` }));
    const misses = list.map((r) => ({ x: scaled(r.time, time.factor), y: r.measured.map((m, k) => (m - r.fitted[k]) * error.factor), name: r.file, points: true }));
    const legend = h("ul", { class: "energy-legend" }, ...list.map((r, k) => h("li", {}, h("span", { class: "swatch", style: `background:var(--series-${k + 1})` }), r.file.split("/").pop()!)));
    const all = residuals.filter((r) => r.observable === name).length;
    return card(
      name,
      {},
      h("p", { class: "dim small" }, all > list.length ? `The first ${list.length} of ${all} files: measured (points) and fitted (lines)` : "Measured (points) and fitted (lines)"),
      xyPlot(240, `time [${time.unit}]`, `${name} [${unit.unit}]`, [...points, ...filler, ...curves]),
      h("p", { class: "dim small" }, "Measured − fitted"),
      xyPlot(150, `time [${time.unit}]`, `difference [${error.unit}]`, misses),
      legend,
    );
  });
}

function residualColumns(residuals: Residual[]): { name: string; values: (number | string | null)[] }[] {
  const all = residuals.flatMap((r) => r.time.map((time, k) => ({ r, time, k })));
  return [
    { name: "file", values: all.map(({ r }) => r.file) },
    { name: "observable", values: all.map(({ r }) => r.observable) },
    { name: "unit", values: all.map(({ r }) => r.unit) },
    { name: "time [s]", values: all.map(({ time }) => time) },
    { name: "measured", values: all.map(({ r, k }) => r.measured[k]) },
    { name: "fitted", values: all.map(({ r, k }) => r.fitted[k]) },
  ];
}

export function showFitReport(root: HTMLElement, data: FitDocument): void {
  const f = data.fit;
  const estimates = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...["knob", "value", "95 % interval", "", "start", "meaning"].map((t, k) => h("th", { scope: "col", class: [1, 4].includes(k) ? "number" : "" }, t)))),
    h(
      "tbody",
      {},
      ...f.estimates.map((e) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, e.file ? `${e.knob} (${e.file.split("/").pop()})` : e.knob),
          h("td", { class: "number" }, withUnit(number(e.shown ?? NaN, 6), pretty(e.shown_in))),
          h("td", { class: "nowrap" }, e.shown_interval ? `${number(e.shown_interval[0])} … ${number(e.shown_interval[1])}` : "–"),
          h("td", { class: e.status === "determined" ? "good" : "bad" }, e.status),
          h("td", { class: "number dim" }, number(e.shown_start ?? NaN)),
          h("td", { class: "dim" }, e.about),
        ),
      ),
    ),
  );
  const quality = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...["file", "observable", "values", "rms", "last value off by", "lag-one correlation"].map((t, k) => h("th", { scope: "col", class: k > 1 ? "number" : "" }, t)))),
    h(
      "tbody",
      {},
      ...f.residuals.map((r) =>
        h(
          "tr",
          {},
          h("td", {}, r.file.split("/").pop()!),
          h("td", {}, r.observable),
          h("td", { class: "number" }, String(r.values)),
          h("td", { class: "number" }, quantity(r.rms, r.unit, 3)),
          h("td", { class: "number" }, r.gamma === null ? "–" : `${number(100 * r.gamma, 3)} %`),
          h("td", { class: "number" }, number(r.lag_one_correlation ?? NaN, 2)),
        ),
      ),
    ),
  );
  const notes = [...f.undetermined.map((u) => `Not determined: ${u}`), ...f.warnings];
  const state = f.sound ? "Every knob is determined by the data." : f.converged ? "The data do not determine every knob." : f.message;
  root.append(
    h(
      "div",
      { class: "page report" },
      pageHead(f.study.title, `${data.scenario_title}, fitted to ${f.values} measured values in ${f.runs} runs. ${state}`, [], [dataMenu("fit", f, () => residualColumns(f.residuals))]),
      h(
        "main",
        { class: "view even" },
        card("Estimates", { class: "wide" }, h("div", { class: "scroll-x" }, estimates), notes.length ? h("ul", { class: "notes" }, ...notes.map((n) => h("li", {}, n))) : null),
        ...fitPictures(f.residuals),
        f.correlation.names.length > 1 ? card("Correlations", { class: "wide" }, h("div", { class: "scroll-x" }, correlationTable(f.correlation))) : null,
        card("How well each column is met", { class: "wide" }, h("div", { class: "scroll-x" }, quality)),
        sourceCard("Study", data.text, "study.toml"),
      ),
      pageFoot(data.thud),
    ),
  );
}
