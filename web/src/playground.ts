// The page of `thud serve`: choose, turn, watch, compare.
import { ApiError, LibraryEntry, RunRequest, file, library, run, scenarioText, watchFile } from "./api";
import { Run, Scene } from "./data";
import { card, download, h, icon } from "./dom";
import { Editor } from "./editor";
import { KnobPanel } from "./knobs";
import { linkName, LinkState, PinLink, Settings, pack, readLink, writeLink } from "./link";
import { directions, pageFoot } from "./report";
import { Held } from "./stage";
import { holdBody, startColumns } from "./start_pose";
import { SweepPanel } from "./sweep_panel";
import { showKnob } from "./tables";
import { makeTabs } from "./tabs";
import { colour, themeButton } from "./theme";
import { Pinned, Viewer } from "./viewer";

const most_pinned = 5;

/// A pinned run with what it was asked by.
type Pin = Pinned & PinLink & { slot: number };

export class Playground {
  readonly viewer = new Viewer();
  private knobs = new KnobPanel();
  private editor = new Editor();
  private sweep = new SweepPanel();
  private choice = h("select", { id: "scenario", "aria-label": "Scenario" });
  private about = h("p", { class: "about", id: "about" });
  private answer = h("span", { class: "answer dim", id: "answer", "aria-live": "off" });
  private untilRest = h("input", { type: "checkbox", id: "until-rest" });
  private problem = h("p", { class: "problem", id: "problem", role: "alert", hidden: true });
  private pins = h("ul", { class: "pins" });
  private sweepCard = card("Sweep", { class: "sweep-card", hidden: true }, this.sweep.result);
  private entries: LibraryEntry[] = [];
  private name = "";
  private text?: string; // when it has been edited
  private scene?: Scene;
  private current?: Run;
  private pinned: Pin[] = [];
  private packed: { text?: string; pins?: string } = {};
  private written = "";
  private writing = 0;
  private writeLater = false;
  private turn = 0; // of choosing a scenario: answers to an earlier one come too late
  private flight?: { abort: AbortController; since: number };
  private waiting = false;

  constructor(root: HTMLElement, version: string) {
    this.viewer.plots.onMissing = () => (this.update(), void this.refreshPins());
    this.viewer.plots.onChange = () => this.writeHash();
    this.knobs.onTurn = () => this.update();
    this.editor.onEdit = (text) => void this.edit(text);
    this.viewer.stage.onHold = (body) => this.hold(body);
    this.untilRest.addEventListener("change", () => this.update());
    this.sweep.request = () => this.request();
    this.sweep.onStart = () => (this.sweepCard.hidden = false);
    this.sweep.onPick = (values) => {
      for (const [name, value] of Object.entries(values)) this.knobs.set(name, Number(value.toPrecision(6)));
      this.update();
    };
    this.choice.addEventListener("change", () => void this.choose(this.choice.value));
    addEventListener("hashchange", () => location.hash !== this.written && void this.followLink());
    root.append(this.layout(version));
    void this.begin();
  }

  private layout(version: string): HTMLElement {
    const button = (name: string, label: string, id: string, onclick: () => void) =>
      h("button", { type: "button", id, onclick }, icon(name) as unknown as Node, label);
    return h(
      "div",
      { class: "page playground" },
      h(
        "header",
        { class: "page-head" },
        h("div", { class: "page-title" }, h("h1", {}, "thud"), h("label", { class: "scenario-choice" }, this.choice)),
        h(
          "div",
          { class: "page-tools" },
          button("pin", "Pin", "pin", () => this.pin()),
          button("link", "Link", "copy-link", () => void this.copyLink()),
          button("download", "Report", "get-report", () => void this.save("report")),
          button("download", "CSV", "get-csv", () => void this.save("csv")),
          button("download", "TOML", "get-scenario", () => download(`${this.name || "scenario"}.toml`, new Blob([this.editor.text], { type: "application/toml" }))),
          themeButton(),
        ),
      ),
      h(
        "div",
        { class: "workbench" },
        h("aside", { class: "card side" }, this.about, this.tabs(), this.problem, this.pins),
        this.viewer.columns(this.sweepCard),
      ),
      pageFoot(version, directions),
    );
  }

