// y against x for several curves, not tied to time.
import { ChartSpec, Curve, Plane, drawChart, fromX, makePlane, rangeOf } from "./chart";
import { h } from "./dom";
import { Pen } from "./pen";
import { csv, pictureItems, saveMenu, saveText } from "./save";
import { onTheme, seriesColours } from "./theme";
import { number } from "./units";

export interface XyCurve {
  x: number[];
  y: (number | null)[];
  name: string;
  points?: boolean;
}

let made = 0;

export function xyPlot(height: number, xTitle: string, yTitle: string, curves: XyCurve[]): HTMLElement {
  const canvas = h("canvas", { class: "plot-canvas" });
  const box = h("div", { class: "plot", style: `height:${height}px` }, canvas);
  const readout = h("p", { class: "plot-readout dim small", "aria-live": "polite" });
  const log = { x: false, y: false };
  const sorted = curves.map((c) => {
    const order = c.x.map((_, k) => k).sort((a, b) => c.x[a] - c.x[b]);
    return { ...c, x: order.map((k) => c.x[k]), y: order.map((k) => c.y[k]) };
  });
  const spec = (): ChartSpec => {
    const tones = seriesColours();
    const shown: Curve[] = sorted.map((c, k) => ({ x: c.x, y: c.y, colour: tones[k % tones.length], points: c.points || (c.x.length < 40 ? "both" : false) }));
    const xs = sorted.map((c) => ({ x: c.x, y: c.x }));
    const [low, high] = rangeOf(xs, log.x);
    return { x: { title: xTitle, range: [low, high], log: log.x }, y: { title: yTitle, range: rangeOf(sorted, log.y), log: log.y }, curves: shown };
  };
  let plane: Plane | undefined;
  const draw = () => {
    const width = box.clientWidth;
    if (width === 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const what = spec();
    plane = makePlane(what, width, height);
    drawChart(c as Pen, what, plane);
  };
  const figure = () => ({
    name: `${yTitle}-over-${xTitle}`.replace(/\[.*?\]/g, "").replaceAll(" ", ""),
    size: (): [number, number] => [box.clientWidth, height],
    paint: (pen: Pen, width: number, tall: number) => drawChart(pen, spec(), makePlane(spec(), width, tall)),
  });
  // Curves have places of their own: those of the second begin anew.
  const data = () => [
    { name: xTitle, values: curves.flatMap((c) => c.x) },
    { name: yTitle, values: curves.flatMap((c) => c.y) },
    ...(curves.length > 1 ? [{ name: "curve", values: curves.flatMap((c) => c.x.map(() => c.name)) }] : []),
  ];
  const toggle = (axis: "x" | "y", values: (number | null)[][]) => {
    const button = h("button", { type: "button", class: "log-button", "aria-pressed": "false", title: `Powers of ten along ${axis}` }, `log ${axis}`);
    button.disabled = !values.some((list) => list.some((v) => v !== null && v > 0));
    button.addEventListener("click", () => {
      log[axis] = !log[axis];
      button.setAttribute("aria-pressed", String(log[axis]));
      draw();
    });
    return button;
  };
  canvas.addEventListener("pointermove", (e) => {
    if (!plane) return;
    const at = fromX(plane, e.clientX - canvas.getBoundingClientRect().left);
    readout.textContent = describe(sorted, at, xTitle);
  });
  canvas.addEventListener("pointerleave", () => (readout.textContent = ""));
  new ResizeObserver(draw).observe(box);
  onTheme(draw);
  const tools = h("div", { class: "plot-tools" }, readout, toggle("x", curves.map((c) => c.x)), toggle("y", curves.map((c) => c.y)), saveMenu(`save-plot-${++made}`, "Save this plot", [...pictureItems(figure), { label: "Data, CSV", save: () => saveText(`${figure().name}.csv`, csv(data()), "text/csv") }]));
  return h("div", { class: "xy-plot" }, tools, box);
}

// The values of all curves at their points next to a place.
function describe(curves: XyCurve[], at: number, xTitle: string): string {
  let nearest = NaN;
  for (const c of curves) for (const x of c.x) if (!(Math.abs(nearest - at) <= Math.abs(x - at))) nearest = x;
  if (!Number.isFinite(nearest)) return "";
  const values = curves.flatMap((c) => {
    const k = c.x.indexOf(nearest);
    const v = k >= 0 ? c.y[k] : null;
    return v === null || v === undefined ? [] : [curves.length > 1 && c.name ? `${c.name} ${number(v)}` : number(v)];
  });
  return values.length ? `${xTitle} ${number(nearest)}: ${values.slice(0, 4).join(", ")}` : "";
}
