// thud serve with a file of one's own, where it is to be found, and how long runs go on.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeFolder, openBrowser, openPage, program, startServer, testFolder, thud, waitFor } from "./helper.mjs";

let browser, place, server, file, text;

before(async () => {
  place = makeFolder();
  file = join(place.folder, "mine.toml");
  text = readFileSync(join(testFolder, "../../scenarios/free_link.toml"), "utf8").replace(/^title = .*$/m, 'title = "My own link"');
  writeFileSync(file, text);
  server = await startServer(file);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.child.kill("SIGKILL");
  place?.remove();
});

const open = async (hash = "") => {
  const opened = await openPage(browser, server.address + hash, { acceptDownloads: true });
  await opened.page.waitForSelector("#stop:not(:empty)");
  return opened;
};
const stop = (page) => page.textContent("#stop");

/// `thud serve` with what it says on both streams, once it is there.
async function serveAndListen() {
  const child = spawn(program, ["serve"], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { out: "", err: "" };
  child.stdout.on("data", (c) => (said.out += c));
  child.stderr.on("data", (c) => (said.err += c));
  await waitFor("the address", () => /http:\S+/.test(said.out));
  return { child, said, port: Number(said.out.match(/127\.0\.0\.1:(\d+)/)[1]), ended: new Promise((done) => child.on("exit", done)) };
}

test("the port is always the same one, or the next, with a word", async () => {
  const one = await serveAndListen();
  const two = await serveAndListen();
  for (const s of [one, two]) if (s.port !== 8483) assert.match(s.said.err, new RegExp(`port 8483 is taken, so this is ${s.port}`));
  assert.ok(two.port > 8483 && two.port !== one.port, `${one.port}, ${two.port}`);
  assert.ok(two.port < 8483 + 16, `${two.port}`);
  for (const s of [one, two]) {
    s.child.kill("SIGINT");
    await s.ended;
  }
});

test("one's own file is what opens, and what is saved is seen without a reload", async () => {
  const { page, context, trouble } = await open();
  assert.equal(await page.inputValue("#scenario"), "mine");
  assert.match(await page.title(), /^My own link/);
  // A knob that was turned stays turned.
  await page.fill("#knob-angle", "60");
  await page.dispatchEvent("#knob-angle", "change");
  await waitFor("the angle", async () => (await page.evaluate(() => location.hash)).includes("angle=60"));
  const before = await stop(page);
  writeFileSync(file, text.replace("value = 1.26", "value = 2").replace("My own link", "My faster link"));
  await waitFor("the new title", async () => (await page.title()).startsWith("My faster link"));
  assert.notEqual(await stop(page), before);
  assert.equal(await page.inputValue("#knob-angle"), "60");
  assert.equal(await page.inputValue("#knob-speed"), "2");
  const expected = JSON.parse(thud("run", file, "--set", "angle=60 deg", "--json")).stop.time;
  assert.equal((await stop(page)).match(/after ([\d.]+) ms/)[1], String(Number((1000 * expected).toPrecision(6))));
  // What is wrong in it is said at its line, and goes when it is put right.
  writeFileSync(file, text.replace("diameter", "diametre"));
  const line = text.split("\n").findIndex((l) => l.includes("diameter")) + 1;
  await waitFor("the error", async () => (await page.textContent("#problem")).startsWith(`Line ${line} of the text`));
  assert.match(await page.inputValue("#toml"), /diametre/);
  writeFileSync(file, text);
  await waitFor("the error to go", async () => (await page.isHidden("#problem")) && (await page.title()).startsWith("My own link"));
  assert.deepEqual(trouble.filter((t) => !t.includes("422")), []); // browsers log the answer that refuses
  await context.close();
});

test("a text that is edited in the page is not overwritten by the file", async () => {
  const { page, context } = await open();
  await page.click("#tab-text");
  await page.fill("#toml", text.replace("My own link", "Edited here"));
  await waitFor("the title", async () => (await page.title()).startsWith("Edited here"));
  writeFileSync(file, text.replace("My own link", "Saved there"));
  await page.waitForSelector("#take-file");
  assert.match(await page.inputValue("#toml"), /Edited here/);
  await page.click("#take-file");
  await waitFor("the file", async () => (await page.title()).startsWith("Saved there"));
  assert.doesNotMatch(await page.evaluate(() => location.hash), /~text/);
  writeFileSync(file, text);
  await context.close();
});

test("until rest is a choice, and part of the link and of what is saved", async () => {
  const { page, context } = await open("#free_link");
  await page.check("#until-rest");
  await waitFor("rest", async () => (await stop(page)).startsWith("Came to rest"));
  const expected = JSON.parse(thud("run", "free_link", "--until", "rest", "--json")).stop.time;
  const shown = (await stop(page)).match(/after ([\d.]+) (m?s)/);
  assert.equal(Number(shown[1]) / (shown[2] === "ms" ? 1000 : 1), Number(expected.toPrecision(6)));
  await page.click("#pin");
  await waitFor("a link", async () => /~until=rest.*~pins/.test(await page.evaluate(() => location.hash)));
  assert.match(await page.textContent(".pins"), /until rest/);
  const [csv] = await Promise.all([page.waitForEvent("download"), page.click("#get-csv")]);
  const rows = readFileSync(await csv.path(), "utf8").trim().split("\n");
  assert.ok(Math.abs(Number(rows.at(-1).split(",")[0]) - expected) < 1e-6 * expected);
  const other = await open(await page.evaluate(() => location.hash));
  assert.equal(await other.page.isChecked("#until-rest"), true);
  await waitFor("the pin", async () => (await other.page.locator(".pins li").count()) === 1);
  assert.equal(await stop(other.page), await stop(page));
  await other.page.uncheck("#until-rest");
  await waitFor("the scenario's stop", async () => (await stop(other.page)).startsWith("Stopped after"));
  await other.context.close();
  await context.close();
});

test("what is wrong is said in the words of the page", async () => {
  const { page, context } = await open("#free_link");
  const problem = async (what, place = "#problem") => {
    await waitFor(what, async () => (await page.isVisible(place)) && (await page.textContent(place)) !== "");
    const said = await page.textContent(place);
    assert.doesNotMatch(said, /--|thud |scenario\.toml|parameter "/, said);
    return said;
  };
  await page.fill("#knob-angle", "85");
  await page.dispatchEvent("#knob-angle", "change");
  assert.match(await problem("the angle"), /knob "angle".*80 deg/);
  await page.click("#reset-knobs");
  await waitFor("peace", () => page.isHidden("#problem"));
  const good = await page.inputValue("#toml");
  await page.click("#tab-text");
  await page.fill("#toml", good.replace('"link.tip.depth at t_z"', '"link.tip.dept at t_z"'));
  assert.match(await problem("the observable", "#editor-error"), /^Line \d+, column \d+: .*link\.tip\.dept.*lists above the plots/);
  await page.fill("#toml", good);
  await waitFor("peace", async () => (await page.textContent("#editor-error")) === "");
  await page.click("#tab-sweep");
  await page.fill("#sweep-low-1", "");
  await page.click("#sweep-start");
  await waitFor("the sweep", async () => /“from” and “to” of angle must be numbers/.test(await page.textContent("#sweep-status")));
  await context.close();
});
