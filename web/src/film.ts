// The animation as a film, at the speed that is chosen for playing.
import { GifWriter, makePalette } from "./gif";
import { Pen } from "./pen";
import { Stage } from "./stage";

const gif = { rate: 20, most: 240, width: 640 };

/// Breathing space, so that the page answers meanwhile.
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function easel(stage: Stage, most: number): { canvas: HTMLCanvasElement; draw: (t: number) => void } {
  const { width, height } = stage.view();
  const scale = Math.min(1, most / width);
  const canvas = document.createElement("canvas");
  // Video wants even numbers.
  canvas.width = 2 * Math.floor((width * scale) / 2);
  canvas.height = 2 * Math.floor((height * scale) / 2);
  const c = canvas.getContext("2d", { willReadFrequently: true })!;
  return {
    canvas,
    draw: (t) => {
      c.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
      stage.paint(c as Pen, width, height, t);
    },
  };
}

/// From the start to the end of the run; the last frame stays for a second.
export async function makeGif(stage: Stage, end: number, speed: number, tell: (share: number) => void): Promise<Blob> {
  const { canvas, draw } = easel(stage, gif.width);
  const c = canvas.getContext("2d")!;
  const count = Math.max(2, Math.min(gif.most, Math.round((end / speed) * gif.rate)));
  const pixels = () => c.getImageData(0, 0, canvas.width, canvas.height).data;
  const samples = [0, 0.2, 0.4, 0.6, 0.8, 1].map((s) => (draw(s * end), pixels()));
  const writer = new GifWriter(canvas.width, canvas.height, makePalette(samples));
  const delay = Math.max(2, Math.round((100 * end) / speed / (count - 1)));
  for (let k = 0; k < count; ++k) {
    draw((end * k) / (count - 1));
    writer.add(pixels(), k === count - 1 ? 100 : delay);
    tell((k + 1) / count);
    await pause();
  }
  return writer.finish();
}

export const canRecord = (): boolean => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");

/// The browser records while it is played, so it takes as long as the film.
export async function makeWebm(stage: Stage, end: number, speed: number, tell: (share: number) => void): Promise<Blob> {
  const { canvas, draw } = easel(stage, 1280);
  draw(0);
  const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: "video/webm", videoBitsPerSecond: 6e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  const done = new Promise<void>((resolve) => (recorder.onstop = () => resolve()));
  recorder.start();
  const began = performance.now();
  for (;;) {
    await new Promise(requestAnimationFrame);
    const t = Math.min(end, ((performance.now() - began) / 1000) * speed);
    draw(t);
    tell(t / end);
    if (t >= end) break;
  }
  // The end stays for half a second, or until an encoder that lags behind has written something but its head.
  const size = () => parts.reduce((sum, part) => sum + part.size, 0);
  for (let k = 0; k < 2 || (k < 40 && size() < 1000); ++k) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    draw(end);
    recorder.requestData();
  }
  recorder.stop();
  await done;
  return new Blob(parts, { type: "video/webm" });
}
