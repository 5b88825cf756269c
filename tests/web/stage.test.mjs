// The stage under the hands of its reader: zoom, pan, follow; and what it draws.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeFolder, makeReport, openBrowser, openPage, testFolder, waitFor } from "./helper.mjs";

let browser, place;
const made = new Map();

before(async () => {
  place = makeFolder();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  place?.remove();
});

const open = (scenario, options) => {
  if (!made.has(scenario)) made.set(scenario, makeReport(place.folder, `${made.size}.html`, "run", scenario, "--quiet").url);
  return openPage(browser, made.get(scenario), options);
};
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} against ${b}`);
const view = (page) => page.evaluate(() => window.thud.viewer.stage.view());
const seek = (page, share) => page.evaluate((s) => window.thud.viewer.player.seek(s * window.thud.viewer.player.end), share);
const stageBox = (page) => page.locator(".stage-canvas").boundingBox();
const world = (v, x, y) => [(x - v.offset[0]) / v.scale, (y - v.offset[1]) / v.scale];
const seen = (page) => page.evaluate(() => window.thud.viewer.stage.seen);

test("the wheel zooms about the pointer, keys and buttons about the middle, a double click resets", async () => {
  const { page, context, trouble } = await open("free_link");
  const box = await stageBox(page);
  const whole = await view(page);
  // Pointers are at whole pixels.
  const [px, py] = [Math.round(box.x + 0.3 * box.width) - box.x, Math.round(box.y + 0.7 * box.height) - box.y];
  await page.mouse.move(box.x + px, box.y + py);
  await page.mouse.wheel(0, -240);
  await waitFor("the wheel to zoom", async () => (await view(page)).scale > 1.2 * whole.scale);
  const closer = await view(page);
  const [before, now] = [world(whole, px, py), world(closer, px, py)];
  near(now[0], before[0], 1e-9, "x under the pointer");
  near(now[1], before[1], 1e-9, "z under the pointer");
  await page.mouse.dblclick(box.x + px, box.y + py);
  assert.deepEqual(await view(page), whole);

  await page.focus(".stage-canvas");
  await page.keyboard.press("+");
  near((await view(page)).scale, 1.25 * whole.scale, 1e-9 * whole.scale, "scale after +");
  near(world(await view(page), whole.width / 2, 0)[0], world(whole, whole.width / 2, 0)[0], 1e-9, "the middle");
  await page.keyboard.press("-");
  near((await view(page)).scale, whole.scale, 1e-9 * whole.scale, "scale after −");
  await page.click("#zoom-in");
  assert.ok((await view(page)).scale > 1.4 * whole.scale);
  await page.keyboard.press("0");
  assert.deepEqual(await view(page), whole);

  // With nothing to zoom out of, the wheel scrolls the page.
  await page.mouse.move(box.x + px, box.y + py);
  await page.mouse.wheel(0, 300);
  await waitFor("the page to scroll", () => page.evaluate(() => scrollY > 50));
  assert.deepEqual(await view(page), whole);
  assert.deepEqual(trouble, []);
  await context.close();
});

test("the view is dragged, and moved by shift and arrows; arrows alone move in time", async () => {
  const { page, context } = await open("free_link");
  const box = await stageBox(page);
  const whole = await view(page);
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 260, box.y + 170, { steps: 4 });
  await page.mouse.up();
  const dragged = await view(page);
  near(dragged.offset[0] - whole.offset[0], 60, 0.01, "to the right");
  near(dragged.offset[1] - whole.offset[1], -30, 0.01, "up");
  assert.equal(dragged.scale, whole.scale);
  await page.click("#zoom-fit");
  assert.deepEqual(await view(page), whole);
  await page.focus(".stage-canvas");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowDown");
  const moved = await view(page);
  near(moved.offset[0] - whole.offset[0], -40, 0.01, "what is seen goes left");
  near(moved.offset[1] - whole.offset[1], -40, 0.01, "what is seen goes up");
  const time = () => page.evaluate(() => window.thud.viewer.player.time);
  assert.equal(await time(), 0);
  await page.keyboard.press("ArrowRight");
  assert.ok((await time()) > 0);
  await context.close();
});

test("two fingers zoom, and one scrolls the page until there is something to move", async () => {
  const { page, context } = await open("free_link", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const box = await stageBox(page);
  const whole = await view(page);
  assert.equal(await page.$eval(".stage-canvas", (e) => getComputedStyle(e).touchAction), "pan-y");
  const cdp = await context.newCDPSession(page);
  const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })) });
  await touch("touchStart", [150, 150], [200, 150]);
  for (let k = 1; k <= 5; ++k) await touch("touchMove", [150 - 10 * k, 150], [200 + 10 * k, 150]);
  await touch("touchEnd");
  const closer = await view(page);
  near(closer.scale / whole.scale, 150 / 50, 0.15, "as far apart as the fingers");
  near(world(closer, 175, 150)[0], world(whole, 175, 150)[0], 2 / whole.scale, "what is between the fingers");
  assert.equal(await page.$eval(".stage-canvas", (e) => getComputedStyle(e).touchAction), "none");
  await context.close();
});

test("a body that is followed stays where it is in the picture", async () => {
  const { page, context } = await open("bouncing_ball");
  await page.selectOption("#follow", { label: "ball" });
  const places = [];
  for (const share of [0, 0.1, 0.35, 0.8]) {
    await seek(page, share);
    places.push(await page.evaluate(() => {
      // Where the ball is, from the data of the page.
      const { run } = JSON.parse(document.getElementById("thud-data").textContent);
      const { player, stage } = window.thud.viewer;
      let k = run.time.findIndex((t) => t > player.time);
      if (k < 1) k = run.time.length - 1;
      const f = Math.min(1, (player.time - run.time[k - 1]) / (run.time[k] - run.time[k - 1] || 1));
      const v = stage.view();
      return [0, 1].map((i) => v.offset[i] + v.scale * ((1 - f) * run.poses[0]["xz"[i]][k - 1] + f * run.poses[0]["xz"[i]][k]));
    }));
  }
  for (const [x, y] of places) {
    near(x, places[0][0], 0.5, "x");
    near(y, places[0][1], 0.5, "y");
  }
  await page.click("#zoom-fit");
  assert.equal(await page.inputValue("#follow"), "-1");
  await context.close();
});

test("the view leaves alone what flew away, but not what the run is about", async () => {
  const width = (page) => page.evaluate(() => window.thud.viewer.stage.camera.box.right - window.thud.viewer.stage.camera.box.left);
  const flying = await open(join(testFolder, "flying_ball.toml"));
  assert.equal(await flying.page.evaluate(() => JSON.parse(document.getElementById("thud-data").textContent).run.poses[1].x.at(-1) > 9), true);
  assert.ok((await width(flying.page)) < 1, String(await width(flying.page)));
  await flying.context.close();
  // The whole fall of a metre is shown.
  const ball = await open("bouncing_ball");
  const box = await ball.page.evaluate(() => window.thud.viewer.stage.camera.box);
  assert.ok(box.top < -1.04 && box.bottom > 0, JSON.stringify(box));
  await ball.context.close();
});

test("forces that are errors of arithmetic have no arrows, and arrows stay in the picture", async () => {
  // Balls that only ever strike each other have no force between them; what the solver leaves is some 1e-18 N.
  const cradle = await open("newtons_cradle");
  for (let k = 0; k <= 40; ++k) {
    await seek(cradle.page, k / 40);
    assert.deepEqual((await seen(cradle.page)).arrows, [], `at ${k} / 40`);
  }
  await cradle.context.close();
  for (const scenario of ["free_link", "biped_drop", "block_drop"]) {
    const { page, context } = await open(scenario);
    const { width, height } = await view(page);
    let count = 0;
    for (const zoom of [1, 3]) {
      await page.evaluate((z) => window.thud.viewer.stage.zoom(z), zoom);
      for (let k = 0; k <= 30; ++k) {
        await seek(page, k / 30);
        for (const a of (await seen(page)).arrows) {
          ++count;
          for (const s of [0, a.length]) {
            const [x, y] = [a.from[0] + s * a.direction[0], a.from[1] + s * a.direction[1]];
            assert.ok(x >= 0 && y >= 0 && x <= width && y <= height, `${scenario}: ${x}, ${y} of ${width}, ${height}`);
          }
        }
      }
    }
    assert.ok(count > 10, `${scenario}: ${count} arrows`);
    await context.close();
  }
});

test("the stress on a rim is drawn to a scale, against where it acts, and turned off", async () => {
  const { page, context, trouble } = await open("wheel_in_sand");
  await seek(page, 0.9);
  const { stress, stressScale, scaleBar } = await seen(page);
  assert.equal(stress.length, 1);
  const { arrows } = stress[0];
  assert.equal(arrows.length, 16);
  const v = await view(page);
  const { run, most } = await page.evaluate(() => {
    const { run } = JSON.parse(document.getElementById("thud-data").textContent);
    let most = 0;
    for (const s of run.stress) s.sx.forEach((sx, i) => sx.forEach((x, k) => (most = Math.max(most, Math.hypot(x, s.sz[i][k])))));
    return { run: { time: run.time, wheel: run.poses[2], stress: run.stress[0] }, most };
  });
  // From the document, at the frame before: the wheel goes at 46 mm/s, and what acts on it does not change any more.
  const k = run.time.findIndex((t) => t > 9) - 1;
  const longest = 0.16 * Math.min(v.width, v.height);
  arrows.forEach((a, i) => {
    const [sx, sz] = [run.stress.sx[i][k], run.stress.sz[i][k]];
    near(a.tip[0] - a.tail[0], (longest * sx) / most, 0.1, "to the right");
    near(a.tip[1] - a.tail[1], (longest * sz) / most, 0.1, "down");
    const [x, z] = world(v, ...a.tip);
    const angle = run.stress.from[k] + ((i + 0.5) / 16) * (run.stress.to[k] - run.stress.from[k]);
    near(z - run.wheel.z[k], 0.13 * Math.cos(angle), 1e-4, "on the rim");
    near(x - run.wheel.x[k], 0.13 * Math.sin(angle), 3e-3, "on the rim");
    assert.ok(z > 0.13, "under the surface");
  });
  const apart = stressScale.left >= scaleBar.right || stressScale.right <= scaleBar.left || stressScale.top >= scaleBar.bottom || stressScale.bottom <= scaleBar.top;
  assert.ok(apart, "its scale is not on the scale bar");
  const picture = () => page.$eval(".stage-canvas", (c) => c.toDataURL());
  const full = await picture();
  await page.uncheck("#show-stress");
  assert.deepEqual((await seen(page)).stress, []);
  assert.equal((await seen(page)).stressScale, undefined);
  assert.notEqual(await picture(), full);
  await page.check("#show-stress");
  assert.equal(await picture(), full);
  assert.deepEqual(trouble, []);
  await context.close();
  // Sand that is felt at one point has none, and nothing to turn off.
  const link = await open("free_link");
  await seek(link.page, 0.8);
  assert.deepEqual((await seen(link.page)).stress, []);
  assert.equal(await link.page.isVisible("#show-stress"), false);
  await link.context.close();
});

test("what the sand holds shows its resultant, and says so", async () => {
  const { page, context } = await open("anchor");
  const words = (share) =>
    page.evaluate((s) => {
      const said = [];
      const pen = Object.getPrototypeOf(document.querySelector(".stage-canvas").getContext("2d"));
      const kept = pen.fillText;
      pen.fillText = function (...all) {
        said.push(all[0]);
        return kept.apply(this, all);
      };
      const { player } = window.thud.viewer;
      player.seek(s * player.end);
      pen.fillText = kept;
      return said;
    }, share);
  assert.ok((await words(0.6)).includes("at rest: resultant only"));
  const held = await seen(page);
  assert.deepEqual(held.stress, []);
  assert.equal(held.arrows.length, 1);
  assert.ok(!(await words(0.998)).includes("at rest: resultant only"));
  assert.equal((await seen(page)).stress.length, 1);
  assert.match(await page.getAttribute("label:has(#show-stress)", "title"), /At rest only its resultant is known/);
  await context.close();
});

test("words never cover each other, nor the buttons", async () => {
  const cross = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const [scenario, viewport] of [["discs_in_v", { width: 1280, height: 900 }], ["biped_drop", { width: 360, height: 700 }], ["newtons_cradle", { width: 1280, height: 900 }]]) {
    const { page, context } = await open(scenario, { viewport });
    await page.check("#show-names");
    const from = await stageBox(page);
    const tools = await page.locator(".stage-tools").boundingBox();
    const buttons = { left: tools.x - from.x, top: tools.y - from.y, right: tools.x - from.x + tools.width, bottom: tools.y - from.y + tools.height };
    let most = 0;
    for (let k = 0; k <= 30; ++k) {
      await seek(page, k / 30);
      const { labels, scaleBar } = await seen(page);
      most = Math.max(most, labels.length);
      const all = [...labels, { ...scaleBar, text: "scale bar" }, { ...buttons, text: "buttons" }];
      all.forEach((a, i) => all.slice(i + 1).forEach((b) => assert.ok(!cross(a, b), `${scenario}: ${a.text} and ${b.text}`)));
    }
    assert.ok(most >= 3, `${scenario}: ${most} words`);
    await context.close();
  }
});

/// Whether a box has a part of a disc; bodies of these scenarios are discs.
const isOnDisc = (box, [x, y], r) => Math.hypot(x - Math.max(box.left, Math.min(x, box.right)), y - Math.max(box.top, Math.min(y, box.bottom))) < r;

test("names of discs that touch stand on no neighbour, and flashes do not cover words", async () => {
  for (const scenario of ["discs_in_v", "newtons_cradle"]) {
    const { page, context } = await open(scenario);
    await page.check("#show-names");
    let flashes = 0;
    for (let k = 0; k <= 30; ++k) {
      const { discs, order } = await page.evaluate((share) => {
        const { player, stage } = window.thud.viewer;
        const order = [];
        const pen = Object.getPrototypeOf(document.querySelector(".stage-canvas").getContext("2d"));
        const kept = { arc: pen.arc, fillText: pen.fillText };
        for (const name of Object.keys(kept))
          pen[name] = function (...words) {
            order.push(name === "arc" ? "arc" : words[0]);
            return kept[name].apply(this, words);
          };
        player.seek(share * player.end);
        Object.assign(pen, kept);
        const { scene } = JSON.parse(document.getElementById("thud-data").textContent);
        const v = stage.view();
        const shape = (b) => b.lines.find((l) => l.closed).points;
        const radius = (b) => Math.max(...shape(b).map((p) => Math.hypot(p[0] - middle(b)[0], p[1] - middle(b)[1])));
        const middle = (b) => [0, 1].map((i) => shape(b).reduce((sum, p) => sum + p[i], 0) / shape(b).length);
        const poses = stage.posesNow();
        return {
          order,
          discs: scene.bodies.map((b, i) => {
            const { x, z, sin, cos } = poses[i];
            const [s, n] = middle(b);
            return { name: b.name, r: v.scale * radius(b), at: [v.offset[0] + v.scale * (x + s * sin + n * cos), v.offset[1] + v.scale * (z + s * cos - n * sin)] };
          }),
        };
      }, k / 30);
      const { labels } = await seen(page);
      for (const { name } of discs) {
        const label = labels.find((l) => l.text === name);
        assert.ok(label, `${scenario} ${k}: ${name} has no name`);
        for (const other of discs.filter((d) => d.name !== name)) assert.ok(!isOnDisc(label, other.at, other.r - 1), `${scenario} ${k}: ${name} on ${other.name}`);
      }
      const last = order.lastIndexOf("arc");
      const first = order.findIndex((word) => discs.some((d) => d.name === word));
      assert.ok(first > last, `${scenario} ${k}: ${order.slice(first, first + 8)}`);
      flashes += labels.some((l) => l.text.endsWith("N s")) ? 1 : 0;
    }
    assert.ok(flashes > 0, scenario);
    await context.close();
  }
});

test("a flash says how hard it struck; names and poses are drawn on request", async () => {
  const { page, context } = await open("bouncing_ball");
  await page.click("#next-event");
  // m (1 + e) √(2 g h) = 0.1 · 1.8 · √(2 · 9.81 · 1) = 0.7973 N s
  const words = (await seen(page)).labels.map((l) => l.text);
  assert.deepEqual(words, ["0.797 N s"]);
  const picture = () => page.$eval(".stage-canvas", (c) => c.toDataURL());
  const plain = await picture();
  await page.check("#show-poses");
  const posed = await picture();
  assert.notEqual(posed, plain);
  await page.check("#show-names");
  assert.ok((await seen(page)).labels.some((l) => l.text === "ball"));
  assert.notEqual(await picture(), posed);
  await page.uncheck("#show-poses");
  await page.uncheck("#show-names");
  assert.equal(await picture(), plain);
  await context.close();
});

test("bodies of a mechanism have colours of their own", async () => {
  const { page, context } = await open("biped_drop");
  const found = await page.evaluate(() => {
    const canvas = document.querySelector(".stage-canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add(`#${[0, 1, 2].map((k) => pixels[i + k].toString(16).padStart(2, "0")).join("")}`);
    const style = getComputedStyle(document.documentElement);
    return [1, 2, 3, 4, 5].map((k) => style.getPropertyValue(`--body-${k}`).trim()).filter((c) => seen.has(c));
  });
  assert.equal(new Set(found).size, 5, found.join());
  await context.close();
});

