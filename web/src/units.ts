// Numbers as people like to read them.

export interface Shown {
  factor: number;
  unit: string;
}

const steps: Record<string, [number, number, string][]> = {
  // used below this size, factor, unit
  m: [
    [1e-4, 1e6, "µm"],
    [0.2, 1e3, "mm"],
  ],
  s: [
    [1e-3, 1e6, "µs"],
    [0.9999, 1e3, "ms"],
  ],
  J: [
    [1e-3, 1e6, "µJ"],
    [1, 1e3, "mJ"],
  ],
  N: [[0.01, 1e3, "mN"]],
  "N s": [[0.01, 1e3, "mN s"]],
  "N m": [[0.01, 1e3, "mN m"]],
  "m/s": [[0.01, 1e3, "mm/s"]],
  Pa: [
    [1e3, 1, "Pa"],
    [1e6, 1e-3, "kPa"],
    [Infinity, 1e-6, "MPa"],
  ],
  kg: [[0.1, 1e3, "g"]],
};

export function pretty(unit: string): string {
  return unit
    .replace(/\bdeg\b/g, "°")
    .replace(/\bus\b/g, "µs")
    .replace(/\^2\b/g, "²")
    .replace(/\^3\b/g, "³")
    .replace(/([a-zA-Z])2\b/g, "$1²")
    .replace(/([a-zA-Z])3\b/g, "$1³");
}

/// A unit that suits values of this size.
export function suit(size: number, unit: string): Shown {
  if (unit === "rad") return { factor: 180 / Math.PI, unit: "°" };
  const list = steps[unit];
  if (list && size > 0) for (const [below, factor, name] of list) if (size < below) return { factor, unit: name };
  return { factor: 1, unit: pretty(unit) };
}

export function number(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = x.toExponential(Math.max(0, digits - 2)).split("e");
    const times = Number(mantissa) === 1 ? "" : `${Number(mantissa)}·`;
    return `${times}10${superscript(Number(exponent))}`.replace("-", "−");
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

function superscript(n: number): string {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return (n < 0 ? "⁻" : "") + String(Math.abs(n)).replace(/\d/g, (d) => digits[Number(d)]);
}

export function quantity(x: number | null, unit: string, digits = 5): string {
  if (x === null || !Number.isFinite(x)) return "–";
  const shown = suit(Math.abs(x), unit);
  return withUnit(number(x * shown.factor, digits), shown.unit);
}

export function withUnit(text: string, unit: string): string {
  if (!unit) return text;
  return unit === "°" ? text + unit : `${text} ${unit}`;
}

export function largest(values: (number | null)[]): number {
  let most = 0;
  for (const v of values) if (v !== null && Math.abs(v) > most) most = Math.abs(v);
  return most;
}

/// Values of one column in one unit and with the same number of decimals; the largest has `digits` digits.
export function column(values: number[], unit: string, digits = 4): (x: number) => string {
  const most = largest(values);
  const shown = suit(most, unit);
  const decimals = most > 0 ? Math.min(12, Math.max(0, digits - 1 - Math.floor(Math.log10(most * shown.factor)))) : 0;
  return (x) => withUnit((x * shown.factor).toFixed(decimals).replace("-", "−"), shown.unit);
}

/// The largest of 1, 2, 5 · 10^k that is not above x.
export function roundDown(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  return (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1) * power;
}

/// About `wanted` round values inside [low, high].
export function ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) ?? raw;
  const out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; ++k) out.push(Number((k * step).toPrecision(12)));
  return out;
}
