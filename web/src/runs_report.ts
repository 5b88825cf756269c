// The report of several runs: one in front, the others behind it.
import { Run, Scene } from "./data";
import { card, h } from "./dom";
import { tone } from "./heatmap";
import { directions, pageFoot, pageHead, sourceCard } from "./report";
import { knobTable } from "./tables";
import { colour } from "./theme";
import { Viewer } from "./viewer";

export interface RunsDocument {
  kind: "runs";
  thud: string;
  runs: { label: string; scene: Scene; run: Run }[];
}

export function showRunsReport(root: HTMLElement, data: RunsDocument): Viewer {
  const viewer = new Viewer();
  // Few have colours that are easy to tell apart, many have those of a scale.
  const many = data.runs.length > 6;
  const runs = data.runs.map((r, k) => ({ ...r, colour: () => (many ? tone((0.86 * k) / (data.runs.length - 1)) : colour(`series-${k + 1}`)) }));
  const choice = h("div", { class: "run-choice", role: "radiogroup", "aria-label": "Run in front" });
  const knobs = card("Knobs of the run in front", { class: "wide" });
  const source = h("div", { class: "wide" });
  const select = (k: number) => {
    const { label, scene, run, colour: tone } = runs[k];
    // Views, plots and time stay as they are: all are of one kind.
    viewer.show({ ...scene, name: runs[0].scene.name }, run, runs.filter((_, i) => i !== k), { label, colour: tone });
    knobs.replaceChildren(knobs.firstElementChild!, knobTable(scene) ?? "");
    source.replaceChildren(sourceCard("Scenario", scene.text, `${scene.name}.toml`));
  };
  runs.forEach((r, k) => {
    const button = h("input", { type: "radio", name: "run", id: `run-${k}`, checked: k === 0 });
    button.addEventListener("change", () => select(k));
    choice.append(h("label", {}, button, h("span", { class: "swatch", style: `background:${r.colour()}` }), r.label));
  });
  const { title, about } = runs[0].scene;
  root.append(
    h("div", { class: "page report" }, pageHead(title, about, [h("p", { class: "dim" }, `${runs.length} runs; in front:`), choice]), viewer.columns(null, knobs, source), pageFoot(data.thud, directions)),
  );
  select(0);
  return viewer;
}
