// Colours for TOML: enough to find one's way in a scenario.
import { h } from "./dom";

const token =
  /(#[^\n]*)|(^[ \t]*\[\[?[^\]\n]*\]\]?)|("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(\b(?:true|false)\b)|([A-Za-z_][\w.-]*|"[^"\n]*")(?=\s*=)|([-+]?\b\d[\d_.]*(?:[eE][-+]?\d+)?)/gm;
const classes = ["comment", "table", "string", "constant", "key", "number"];

export function highlighted(text: string): HTMLElement {
  const out = h("code", { class: "toml" });
  let from = 0;
  for (const match of text.matchAll(token)) {
    const group = match.slice(1).findIndex((g) => g !== undefined);
    out.append(text.slice(from, match.index), h("span", { class: `t-${classes[group]}` }, match[0]));
    from = match.index + match[0].length;
  }
  out.append(text.slice(from));
  return out;
}
