// Tabs as the ARIA practices have them: one is in the order of the keyboard, arrows go to the others.
import { h } from "./dom";

/// `parts`: id, label and content of each; `beside` stands at the end of the row of tabs.
export function makeTabs(name: string, beside: HTMLElement, parts: [string, string, HTMLElement][]): HTMLElement {
  const buttons: HTMLButtonElement[] = [];
  const panels: HTMLElement[] = [];
  const last = parts.length - 1;
  const select = (k: number, focus = false) => {
    buttons.forEach((b, i) => {
      b.setAttribute("aria-selected", String(i === k));
      b.tabIndex = i === k ? 0 : -1;
      panels[i].hidden = i !== k;
    });
    document.body.dataset.tab = parts[k][0];
    if (focus) buttons[k].focus();
  };
  const onkeydown = (k: number) => (e: KeyboardEvent) => {
    const to = { ArrowRight: k === last ? 0 : k + 1, ArrowLeft: k === 0 ? last : k - 1, Home: 0, End: last }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    select(to, true);
  };
  parts.forEach(([id, label, content], k) => {
    buttons.push(h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => select(k), onkeydown: onkeydown(k) }, label));
    panels.push(h("div", { role: "tabpanel", tabindex: "0", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
  });
  select(0);
  const list = h("div", { role: "tablist", class: "tablist", "aria-label": name }, ...buttons);
  return h("div", { class: "tabs" }, h("div", { class: "tabs-head" }, list, beside), ...panels);
}