  private tabs(): HTMLElement {
    return makeTabs("What to change", this.answer, [
      ["knobs", "Knobs", h("div", {}, this.knobs.element, this.untilField(), h("p", { class: "dim small" }, "At the start of the animation, drag a body to where it is to begin. Shift turns a free one."))],
      ["text", "Text", this.editor.element],
      ["sweep", "Sweep", this.sweep.form],
    ]);
  }

  private untilField(): HTMLElement {
    return h("label", { class: "check until", title: "Beyond what the scenario stops at" }, this.untilRest, "go on until nothing moves");
  }

  private until(): "rest" | undefined {
    return this.untilRest.checked ? "rest" : undefined;
  }

  private async edit(text: string): Promise<void> {
    this.text = text;
    this.update();
    const packed = await pack(text);
    if (this.text !== text) return;
    this.packed.text = packed;
    this.writeHash();
  }

  /// A body that is dragged on the stage begins where it is left.
  private hold(body: number): Held | undefined {
    if (!this.scene || !this.current) return undefined;
    return holdBody(this.scene, this.current, this.editor.text, body, (message) => this.complain(message), ({ text, knobs }) => {
      for (const [name, value] of Object.entries(knobs)) this.knobs.set(name, value);
      if (text === this.editor.text) return this.update();
      this.editor.setText(text);
      void this.edit(text);
    });
  }

  // ---- which scenario ---------------------------------------------------------------------------------------------

  private async begin(): Promise<void> {
    try {
      this.entries = await library();
    } catch (e) {
      this.complain(e instanceof ApiError ? e.message : "The server does not answer. Is thud serve still running?");
      return;
    }
    this.choice.replaceChildren(...this.entries.map((e) => h("option", { value: e.name }, e.title)));
    await this.followLink();
    // A file that is saved is shown anew, unless its text has been edited here.
    if (this.entries.some((e) => e.own))
      void watchFile(() => this.name, async () => (this.text === undefined ? this.reload() : this.offerReload()));
  }

  private offerReload(): void {
    this.complain("The file has been saved with another text than the one edited here. ");
    const take = () => ((this.text = undefined), (this.packed.text = undefined), void this.reload());
    this.problem.append(h("button", { type: "button", class: "link", id: "take-file", onclick: take }, "Take the file"));
  }

  private async reload(): Promise<void> {
    const [turn, old] = [this.turn, this.editor.text];
    const text = await scenarioText(this.name);
    if (turn !== this.turn || text === old) return;
    // Pinned runs stay what they were.
    for (const pin of this.pinned) pin.text ??= old;
    this.editor.setText(text);
    await this.fetchWith(this.knobs.settings(), this.request().columns!);
    if (this.pinned.length) void this.pinsChanged();
  }

  /// What the address says, or the first scenario.
  private async followLink(): Promise<void> {
    let link: LinkState = { name: "", set: {}, pins: [] };
    let trouble = "";
    try {
      link = await readLink(location.hash);
    } catch (e) {
      trouble = (e as Error).message;
      link.name = linkName(location.hash);
    }
    const isKnown = this.entries.some((e) => e.name === link.name);
    if (link.name && !isKnown && !link.text) trouble ||= `There is no scenario “${link.name}” here.`;
    await this.choose(isKnown || link.text ? link.name : this.firstName(), isKnown || link.text ? link : undefined);
    if (trouble) this.complain(trouble);
  }

  /// The reader's own file comes first.
  private firstName(): string {
    return (this.entries.find((e) => e.own) ?? this.entries.find((e) => e.name === "free_link") ?? this.entries[0]).name;
  }

