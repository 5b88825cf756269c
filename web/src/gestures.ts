// Wheel, pinch, drag and double click on a picture.
import { Point } from "./pen";

export interface Gestures {
  /// False where there is nothing to zoom, so that the page scrolls instead.
  zoom(factor: number, at: Point): boolean;
  pan(dx: number, dy: number): void;
  /// One finger moves the picture instead of the page.
  holds(): boolean;
  reset(): void;
  /// Something at a place that can be dragged by itself.
  grab?(at: Point): Grip | undefined;
}

export interface Grip {
  move(at: Point, shift: boolean): void;
  end(): void;
}

let scrolled = -Infinity;
addEventListener("scroll", () => (scrolled = performance.now()), { passive: true, capture: true });

/// Whether a turn of the wheel belongs to a page that is being scrolled under the pointer.
export const isScrolling = (): boolean => performance.now() - scrolled < 250;

export const wheelFactor = (e: WheelEvent): number =>
  Math.exp(-Math.max(-60, Math.min(60, e.deltaY * (e.deltaMode === 1 ? 20 : 1))) * (e.ctrlKey ? 0.01 : 0.004));

export function addGestures(element: HTMLElement, g: Gestures): void {
  const fingers = new Map<number, Point>();
  const place = (e: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  const span = (): { middle: Point; distance: number } => {
    const [a, b] = [...fingers.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], distance: Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1])) };
  };
  element.addEventListener(
    "wheel",
    (e) => {
      if (isScrolling() && !e.ctrlKey) return;
      if (g.zoom(wheelFactor(e), place(e))) e.preventDefault();
    },
    { passive: false },
  );
  let grip: Grip | undefined;
  element.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    grip = fingers.size === 0 ? g.grab?.(place(e)) : undefined;
    fingers.set(e.pointerId, place(e));
    if (e.pointerType === "mouse" || g.holds() || grip) element.setPointerCapture(e.pointerId);
  });
  element.addEventListener("pointermove", (e) => {
    const old = fingers.get(e.pointerId);
    if (!old) return;
    const now = place(e);
    if (fingers.size === 1) {
      fingers.set(e.pointerId, now);
      if (grip) grip.move(now, e.shiftKey);
      else if (e.pointerType === "mouse" || g.holds()) g.pan(now[0] - old[0], now[1] - old[1]);
    } else if (fingers.size === 2) {
      const before = span();
      fingers.set(e.pointerId, now);
      const after = span();
      g.zoom(after.distance / before.distance, after.middle);
      g.pan(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
    }
  });
  // A finger on what can be dragged does not scroll the page.
  element.addEventListener("touchstart", (e) => e.touches.length === 1 && g.grab?.(place(e.touches[0] as unknown as MouseEvent)) && e.preventDefault(), { passive: false });
  for (const end of ["pointerup", "pointercancel"] as const)
    element.addEventListener(end, (e) => {
      fingers.delete(e.pointerId);
      grip?.end();
      grip = undefined;
    });
  element.addEventListener("dblclick", () => g.reset());
}
