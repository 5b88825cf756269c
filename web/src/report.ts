// The report of one run.
import { RunDocument, Scene } from "./data";
import { card, download, h } from "./dom";
import { LiveRuns } from "./live_report";
import { highlighted } from "./toml";
import { knobTable, showKnob } from "./tables";
import { themeButton } from "./theme";
import { Viewer } from "./viewer";

export function pageHead(title: string, about: string, extra: (Node | null)[] = [], tools: Node[] = []): HTMLElement {
  return h(
    "header",
    { class: "page-head" },
    h("div", { class: "page-title" }, h("h1", {}, title), about ? h("p", { class: "about" }, about) : null, ...extra),
    h("div", { class: "page-tools" }, ...tools, themeButton()),
  );
}

export function pageFoot(version: string, note = ""): HTMLElement {
  return h("footer", { class: "page-foot" }, `Made by thud ${version}. ${note}`);
}

export const directions = "Lengths and angles are to scale; x points to the right, z down.";

export function sourceCard(title: string, text: string, file: string): HTMLElement {
  return card(
    title,
    { class: "wide" },
    h(
      "details",
      {},
      h("summary", {}, "Show the file"),
      h("pre", { class: "source", tabindex: "0" }, highlighted(text)),
      h("button", { type: "button", onclick: () => download(file, new Blob([text], { type: "application/toml" })) }, "Save as a file"),
    ),
  );
}

const chipsOf = (scene: Scene) => scene.knobs.map((k) => h("li", { class: k.value !== k.default ? "changed" : "" }, h("span", {}, k.name), showKnob(k)));

export function showRunReport(root: HTMLElement, data: RunDocument): Viewer {
  const { scene, run } = data;
  const viewer = new Viewer();
  const chips = h("ul", { class: "chips" }, ...chipsOf(scene));
  const live = data.live && scene.knobs.length ? new LiveRuns(viewer, data) : undefined;
  if (live) live.onRun = (s) => chips.replaceChildren(...chipsOf(s));
  const knobs = knobTable(scene);
  const knobsCard = knobs && !live ? card("Knobs", { class: "wide" }, knobs) : null;
  root.append(
    h(
      "div",
      { class: "page report" },
      pageHead(scene.title, scene.about, [chips]),
      viewer.columns(live?.card ?? null, knobsCard, sourceCard("Scenario", scene.text, `${scene.name}.toml`)),
      pageFoot(data.thud, directions),
    ),
  );
  viewer.show(scene, run);
  return viewer;
}
