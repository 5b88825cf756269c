// What a page shows, as files: pictures, films, data.
import { Run, Scene } from "./data";
import { download, h, icon } from "./dom";
import { Pen, SvgPen } from "./pen";
import { colour } from "./theme";

/// Something that can be drawn at a size.
export interface Figure {
  name: string;
  size: () => [number, number];
  paint: (pen: Pen, width: number, height: number) => void;
}

export interface SaveItem {
  label: string;
  /// May tell how far it is, from 0 to 1.
  save: (tell: (share: number) => void) => void | Promise<void>;
}

/// On paper of the colour of the page.
export function canvasOf(figure: Figure, ratio = 2): HTMLCanvasElement {
  const [width, height] = figure.size();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d")!;
  c.scale(ratio, ratio);
  c.fillStyle = colour("surface");
  c.fillRect(0, 0, width, height);
  figure.paint(c as Pen, width, height);
  return canvas;
}

export function svgOf(figure: Figure): string {
  const [width, height] = figure.size();
  const pen = new SvgPen(width, height);
  pen.fillStyle = colour("surface");
  pen.fillRect(0, 0, width, height);
  figure.paint(pen as unknown as Pen, width, height);
  return pen.text(figure.name);
}

const fileName = (name: string): string => name.replace(/[^\w.-]+/g, "-");

export function pictureItems(figure: () => Figure, what = "Picture"): SaveItem[] {
  return [
    {
      label: `${what}, PNG`,
      save: () =>
        new Promise((resolve) =>
          canvasOf(figure()).toBlob((blob) => {
            if (blob) download(`${fileName(figure().name)}.png`, blob);
            resolve();
          }, "image/png"),
        ),
    },
    { label: `${what}, SVG`, save: () => saveText(`${figure().name}.svg`, svgOf(figure()), "image/svg+xml") },
  ];
}

export function saveText(name: string, text: string, type: string): void {
  download(fileName(name), new Blob([text], { type }));
}

const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/// Columns of a table as CSV; empty where there is no value.
export function csv(columns: { name: string; values: (number | string | null)[] }[]): string {
  const rows = Math.max(0, ...columns.map((c) => c.values.length));
  const lines = [columns.map((c) => field(c.name)).join(",")];
  for (let k = 0; k < rows; ++k) lines.push(columns.map((c) => (typeof c.values[k] === "string" ? field(c.values[k] as string) : String(c.values[k] ?? ""))).join(","));
  return `${lines.join("\n")}\n`;
}

/// The trajectories as far as the page has them; of several runs one below the other, with their labels in front.
export function runsCsv(scene: Scene, runs: { label: string; run: Run }[]): string {
  const unit = new Map(scene.observables.map((o) => [o.name, o.unit]));
  const title = (name: string) => (unit.get(name) ? `${name} [${unit.get(name)}]` : name);
  const names = [...new Set(runs.flatMap((r) => Object.keys(r.run.columns)))];
  const column = (name: string) => runs.flatMap((r) => r.run.columns[name] ?? r.run.time.map(() => null));
  const labels = runs.length > 1 ? [{ name: "run", values: runs.flatMap((r) => r.run.time.map(() => r.label)) }] : [];
  return csv([...labels, { name: "time [s]", values: runs.flatMap((r) => r.run.time) }, ...names.map((name) => ({ name: title(name), values: column(name) }))]);
}

/// A button with a list of files to save.
export function saveMenu(id: string, label: string, items: SaveItem[]): HTMLElement {
  const list = h("ul", { class: "menu-list", id: `${id}-list`, role: "menu", "aria-label": label, hidden: true });
  const caption = h("span", { class: "menu-state" });
  const button = h("button", { type: "button", class: "icon-button", id, title: label, "aria-label": label, "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": list.id }, icon("download") as unknown as Node, caption);
  const entries = items.map((item) => {
    const entry = h("button", { type: "button", role: "menuitem", tabindex: "-1" }, item.label);
    entry.addEventListener("click", () => void start(item));
    return entry;
  });
  list.append(...entries.map((e) => h("li", { role: "none" }, e)));
  const open = (on: boolean, focus = 0) => {
    list.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
    if (!on) return;
    // The list stays on the page, also on a phone.
    list.classList.toggle("from-left", button.getBoundingClientRect().right < 230);
    entries.at(focus)?.focus();
  };
  const start = async (item: SaveItem) => {
    open(false);
    button.focus();
    button.disabled = true;
    try {
      await item.save((share) => (caption.textContent = `${Math.round(100 * share)} %`));
    } finally {
      caption.textContent = "";
      button.disabled = false;
    }
  };
  button.addEventListener("click", () => open(list.hidden));
  const element = h("div", { class: "menu" }, button, list);
  element.addEventListener("keydown", (e) => {
    const move = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    if (e.key === "Escape") {
      open(false);
      button.focus();
    } else if (move && list.hidden) open(true, move > 0 ? 0 : -1);
    else if (move) entries.at((entries.indexOf(document.activeElement as HTMLButtonElement) + move) % entries.length)?.focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  document.addEventListener("pointerdown", (e) => !element.contains(e.target as Node) && open(false));
  return element;
}
