// Reports of several runs, and pictures from the terminal.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { makeFolder, makeReport, openBrowser, openPage, program, thud, waitFor } from "./helper.mjs";

let browser, place, blank;

before(async () => {
  place = makeFolder();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  place?.remove();
});

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);

test("runs that differ in a knob stand beside each other in one report", async () => {
  const report = makeReport(place.folder, "family.html", "run", "free_link", "--vary", "speed=1,2,3", "--quiet");
  const { page, context, trouble } = await openPage(browser, report.url);
  assert.deepEqual(await page.$$eval(".results thead th", (all) => all.map((e) => e.textContent)), ["speed 1 m/s", "speed 2 m/s", "speed 3 m/s"]);
  const row = async () => (await page.$$eval(".results tbody tr:first-child td.number", (all) => all.map((e) => e.textContent))).map(parseFloat);
  const single = (speed) => Number((1000 * JSON.parse(thud("run", "free_link", "--set", `speed=${speed}`, "--json")).results.t_z).toPrecision(6));
  const values = await row();
  [1, 2, 3].forEach((speed, k) => near(values[k], single(speed), 1e-4, `t_z in ms at ${speed} m/s`));
  // All are in the plots and on the stage by their names; the others are behind.
  assert.deepEqual(await page.$$eval(".plot-row:first-child .pin-name", (all) => all.map((e) => e.textContent)), ["speed 2 m/s", "speed 3 m/s"]);
  assert.deepEqual(await page.$$eval(".stage-legend li", (all) => all.map((e) => e.textContent)), ["speed 2 m/s", "speed 3 m/s"]);
  // The legend stands below the picture, and covers nothing of it.
  const [picture, legend] = await Promise.all([".stage-canvas", ".stage-legend"].map((s) => page.locator(s).boundingBox()));
  assert.ok(legend.y >= picture.y + picture.height && legend.height > 10, JSON.stringify({ picture, legend }));
  // Another one to the front: its colour is its own still.
  const colour = () => page.$$eval(".results thead .swatch", (all) => Object.fromEntries(all.map((e) => [e.parentElement.textContent, e.style.background])));
  const colours = await colour();
  await page.check("#run-2");
  assert.deepEqual(await page.$$eval(".results thead th", (all) => all.map((e) => e.textContent)), ["speed 3 m/s", "speed 1 m/s", "speed 2 m/s"]);
  assert.deepEqual(await colour(), colours);
  near((await row())[0], single(3), 1e-4, "t_z of the run in front");
  assert.match(await page.textContent(".knob-table"), /speed3 m\/s/);
  near(await page.evaluate(() => window.thud.viewer.player.end), JSON.parse(thud("run", "free_link", "--set", "speed=3", "--json")).stop.time, 1e-9, "end");
  assert.deepEqual(trouble, []);
  await context.close();
});

test("twelve runs of two knobs, on a phone, and the same bytes again", async () => {
  const list = (f) => Array.from({ length: 12 }, (_, k) => f(k)).join(",");
  const words = ["run", "free_link", "--vary", `speed=${list((k) => 1 + k / 4)}`, "--vary", `angle=${list((k) => `${10 + 5 * k} deg`)}`, "--quiet"];
  const report = makeReport(place.folder, "twelve.html", ...words);
  const again = makeReport(place.folder, "again.html", ...words);
  assert.equal(spawnSync("cmp", [report.file, again.file]).status, 0);
  assert.ok(statSync(report.file).size < 9e6, `${statSync(report.file).size} bytes`);
  const { page, context, trouble } = await openPage(browser, report.url, { viewport: { width: 360, height: 700 } });
  assert.equal(await page.locator(".run-choice label").count(), 12);
  assert.equal(new Set(await page.$$eval(".run-choice .swatch", (all) => all.map((e) => e.style.background))).size, 12);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.equal(await page.isVisible(".stage-legend"), false); // twelve names are in the plots, and above
  assert.deepEqual(trouble, []);
  await context.close();
});

test("several scenarios stand in one report by their names", async () => {
  const report = makeReport(place.folder, "both.html", "run", "cube", "sphere", "--quiet");
  const { page, context, trouble } = await openPage(browser, report.url);
  assert.deepEqual(await page.$$eval(".run-choice label", (all) => all.map((e) => e.textContent)), ["cube", "sphere"]);
  // A cube is drawn as one.
  assert.deepEqual(await page.evaluate(() => JSON.parse(document.getElementById("thud-data").textContent).runs.map((r) => r.scene.bodies[0].lines[0].points.length)), [4, 50]);
  for (const [k, name, title] of [[1, "sphere", /title = "Sphere thrown/], [0, "cube", /title = "Cube dropped/]]) {
    await page.check(`#run-${k}`);
    near(await page.evaluate(() => window.thud.viewer.player.end), JSON.parse(thud("run", name, "--json")).stop.time, 1e-9, name);
    assert.match(await page.textContent(".source"), title);
    // What is plotted of the one in front is plotted of the body of the other, too, under its values.
    const curves = await page.evaluate(() => window.thud.viewer.plots.entries.map((e) => e.plot.content.curves.length));
    assert.ok(curves.length > 0 && curves.every((n) => n === 2), `${name}: ${curves}`);
    assert.doesNotMatch(await page.textContent(".plot-pins"), /…/);
  }
  assert.deepEqual(trouble, []);
  await context.close();
});

