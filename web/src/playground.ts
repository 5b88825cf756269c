// The page of `thud serve`: choose, turn, watch, compare.
import { ApiError, LibraryEntry, RunRequest, file, library, run, scenarioText } from "./api";
import { Run, Scene } from "./data";
import { card, download, h, icon } from "./dom";
import { Editor } from "./editor";
import { KnobPanel } from "./knobs";
import { directions, pageFoot } from "./report";
import { SweepPanel } from "./sweep_panel";
import { showKnob } from "./tables";
import { colour, themeButton } from "./theme";
import { Pinned, Viewer } from "./viewer";

const most_pinned = 5;

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
  private pinned: Pinned[] = [];
  private flight?: { abort: AbortController; since: number };
  private waiting = false;

  constructor(root: HTMLElement, version: string) {
    this.viewer.plots.onMissing = () => this.update();
    this.knobs.onTurn = () => this.update();
    this.editor.onEdit = (text) => {
      this.text = text;
      this.remember();
      this.update();
    };
    this.sweep.request = () => this.request();
    this.sweep.onStart = () => (this.sweepCard.hidden = false);
    this.sweep.onPick = (values) => {
      for (const [name, value] of Object.entries(values)) this.knobs.set(name, Number(value.toPrecision(6)));
      this.update();
    };
    this.choice.addEventListener("change", () => void this.choose(this.choice.value));
    addEventListener("hashchange", () => this.followHash());
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
            const move = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
            if (!move) return;
            e.preventDefault();
            e.stopPropagation();
            select((k + move + parts.length) % parts.length, true);
          },
        }, label),
      );
      panels.push(h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
    });
    select(0);
    return h("div", { class: "tabs" }, h("div", { role: "tablist", class: "tablist", "aria-label": "What to change" }, ...buttons, this.answer), ...panels);
  }

  // ---- which scenario ---------------------------------------------------------------------------------------------

  private async begin(): Promise<void> {
    try {
      this.entries = await library();
    } catch {
      this.complain("The server does not answer. Is thud serve still running?");
      return;
    }
    this.choice.replaceChildren(...this.entries.map((e) => h("option", { value: e.name }, e.title)));
    const { name, set } = readHash();
    await this.choose(this.entries.some((e) => e.name === name) ? name : "free_link", set, true);
  }

  private followHash(): void {
    const { name, set } = readHash();
    if (name && name !== this.name && this.entries.some((e) => e.name === name)) void this.choose(name, set);
  }

  private async choose(name: string, set: Record<string, string> = {}, resume = false): Promise<void> {
    this.name = name;
    this.choice.value = name;
    this.text = undefined;
    this.pinned = [];
    this.showPins();
    this.sweepCard.hidden = true;
    const kept = resume ? recall() : undefined;
    if (kept?.name === name) this.text = kept.text;
    try {
      this.editor.setText(this.text ?? (await scenarioText(name)));
    } catch (e) {
      this.complain(e instanceof ApiError ? e.message : "The server does not answer.");
      return;
    }
    if (!resume) this.remember();
    this.knobs.load([], false);
    this.scene = undefined;
    await this.fetchRun({ ...this.request(), set });
  }

  private remember(): void {
    try {
      if (this.text === undefined) sessionStorage.removeItem("thud-text");
      else sessionStorage.setItem("thud-text", JSON.stringify({ name: this.name, text: this.text }));
    } catch {
      // no storage, nothing kept
    }
  }

  // ---- runs -------------------------------------------------------------------------------------------------------

  private request(): RunRequest {
    const source = this.text === undefined ? { scenario: this.name } : { text: this.text };
    return { ...source, set: this.knobs.settings(), columns: this.viewer.plots.names() };
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
    writeHash(this.name, this.knobs.settings());
  }

  private complain(message: string, inText = false): void {
    this.problem.textContent = message;
    this.problem.classList.toggle("in-text", inText);
    this.problem.hidden = !message;
  }

  // ---- comparing and keeping --------------------------------------------------------------------------------------

  private pin(): void {
    if (!this.scene || !this.current || this.pinned.length >= most_pinned) return;
    const taken = new Set(this.pinned.map((p) => p.colour()));
    const slot = [2, 3, 4, 5, 6].find((k) => !taken.has(colour(`series-${k}`))) ?? 2;
    const changed = this.scene.knobs.filter((k) => k.value !== k.default);
    const label = changed.length ? changed.map((k) => `${k.name} ${showKnob(k)}`).join(", ") : "defaults";
    this.pinned.push({ label, scene: this.scene, run: this.current, colour: () => colour(`series-${slot}`) });
    this.showPins();
    this.viewer.show({ ...this.scene, name: this.name }, this.current, this.pinned);
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
              this.showPins();
              if (this.scene && this.current) this.viewer.show({ ...this.scene, name: this.name }, this.current, this.pinned);
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

function readHash(): { name: string; set: Record<string, string> } {
  const [name, query] = location.hash.slice(1).split("?");
  return { name: decodeURIComponent(name ?? ""), set: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function writeHash(name: string, set: Record<string, string>): void {
  const query = new URLSearchParams(set).toString();
  history.replaceState(null, "", `#${encodeURIComponent(name)}${query ? `?${query}` : ""}`);
}

function recall(): { name: string; text: string } | undefined {
  try {
    return JSON.parse(sessionStorage.getItem("thud-text") ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
