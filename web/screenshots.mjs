// Pictures of every view in both themes and at the width of a phone, to be looked at: node web/screenshots.mjs FOLDER
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, makeReport, openBrowser, openPage, startServer, thud } from "../tests/web/helper.mjs";

const folder = process.argv[2] ?? "build/screenshots";
mkdirSync(folder, { recursive: true });
const { folder: work, remove } = makeFolder();
const browser = await openBrowser();
const server = await startServer();

const screens = [
  { name: "light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { name: "phone", viewport: { width: 360, height: 780 }, colorScheme: "light" },
];

const seek = (page, share) => page.evaluate((s) => window.thud.viewer.player.seek(s * window.thud.viewer.player.end), share);
const settle = (page) => page.waitForTimeout(400);

async function each(name, url, prepare) {
  for (const { name: theme, ...options } of screens) {
    const { page, context, trouble } = await openPage(browser, url, options);
    await settle(page);
    await prepare?.(page);
    await settle(page);
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`), fullPage: theme === "phone" });
    const unexpected = trouble.filter((t) => !t.includes("422"));
    if (unexpected.length) console.log(`${name} ${theme}: ${unexpected}`);
    await context.close();
  }
}

for (const [scenario, share] of [["free_link", 0.8], ["biped_drop", 0.6], ["flexible_probe", 0.9], ["n_link_chain", 0.9], ["elastic_compound_pendulum", 0.8], ["sphere", 0.7], ["wheel_in_sand", 0.9], ["rft_leg", 0.53]])
  await each(`report-${scenario}`, makeReport(work, `${scenario}.html`, "run", scenario, "--quiet").url, (page) => seek(page, share));
await each("report-impacts", makeReport(work, "cradle.html", "run", "newtons_cradle", "--quiet").url, async (page) => {
  await page.click("#next-event");
  await page.check("#show-names");
  await page.check("#show-poses");
});
await each("report-read", makeReport(work, "read.html", "run", "compound_pendulum", "--quiet").url, async (page) => {
  await seek(page, 0.7);
  await page.locator(".add-curve").first().click();
  await page.evaluate(() => {
    const { window: shown, stage } = globalThis.thud.viewer;
    shown.show(0.2 * shown.end, 0.9 * shown.end);
    shown.point(0.5 * shown.end);
    stage.zoom(2.5);
  });
});
await each("report-runs", makeReport(work, "runs.html", "run", "free_link", "--vary", "speed=1,2,3", "--quiet").url, (page) => seek(page, 0.7));
await each("report-reproduce", makeReport(work, "tables.html", "reproduce", "lee2009/4").url);
await each("report-sweep", makeReport(work, "sweep.html", "sweep", "free_link_map", "--out", join(work, "map.h5"), "--quiet").url);

const drag = (page, knob, share) =>
  page.$eval(`#knob-${knob}-slider`, (e, s) => {
    e.value = String(Math.round(s * Number(e.max)));
    e.dispatchEvent(new Event("input", { bubbles: true }));
  }, share);

await each("playground-knobs", server.address, async (page) => {
  await page.waitForSelector("#stop:not(:empty)");
  await page.click("#pin");
  await drag(page, "angle", 0.68);
  await settle(page);
  await seek(page, 0.8);
});
await each("playground-sweep", server.address, async (page) => {
  await page.waitForSelector("#stop:not(:empty)");
  await page.click("#tab-sweep");
  await page.fill("#sweep-count-1", "40");
  await page.fill("#sweep-count-2", "40");
  await page.click("#sweep-start");
  while (!(await page.textContent("#sweep-status")).includes("done")) await page.waitForTimeout(50);
  await seek(page, 0.8);
});
await each("playground-text", `${server.address}#biped_drop`, async (page) => {
  await page.waitForSelector("#stop:not(:empty)");
  await seek(page, 0.6);
  await page.click("#tab-text");
  await page.fill("#toml", (await page.inputValue("#toml")).replace("diameter", "diametre"));
  await page.waitForSelector("#editor-error:not(:empty)");
  await page.click("#editor-error button");
});

await browser.close();
await server.stop();
remove();
console.log(`${folder}: ${thud("--version").trim()}`);
