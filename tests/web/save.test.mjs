// Files out of every page: pictures, films, data.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { spawnSync } from "node:child_process";
import { makeFolder, makeReport, openBrowser, openPage, testFolder, thud } from "./helper.mjs";

let browser, place, report;

before(async () => {
  place = makeFolder();
  report = makeReport(place.folder, "free_link.html", "run", "free_link", "--quiet").url;
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  place?.remove();
});

const open = (url = report) => openPage(browser, url, { acceptDownloads: true });

async function save(page, menu, label) {
  await page.click(menu);
  const [file] = await Promise.all([page.waitForEvent("download", { timeout: 60_000 }), page.click(`${menu}-list button:has-text("${label}")`)]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}
const pngSize = (b) => [b.readUInt32BE(16), b.readUInt32BE(20)];

/// Draws a file on a blank page; what its pixels are like.
async function rendered(bytes, type) {
  const { page, context } = await openPage(browser, "about:blank");
  const out = await page.evaluate(async ([data, type]) => {
    const image = new Image();
    image.src = `data:${type};base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const c = canvas.getContext("2d");
    c.drawImage(image, 0, 0);
    const pixels = new Uint32Array(c.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return { width: canvas.width, height: canvas.height, colours: new Set(pixels).size };
  }, [bytes.toString("base64"), type]);
  await context.close();
  return out;
}

test("the stage as PNG and SVG", async () => {
  const { page, context, trouble } = await open();
  await page.evaluate(() => window.thud.viewer.player.seek(0.8 * window.thud.viewer.player.end));
  const { width, height } = await page.evaluate(() => window.thud.viewer.stage.view());
  const png = await save(page, "#save-stage", "PNG");
  assert.equal(png.name, "free_link.png");
  assert.deepEqual(pngSize(png.bytes), [2 * width, 2 * height]);
  assert.ok((await rendered(png.bytes, "image/png")).colours > 50);
  const svg = await save(page, "#save-stage", "SVG");
  assert.equal(svg.name, "free_link.svg");
  const drawn = await rendered(svg.bytes, "image/svg+xml");
  assert.deepEqual([drawn.width, drawn.height], [width, height]);
  assert.ok(drawn.colours > 50);
  const text = svg.bytes.toString();
  assert.equal((text.match(/<g/g) ?? []).length, (text.match(/<\/g>/g) ?? []).length);
  assert.doesNotMatch(text, /NaN|undefined/);
  assert.match(text, / N</); // a force with its unit
  assert.deepEqual(trouble, []);
  await context.close();
});

test("plots and energy as PNG and SVG", async () => {
  const { page, context, trouble } = await open();
  for (const what of ["Plots", "Energy"]) {
    const png = await save(page, "#save-plots", `${what}, PNG`);
    assert.ok((await rendered(png.bytes, "image/png")).colours > 20);
    const svg = await save(page, "#save-plots", `${what}, SVG`);
    assert.ok((await rendered(svg.bytes, "image/svg+xml")).colours > 20);
    assert.match(svg.bytes.toString(), /time \[ms\]/);
    assert.doesNotMatch(svg.bytes.toString(), /NaN|undefined/);
  }
  assert.deepEqual(trouble, []);
  await context.close();
});

test("the data as CSV and JSON are those of the program", async () => {
  const { page, context } = await open();
  const { name, bytes } = await save(page, "#save-plots", "Data, CSV");
  assert.equal(name, "free_link.csv");
  const rows = bytes.toString().trim().split("\n").map((l) => l.split(","));
  const final = JSON.parse(thud("run", "free_link", "--json"));
  assert.equal(rows[0][0], "time [s]");
  const last = Object.fromEntries(rows[0].map((n, k) => [n.replace(/ \[.*/, ""), Number(rows.at(-1)[k])]));
  assert.ok(Math.abs(last.time - final.stop.time) < 1e-9 * final.stop.time);
  for (const observable of ["link.angle", "link.tip.depth", "energy.kinetic"])
    assert.ok(Math.abs(last[observable] - final.final[observable]) <= 1e-6 * Math.abs(final.final[observable]) + 1e-12, `${observable}: ${last[observable]}`);
  assert.ok(rows.every((r) => r.length === rows[0].length));
  const json = JSON.parse((await save(page, "#save-plots", "Data, JSON")).bytes);
  assert.equal(json.run.time.length, rows.length - 1);
  assert.equal(json.scene.name, "free_link");
  await context.close();
});

test("the data of a report of several runs are those of all", async () => {
  const several = makeReport(place.folder, "several.html", "run", "free_link", "--vary", "speed=1,2", "--quiet").url;
  const { page, context } = await open(several);
  const [head, ...rows] = (await save(page, "#save-plots", "Data, CSV")).bytes.toString().trim().split("\n").map((l) => l.split(","));
  assert.deepEqual(head.slice(0, 2), ["run", "time [s]"]);
  const { runs } = JSON.parse((await save(page, "#save-plots", "Data, JSON")).bytes);
  assert.equal(runs.length, 2);
  for (const { label, run } of runs) {
    const speed = Number(/[\d.]+/.exec(label)[0]);
    const alone = JSON.parse(thud("run", "free_link", "--set", `speed=${speed}`, "--json"));
    const own = rows.filter((r) => r[0] === label);
    assert.equal(own.length, run.time.length);
    assert.ok(Math.abs(Number(own.at(-1)[1]) - alone.stop.time) < 1e-9, `${label}: ${own.at(-1)}`);
  }
  await context.close();
});

test("the animation as GIF and as WebM", async () => {
  const { page, context, trouble } = await open();
  await page.selectOption("#speed", { label: "1/20" }); // 28 ms at a twentieth: half a second
  const gif = await save(page, "#save-stage", "GIF");
  assert.equal(gif.bytes.subarray(0, 6).toString(), "GIF89a");
  // Every frame is decoded by the browser, and is what the stage draws then but for the rounding of colours.
  const film = await page.evaluate(async (data) => {
    const decoder = new ImageDecoder({ type: "image/gif", data: Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) });
    await decoder.completed;
    await decoder.tracks.ready;
    const { stage, player } = window.thud.viewer;
    const count = decoder.tracks.selectedTrack.frameCount;
    const { width, height } = stage.view();
    const differences = [];
    for (let frameIndex = 0; frameIndex < count; ++frameIndex) {
      const { image } = await decoder.decode({ frameIndex });
      const [w, h] = [image.displayWidth, image.displayHeight];
      const pixels = (draw) => {
        const c = new OffscreenCanvas(w, h).getContext("2d");
        draw(c);
        return c.getImageData(0, 0, w, h).data;
      };
      const [a, b] = [pixels((c) => c.drawImage(image, 0, 0)), pixels((c) => (c.scale(w / width, h / height), stage.paint(c, width, height, (player.end * frameIndex) / (count - 1))))];
      differences.push(a.reduce((sum, v, k) => sum + Math.abs(v - b[k]), 0) / a.length);
    }
    return { count, differences };
  }, gif.bytes.toString("base64"));
  assert.ok(film.count >= 8 && film.count <= 14, `${film.count} frames`);
  assert.ok(Math.max(...film.differences) < 4, `of 255, on average: ${film.differences}`);
  const { page: blank, context: other } = await openPage(browser, "about:blank");
  const webm = await save(page, "#save-stage", "WebM");
  assert.equal(webm.bytes.readUInt32BE(0), 0x1a45dfa3);
  const size = await blank.evaluate(async (data) => {
    const video = document.createElement("video");
    video.src = `data:video/webm;base64,${data}`;
    await new Promise((resolve, reject) => ((video.onloadeddata = resolve), (video.onerror = () => reject(new Error("not a film")))));
    return [video.videoWidth, video.videoHeight];
  }, webm.bytes.toString("base64"));
  assert.ok(size[0] > 300 && size[1] > 200, size.join("×"));
  await other.close();
  assert.deepEqual(trouble, []);
  await context.close();
});

test("menus are worked from the keyboard and close again", async () => {
  const { page, context } = await open();
  await page.focus("#save-stage");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute("#save-stage", "aria-expanded"), "true");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Picture, SVG");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#save-stage-list"), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), "save-stage");
  await page.click("#save-stage");
  await page.mouse.click(5, 5);
  assert.equal(await page.isVisible("#save-stage-list"), false);
  await context.close();
});

test("reports of studies give their maps and data away, too", async () => {
  const tables = makeReport(place.folder, "tables.html", "reproduce", "marghitu2013");
  let { page, context } = await open(tables.url);
  const rows = (await save(page, "#save-data", "CSV")).bytes.toString().trim().split("\n");
  assert.match(rows[0], /^table,row,settings,result,unit,published,computed/);
  assert.ok(rows.length > 5);
  await context.close();

  const study = join(place.folder, "map.toml");
  spawnSync("sh", ["-c", `sed 's/count = 36/count = 6/; s/count = 31/count = 5/' "$1/../../studies/free_link_map.toml" > "$2"`, "sh", testFolder, study]);
  const sweep = makeReport(place.folder, "sweep.html", "sweep", study, "--out", join(place.folder, "map.h5"), "--quiet");
  ({ page, context } = await open(sweep.url));
  assert.equal((await save(page, "#save-data", "CSV")).bytes.toString().trim().split("\n").length, 31);
  assert.equal(JSON.parse((await save(page, "#save-data", "JSON")).bytes).columns.length > 2, true);
  assert.ok((await rendered((await save(page, "#save-map-1", "SVG")).bytes, "image/svg+xml")).colours > 20);
  assert.equal((await save(page, "#save-map-1", "CSV")).bytes.toString().trim().split("\n").length, 31);
  await context.close();
});
