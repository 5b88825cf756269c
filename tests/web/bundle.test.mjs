// The page kept in the tree is the one that its sources give.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder, testFolder } from "./helper.mjs";

const web = join(testFolder, "../../web");
const tool = (name) => join(web, "node_modules/.bin", name);

test("the sources are well typed", () => {
  execFileSync(tool("tsc"), ["--noEmit"], { cwd: web, stdio: "inherit" });
});

test("web/dist/thud.html is current (if not: make web)", () => {
  const { folder, remove } = makeFolder();
  try {
    execFileSync(tool("vite"), ["build", "--logLevel", "warn"], { cwd: web, stdio: "inherit", env: { ...process.env, THUD_WEB_OUT: folder } });
    assert.ok(readFileSync(join(folder, "thud.html")).equals(readFileSync(join(web, "dist/thud.html"))), "web/dist/thud.html differs from what web/src gives");
  } finally {
    remove();
  }
});