/// Frames of a film or a picture as the browser decodes them.
async function decoded(bytes, type, pick) {
  // ImageDecoder wants a page of some origin.
  if (!blank) writeFileSync((blank = join(place.folder, "blank.html")), "<!doctype html><title>blank</title>");
  const { page, context } = await openPage(browser, `file://${blank}`);
  const out = await page.evaluate(
    async ([data, type, tone]) => {
      const decoder = new ImageDecoder({ type, data: Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) });
      await decoder.completed;
      await decoder.tracks.ready;
      const frames = [];
      const count = decoder.tracks.selectedTrack.frameCount;
      for (let frameIndex = 0; frameIndex < count; ++frameIndex) {
        const { image } = await decoder.decode({ frameIndex });
        const [w, h] = [image.displayWidth, image.displayHeight];
        const c = new OffscreenCanvas(w, h).getContext("2d");
        c.drawImage(image, 0, 0);
        const pixels = c.getImageData(0, 0, w, h).data;
        let [sum, sx, sy] = [0, 0, 0];
        const colours = new Set();
        for (let i = 0; i < pixels.length; i += 4) {
          colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
          const off = Math.abs(pixels[i] - tone[0]) + Math.abs(pixels[i + 1] - tone[1]) + Math.abs(pixels[i + 2] - tone[2]);
          if (off > 24) continue;
          ++sum;
          sx += (i / 4) % w;
          sy += Math.floor(i / 4 / w);
        }
        frames.push({ width: w, height: h, colours: colours.size, count: sum, x: sx / sum, y: sy / sum, duration: image.duration / 1e6 });
      }
      return frames;
    },
    [bytes.toString("base64"), type, pick],
  );
  await context.close();
  return out;
}

test("thud run --gif: the ball falls as it should, in every frame", async () => {
  const file = join(place.folder, "ball.gif");
  assert.match(thud("run", "bouncing_ball", "--gif", file), /Wrote .*ball\.gif/);
  const bytes = readFileSync(file);
  assert.ok(bytes.length < 3e6, `${bytes.length} bytes`);
  const frames = await decoded(bytes, "image/gif", [0x5d, 0x73, 0x89]);
  assert.ok(frames.length > 40 && frames.length <= 240, `${frames.length} frames`);
  assert.ok(frames.every((f) => f.count > 20), "the ball is in all of them");
  // z = ½ g t² until it strikes, at √(2h/g), h = 1 m.
  const { stop } = JSON.parse(thud("run", "bouncing_ball", "--json"));
  const times = frames.map((_, k) => (stop.time * k) / (frames.length - 1));
  const falling = frames.map((f, k) => ({ ...f, t: times[k] })).filter((f) => f.t < Math.sqrt(2 / 9.81) * 0.98);
  assert.ok(falling.length > 4, `${falling.length} frames of the fall`);
  const last = falling.at(-1);
  const metre = (last.y - frames[0].y) / (0.5 * 9.81 * last.t ** 2); // pixels
  for (const f of falling) near((f.y - frames[0].y) / metre, 0.5 * 9.81 * f.t ** 2, 1.5 / metre, `fallen at ${f.t} s`);
  // It is watched as fast as it says: the frames last as long as the run, slowed.
  const said = spawnSync(program, ["run", "bouncing_ball", "--gif", file, "--quiet"], { encoding: "utf8" });
  assert.equal(said.stdout + said.stderr, "");
  assert.equal(Buffer.compare(readFileSync(file), bytes), 0); // the same bytes again
});

test("thud run --png: the figure of --svg in pixels", async () => {
  const [png, svg] = ["fig.png", "fig.svg"].map((f) => join(place.folder, f));
  thud("run", "free_link", "--png", png, "--svg", svg, "--vary", "speed=1,2", "--quiet");
  const size = readFileSync(svg, "utf8").match(/viewBox="0 0 ([\d.]+) ([\d.]+)"/).slice(1).map(Number);
  const [picture] = await decoded(readFileSync(png), "image/png", [0, 0x72, 0xb2]);
  near(picture.width, 2 * size[0], 1, "width");
  near(picture.height, 2 * size[1], 1, "height");
  assert.ok(picture.colours > 50 && picture.count > 200, JSON.stringify(picture));
  for (const scenario of ["biped_drop", "elastic_free_link", "newtons_cradle", "five_bar_leg"]) {
    const gif = join(place.folder, `${scenario}.gif`);
    thud("run", scenario, "--gif", gif, "--quiet");
    const frames = await decoded(readFileSync(gif), "image/gif", [0x5d, 0x73, 0x89]);
    assert.ok(frames.length >= 2 && frames[0].colours > 8, scenario);
  }
});

test("pictures that cannot be written are refused before any work", () => {
  for (const [words, why] of [
    [["--gif", "/no/such/folder/x.gif"], /--gif \/no\/such.*No such file/],
    [["--png", place.folder], /Is a directory/],
    [["--gif", "x.gif", "--vary", "speed=1,2", "--svg", "x.svg"], /--gif: is for a single run, without --vary/],
    [["--vary", "speed=1,2"], /--report/],
    [["--vary", "speed=1,2", "--svg", "x.svg", "--impact-plane", "y.svg"], /--impact-plane/],
    [["sphere"], /sphere: a second scenario is for a report of both/],
    [["sphere", "--report", "x.html", "--json"], /--json: is for a single scenario/],
    [["no_such_one", "--report", "x.html"], /no_such_one/],
    [["free_link", "--report", "x.html"], /free_link: is given twice/],
  ]) {
    const done = spawnSync(program, ["run", "free_link", ...words], { encoding: "utf8", cwd: place.folder });
    assert.equal(done.status, 2, words.join(" "));
    assert.match(done.stderr, why);
  }
});
