// The JSON API of the server (docs/guide/web-api.md), or of the engine inside the page.
import { Run, RunDocument, Scene } from "./data";
import { Engine } from "./engine";
import { pageWith } from "./page";

export interface LibraryEntry {
  name: string;
  title: string;
  about: string;
  /// A file of the reader's own, which the server watches.
  own?: boolean;
}

/// How a run was asked for beyond its scenario.
export interface Asked {
  until?: "rest";
  time?: number;
  tolerance?: number;
  method?: string;
  step?: number;
}

export interface RunRequest extends Asked {
  scenario?: string;
  text?: string;
  set: Record<string, string>;
  columns?: string[];
  /// Beyond the scenario's stop, until nothing moves.
  until?: "rest";
}

export interface Axis {
  knob: string;
  low: number;
  high: number;
  count: number;
}

/// What the server says is wrong with a request; with a line when it is in the text of a scenario.
export class ApiError extends Error {
  constructor(
    message: string,
    readonly line = 0,
    readonly column = 0,
  ) {
    super(message);
  }
}

let engine: Engine | undefined;
/// From now on the page answers itself.
export function useEngine(own: Engine): void {
  engine = own;
}

interface Init extends RequestInit {
  body?: string;
  signal?: AbortSignal;
}
const ask = (path: string, init?: Init): Promise<Response> => (engine ? engine.fetch(path, init) : fetch(path, init));

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const answer = await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
  if (answer.ok) return answer;
  let error: { message: string; line?: number; column?: number };
  try {
    error = (await answer.json()).error;
  } catch {
    error = { message: `the server answered ${answer.status}` };
  }
  throw new ApiError(error.message, error.line, error.column);
}

export async function library(): Promise<LibraryEntry[]> {
  const answer = await ask("api/library");
  if (!answer.ok) throw new ApiError(`the server answered ${answer.status}`);
  return (await answer.json()).scenarios;
}

/// Calls when the file of the scenario that is shown has been saved; for ever.
export async function watchFile(name: () => string, onSave: () => Promise<void>): Promise<void> {
  // How often each file has been read anew.
  const versions = async (): Promise<Record<string, number>> => (await (await fetch("api/status")).json()).own;
  let seen: Record<string, number> | undefined;
  for (;; await new Promise((resolve) => setTimeout(resolve, 500)))
    try {
      const now = await versions();
      const isSaved = seen && now[name()] !== seen[name()];
      seen = now;
      if (isSaved) await onSave();
    } catch {
      // the server is away, which the next run says
    }
}

export async function scenarioText(name: string): Promise<string> {
  const answer = await ask(`api/scenario/${encodeURIComponent(name)}`);
  if (!answer.ok) throw new ApiError((await answer.json()).error.message);
  return (await answer.json()).text;
}

export async function run(request: RunRequest, signal?: AbortSignal): Promise<{ scene: Scene; run: Run }> {
  const answer = await (await post("api/run", request, signal)).json();
  if (answer.error) throw new ApiError(answer.error.message, answer.error.line, answer.error.column);
  return answer;
}

/// The run as a report has it, with all frames; of the engine alone.
export async function reportOf(request: RunRequest, signal?: AbortSignal): Promise<RunDocument> {
  return (await post("api/report", request, signal)).json();
}

export async function file(kind: "report" | "csv", request: RunRequest): Promise<Blob> {
  const answer = await post(`api/${kind}`, request);
  // The engine gives what the report holds; the page around it is this one.
  if (engine && kind === "report") return new Blob([pageWith(await answer.json())], { type: "text/html" });
  return answer.blob();
}

export interface SweepChunk {
  done: number;
  total: number;
  from: number;
  values: (number | null)[];
}

/// Runs a sweep; values come in as they are found, in the order x fastest.
export async function sweep(
  request: RunRequest & { vary: Axis[]; output: string },
  onChunk: (chunk: SweepChunk) => void,
  signal: AbortSignal,
): Promise<void> {
  const answer = await post("api/sweep", request, signal);
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.trim()) continue;
      const chunk = JSON.parse(line);
      if (chunk.error) throw new ApiError(chunk.error.message);
      onChunk(chunk);
    }
    if (done) return;
  }
}
