// Play, pause, speed, scrub, and from event to event.
import { eventColour } from "./forces";
import { h, icon, iconButton } from "./dom";
import { Player, speedName, speeds } from "./player";
import { Stage } from "./stage";
import { onTheme } from "./theme";
import { number, suit } from "./units";

export class Controls {
  readonly element: HTMLElement;
  private scrub = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, class: "scrub", id: "scrub", "aria-label": "Time" });
  private marks = h("div", { class: "marks", "aria-hidden": "true" });
  private clock = h("output", { class: "clock", id: "clock" });
  private playButton: HTMLButtonElement;
  private speed = h("select", { id: "speed", "aria-label": "Speed of play", title: "Speed of play" });
  private magnify = h("select", { id: "magnify", "aria-label": "Magnification of deflections", title: "Magnification of deflections" });

  private stress: HTMLElement; // hidden where there is none
  private follow = h("select", { id: "follow", "aria-label": "Body to follow", title: "Body to follow" });

  constructor(
    private player: Player,
    private stage: Stage,
  ) {
    this.playButton = iconButton("play", "Play (space)", () => player.toggle(), "play");
    this.playButton.classList.add("play");
    for (const s of speeds) this.speed.append(h("option", { value: s }, speedName(s)));
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    for (const m of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) this.magnify.append(h("option", { value: m }, `× ${m}`));
    this.magnify.addEventListener("change", () => stage.setMagnification(Number(this.magnify.value)));
    this.follow.addEventListener("change", () => stage.follow(Number(this.follow.value)));
    stage.onView = () => (this.follow.value = String(stage.camera.follow));
    this.scrub.addEventListener("input", () => {
      player.pause();
      player.seek(Number(this.scrub.value) * player.end);
    });
    const toggle = (label: string, id: string, checked: boolean, change: (on: boolean) => void, about?: string) => {
      const box = h("input", { type: "checkbox", id, checked });
      box.addEventListener("change", () => (change(box.checked), stage.redraw()));
      return h("label", { class: "check", title: about }, box, label);
    };
    this.stress = toggle("stress", "show-stress", true, (on) => (stage.showStress = on), "Stress of the sand along what is under the surface and leads. At rest only its resultant is known: many distributions have it.");
    this.element = h(
      "div",
      { class: "controls" },
      h("div", { class: "scrub-box" }, this.marks, this.scrub),
      h(
        "div",
        { class: "controls-row" },
        iconButton("start", "To the start", () => (player.pause(), player.seek(0)), "to-start"),
        iconButton("previous", "Event before ( , )", () => player.step(-1), "previous-event"),
        this.playButton,
        iconButton("next", "Next event ( . )", () => player.step(1), "next-event"),
        this.clock,
        h("label", { class: "speed" }, h("span", { class: "small" }, "speed"), this.speed),
        h("label", { class: "speed magnify", hidden: true }, h("span", { class: "small" }, "deflection"), this.magnify),
        h("label", { class: "speed" }, h("span", { class: "small" }, "follow"), this.follow),
        h(
          "div",
          { class: "checks" },
          toggle("forces", "show-forces", true, (on) => (stage.showForces = on)),
          this.stress,
          toggle("trail", "show-trail", true, (on) => (stage.showTrail = on)),
          toggle("names", "show-names", false, (on) => (stage.showNames = on)),
          toggle("poses", "show-poses", false, (on) => (stage.showPoses = on)),
        ),
      ),
    );
    player.onTime((t) => this.showTime(t));
    player.onChange(() => this.update());
    onTheme(() => this.drawMarks());
    document.addEventListener("keydown", (e) => this.onKey(e));
  }

  /// After the stage has a run.
  loaded(isNew: boolean): void {
    const elastic = this.stage.isElastic();
    this.magnify.parentElement!.hidden = !elastic;
    this.stress.hidden = !this.stage.hasStress();
    const bodies = this.stage.bodies();
    if (this.follow.childElementCount !== bodies.length + 1 || isNew)
      this.follow.replaceChildren(h("option", { value: -1 }, "nothing"), ...bodies.map((name, i) => h("option", { value: i }, name)));
    this.follow.value = String(this.stage.camera.follow);
    if (isNew) {
      const m = elastic ? this.stage.suitedMagnification() : 1;
      this.magnify.value = String(m);
      if (m !== this.stage.magnification) this.stage.setMagnification(m);
    }
    this.update();
    this.drawMarks();
    this.showTime(this.player.time);
  }

  private update(): void {
    this.playButton.replaceChildren(icon(this.player.playing ? "pause" : "play") as unknown as Node);
    this.playButton.setAttribute("aria-label", this.player.playing ? "Pause (space)" : "Play (space)");
    this.playButton.title = this.playButton.getAttribute("aria-label")!;
    this.speed.value = String(this.player.speed);
  }

  private drawMarks(): void {
    const { events, end } = this.player;
    const shown = events.filter((e) => e.kind !== "start").slice(0, 400);
    this.marks.replaceChildren(
      ...shown.map((e) =>
        h("span", { class: "mark", style: `left:${(100 * e.time) / (end || 1)}%;background:${eventColour(e.kind)}` }),
      ),
    );
  }

  private showTime(t: number): void {
    const { end, events } = this.player;
    this.scrub.value = String(end > 0 ? t / end : 0);
    const shown = suit(end, "s");
    const text = (x: number) => number(x * shown.factor, 5);
    const decimals = Math.max(0, 4 - Math.ceil(Math.log10(Math.max(end * shown.factor, 1e-9))));
    this.clock.textContent = `${(t * shown.factor).toFixed(Math.min(6, decimals))} / ${text(end)} ${shown.unit}`;
    this.scrub.setAttribute("aria-valuetext", this.clock.textContent);
    const near = events.filter((e) => Math.abs(e.time - t) <= 1e-9 * end && e.kind !== "start");
    this.stage.caption.textContent = near.length ? near.map((e) => `${e.kind} ${e.subject}`.trim()).join(" · ") : "";
  }

  private onKey(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    const ticks = target instanceof HTMLInputElement && target.type === "checkbox" && e.key !== " "; // needs no key but that
    if (e.ctrlKey || e.metaKey || e.altKey || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !ticks)) {
      if (!(target.id === "scrub" && e.key === " ")) return;
    }
    const small = this.player.end / 200;
    const actions: Record<string, () => void> = {
      " ": () => this.player.toggle(),
      ",": () => this.player.step(-1),
      ".": () => this.player.step(1),
      "+": () => this.stage.zoom(1.25),
      "=": () => this.stage.zoom(1.25),
      "-": () => this.stage.zoom(1 / 1.25),
      "0": () => this.stage.fit(),
      ArrowLeft: () => (this.player.pause(), this.player.seek(this.player.time - small)),
      ArrowRight: () => (this.player.pause(), this.player.seek(this.player.time + small)),
    };
    if (e.shiftKey) {
      // The view moves that way, so what is seen moves the other.
      const by = 40;
      actions.ArrowLeft = () => this.stage.pan(by, 0);
      actions.ArrowRight = () => this.stage.pan(-by, 0);
      actions.ArrowUp = () => this.stage.pan(0, by);
      actions.ArrowDown = () => this.stage.pan(0, -by);
    }
    if (target === this.stage.canvas) {
      actions.Home = () => (this.player.pause(), this.player.seek(0));
      actions.End = () => (this.player.pause(), this.player.seek(this.player.end));
    }
    if (e.key === " " && target.tagName === "BUTTON") return;
    if (e.key === " " && target.tagName === "SUMMARY") return;
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action();
  }
}
