// What pictures are drawn with: a canvas, or SVG that is written down.
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillStyle" | "strokeStyle" | "lineWidth" | "lineCap" | "lineJoin" | "globalAlpha" | "font" | "textAlign" | "textBaseline"
  | "beginPath" | "moveTo" | "lineTo" | "closePath" | "stroke" | "setLineDash"
  | "save" | "restore" | "translate" | "rotate" | "fillText" | "strokeText" | "fillRect" | "strokeRect" | "measureText"
> & { arc(x: number, y: number, r: number, from: number, to: number): void; fill(): void; clip(): void };

export type Point = [number, number];

export function trace(pen: Pen, points: Point[], closed = false): void {
  pen.beginPath();
  points.forEach(([x, y], k) => (k === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  if (closed) pen.closePath();
}

/// The same dots everywhere in the current path: grains of sand, `tile` pixels apart until they repeat.
export interface Grains {
  tile: number;
  dots: { x: number; y: number; r: number; colour: string }[];
  picture: HTMLCanvasElement; // the same, for a canvas
}

export function fillWithGrains(pen: Pen, grains: Grains, x: number, y: number): void {
  if (pen instanceof SvgPen) return pen.fillWithDots(grains, x, y);
  const c = pen as unknown as CanvasRenderingContext2D;
  const pattern = c.createPattern(grains.picture, "repeat")!;
  const ratio = grains.picture.width / grains.tile;
  pattern.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, x, y]));
  c.fillStyle = pattern;
  c.fill();
}

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  dash: number[];
  matrix: DOMMatrix;
  groups: number;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
const short = (x: number): string => String(Math.round(x * 100) / 100);
const measuring = document.createElement("canvas").getContext("2d")!;

/// Writes what is drawn as SVG.
export class SvgPen {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  lineCap: CanvasLineCap = "butt";
  lineJoin: CanvasLineJoin = "miter";
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: number[] = [];
  private matrix = new DOMMatrix();
  private groups = 0;
  private stack: State[] = [];
  private path = "";
  private parts: string[] = [];
  private defs: string[] = [];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  /// The document; `title` is what screen readers say.
  text(title: string): string {
    const [w, h] = [short(this.width), short(this.height)];
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">` +
      `<title>${escaped(title)}</title><defs><clipPath id="page"><rect width="${w}" height="${h}"/></clipPath>${this.defs.join("")}</defs>` +
      `<g clip-path="url(#page)">${this.parts.join("\n")}</g></svg>\n`
    );
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, matrix } = this;
    this.stack.push({ fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, matrix, groups: this.groups });
    this.groups = 0;
  }
  restore(): void {
    this.parts.push("</g>".repeat(this.groups));
    Object.assign(this, this.stack.pop());
  }
  translate(x: number, y: number): void {
    this.matrix = this.matrix.translate(x, y);
  }
  rotate(angle: number): void {
    this.matrix = this.matrix.rotate((angle * 180) / Math.PI);
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  beginPath(): void {
    this.path = "";
  }
  moveTo(x: number, y: number): void {
    this.path += `M${this.at(x, y)}`;
  }
  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${this.at(x, y)}`;
  }
  closePath(): void {
    this.path += "Z";
  }
  /// Whole circles only: nothing else is drawn with it.
  arc(x: number, y: number, r: number): void {
    const size = `${short(r)} ${short(r)} 0 1 0 `;
    this.path += `M${this.at(x + r, y)}A${size}${this.at(x - r, y)}A${size}${this.at(x + r, y)}Z`;
  }

  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const cap = this.lineCap === "butt" ? "" : ` stroke-linecap="${this.lineCap}"`;
    const join = this.lineJoin === "miter" ? "" : ` stroke-linejoin="${this.lineJoin}"`;
    if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"${cap}${join}${dash}${this.fade()}/>`);
  }
  fill(): void {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.fade()}/>`);
  }
  clip(): void {
    const id = `c${this.defs.length}`;
    this.defs.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
    ++this.groups;
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.rectangle(x, y, w, h);
    this.fill();
  }
  strokeRect(x: number, y: number, w: number, h: number): void {
    this.rectangle(x, y, w, h);
    this.stroke();
  }

  measureText(text: string): TextMetrics {
    measuring.font = this.font;
    return measuring.measureText(text);
  }
  fillText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="${this.fillStyle}"`);
  }
  strokeText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`);
  }

  fillWithDots(grains: Grains, x: number, y: number): void {
    const id = `p${this.defs.length}`;
    const dots = grains.dots.map((d) => `<circle cx="${short(d.x)}" cy="${short(d.y)}" r="${short(d.r)}" fill="${d.colour}"/>`).join("");
    this.defs.push(
      `<pattern id="${id}" width="${grains.tile}" height="${grains.tile}" patternUnits="userSpaceOnUse" patternTransform="translate(${short(x)} ${short(y)})">${dots}</pattern>`,
    );
    this.parts.push(`<path d="${this.path}" fill="url(#${id})"/>`);
  }

  private at(x: number, y: number): string {
    const { a, b, c, d, e, f } = this.matrix;
    return `${short(a * x + c * y + e)} ${short(b * x + d * y + f)}`;
  }
  private rectangle(x: number, y: number, w: number, h: number): void {
    this.path = `M${this.at(x, y)}L${this.at(x + w, y)}L${this.at(x + w, y + h)}L${this.at(x, y + h)}Z`;
  }
  private fade(): string {
    return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
  }
  private write(text: string, x: number, y: number, paint: string): void {
    const [, weight, size, family] = this.font.match(/^(\d+ )?([\d.]+px) (.*)$/) ?? ["", "", "12px", "sans-serif"];
    const anchor = { left: "start", start: "start", right: "end", end: "end", center: "middle" }[this.textAlign];
    const shift = { top: 0.8, hanging: 0.8, middle: 0.35, alphabetic: 0, ideographic: -0.2, bottom: -0.25 }[this.textBaseline] * parseFloat(size);
    const { a, b, c, d, e, f } = this.matrix.translate(x, y).translate(0, shift);
    const bold = weight ? ` font-weight="${weight.trim()}"` : "";
    this.parts.push(
      `<text transform="matrix(${[a, b, c, d].map((v) => Math.round(v * 1e4) / 1e4).join(" ")} ${short(e)} ${short(f)})" font-family="${escaped(family)}" font-size="${size}"${bold} text-anchor="${anchor}" ${paint}${this.fade()}>${escaped(text)}</text>`,
    );
  }
}
