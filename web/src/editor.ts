// The text of a scenario, with errors at their line.
import { h } from "./dom";
import { highlighted } from "./toml";

export class Editor {
  readonly element: HTMLElement;
  onEdit?: (text: string) => void;
  private area = h("textarea", { id: "toml", class: "editor-area", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Scenario as TOML", "aria-describedby": "editor-error" });
  private picture = h("pre", { class: "editor-picture", "aria-hidden": "true" });
  private gutter = h("div", { class: "editor-gutter", "aria-hidden": "true" });
  private message = h("p", { class: "editor-error", id: "editor-error", role: "alert" });
  private band = h("div", { class: "editor-band", hidden: true });
  private timer = 0;

  constructor() {
    this.area.addEventListener("input", () => {
      this.paint();
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.onEdit?.(this.area.value), 200);
    });
    this.area.addEventListener("scroll", () => this.scroll());
    this.area.addEventListener("keydown", (e) => e.stopPropagation());
    this.element = h("div", { class: "editor" }, h("div", { class: "editor-box" }, this.gutter, h("div", { class: "editor-body" }, this.band, this.picture, this.area)), this.message);
  }

  get text(): string {
    return this.area.value;
  }

  setText(text: string): void {
    if (this.area.value === text) return;
    this.area.value = text;
    this.paint();
    this.scroll();
  }

  showError(message: string, line = 0, column = 0): void {
    const go = () => {
      this.area.scrollTop = Math.max(0, (line - 5) * this.lineHeight());
      this.area.focus({ preventScroll: true });
    };
    const where = line > 0 && h("button", { type: "button", class: "link", onclick: go }, `Line ${line}, column ${column}`);
    this.message.replaceChildren(...(where ? [where, `: ${message}`] : [message]));
    this.area.setAttribute("aria-invalid", String(!!message));
    this.band.hidden = !(line > 0);
    this.band.style.setProperty("--line", String(line - 1));
    [...this.gutter.children].forEach((child, k) => child.classList.toggle("wrong", k === line - 1));
    if (line > 0 && document.activeElement !== this.area) this.area.scrollTop = Math.max(0, (line - 4) * this.lineHeight());
    this.scroll();
  }

  private lineHeight(): number {
    return parseFloat(getComputedStyle(this.area).lineHeight) || 19;
  }

  private paint(): void {
    this.picture.replaceChildren(highlighted(this.area.value), "\n");
    const lines = this.area.value.split("\n").length;
    while (this.gutter.children.length > lines) this.gutter.lastChild!.remove();
    while (this.gutter.children.length < lines) this.gutter.append(h("span", {}, String(this.gutter.children.length + 1)));
  }

  private scroll(): void {
    this.picture.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-this.area.scrollTop}px)`;
    this.band.style.setProperty("--scroll", `${-this.area.scrollTop}px`);
  }
}
