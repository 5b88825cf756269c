// Which part of the world the stage shows.
import { Box } from "./geometry";
import { Point } from "./pen";

const most_zoom = 2000;
const least_zoom = 0.05;

/// From the world to a picture of some size.
export interface View {
  width: number;
  height: number;
  scale: number;
  offset: Point;
}

export const toScreen = (view: View, x: number, z: number): Point => [view.offset[0] + view.scale * x, view.offset[1] + view.scale * z];

/// A box that is to be seen, and what the reader has done to the view since.
export class Camera {
  box: Box = { left: 0, right: 1, top: 0, bottom: 1 };
  /// Times the scale at which the box fits.
  zoom = 1;
  /// A body that stays where it is in the picture, or −1.
  follow = -1;
  private shift: Point = [0, 0]; // of the middle, in the world

  isFit(): boolean {
    return this.zoom === 1 && this.shift[0] === 0 && this.shift[1] === 0 && this.follow < 0;
  }

  fit(): void {
    this.zoom = 1;
    this.shift = [0, 0];
    this.follow = -1;
  }

  /// `target`: where the body that is followed is now.
  view(width: number, height: number, target?: Point): View {
    const { left, right, top, bottom } = this.box;
    const scale = this.zoom * Math.min(width / (right - left), height / (bottom - top));
    const middle = this.follow >= 0 && target ? target : [(left + right) / 2, (top + bottom) / 2];
    return { width, height, scale, offset: [width / 2 - scale * (middle[0] + this.shift[0]), height / 2 - scale * (middle[1] + this.shift[1])] };
  }

  /// What is at `at` [pixels] stays there.
  zoomBy(factor: number, view: View, at: Point = [view.width / 2, view.height / 2]): void {
    const zoom = Math.min(most_zoom, Math.max(least_zoom, this.zoom * factor));
    const real = zoom / this.zoom;
    const from: Point = [(at[0] - view.width / 2) / view.scale, (at[1] - view.height / 2) / view.scale];
    this.zoom = zoom;
    this.shift = [this.shift[0] + from[0] * (1 - 1 / real), this.shift[1] + from[1] * (1 - 1 / real)];
    if (Math.abs(this.zoom - 1) < 1e-9) this.zoom = 1;
  }

  panBy(dx: number, dy: number, view: View): void {
    this.shift = [this.shift[0] - dx / view.scale, this.shift[1] - dy / view.scale];
  }

  followBody(body: number): void {
    this.follow = body;
    this.shift = [0, 0];
  }
}
