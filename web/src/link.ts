// The address of what the playground shows: scenario, knobs, until when, text, plots and pins. Whoever gets it sees the same.
//
//   #free_link?angle=60+deg&~plots=link.tip.depth;link.tip.vx,link.tip.vz!log&~text=…&~pins=…
//
// Knobs stand there as they are written; text and pins are packed. No knob begins with "~".
import { PlotState } from "./plots";

export type Settings = Record<string, string>;

/// A pinned run: its knobs, and its text where it is another than that of the link.
export interface PinLink {
  label: string;
  set: Settings;
  text?: string;
  until?: "rest";
}

export interface LinkState {
  name: string;
  set: Settings;
  text?: string;
  until?: "rest";
  plots?: PlotState[];
  pins: PinLink[];
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/// Text as few letters that an address may hold.
export async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const b of bytes) letters += String.fromCharCode(b);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(letters: string): Promise<string> {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

export const writePlots = (plots: PlotState[]): string => plots.map((p) => p.names.join(",") + (p.log ? "!log" : "")).join(";");

export const readPlots = (text: string): PlotState[] =>
  text.split(";").map((p) => ({ names: p.replace(/!log$/, "").split(",").filter(Boolean), log: p.endsWith("!log") }));

/// `packed` holds what `pack` has made of the text and of the pins.
export function writeLink(state: LinkState, packed: { text?: string; pins?: string }): string {
  const query = new URLSearchParams(state.set);
  if (state.until) query.set("~until", state.until);
  if (state.plots) query.set("~plots", writePlots(state.plots));
  if (packed.text) query.set("~text", packed.text);
  if (packed.pins) query.set("~pins", packed.pins);
  const words = query.toString().replaceAll("%7E", "~").replaceAll("%2C", ",").replaceAll("%3B", ";").replaceAll("%21", "!");
  return `#${encodeURIComponent(state.name)}${words ? `?${words}` : ""}`;
}

/// The scenario that a link names; what is no code for a character stays as it is.
export function linkName(hash: string): string {
  const name = hash.slice(1).split("?")[0];
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/// Throws where a link is damaged.
export async function readLink(hash: string): Promise<LinkState> {
  const at = hash.indexOf("?");
  const name = linkName(hash);
  const query = new URLSearchParams(at < 0 ? "" : hash.slice(at + 1));
  const take = (key: string) => {
    const value = query.get(key);
    query.delete(key);
    return value ?? undefined;
  };
  const [plots, text, pins, until] = [take("~plots"), take("~text"), take("~pins"), take("~until")];
  try {
    return {
      name,
      set: Object.fromEntries(query),
      text: text && (await unpack(text)),
      until: until === "rest" ? "rest" : undefined,
      plots: plots ? readPlots(plots) : undefined,
      pins: pins ? JSON.parse(await unpack(pins)) : [],
    };
  } catch {
    throw new Error("This link is damaged: a part of it is missing. What is left of it is shown.");
  }
}
