// The page of `thud serve`: choose, turn, watch, compare.
import { ApiError, LibraryEntry, RunRequest, file, library, run, scenarioText } from "./api";
import { Run, Scene } from "./data";
import { card, download, h, icon } from "./dom";
import { Editor } from "./editor";
import { KnobPanel } from "./knobs";
import { LinkState, PinLink, Settings, pack, readLink, writeLink } from "./link";
import { directions, pageFoot } from "./report";
import { SweepPanel } from "./sweep_panel";
import { showKnob } from "./tables";
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
    this.editor.onEdit = async (text) => {
      this.text = text;
      this.update();
      const packed = await pack(text);
      if (this.text !== text) return;
      this.packed.text = packed;
      this.writeHash();
    };
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
    const parts: [string, string, HTMLElement][] = [
      ["knobs", "Knobs", this.knobs.element],
      ["text", "Text", this.editor.element],
      ["sweep", "Sweep", this.sweep.form],
    ];
    const buttons: HTMLButtonElement[] = [];
    const panels: HTMLElement[] = [];
    const select = (k: number, focus = false) => {
      buttons.forEach((b, i) => {
        b.setAttribute("aria-selected", String(i === k));
        b.tabIndex = i === k ? 0 : -1;
        panels[i].hidden = i !== k;
      });
      document.body.dataset.tab = parts[k][0];
      if (focus) buttons[k].focus();
    };
    parts.forEach(([id, label, content], k) => {
      buttons.push(
        h("button", {
          type: "button",
          role: "tab",
          id: `tab-${id}`,
          "aria-controls": `panel-${id}`,
          onclick: () => select(k),
          onkeydown: (e: KeyboardEvent) => {
            const last = parts.length - 1;
            const to = { ArrowRight: k === last ? 0 : k + 1, ArrowLeft: k === 0 ? last : k - 1, Home: 0, End: last }[e.key];
            if (to === undefined) return;
            e.preventDefault();
            e.stopPropagation();
            select(to, true);
          },
        }, label),
      );
      panels.push(h("div", { role: "tabpanel", tabindex: "0", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
    });
    select(0);
    const list = h("div", { role: "tablist", class: "tablist", "aria-label": "What to change" }, ...buttons);
    return h("div", { class: "tabs" }, h("div", { class: "tabs-head" }, list, this.answer), ...panels);
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
  }

  /// What the address says, or the first scenario.
  private async followLink(): Promise<void> {
    let link: LinkState = { name: "", set: {}, pins: [] };
    let trouble = "";
    try {
      link = await readLink(location.hash);
    } catch (e) {
      trouble = (e as Error).message;
      link.name = decodeURIComponent(location.hash.slice(1).split("?")[0]);
    }
    const isKnown = this.entries.some((e) => e.name === link.name);
    if (link.name && !isKnown && !link.text) trouble ||= `There is no scenario “${link.name}” here.`;
    await this.choose(isKnown ? link.name : link.text ? link.name : "free_link", isKnown || link.text ? link : undefined);
    if (trouble) this.complain(trouble);
  }

  private async choose(name: string, link?: LinkState): Promise<void> {
    const turn = ++this.turn;
    this.flight?.abort.abort();
    this.flight = undefined;
    this.waiting = false;
    this.name = name;
    this.choice.value = name;
    this.text = link?.text;
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
    const columns = link?.plots?.flatMap((p) => p.names) ?? [];
    await this.fetchRun({ ...this.request(), set: link?.set ?? {}, columns });
    // With knobs that are not taken, at least the scenario is shown.
    if (turn === this.turn && !this.scene && Object.keys(link?.set ?? {}).length) {
      const message = this.problem.textContent!;
      await this.fetchRun({ ...this.request(), columns });
      this.complain(message);
    }
    for (const pin of link?.pins ?? []) if (turn === this.turn) await this.addPin(pin, turn);
  }

  // ---- runs -------------------------------------------------------------------------------------------------------

  private request(): RunRequest {
    return this.requestFor(this.knobs.settings(), this.text);
  }

  private requestFor(set: Settings, text?: string): RunRequest {
    return { ...(text === undefined ? { scenario: this.name } : { text }), set, columns: this.viewer.plots.names() };
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

  private async fetchRun(request: RunRequest): Promise<void> {
    const flight = { abort: new AbortController(), since: performance.now() };
    this.flight = flight;
    document.body.classList.add("busy");
    try {
      const { scene, run: result } = await run(request, flight.abort.signal);
      if (this.flight !== flight) return;
      this.answer.textContent = `${Math.round(performance.now() - flight.since)} ms`;
      this.show(scene, result);
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
    if (this.flight !== flight) return;
    this.flight = undefined;
    document.body.classList.remove("busy");
    if (this.waiting) {
      this.waiting = false;
      this.update();
    }
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
    const state = { name: this.name, set: this.knobs.settings(), text: this.text, plots, pins: this.pinned };
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
    const label = changed.length ? changed.map((k) => `${k.name} ${showKnob(k)}`).join(", ") : "defaults";
    this.keep({ label, set: this.knobs.settings(), text: this.text }, this.scene, this.current);
  }

  /// A pin that a link brings is run again.
  private async addPin(pin: PinLink, turn: number): Promise<void> {
    try {
      const { scene, run: result } = await run(this.requestFor(pin.set, pin.text));
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
        p.run = (await run(this.requestFor(p.set, p.text))).run;
        this.showAgain();
      } catch {
        // it keeps the curves that it has
      }
    }
  }

  private async pinsChanged(): Promise<void> {
    this.showPins();
    this.showAgain();
    const pins: PinLink[] = this.pinned.map(({ label, set, text }) => ({ label, set, text }));
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
      const { scenario, text, set } = this.request();
      download(`${this.name}.${kind === "report" ? "html" : "csv"}`, await file(kind, { scenario, text, set }));
    } catch (e) {
      this.complain(e instanceof ApiError ? e.message : "The server does not answer.");
    }
  }
}
