// The time that plots show, and the instant that is pointed at: one for all plots of a page.
export class TimeWindow {
  end = 0;
  /// The instant under the pointer [s].
  hover?: number;
  private from = 0;
  private to = Infinity;
  private ranges = new Set<() => void>();
  private hovers = new Set<() => void>();

  onRange(listener: () => void): void {
    this.ranges.add(listener);
  }
  onHover(listener: () => void): void {
    this.hovers.add(listener);
  }

  range(): [number, number] {
    return this.isWhole() ? [0, this.end || 1] : [this.from, Math.min(this.to, Math.max(this.end, this.from * (1 + 1e-9)) || 1)];
  }

  isWhole(): boolean {
    return this.from <= 0 && this.to >= this.end;
  }

  show(from: number, to: number): void {
    const least = 1e-6 * this.end;
    const span = Math.min(this.end, Math.max(least, to - from));
    this.from = Math.min(this.end - span, Math.max(0, from));
    this.to = span >= this.end ? Infinity : this.from + span;
    for (const listener of this.ranges) listener();
  }

  showAll(): void {
    this.show(0, this.end);
  }

  /// `at` stays where it is.
  zoom(factor: number, at: number): void {
    const [from, to] = this.range();
    this.show(at - (at - from) / factor, at + (to - at) / factor);
  }

  pan(by: number): void {
    const [from, to] = this.range();
    if (!this.isWhole()) this.show(from + by, to + by);
  }

  point(t?: number): void {
    if (t === this.hover) return;
    this.hover = t;
    for (const listener of this.hovers) listener();
  }

  /// A run of another length: a part that is shown stays as long as there is something in it.
  setEnd(end: number): void {
    this.end = end;
    if (this.from >= end) this.from = 0;
    if (this.to >= end) this.to = Infinity;
  }
}
