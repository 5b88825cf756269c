// What the browser tests share: the program, a server, a browser.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(here, "../../web/package.json"));
const { chromium } = require("playwright-core");

export const program = process.env.THUD_PROGRAM ?? join(here, "../../build/thud");
export const testFolder = here;

export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "thud-web-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function thud(...words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/// A report on disk, as a URL.
export function makeReport(folder, name, ...words) {
  const file = join(folder, name);
  thud(...words, "--report", file);
  return { file, url: pathToFileURL(file).href };
}

export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  return chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/// A page that collects what goes wrong in it and where it asks.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const trouble = [];
  const requests = [];
  page.on("pageerror", (e) => trouble.push(e.message));
  page.on("console", (m) => m.type() === "error" && trouble.push(m.text()));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(url);
  return { page, context, trouble, requests };
}

/// `thud serve` on a free port.
export async function startServer(...words) {
  const child = spawn(program, ["serve", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  const address = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`thud serve ended: ${text}`)));
  });
  return {
    address,
    child,
    ended,
    stop: async () => {
      child.kill("SIGINT");
      return ended;
    },
  };
}

export async function waitFor(what, check, seconds = 20) {
  const until = Date.now() + 1000 * seconds;
  for (;;) {
    if (await check()) return;
    if (Date.now() > until) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/// A scenario whose run does not end in any time that a test has.
export const forever = `title = "Runs for ever"
[[body]]
name  = "rod1"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, density = 7700 }
joint = "pin"
[[body]]
repeat = 30
name   = "rod{i+1}"
shape  = { kind = "cylinder", length = 0.2, diameter = 0.01, density = 7700 }
joint  = { to = "rod{i}", at = "tip" }
[initial]
"rod1.angle" = "1 deg"
[stop]
time = 1e5
when = "rod1.angle rises through 10"
[solver]
max_step = 1e-5
`;

/// Words of these elements that are cut off or stand out of their card.
export const cutWords = (page, selector) =>
  page.evaluate((which) => {
    const out = [];
    for (const e of document.querySelectorAll(which)) {
      const r = e.getBoundingClientRect();
      const card = e.closest(".card, .page").getBoundingClientRect();
      if (r.width > 0 && (r.right > card.right + 0.5 || r.left < card.left - 0.5 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")) out.push(e.textContent);
    }
    return out;
  }, selector);

/// Words whose contrast is below 4.5 (WCAG 2.1), with whatever opacity they have, on the background that they have.
export const faintWords = (page, selector) =>
  page.evaluate((which) => {
    const parse = (c) => (c.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
    const out = [];
    for (const e of document.querySelectorAll(which)) {
      if (!e.textContent.trim() || !e.getClientRects().length || e.disabled) continue;
      let [back, opacity] = [undefined, 1];
      for (let p = e; p; p = p.parentElement) {
        const c = parse(getComputedStyle(p).backgroundColor);
        if (!back && (c.length < 4 || c[3] === 1)) back = c;
        opacity *= Number(getComputedStyle(p).opacity);
      }
      const ink = parse(getComputedStyle(e).color).slice(0, 3).map((v, k) => opacity * v + (1 - opacity) * back[k]);
      const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) out.push(`${e.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return [...new Set(out)];
  }, selector);
