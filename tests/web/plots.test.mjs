// Plots under the hands of their reader: read, zoom, overlay, reorder.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeFolder, makeReport, openBrowser, openPage, thud, waitFor } from "./helper.mjs";

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

const open = (options) => openPage(browser, report, options);
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);
const range = (page) => page.evaluate(() => window.thud.viewer.window.range());
const state = (page) => page.evaluate(() => window.thud.viewer.plots.states());
const over = async (page, k = 0) => {
  const plot = page.locator(".plots .plot-over").nth(k);
  await plot.scrollIntoViewIfNeeded();
  return plot.boundingBox();
};
/// All plots as the page would save them.
const svg = (page) => page.evaluate(() => {
  const { plots } = window.thud.viewer;
  const figure = plots.figure();
  return window.thud.svgOf(figure);
});

test("the pointer reads all plots at once", async () => {
  const { page, context, trouble } = await open();
  const box = await over(page, 0);
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 30);
  const t = 0.4 * (await range(page))[1];
  const hairs = await page.$$eval(".hair", (all) => all.filter((e) => !e.hidden).map((e) => e.style.transform));
  assert.equal(hairs.length, 3); // two plots and the energy
  near(parseFloat(hairs[0].slice(11)), 0.4 * box.width, 1.5, "line under the pointer");
  assert.equal(hairs[0], hairs[1]);
  const expected = await page.evaluate((t) => {
    const { run } = JSON.parse(document.getElementById("thud-data").textContent);
    const k = run.time.findIndex((x) => x >= t);
    return [1000 * run.columns["link.tip.depth"][k], run.columns["link.tip.vz"]?.[k]];
  }, t);
  near(parseFloat(await page.textContent(".plot-value >> nth=0")), expected[0], 0.3, "depth under the pointer");
  // The animation has not moved, and away from the plots its values are back.
  assert.equal(await page.evaluate(() => window.thud.viewer.player.time), 0);
  await page.mouse.move(5, 5);
  assert.equal(await page.locator(".hair:visible").count(), 0);
  near(parseFloat((await page.textContent(".plot-value >> nth=0")).replace("−", "-")), 0, 1e-6, "depth at the start");
  assert.deepEqual(trouble, []);
  await context.close();
});

test("a drag zooms all plots in time, the wheel about the pointer, a double click resets", async () => {
  const { page, context } = await open();
  const end = (await range(page))[1];
  let box = await over(page, 1);
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 50, { steps: 5 });
  assert.equal(await page.locator(".zoom-band:visible").count(), 1);
  await page.mouse.up();
  let [from, to] = await range(page);
  near(from / end, 0.25, 0.01, "from");
  near(to / end, 0.75, 0.01, "to");
  assert.equal(await page.evaluate(() => window.thud.viewer.player.time), 0); // no seeking
  // The cursor is at 0, outside of what is shown.
  assert.equal(await page.$eval(".plots .time-cursor", (e) => e.style.visibility), "hidden");
  // A click still moves it: to the middle of what is shown.
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 40);
  near(await page.evaluate(() => window.thud.viewer.player.time), 0.5 * end, 0.01 * end, "clicked");
  await page.waitForTimeout(600); // or it were a double click
  await page.mouse.dblclick(box.x + 0.9 * box.width, box.y + 40);
  assert.deepEqual(await range(page), [0, end]);
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
  await page.mouse.wheel(0, -240);
  await waitFor("the wheel to zoom", async () => {
    [from, to] = await range(page);
    return to - from < 0.9 * end;
  });
  near((0.2 * end - from) / (to - from), 0.2, 0.01, "what is under the pointer stays");
  await page.click("#whole-time");
  assert.deepEqual(await range(page), [0, end]);
  assert.equal(await page.isVisible("#whole-time"), false);
  // The cursor itself can be dragged.
  await page.evaluate(() => window.thud.viewer.player.seek(0.5 * window.thud.viewer.player.end));
  box = await over(page, 0);
  await page.mouse.move(box.x + 0.5 * box.width + 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.7 * box.width, box.y + 40, { steps: 5 });
  await page.mouse.up();
  near(await page.evaluate(() => window.thud.viewer.player.time), 0.7 * end, 0.01 * end, "dragged");
  assert.deepEqual(await range(page), [0, end]);
  await context.close();
});

