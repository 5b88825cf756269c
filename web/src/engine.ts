// The engine inside the page: WebAssembly in a worker that answers the requests of the server (docs/guide/web-api.md).
import { ApiError } from "./api";

export interface ServedScenario {
  name: string;
  title: string;
  about: string;
  text: string;
}

interface Answer {
  id: number;
  status: number;
  text: string;
  done: boolean;
}

const most_seconds = 60;

// Runs in the worker, which has nothing of this file but this function.
function work(): void {
  let engine: Record<string, CallableFunction> & { memory: WebAssembly.Memory };
  const put = (text: string): number => {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const at = engine.malloc(bytes.length) as number;
    new Uint8Array(engine.memory.buffer).set(bytes, at);
    return at;
  };
  const ask = (path: string, body: string): { status: number; text: string } => {
    const places = [put(path), put(body)];
    const status = engine.thud_answer(...places) as number;
    places.forEach((p) => engine.free(p));
    return { status, text: new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.thud_text(), engine.thud_size())) };
  };
  self.onmessage = async ({ data }) => {
    const { id, module, path, body } = data;
    const tell = (answer: { status: number; text: string }, done = true) => self.postMessage({ id, done, ...answer });
    try {
      if (module) {
        // All that it asks of its surroundings is the time; it opens and prints nothing.
        const clock = (_: number, __: bigint, place: number) => {
          new DataView(engine.memory.buffer).setBigUint64(place, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        };
        const refusals: Record<string, CallableFunction> = { env: () => -38, wasi_snapshot_preview1: () => 8 }; // no such call; no such file
        const outside: Record<string, Record<string, CallableFunction>> = {};
        for (const { module: from, name } of WebAssembly.Module.imports(module)) (outside[from] ??= {})[name] = name === "clock_time_get" ? clock : refusals[from];
        engine = (await WebAssembly.instantiate(module as WebAssembly.Module, outside as WebAssembly.Imports)).exports as unknown as typeof engine;
        engine._initialize();
      }
      let answer = ask(path, body);
      if (path === "api/sweep" && answer.status === 200) {
        for (answer = ask("api/sweep/next", ""); answer.text && answer.status === 200; answer = ask("api/sweep/next", "")) tell(answer, false);
      }
      tell(answer);
    } catch (e) {
      tell({ status: 500, text: JSON.stringify({ error: { message: `the engine failed: ${e}` } }) });
    }
  };
}

/// Answers as fetch does. One request at a time; a request that is given up ends with its worker.
export class Engine {
  private worker?: Worker;
  private module: Promise<WebAssembly.Module>;
  private last: Promise<unknown> = Promise.resolve();
  private count = 0;

  constructor(
    packed: string,
    private library: ServedScenario[],
  ) {
    this.module = unpack(packed).then((bytes) => WebAssembly.compile(bytes));
    this.module.catch(() => {}); // told to who asks
  }

  /// A response as from the server. The body of a sweep comes in line by line.
  fetch(path: string, init: { body?: string; signal?: AbortSignal } = {}): Promise<Response> {
    const answer = this.last.then(() => this.answer(path, init));
    this.last = answer.then(({ ended }) => ended).catch(() => {});
    return answer.then(({ response }) => response);
  }

  private async start(): Promise<Worker> {
    const module = await this.module.catch((e) => {
      throw new ApiError(`This browser cannot run the engine of this page: ${e}`);
    });
    const address = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    const { response } = this.post(this.worker, { module, path: "library", body: JSON.stringify(this.library) }, {});
    await response;
    return this.worker;
  }

  private stop(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }

  private async answer(path: string, init: { body?: string; signal?: AbortSignal }): Promise<{ response: Response; ended: Promise<void> }> {
    init.signal?.throwIfAborted();
    const worker = this.worker ?? (await this.start());
    const { response, ended } = this.post(worker, { path: decodeURIComponent(path), body: init.body ?? "" }, init);
    return { response: await response, ended };
  }

  private post(worker: Worker, request: object, { signal }: { signal?: AbortSignal }): { response: Promise<Response>; ended: Promise<void> } {
    const id = ++this.count;
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const response = new Promise<Response>((resolve, reject) => {
      let lines: ReadableStreamDefaultController<Uint8Array> | undefined;
      const text = new TextEncoder();
      const finish = () => {
        clearTimeout(clock);
        worker.removeEventListener("message", hear);
        signal?.removeEventListener("abort", giveUp);
        end();
      };
      const fail = (e: unknown) => {
        finish();
        this.stop();
        lines?.error(e);
        reject(e);
      };
      const giveUp = () => fail(signal!.reason);
      const late = () => fail(new ApiError(`This takes longer than ${most_seconds} s, the most that a page computes at a time.`));
      let clock = setTimeout(late, 1000 * most_seconds);
      const hear = ({ data }: MessageEvent<Answer>) => {
        if (data.id !== id) return;
        if (data.done) finish();
        if (!data.done && !lines) {
          const stream = new ReadableStream<Uint8Array>({ start: (c) => void (lines = c) });
          resolve(new Response(stream));
        }
        if (!lines) return resolve(new Response(data.text, { status: data.status }));
        lines.enqueue(text.encode(data.text + (data.status === 200 ? "" : "\n")));
        if (data.done) return lines.close();
        clearTimeout(clock);
        clock = setTimeout(late, 1000 * most_seconds);
      };
      worker.addEventListener("message", hear);
      signal?.addEventListener("abort", giveUp);
      worker.postMessage({ id, ...request });
    });
    return { response, ended };
  }
}

/// From base64 and gzip.
async function unpack(packed: string): Promise<ArrayBuffer> {
  const letters = atob(packed.trim());
  const bytes = Uint8Array.from(letters, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
