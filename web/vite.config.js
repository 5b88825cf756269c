// One file: the script and the style go into the page, which then needs nothing else.
import { defineConfig } from "vite";

function inlined() {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const page = files.find((f) => f.fileName.endsWith(".html"));
      const script = files.find((f) => f.type === "chunk");
      const style = files.find((f) => f.fileName.endsWith(".css"));
      const code = script.code.replaceAll("</script", "<\\/script").trim();
      let html = page.source
        .replace(/<script type="module"[^>]*><\/script>\s*/, "")
        .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style.source.trim()}</style>`);
      html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: "asset", fileName: "thud.html", source: html });
    },
  };
}

export default defineConfig({
  plugins: [inlined()],
  build: {
    outDir: process.env.THUD_WEB_OUT ?? "dist",
    emptyOutDir: true,
    target: "es2021",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e8,
    reportCompressedSize: false,
  },
});
