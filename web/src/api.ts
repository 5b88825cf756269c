// The JSON API of the server (docs/guide/web-api.md).
import { Run, Scene } from "./data";

export interface LibraryEntry {
  name: string;
  title: string;
  about: string;
  /// A file of the reader's own, which the server watches.
  own?: boolean;
}

export interface RunRequest {
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

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
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
  const answer = await fetch("api/library");
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
  const answer = await fetch(`api/scenario/${encodeURIComponent(name)}`);
  if (!answer.ok) throw new ApiError((await answer.json()).error.message);
  return (await answer.json()).text;
}

export async function run(request: RunRequest, signal?: AbortSignal): Promise<{ scene: Scene; run: Run }> {
  const answer = await (await post("api/run", request, signal)).json();
  if (answer.error) throw new ApiError(answer.error.message, answer.error.line, answer.error.column);
  return answer;
}

export async function file(kind: "report" | "csv", request: RunRequest): Promise<Blob> {
  return (await post(`api/${kind}`, request)).blob();
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
