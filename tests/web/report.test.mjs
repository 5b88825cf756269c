// Reports as their readers meet them: opened from disk in a real browser.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cutWords, faintWords, makeFolder, makeReport, openBrowser, openPage, program, testFolder, thud, waitFor } from "./helper.mjs";
import { spawnSync } from "node:child_process";

let browser, place, freeLink;

before(async () => {
  place = makeFolder();
  freeLink = makeReport(place.folder, "free_link.html", "run", "free_link", "--quiet");
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  place?.remove();
});

const state = (page) => page.evaluate(() => ({ time: window.thud.viewer.player.time, end: window.thud.viewer.player.end, playing: window.thud.viewer.player.playing }));
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);

test("a report opens from disk, is small and asks nobody for anything", async () => {
  assert.ok(statSync(freeLink.file).size < 1_000_000, `${statSync(freeLink.file).size} bytes`);
  const { page, context, trouble, requests } = await openPage(browser, freeLink.url);
  assert.equal(await page.title(), "Free link dropped into sand");
  assert.match(await page.textContent("#stop"), /Stopped after 27\.592/);
  for (const heading of ["Results", "Energy", "Events", "Knobs", "Scenario"])
    assert.equal(await page.locator("h2", { hasText: heading }).count() > 0, true, heading);
  assert.match(await page.textContent(".results-card"), /22\.4416 mm/);
  assert.match(await page.textContent(".account"), /drag/);
  assert.deepEqual(trouble, []);
  assert.deepEqual(requests.filter((r) => !r.startsWith("file:") && !r.startsWith("data:")), []);
  await context.close();
});

test("the same run gives the same report", () => {
  const again = makeReport(place.folder, "again.html", "run", "free_link", "--quiet");
  assert.equal(spawnSync("cmp", [freeLink.file, again.file]).status, 0);
});

test("play, pause, speed and scrub", async () => {
  const { page, context } = await openPage(browser, freeLink.url);
  const begin = await state(page);
  near(begin.end, 0.0275924, 1e-6, "end of the run");
  assert.equal(begin.playing, false); // less motion is wanted
  await page.selectOption("#speed", { label: "1/1000" });
  await page.click("#play");
  await waitFor("the clock to move", async () => (await state(page)).time > 1e-5);
  assert.equal((await state(page)).playing, true);
  await page.click("#play");
  const paused = await state(page);
  assert.equal(paused.playing, false);
  await page.waitForTimeout(80);
  assert.equal((await state(page)).time, paused.time);
  // At 1/1000 of its speed the run has hardly begun.
  assert.ok(paused.time < 0.5 * paused.end);
  await page.locator("#scrub").fill("0.5");
  near((await state(page)).time, 0.5 * begin.end, 1e-9, "scrubbed");
  assert.match(await page.textContent("#clock"), /^13\.80/);
  // From the keyboard: space plays to the end at the fastest speed.
  await page.selectOption("#speed", { label: "5×" });
  await page.focus(".stage-canvas");
  await page.keyboard.press("Space");
  await waitFor("the end", async () => (await state(page)).time === begin.end);
  await context.close();
});

test("from event to event", async () => {
  const { page, context } = await openPage(browser, freeLink.url);
  const events = JSON.parse(thud("run", "free_link", "--json")).events;
  const times = [...new Set(events.map((e) => e.time))];
  for (const t of times) {
    await page.click("#next-event");
    near((await state(page)).time, t, 1e-9, "next event");
  }
  assert.match(await page.textContent(".event-caption"), /condition link\.tip\.vz falls through 0/);
  await page.click("#previous-event");
  near((await state(page)).time, times[times.length - 2], 1e-9, "event before");
  await page.locator(".events button").last().click();
  near((await state(page)).time, times[times.length - 1], 1e-9, "from the table");
  await context.close();
});