  private async choose(name: string, link?: LinkState): Promise<void> {
    const turn = ++this.turn;
    this.flight?.abort.abort();
    this.flight = undefined;
    this.waiting = false;
    this.name = name;
    this.choice.value = name;
    this.text = link?.text;
    this.untilRest.checked = link?.until === "rest";
    this.packed = {};
    this.pinned = [];
    this.showPins();
    this.sweepCard.hidden = true;
    this.viewer.plots.want(link?.plots);
    try {
      const text = this.text ?? (await scenarioText(name));
      if (this.text !== undefined) this.packed.text = await pack(text);
      if (turn !== this.turn) return;
      this.editor.setText(text);
    } catch (e) {
      this.complain(e instanceof ApiError ? e.message : "The server does not answer.");
      return;
    }
    this.knobs.load([], false);
    this.scene = undefined;
    const columns = [...(link?.plots?.flatMap((p) => p.names) ?? []), ...startColumns(this.editor.text)];
    await this.fetchWith(link?.set ?? {}, columns);
    for (const pin of link?.pins ?? []) if (turn === this.turn) await this.addPin(pin, turn);
  }

  /// With knobs that are not taken, at least the scenario is shown.
  private async fetchWith(set: Settings, columns: string[]): Promise<void> {
    const turn = this.turn;
    const isShown = await this.fetchRun({ ...this.request(), set, columns });
    if (turn !== this.turn || isShown || !Object.keys(set).length || this.problem.classList.contains("in-text")) return;
    const message = this.problem.textContent!;
    this.knobs.load([], false);
    await this.fetchRun({ ...this.request(), columns });
    this.complain(message);
  }

  // ---- runs -------------------------------------------------------------------------------------------------------

  private request(): RunRequest {
    return this.requestFor({ set: this.knobs.settings(), text: this.text, until: this.until() });
  }

  private requestFor({ set, text, until }: Omit<PinLink, "label">): RunRequest {
    return { ...(text === undefined ? { scenario: this.name } : { text }), ...(until && { until }), set, columns: [...this.viewer.plots.names(), ...startColumns(this.editor.text)] };
  }

  /// One request at a time, and always the latest; one that takes long is given up for a newer one.
  private update(): void {
    if (this.flight) {
      this.waiting = true;
      if (performance.now() - this.flight.since > 300) this.flight.abort.abort();
      return;
    }
    void this.fetchRun(this.request());
  }

  /// Whether there is something new to see.
  private async fetchRun(request: RunRequest): Promise<boolean> {
    let isShown = false;
    const flight = { abort: new AbortController(), since: performance.now() };
    this.flight = flight;
    document.body.classList.add("busy");
    try {
      const { scene, run: result } = await run(request, flight.abort.signal);
      if (this.flight !== flight) return false;
      isShown = true;
      this.answer.textContent = `${Math.round(performance.now() - flight.since)} ms`;
      this.show(scene, result);
      // Plots that a scenario does not ask for itself were not known before.
      if (this.viewer.plots.names().some((n) => !(n in result.columns) && !request.columns?.includes(n))) this.waiting = true;
      this.complain("");
      this.editor.showError("");
    } catch (e) {
      if (flight.abort.signal.aborted) {
        // a newer one follows
      } else if (e instanceof ApiError) {
        this.complain(e.line > 0 ? `Line ${e.line} of the text: ${e.message}` : e.message, e.line > 0);
        this.editor.showError(e.message, e.line, e.column);
      } else {
        this.complain("The server does not answer. Is thud serve still running?");
      }
    }
    if (this.flight !== flight) return isShown;
    this.flight = undefined;
    document.body.classList.remove("busy");
    if (this.waiting) {
      this.waiting = false;
      this.update();
    }
    return isShown;
  }

  private show(scene: Scene, result: Run): void {
    const turning = this.waiting;
    this.scene = scene;
    this.current = result;
    document.title = `${scene.title} · thud`;
    this.about.textContent = scene.about;
    if (!turning) this.knobs.load(scene.knobs, true);
    this.sweep.load(scene);
    // A text that is being written is still the same scenario.
    this.viewer.show({ ...scene, name: this.name }, result, this.pinned);
    this.writeHash();
  }

