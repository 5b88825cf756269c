// What stands still on the stage: grid, beds, walls, anchors, the scale bar.
import { View, toScreen } from "./camera";
import { Bed, Scene } from "./data";
import { Pose, place } from "./geometry";
import { Rect } from "./labels";
import { Grains, Pen, Point, fillWithGrains, trace } from "./pen";
import { colour } from "./theme";
import { quantity, roundDown, ticks } from "./units";

export function drawGround(pen: Pen, view: View, scene: Scene): void {
  pen.fillStyle = colour("sky");
  pen.fillRect(0, 0, view.width, view.height);
  drawGrid(pen, view);
  for (const bed of scene.beds) drawBed(pen, view, bed);
  for (const wall of scene.walls) if (wall.body === undefined) drawWall(pen, view, wall.x, wall.z, wall.slope);
  for (const body of scene.bodies) if (body.anchor && !body.line) drawAnchor(pen, view, body.anchor[0], body.anchor[1]);
}

function drawGrid(pen: Pen, view: View): void {
  pen.strokeStyle = colour("grid");
  pen.lineWidth = 1;
  const span = Math.max(view.width, view.height) / view.scale;
  const step = ticks(0, span, 10)[1] ?? span;
  const from = (v: number) => Math.ceil(v / step) * step;
  const [x0, z0] = [-view.offset[0] / view.scale, -view.offset[1] / view.scale];
  pen.beginPath();
  for (let x = from(x0); x < x0 + view.width / view.scale; x += step) {
    const px = Math.round(toScreen(view, x, 0)[0]) + 0.5;
    pen.moveTo(px, 0);
    pen.lineTo(px, view.height);
  }
  for (let z = from(z0); z < z0 + view.height / view.scale; z += step) {
    const pz = Math.round(toScreen(view, 0, z)[1]) + 0.5;
    pen.moveTo(0, pz);
    pen.lineTo(view.width, pz);
  }
  pen.stroke();
}

/// The place of a line nearest to the middle of the picture, and how far the line is seen from there: numbers stay small
/// however far the view is zoomed.
function along(view: View, x: number, z: number, slope: number): { at: Point; tangent: Point; reach: number } {
  const [px, py] = toScreen(view, x, z);
  const tangent: Point = [Math.cos(slope), Math.sin(slope)];
  const t = (view.width / 2 - px) * tangent[0] + (view.height / 2 - py) * tangent[1];
  return { at: [px + t * tangent[0], py + t * tangent[1]], tangent, reach: view.width + view.height };
}

/// What is below the surface of a bed, down to its bottom.
export function bedOutline(view: View, bed: Bed): Point[] {
  const { at, tangent, reach } = along(view, bed.x, bed.z, bed.slope);
  const normal: Point = [-tangent[1], tangent[0]];
  // Far above or below, the surface is of no matter.
  const distance = (view.width / 2 - at[0]) * normal[0] + (view.height / 2 - at[1]) * normal[1];
  const up = Math.max(0, distance - 2 * reach);
  const deep = Math.min(bed.depth === null ? Infinity : bed.depth * view.scale, distance + 2 * reach);
  const corner = (t: number, n: number): Point => [at[0] + t * tangent[0] + n * normal[0], at[1] + t * tangent[1] + n * normal[1]];
  if (deep < up) return [];
  return [corner(-reach, up), corner(reach, up), corner(reach, deep), corner(-reach, deep)];
}

let grains: (Grains & { made: string }) | undefined;

// Always the same ones, in the colours of the theme.
function getGrains(): Grains {
  // At the resolution of the screen: a picture that need not be scaled is filled in a tenth of the time.
  const ratio = Math.min(2, devicePixelRatio || 1);
  const made = colour("grain-dark") + colour("grain-light") + ratio;
  if (grains?.made === made) return grains;
  const tile = 256;
  const dots: Grains["dots"] = [];
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (const tone of ["grain-light", "grain-dark"])
    for (let k = 0; k < (tile * tile) / 220; ++k) dots.push({ x: 2 + random() * (tile - 4), y: 2 + random() * (tile - 4), r: 0.4 + 0.8 * random(), colour: colour(tone) });
  const picture = document.createElement("canvas");
  picture.width = picture.height = ratio * tile;
  const c = picture.getContext("2d")!;
  c.scale(ratio, ratio);
  for (const d of dots) {
    c.fillStyle = d.colour;
    c.beginPath();
    c.arc(d.x, d.y, d.r, 0, 7);
    c.fill();
  }
  grains = { made, tile, dots, picture };
  return grains;
}

function drawBed(pen: Pen, view: View, bed: Bed): void {
  const outline = bedOutline(view, bed);
  if (!outline.length) return;
  trace(pen, outline, true);
  pen.fillStyle = colour("sand");
  pen.fill();
  const [ox, oy] = toScreen(view, bed.x, bed.z);
  fillWithGrains(pen, getGrains(), Math.round(ox % 256), Math.round(oy % 256));
  const { at, tangent, reach } = along(view, bed.x, bed.z, bed.slope);
  pen.strokeStyle = colour("sand-edge");
  pen.lineWidth = 1.5;
  trace(pen, [-reach, reach].map((t): Point => [at[0] + t * tangent[0], at[1] + t * tangent[1]]));
  pen.stroke();
}