test("the scale bar stands neither on floors nor on sand where there is room beside them", async () => {
  for (const scenario of ["bouncing_ball", "rocking_block", "free_link", "biped_drop"]) {
    const { page, context } = await open(scenario);
    const { scaleBar: bar } = await seen(page);
    const lines = await page.evaluate(() => {
      const { scene } = JSON.parse(document.getElementById("thud-data").textContent);
      const v = window.thud.viewer.stage.view();
      return [...scene.walls.map((w) => ({ ...w, deep: 8 })), ...scene.beds.map((b) => ({ ...b, deep: b.depth === null ? 1e9 : b.depth * v.scale }))].map((p) => ({
        x: v.offset[0] + v.scale * p.x, y: v.offset[1] + v.scale * p.z, slope: p.slope, deep: p.deep,
      }));
    });
    for (const { x, y, slope, deep } of lines) {
      const depth = [[bar.left, bar.top], [bar.right, bar.top], [bar.left, bar.bottom], [bar.right, bar.bottom]].map(([a, b]) => (b - y) * Math.cos(slope) - (a - x) * Math.sin(slope));
      assert.ok(Math.max(...depth) <= 0 || Math.min(...depth) >= deep, `${scenario}: ${depth}`);
    }
    assert.ok(lines.length > 0);
    await context.close();
  }
});

test("twelve links are followed at 60 frames a second, zoomed in and with poses", async () => {
  const { page, context, trouble } = await open(join(testFolder, "swinging_chain.toml"));
  await page.selectOption("#follow", "11");
  await page.check("#show-poses");
  await page.check("#show-names");
  await page.evaluate(() => window.thud.viewer.stage.zoom(2));
  // How long it takes is told, not asserted: the machine may be busy.
  const median = await page.evaluate(() => {
    const { stage, player } = window.thud.viewer;
    stage.drawTimes.length = 0;
    for (let k = 0; k < 150; ++k) player.seek((k / 150) * player.end);
    return [...stage.drawTimes].sort((a, b) => a - b)[75];
  });
  console.log(`  median ${median.toFixed(2)} ms`);
  assert.ok(median > 0);
  assert.deepEqual(trouble, []);
  await context.close();
});
