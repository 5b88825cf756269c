// A run to look at: stage, plots, energy, events. The report and the playground both show this.
import { Run, Scene } from "./data";
import { card, download, h, wantsLessMotion } from "./dom";
import { Controls } from "./controls";
import { EnergyPlot } from "./energy_plot";
import { canRecord, makeGif, makeWebm } from "./film";
import { Player, suitSpeed } from "./player";
import { PlotPanel, Source } from "./plots";
import { Figure, pictureItems, runsCsv, saveMenu, saveText } from "./save";
import { Stage } from "./stage";
import { Column, EventTable, accountTable, notesList, peaksTable, resultsTable, stopText } from "./tables";
import { colour } from "./theme";
import { TimeWindow } from "./time_window";

export interface Pinned {
  label: string;
  scene: Scene;
  run: Run;
  colour: () => string;
}

export class Viewer {
  readonly player = new Player();
  readonly stage = new Stage();
  readonly window = new TimeWindow();
  readonly plots = new PlotPanel(this.player, this.window);
  readonly stageCard: HTMLElement;
  readonly plotsCard: HTMLElement;
  readonly resultsCard: HTMLElement;
  readonly energyCard: HTMLElement;
  readonly eventsCard: HTMLElement;
  private controls = new Controls(this.player, this.stage);
  private energy = new EnergyPlot(this.player, this.window);
  private events = new EventTable(this.player);
  private stop = h("p", { class: "stop", id: "stop" });
  private results = h("div");
  private account = h("div");
  private shown = "";
  private scene!: Scene;
  private runs: { label: string; run: Run }[] = []; // the one in front first

  constructor() {
    this.player.onTime((t) => this.stage.draw(t));
    this.stageCard = h("section", { class: "card stage-card", "aria-label": "Animation" }, this.stage.element, this.stage.legend, this.controls.element);
    this.stage.addTool(this.stageMenu());
    this.plotsCard = h("section", { class: "card plots-card", "aria-label": "Plots" }, this.plots.element);
    this.plots.addTool(this.plotsMenu());
    this.resultsCard = card("Results", { class: "results-card" }, this.stop, this.results);
    this.energyCard = card("Energy", { class: "energy-card" }, this.energy.element, this.account);
    this.eventsCard = card("Events", { class: "events-card" }, this.events.element);
  }

  private stageMenu(): HTMLElement {
    const film = (make: typeof makeGif, type: string) => async (tell: (share: number) => void) => {
      this.player.pause();
      download(`${this.scene.name}.${type}`, await make(this.stage, this.player.end, this.player.speed, tell));
    };
    const figure = (): Figure => {
      const { width, height } = this.stage.view();
      return { name: this.scene.name, size: () => [width, height], paint: (pen) => this.stage.paint(pen, width, height, this.player.time) };
    };
    const items = [...pictureItems(figure), { label: "Film, GIF", save: film(makeGif, "gif") }];
    if (canRecord()) items.push({ label: "Film, WebM", save: film(makeWebm, "webm") });
    return saveMenu("save-stage", "Save picture or film", items);
  }

  private plotsMenu(): HTMLElement {
    return saveMenu("save-plots", "Save plots or data", [
      ...pictureItems(() => this.plots.figure(), "Plots"),
      ...pictureItems(() => this.energy.figure(this.scene.name), "Energy"),
      { label: "Data, CSV", save: () => saveText(`${this.scene.name}.csv`, runsCsv(this.scene, this.runs), "text/csv") },
      { label: "Data, JSON", save: () => saveText(`${this.scene.name}.json`, this.json(), "application/json") },
    ]);
  }

  private json(): string {
    const { scene, runs } = this;
    return JSON.stringify(runs.length > 1 ? { kind: "runs", scene, runs } : { kind: "run", scene, run: runs[0].run });
  }

  /// The cards in two columns, one below the other on a narrow screen.
  columns(first: HTMLElement | null, ...more: (HTMLElement | null)[]): HTMLElement {
    return h(
      "main",
      { class: "view" },
      h("div", { class: "column" }, this.stageCard, this.resultsCard, this.eventsCard),
      h("div", { class: "column" }, first, this.plotsCard, this.energyCard),
      ...more,
    );
  }

  /// `front`: how the run is named beside the pinned ones, and its colour.
  show(scene: Scene, run: Run, pinned: Pinned[] = [], front = { label: "this run", colour: () => colour("series-1") }): void {
    const isNew = this.shown !== scene.name;
    this.shown = scene.name;
    this.scene = scene;
    this.runs = [{ label: front.label, run }, ...pinned.map((p) => ({ label: p.label, run: p.run }))];
    this.window.setEnd(Math.max(run.stop.time, ...pinned.map((p) => p.run.stop.time)));
    if (isNew) this.window.showAll();
    this.stage.load(scene, run, !isNew, pinned);
    if (isNew) {
      this.player.pause();
      this.player.time = 0;
      this.player.setSpeed(suitSpeed(run.stop.time));
    }
    this.player.load(run.stop.time, run.events);
    this.controls.loaded(isNew);
    const current: Source = { ...front, scene, run };
    this.plots.load(scene, [current, ...pinned]);
    this.energy.load(run);
    this.events.load(run);
    this.stop.textContent = stopText(run);
    this.stop.classList.toggle("bad", !run.stop.reached);
    const columns: Column[] = [{ ...current, label: pinned.length ? front.label : "value" }, ...pinned];
    this.results.replaceChildren(resultsTable(columns));
    for (const extra of [peaksTable(run), notesList(run)]) if (extra) this.results.append(extra);
    this.account.replaceChildren(accountTable(run));
    if (isNew && !wantsLessMotion()) this.player.play();
  }
}
