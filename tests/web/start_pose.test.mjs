// Bodies are dragged to where they are to begin.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, startServer, waitFor } from "./helper.mjs";

let browser, server;

before(async () => {
  server = await startServer();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.child.kill("SIGKILL");
});

const open = async (scenario) => {
  const opened = await openPage(browser, `${server.address}#${scenario}`);
  await opened.page.waitForSelector("#stop:not(:empty)");
  return opened;
};
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);
/// Pose at the start, and the view: from the program's answer.
const start = (page, body) =>
  page.evaluate((name) => {
    const { viewer } = window.thud;
    const k = viewer.stage.bodies().indexOf(name);
    const pose = viewer.runs[0].run.poses[k];
    const { scale, offset } = viewer.stage.view();
    return { x: pose.x[0], z: pose.z[0], angle: pose.angle[0], scale, offset };
  }, body);
/// Drags what is at (s, n) of a body, in its own frame, by pixels; returns both places in the world.
async function drag(page, body, [s, n], [dx, dy], keys = []) {
  const p = await start(page, body);
  const box = await page.locator(".stage-canvas").boundingBox();
  const world = [p.x + s * Math.sin(p.angle) + n * Math.cos(p.angle), p.z + s * Math.cos(p.angle) - n * Math.sin(p.angle)];
  // Pointers are at whole pixels.
  const at = [Math.round(box.x + p.offset[0] + p.scale * world[0]), Math.round(box.y + p.offset[1] + p.scale * world[1])];
  const back = ([x, y]) => [(x - box.x - p.offset[0]) / p.scale, (y - box.y - p.offset[1]) / p.scale];
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(...at);
  await waitFor("the hand to show that it can be moved", () => page.$eval(".stage-canvas", (e) => e.classList.contains("movable")), 5);
  await page.mouse.down();
  await page.mouse.move(at[0] + dx, at[1] + dy, { steps: 8 });
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
  return { from: back(at), to: back([at[0] + dx, at[1] + dy]), before: p };
}
const angleOf = ([x, z], p) => Math.atan2(x - p.x, z - p.z);

test("a pinned link turns about its pin: the knob that says its angle turns with it", async () => {
  const { page, context, trouble } = await open("double_pendulum");
  const { from, to, before: p } = await drag(page, "link1", [0.1, 0], [60, -25]);
  const expected = p.angle + angleOf(to, p) - angleOf(from, p);
  await waitFor("the new start", async () => Math.abs((await start(page, "link1")).angle - expected) < 2e-4);
  near(Number(await page.inputValue("#knob-angle1")), (expected * 180) / Math.PI, 0.02, "the knob");
  assert.match(await page.evaluate(() => location.hash), /angle1=/);
  assert.doesNotMatch(await page.evaluate(() => location.hash), /~text/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test("where the text says a number, the text changes; a formula keeps its knobs", async () => {
  const { page, context } = await open("finger");
  const { from, to, before: p } = await drag(page, "proximal", [0.02, 0], [30, 20]);
  const expected = p.angle + angleOf(to, p) - angleOf(from, p);
  await waitFor("the new start", async () => Math.abs((await start(page, "proximal")).angle - expected) < 2e-4);
  const line = (await page.inputValue("#toml")).split("\n").find((l) => l.includes('"proximal.angle"'));
  near(parseFloat(line.match(/"([-\d.]+) deg"/)[1]), (expected * 180) / Math.PI, 1e-3, "in the text");
  await context.close();

  const ball = await open("bouncing_ball");
  const first = await drag(ball.page, "ball", [0, 0], [40, 30]);
  const wanted = [0, 1].map((k) => first.before["xz"[k]] + first.to[k] - first.from[k]);
  const isThere = async (w) => {
    const { x, z } = await start(ball.page, "ball");
    return Math.abs(x - w[0]) < 2e-5 && Math.abs(z - w[1]) < 2e-5;
  };
  await waitFor("the ball elsewhere", () => isThere(wanted));
  assert.match(await ball.page.inputValue("#toml"), /"ball\.z"\s*= "=\(-height - 0\.02\) \+ [\d.]+"/);
  // Once more, from there: what was added is added up.
  const second = await drag(ball.page, "ball", [0, 0], [-10, -20]);
  const again = [0, 1].map((k) => second.before["xz"[k]] + second.to[k] - second.from[k]);
  await waitFor("the ball once more", () => isThere(again));
  assert.equal((await ball.page.inputValue("#toml")).match(/"=\(+-height/g).length, 1);
  // The knob still does what it did.
  const z = (await start(ball.page, "ball")).z;
  const height = Number(await ball.page.inputValue("#knob-height"));
  await ball.page.fill("#knob-height", String(height / 2));
  await ball.page.dispatchEvent("#knob-height", "change");
  await waitFor("a lower start", async () => Math.abs((await start(ball.page, "ball")).z - z - height / 2) < 1e-4);
  await ball.context.close();
});

test("Shift turns a free body about the point that its place is given by", async () => {
  const { page, context } = await open("free_link");
  const { before: p } = await drag(page, "link", [-0.05, 0], [30, 0], ["Shift"]);
  await waitFor("another angle", async () => Math.abs((await start(page, "link")).angle - p.angle) > 0.02);
  const tip = await page.evaluate(() => [window.thud.viewer.runs[0].run.columns["link.tip.x"][0], window.thud.viewer.runs[0].run.columns["link.tip.z"][0]]);
  near(tip[0], 0, 1e-9, "the tip");
  near(tip[1], 0, 1e-9, "the tip");
  const { angle } = await start(page, "link");
  near(Number(await page.inputValue("#knob-angle")), (angle * 180) / Math.PI, 1e-3, "the knob");
  await context.close();
});

test("what a loop holds, and what is under way, cannot be moved: the view moves instead", async () => {
  const { page, context } = await open("five_bar_leg");
  const p = await start(page, "left_calf");
  const box = await page.locator(".stage-canvas").boundingBox();
  const at = [box.x + p.offset[0] + p.scale * (p.x + 0.02 * Math.sin(p.angle)), box.y + p.offset[1] + p.scale * (p.z + 0.02 * Math.cos(p.angle))];
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + 30, at[1], { steps: 3 });
  await page.mouse.up();
  const moved = await start(page, "left_calf");
  near(moved.offset[0] - p.offset[0], 30, 0.5, "the view");
  assert.equal(moved.angle, p.angle);
  await context.close();

  const swinging = await open("double_pendulum");
  await swinging.page.evaluate(() => window.thud.viewer.player.seek(0.5 * window.thud.viewer.player.end));
  const whole = await start(swinging.page, "link1");
  const canvas = await swinging.page.locator(".stage-canvas").boundingBox();
  await swinging.page.mouse.move(canvas.x + 100, canvas.y + 100);
  await swinging.page.mouse.down();
  await swinging.page.mouse.move(canvas.x + 130, canvas.y + 100, { steps: 3 });
  await swinging.page.mouse.up();
  near((await start(swinging.page, "link1")).offset[0] - whole.offset[0], 30, 0.5, "the view");
  await swinging.context.close();
});
