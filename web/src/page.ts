// This page with other data in it: a report that a page makes without a server.
import { RunDocument } from "./data";

export function pageWith(data: RunDocument): string {
  const head = document.head.cloneNode(true) as HTMLHeadElement;
  head.querySelector("title")!.textContent = data.scene.title;
  const script = document.querySelector('script[type="module"]')!;
  const engine = document.getElementById("thud-engine");
  const json = JSON.stringify({ ...data, live: {} }).replaceAll("<", "\\u003c");
  return [
    `<!doctype html>\n<html lang="en">\n${head.outerHTML}\n<body>\n<div id="app"></div>`,
    engine?.outerHTML ?? "",
    `<script type="application/json" id="thud-data">${json}<\/script>`,
    `${script.outerHTML}\n</body>\n</html>\n`,
  ].join("\n");
}