test("several curves in a plot, a second unit on the right, powers of ten", async () => {
  const { page, context, trouble } = await open();
  await page.locator(".add-curve").first().click();
  assert.equal(await page.locator(".plot-row").first().locator(".plot-select").count(), 2);
  const select = page.locator(".plot-row").first().locator(".plot-select").nth(1);
  await select.selectOption("link.resistance.size");
  assert.deepEqual((await state(page))[0], { names: ["link.tip.depth", "link.resistance.size"], log: false });
  let texts = await svg(page);
  assert.match(texts, /link\.tip\.depth \[mm\]/);
  assert.match(texts, /link\.resistance\.size \[N\]|resistance\.size \[N\]/);
  assert.match(texts, /time \[ms\]/);
  // A third unit has no axis: it is not offered.
  await page.locator(".add-curve").first().click();
  const offered = await page.locator(".plot-row").first().locator(".plot-select").nth(2).locator("option").allTextContents();
  assert.ok(offered.includes("link.tip.x") && !offered.includes("link.angle"), offered.join(" "));
  await page.locator(".plot-row").first().locator("[aria-label='Remove this curve']").last().click();
  assert.equal((await state(page))[0].names.length, 2);
  // Both curves keep the place of the plot below.
  const [a, b] = [await over(page, 0), await over(page, 1)];
  assert.equal(a.width, b.width);
  await page.locator(".log-button").first().click();
  assert.equal((await state(page))[0].log, true);
  assert.equal(await page.locator(".log-button").first().getAttribute("aria-pressed"), "true");
  texts = await svg(page);
  assert.match(texts, />0\.1<|>0\.01<|>10⁻/);
  assert.deepEqual(trouble, []);
  await context.close();
});

test("plots are reordered by hand and by keyboard", async () => {
  const { page, context } = await open();
  const before = (await state(page)).map((s) => s.names[0]);
  const grip = page.locator(".grip").first();
  const from = await grip.boundingBox();
  const below = await page.locator(".plot-row").nth(1).boundingBox();
  await page.mouse.move(from.x + 5, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, below.y + 0.7 * below.height, { steps: 10 });
  await page.mouse.up();
  assert.deepEqual((await state(page)).map((s) => s.names[0]), [...before].reverse());
  assert.deepEqual(await page.$$eval(".plot-row .plot-select", (all) => all.map((e) => e.value)), [...before].reverse());
  await page.locator(".grip").first().focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual((await state(page)).map((s) => s.names[0]), before);
  await context.close();
});

test("every number of an axis is inside its picture, also on a phone", async () => {
  for (const viewport of [{ width: 1280, height: 900 }, { width: 360, height: 700 }]) {
    const { page, context } = await open({ viewport });
    for (const which of ["link.tip.depth", "energy.kinetic", "link.angle"]) {
      await page.locator(".plot-select").first().selectOption(which);
      const outside = await page.evaluate(() => {
        const { plots } = window.thud.viewer;
        const holder = document.createElement("div");
        holder.innerHTML = window.thud.svgOf(plots.figure());
        document.body.append(holder);
        const svg = holder.querySelector("svg");
        const page = svg.getBoundingClientRect();
        const all = [...svg.querySelectorAll("text")];
        const bad = all.filter((t) => {
          const r = t.getBoundingClientRect();
          return r.left < page.left - 0.5 || r.right > page.right + 0.5 || r.top < page.top - 0.5 || r.bottom > page.bottom + 0.5;
        });
        const out = { count: all.length, bad: bad.map((t) => t.textContent) };
        holder.remove();
        return out;
      });
      assert.ok(outside.count > 10);
      assert.deepEqual(outside.bad, [], `${which} at ${viewport.width}`);
    }
    await context.close();
  }
});

test("what the curves say is what the program says", async () => {
  const { page, context } = await open();
  await page.evaluate(() => window.thud.viewer.player.seek(window.thud.viewer.player.end));
  const final = JSON.parse(thud("run", "free_link", "--json")).final;
  near(parseFloat(await page.textContent(".plot-value >> nth=0")), 1000 * final["link.tip.depth"], 1e-2, "depth at the end in mm");
  await context.close();
});