const thickness = 8; // of walls, in pixels

function drawWall(pen: Pen, view: View, x: number, z: number, slope: number): void {
  const { at, reach } = along(view, x, z, slope);
  const [px, py] = toScreen(view, x, z);
  const slide = ((at[0] - px) * Math.cos(slope) + (at[1] - py) * Math.sin(slope)) % 9; // hatching stays with the wall
  pen.save();
  pen.translate(at[0], at[1]);
  pen.rotate(slope);
  pen.fillStyle = colour("wall");
  pen.fillRect(-reach, 0, 2 * reach, thickness);
  pen.strokeStyle = colour("wall-edge");
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(-reach, 0);
  pen.lineTo(reach, 0);
  for (let k = -9 * Math.ceil(reach / 9) - slide; k < reach; k += 9) {
    pen.moveTo(k + thickness, 0);
    pen.lineTo(k, thickness);
  }
  pen.stroke();
  pen.restore();
}

/// Walls that bodies carry.
export function drawRidingWalls(pen: Pen, view: View, scene: Scene, poses: Pose[]): void {
  for (const wall of scene.walls) {
    if (wall.body === undefined) continue;
    const pose = poses[wall.body];
    const [x, z] = place(pose, wall.z, wall.x);
    drawWall(pen, view, x, z, wall.slope - Math.atan2(pose.sin, pose.cos));
  }
}

function drawAnchor(pen: Pen, view: View, x: number, z: number): void {
  const [px, py] = toScreen(view, x, z);
  pen.fillStyle = colour("wall");
  pen.strokeStyle = colour("wall-edge");
  pen.lineWidth = 1.25;
  trace(pen, [[px, py], [px - 9, py - 14], [px + 9, py - 14]], true);
  pen.fill();
  pen.stroke();
  pen.beginPath();
  pen.moveTo(px - 14, py - 14);
  pen.lineTo(px + 14, py - 14);
  for (let k = -12; k <= 12; k += 6) {
    pen.moveTo(px + k, py - 14);
    pen.lineTo(px + k + 5, py - 19);
  }
  pen.stroke();
}

/// Whether a rectangle of the picture touches sand or a wall.
export function isOnGround(view: View, scene: Scene, box: Rect): boolean {
  const corners: Point[] = [[box.left, box.top], [box.right, box.top], [box.left, box.bottom], [box.right, box.bottom]];
  const depths = (x: number, z: number, slope: number) => {
    const [px, py] = toScreen(view, x, z);
    return corners.map(([cx, cy]) => (cy - py) * Math.cos(slope) - (cx - px) * Math.sin(slope));
  };
  return (
    scene.beds.some((b) => {
      const d = depths(b.x, b.z, b.slope);
      return Math.max(...d) > 0 && (b.depth === null || Math.min(...d) < b.depth * view.scale);
    }) ||
    scene.walls.some((w) => {
      if (w.body !== undefined) return false;
      const d = depths(w.x, w.z, w.slope);
      return Math.max(...d) > -2 && Math.min(...d) < thickness + 2;
    })
  );
}

/// A place for a note: in a corner that is free of sand and walls, where there is one.
export function freeCorner(view: View, scene: Scene, w: number, h: number, taken: Rect[]): Rect {
  const place = (x: number, y: number): Rect => ({ left: x, top: y, right: x + w, bottom: y + h });
  const [right, bottom] = [view.width - 7 - w, view.height - 7 - h];
  const places = [place(7, bottom), place(right, bottom), place(right, 50), place(7, 40), place(view.width / 2 - w / 2, bottom), place(view.width / 2 - w / 2, 8)];
  const free = places.filter((p) => !taken.some((t) => p.left < t.right && t.left < p.right && p.top < t.bottom && t.top < p.bottom));
  return free.find((p) => !isOnGround(view, scene, p)) ?? free[0] ?? places[0];
}

/// Returns where it stands.
export function drawScaleBar(pen: Pen, view: View, scene: Scene, taken: Rect[]): Rect {
  const length = roundDown(Math.min(140, 0.3 * view.width) / view.scale);
  const wide = length * view.scale;
  const text = quantity(length, "m", 3);
  pen.font = "12px system-ui, sans-serif";
  const [w, h] = [Math.max(wide, pen.measureText(text).width + 10) + 14, 29];
  const box = freeCorner(view, scene, w, h, taken);
  const [x, y] = [box.left + 7, box.bottom - 7];
  pen.globalAlpha = 0.85;
  pen.fillStyle = colour("sky");
  pen.fillRect(box.left, box.top, w, h);
  pen.globalAlpha = 1;
  pen.strokeStyle = pen.fillStyle = colour("ink");
  pen.lineWidth = 1.5;
  trace(pen, [[x, y - 4], [x, y], [x + wide, y], [x + wide, y - 4]]);
  pen.stroke();
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  pen.fillText(text, x + 5, y - 4);
  return box;
}
