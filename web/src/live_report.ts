// A report that computes: its sliders run the scenario again.
import { ApiError, Asked, reportOf, run } from "./api";
import { Run, RunDocument, Scene } from "./data";
import { card, h } from "./dom";
import { KnobPanel } from "./knobs";
import { Viewer } from "./viewer";

export class LiveRuns {
  readonly card: HTMLElement;
  /// What is shown is of another run now.
  onRun?: (scene: Scene) => void;
  private knobs = new KnobPanel();
  private answer = h("span", { class: "answer dim", id: "answer" });
  private problem = h("p", { class: "problem", id: "problem", role: "alert", hidden: true });
  private flight?: { abort: AbortController; since: number };
  private waiting = false;

  constructor(
    private viewer: Viewer,
    private data: RunDocument,
  ) {
    this.card = card("Knobs", { class: "live-card" }, this.answer, this.knobs.element, this.problem);
    this.knobs.load(data.scene.knobs, false);
    this.knobs.onTurn = () => this.update();
    viewer.plots.onMissing = () => this.update();
    void this.compare();
  }

  private request() {
    return { scenario: this.data.scene.name, set: this.knobs.settings(), columns: this.viewer.plots.names(), ...(this.data.live as Asked) };
  }

  // The report's own run once more: the engine must find what the program found.
  private async compare(): Promise<void> {
    try {
      const { run: again } = await run(this.request());
      if (agree(again, this.data.run)) document.body.dataset.live = "ready";
      else this.complain("The engine in this page finds other numbers than the program that wrote the report.");
    } catch (e) {
      this.complain(e instanceof Error ? e.message : String(e));
    }
  }

  /// One request at a time, and always the latest; one that takes long is given up for a newer one.
  private update(): void {
    if (this.flight) {
      this.waiting = true;
      if (performance.now() - this.flight.since > 300) this.flight.abort.abort();
      return;
    }
    void this.compute();
  }

  private async compute(): Promise<void> {
    document.body.dataset.live = "turning";
    const flight = (this.flight = { abort: new AbortController(), since: performance.now() });
    try {
      const request = this.request();
      const { scene, run: result } = await run(request, flight.abort.signal);
      this.answer.textContent = `${Math.round(performance.now() - flight.since)} ms`;
      this.show(scene, result);
      // Quick while the slider moves; when it rests, with all frames, as the program would write it.
      if (!this.waiting) {
        const { columns: _, ...rest } = request;
        const whole = await reportOf(rest, flight.abort.signal);
        this.show(whole.scene, whole.run);
        document.body.dataset.live = "ready";
      }
    } catch (e) {
      if (!flight.abort.signal.aborted) this.complain(e instanceof ApiError ? e.message : String(e));
    }
    this.flight = undefined;
    if (!this.waiting) return;
    this.waiting = false;
    this.update();
  }

  private show(scene: Scene, result: Run): void {
    this.viewer.show(scene, result);
    this.onRun?.(scene);
    this.complain("");
  }

  private complain(message: string): void {
    this.problem.textContent = message;
    this.problem.hidden = !message;
  }
}

/// Within the digits that are shown; below the second term are errors of arithmetic.
function agree(a: Run, b: Run): boolean {
  const near = (x: number | null, y: number | null) => x === y || (x !== null && y !== null && Math.abs(x - y) <= 1e-6 * Math.abs(y) + 1e-9);
  return a.stop.reason === b.stop.reason && near(a.stop.time, b.stop.time) && a.results.every((r, k) => near(r.value, b.results[k].value));
}
