// A run to look at: stage, plots, energy, events. The report and the playground both show this.
import { Run, Scene } from "./data";
import { card, h, wantsLessMotion } from "./dom";
import { Controls } from "./controls";
import { Player, suitSpeed } from "./player";
import { EnergyPlot, PlotPanel, Source } from "./plots";
import { Stage } from "./stage";
import { Column, EventTable, accountTable, notesList, peaksTable, resultsTable, stopText } from "./tables";
import { colour } from "./theme";

export interface Pinned {
  label: string;
  scene: Scene;
  run: Run;
  colour: () => string;
}

export class Viewer {
  readonly player = new Player();
  readonly stage = new Stage();
  readonly plots = new PlotPanel(this.player);
  readonly stageCard: HTMLElement;
  readonly plotsCard: HTMLElement;
  readonly resultsCard: HTMLElement;
  readonly energyCard: HTMLElement;
  readonly eventsCard: HTMLElement;
  private controls = new Controls(this.player, this.stage);
  private energy = new EnergyPlot(this.player);
  private events = new EventTable(this.player);
  private stop = h("p", { class: "stop", id: "stop" });
  private results = h("div");
  private account = h("div");
  private shown = "";

  constructor() {
    this.player.onTime((t) => this.stage.draw(t));
    this.stageCard = h("section", { class: "card stage-card", "aria-label": "Animation" }, this.stage.element, this.controls.element);
    this.plotsCard = h("section", { class: "card plots-card", "aria-label": "Plots" }, this.plots.element);
    this.resultsCard = card("Results", { class: "results-card" }, this.stop, this.results);
    this.energyCard = card("Energy", { class: "energy-card" }, this.energy.element, this.account);
    this.eventsCard = card("Events", { class: "events-card" }, this.events.element);
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

  show(scene: Scene, run: Run, pinned: Pinned[] = []): void {
    const isNew = this.shown !== scene.name;
    this.shown = scene.name;
    this.stage.load(scene, run, !isNew, pinned);
    if (isNew) {
      this.player.pause();
      this.player.time = 0;
      this.player.setSpeed(suitSpeed(run.stop.time));
    }
    this.player.load(run.stop.time, run.events);
    this.controls.loaded(isNew);
    const current: Source = { label: "this run", run, colour: () => colour("series-1") };
    this.plots.load(scene, [current, ...pinned]);
    this.energy.load(run);
    this.events.load(run);
    this.stop.textContent = stopText(run);
    this.stop.classList.toggle("bad", !run.stop.reached);
    const columns: Column[] = [{ label: pinned.length ? "this run" : "value", run, colour: () => colour("series-1") }, ...pinned];
    this.results.replaceChildren(resultsTable(columns));
    for (const extra of [peaksTable(run), notesList(run)]) if (extra) this.results.append(extra);
    this.account.replaceChildren(accountTable(run));
    if (isNew && !wantsLessMotion()) this.player.play();
  }
}