  // Browsers take offence at an address that changes with every move of a slider.
  private writeHash(): void {
    if (this.writing) {
      this.writeLater = true;
      return;
    }
    this.writeHashNow();
    this.writing = window.setTimeout(() => {
      this.writing = 0;
      if (this.writeLater) this.writeHash();
    }, 150);
  }

  private writeHashNow(): void {
    this.writeLater = false;
    if (!this.scene) return;
    const plots = this.viewer.plots.isChanged() ? this.viewer.plots.states() : undefined;
    const state = { name: this.name, set: this.knobs.settings(), text: this.text, until: this.until(), plots, pins: this.pinned };
    history.replaceState(null, "", writeLink(state, this.packed));
    this.written = location.hash;
  }

  private async copyLink(): Promise<void> {
    const button = document.getElementById("copy-link")!.lastChild!;
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "In the bar";
    }
    setTimeout(() => (button.textContent = "Link"), 1500);
  }

  private complain(message: string, inText = false): void {
    this.problem.textContent = message;
    this.problem.classList.toggle("in-text", inText);
    this.problem.hidden = !message;
  }

  // ---- comparing and keeping --------------------------------------------------------------------------------------

  private pin(): void {
    if (!this.scene || !this.current) return;
    const changed = this.scene.knobs.filter((k) => k.value !== k.default);
    const knobs = changed.length ? changed.map((k) => `${k.name} ${showKnob(k)}`).join(", ") : "defaults";
    const label = this.until() ? `${knobs}, until rest` : knobs;
    this.keep({ label, set: this.knobs.settings(), text: this.text, until: this.until() }, this.scene, this.current);
  }

  /// A pin that a link brings is run again.
  private async addPin(pin: PinLink, turn: number): Promise<void> {
    try {
      const { scene, run: result } = await run(this.requestFor(pin));
      if (turn === this.turn) this.keep(pin, scene, result);
    } catch (e) {
      this.complain(`The pinned run “${pin.label}” of this link: ${e instanceof Error ? e.message : "no answer"}`);
    }
  }

  private keep(pin: PinLink, scene: Scene, result: Run): void {
    if (this.pinned.length >= most_pinned) return;
    const slot = [2, 3, 4, 5, 6].find((k) => !this.pinned.some((p) => p.slot === k)) ?? 2;
    this.pinned.push({ ...pin, scene, run: result, slot, colour: () => colour(`series-${slot}`) });
    void this.pinsChanged();
  }

  // A plot may ask for what pinned runs were not asked for.
  private async refreshPins(): Promise<void> {
    const names = this.viewer.plots.names();
    for (const p of this.pinned.filter((q) => names.some((n) => !(n in q.run.columns)))) {
      try {
        p.run = (await run(this.requestFor(p))).run;
        this.showAgain();
      } catch {
        // it keeps the curves that it has
      }
    }
  }

  private async pinsChanged(): Promise<void> {
    this.showPins();
    this.showAgain();
    const pins: PinLink[] = this.pinned.map(({ label, set, text, until }) => ({ label, set, text, until }));
    this.packed.pins = pins.length ? await pack(JSON.stringify(pins)) : undefined;
    this.writeHash();
  }

  private showAgain(): void {
    if (this.scene && this.current) this.viewer.show({ ...this.scene, name: this.name }, this.current, this.pinned);
  }

  private showPins(): void {
    this.pins.replaceChildren(
      ...this.pinned.map((p) =>
        h(
          "li",
          {},
          h("span", { class: "swatch", style: `background:${p.colour()}` }),
          h("span", {}, p.label),
          h("button", {
            type: "button",
            class: "link",
            "aria-label": `Unpin ${p.label}`,
            onclick: () => {
              this.pinned = this.pinned.filter((q) => q !== p);
              void this.pinsChanged();
            },
          }, "unpin"),
        ),
      ),
    );
  }

  private async save(kind: "report" | "csv"): Promise<void> {
    try {
      const { columns: _, ...request } = this.request();
      download(`${this.name}.${kind === "report" ? "html" : "csv"}`, await file(kind, request));
    } catch (e) {
      this.complain(e instanceof ApiError ? e.message : "The server does not answer.");
    }
  }
}
