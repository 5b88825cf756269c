// One clock for everything that shows a run.
import { RunEvent } from "./data";

export class Player {
  time = 0;
  end = 0;
  speed = 1;
  playing = false;
  events: RunEvent[] = [];
  private listeners = new Set<(t: number) => void>();
  private changes = new Set<() => void>();
  private last = 0;
  private request = 0;

  onTime(listener: (t: number) => void): void {
    this.listeners.add(listener);
  }
  /// Playing or not, another speed, another run.
  onChange(listener: () => void): void {
    this.changes.add(listener);
  }

  /// A new run: the cursor keeps its place, at the end it stays at the end.
  load(end: number, events: RunEvent[]): void {
    const wasAtEnd = this.end > 0 && this.time >= this.end;
    this.end = end;
    this.events = events;
    this.seek(wasAtEnd ? end : this.time);
    this.changed();
  }

  seek(t: number): void {
    this.time = Math.min(this.end, Math.max(0, t));
    for (const listener of this.listeners) listener(this.time);
  }

  play(): void {
    if (this.playing || !(this.end > 0)) return;
    if (this.time >= this.end) this.seek(0);
    this.playing = true;
    this.last = performance.now();
    this.request = requestAnimationFrame(this.tick);
    this.changed();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.request);
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /// To the next instant at which something happens, or the one before.
  step(direction: 1 | -1): void {
    this.pause();
    const small = 1e-9 * this.end;
    const times = [0, ...this.events.map((e) => e.time), this.end];
    const found =
      direction > 0 ? times.find((t) => t > this.time + small) : [...times].reverse().find((t) => t < this.time - small);
    this.seek(found ?? (direction > 0 ? this.end : 0));
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    const passed = Math.min(0.1, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    const next = this.time + passed * this.speed;
    this.seek(next);
    if (next >= this.end) {
      this.playing = false;
      this.changed();
    } else {
      this.request = requestAnimationFrame(this.tick);
    }
  };

  private changed(): void {
    for (const listener of this.changes) listener();
  }
}

export const speeds = [5, 2, 1, 1 / 2, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100, 1 / 200, 1 / 500, 1 / 1000];

export function speedName(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}`;
}

/// The speed at which a run lasts about five seconds.
export function suitSpeed(duration: number): number {
  const wanted = duration / 5;
  return speeds.find((s) => s <= Math.min(1, wanted) * 1.2) ?? speeds[speeds.length - 1];
}