test("plots and animation share one cursor", async () => {
  const { page, context } = await openPage(browser, freeLink.url);
  const over = page.locator(".plots .plot-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
  const { time } = await state(page);
  assert.ok(time > 0.01 && time < 0.022, String(time));
  const places = await page.$$eval(".plots .time-cursor", (all) => all.map((e) => e.style.transform));
  assert.equal(places.length, 2);
  assert.equal(new Set(places).size, 1);
  near(Number(places[0].match(/[\d.]+/)[0]), 0.6 * box.width, 1.5, "cursor");
  // The value beside the plot is that of the trajectory.
  const shown = parseFloat(await page.textContent(".plot-value >> nth=0"));
  const expected = await page.evaluate(() => {
    const { run } = JSON.parse(document.getElementById("thud-data").textContent);
    const t = window.thud.viewer.player.time;
    const k = run.time.findIndex((x) => x >= t);
    return 1000 * run.columns["link.tip.depth"][k];
  });
  near(shown, expected, 0.2, "depth in mm");
  // Another observable.
  await page.locator(".plot-select").first().selectOption("link.resistance.size");
  assert.match(await page.textContent(".plot-value >> nth=0"), /N$/);
  await page.click("#add-plot");
  assert.equal(await page.locator(".plot-row").count(), 3);
  await context.close();
});

test("both themes have contrast, and a phone sees everything", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, context } = await openPage(browser, freeLink.url, { colorScheme, viewport: { width: 360, height: 700 } });
    const ratios = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim();
        const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return ["--ink", "--muted", "--accent", "--good", "--bad", "--force"].map((c) => [c, ratio(c, "--surface")]);
    });
    for (const [name, ratio] of ratios) assert.ok(ratio >= 4.5, `${name} in ${colorScheme}: ${ratio.toFixed(2)}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "no sideways scrolling");
    const nameless = await page.$$eval("button, select, input", (all) =>
      all.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    const before = await page.getAttribute("html", "data-theme");
    await page.click("#theme");
    assert.notEqual(await page.getAttribute("html", "data-theme"), before);
    await context.close();
  }
});

test("on a phone no words are cut off, and all of them have contrast", async () => {
  const wordy = makeReport(place.folder, "cradle.html", "run", "newtons_cradle", "--quiet");
  for (const [url, colorScheme] of [[wordy.url, "light"], [wordy.url, "dark"], [freeLink.url, "light"]]) {
    const { page, context } = await openPage(browser, url, { colorScheme, viewport: { width: 360, height: 700 } });
    assert.deepEqual(await cutWords(page, ".events td, .events button, .knob-table th, .knob-table td, .chips li, .results th, .results td"), []);
    const words = ".events td, .events button, .dim, .about, .plot-value, .knob-table td, .stop, .energy-value, .page-foot, button, summary";
    assert.deepEqual(await faintWords(page, words), []);
    await context.close();
  }
});

test("a loss that is an error of arithmetic is none", async () => {
  // Balls of restitution 1: what impacts lose is some 1e-18 J of 6 mJ.
  const cradle = makeReport(place.folder, "lossless.html", "run", "newtons_cradle", "--quiet");
  const { page, context } = await openPage(browser, cradle.url);
  const { loss } = await page.evaluate(() => JSON.parse(document.getElementById("thud-data").textContent).run.account);
  assert.ok(Object.values(loss).every((x) => Math.abs(x) < 1e-15), JSON.stringify(loss));
  assert.match(await page.textContent(".account"), /lost0\.0 mJ/);
  assert.doesNotMatch(await page.textContent(".account"), /%/);
  await context.close();
});

test("an elastic link shows by how much its deflection is magnified", async () => {
  const report = makeReport(place.folder, "elastic.html", "run", "elastic_free_link", "--quiet");
  const { page, context, trouble } = await openPage(browser, report.url);
  assert.ok(Number(await page.inputValue("#magnify")) > 1);
  await page.selectOption("#magnify", "1");
  assert.equal(await page.evaluate(() => window.thud.viewer.stage.magnification), 1);
  assert.deepEqual(trouble, []);
  await context.close();
});

test("ten seconds of twelve links are drawn frame by frame", async () => {
  const report = makeReport(place.folder, "chain.html", "run", join(testFolder, "swinging_chain.toml"), "--quiet");
  const { page, context, trouble } = await openPage(browser, report.url, { reducedMotion: "no-preference" });
  near((await state(page)).end, 10, 1e-9, "end of the run");
  await waitFor("playing", async () => (await state(page)).playing);
  await waitFor("frames", () => page.evaluate(() => window.thud.viewer.stage.drawTimes.length > 100));
  const times = await page.evaluate(() => [...window.thud.viewer.stage.drawTimes].sort((a, b) => a - b));
  const median = times[times.length >> 1];
  console.log(`  ${times.length} frames, median ${median.toFixed(2)} ms`);
  assert.ok(median > 0); // how long it takes is told, not asserted: the machine may be busy
  assert.deepEqual(trouble, []);
  await context.close();
});

test("a report that cannot be written is refused before any work", () => {
  for (const [file, why] of [["/no/such/folder/x.html", /no folder/], [place.folder, /is a folder/], ["", /empty|value/]]) {
    const done = spawnSync(program, ["run", "free_link", "--report", file], { encoding: "utf8" });
    assert.equal(done.status, 2, file);
    assert.match(done.stderr, why);
  }
});

test("reports of reproduce, sweep and fit", async () => {
  const tables = makeReport(place.folder, "tables.html", "reproduce", "lee2009/4.1", "marghitu2013");
  let { page, context, trouble } = await openPage(browser, tables.url);
  assert.match(await page.textContent(".about"), /18 reproduced.*9 measured/);
  assert.ok((await page.locator(".compare tbody tr").count()) >= 6);
  assert.deepEqual(trouble, []);
  await context.close();

  const study = join(place.folder, "map.toml");
  spawnSync("sh", ["-c", `sed 's/count = 36/count = 6/; s/count = 31/count = 5/' "$(dirname "$0")/../../studies/free_link_map.toml" > "$1"`, join(testFolder, "x"), study]);
  const sweep = makeReport(place.folder, "sweep.html", "sweep", study, "--out", join(place.folder, "map.h5"), "--quiet");
  ({ page, context, trouble } = await openPage(browser, sweep.url));
  assert.match(await page.textContent(".about"), /30 runs/);
  assert.equal(await page.locator(".map-canvas").count(), 2);
  const map = page.locator(".map-canvas").first();
  const box = await map.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  assert.match(await page.textContent(".map-readout >> nth=0"), /speed.*angle.*t_z [\d.]+ ms/);
  assert.deepEqual(trouble, []);
  await context.close();

  thud("synth", "fit_free_link", "--out", place.folder);
  const { readdirSync } = await import("node:fs");
  const captures = readdirSync(place.folder).filter((f) => f.endsWith(".csv")).map((f) => join(place.folder, f));
  const file = join(place.folder, "fit.html");
  const fit = spawnSync(program, ["fit", "fit_free_link", "--report", file, "--data", ...captures], { encoding: "utf8" });
  assert.equal(fit.status, 0, fit.stderr);
  ({ page, context, trouble } = await openPage(browser, `file://${file}`));
  assert.match(await page.textContent("main"), /95 % interval/);
  assert.ok((await page.locator(".plot canvas").count()) >= 2);
  assert.deepEqual(trouble, []);
  await context.close();
});
