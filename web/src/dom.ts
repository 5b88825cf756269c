type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/// An element: properties that begin with "on" are listeners, the others attributes.
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "value" && "value" in element) (element as unknown as { value: string }).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function clear(element: Element): void {
  element.replaceChildren();
}

/// A card with a heading.
export function card(title: string, props: Props, ...children: Child[]): HTMLElement {
  return h("section", { ...props, class: `card ${props.class ?? ""}` }, h("h2", {}, title), ...children);
}

const icons: Record<string, string> = {
  play: "M5 3l9 6-9 6z",
  pause: "M4 3h4v12H4zM10 3h4v12h-4z",
  next: "M3 3l7 6-7 6zM12 3h2.5v12H12z",
  previous: "M15 3L8 9l7 6zM3.5 3H6v12H3.5z",
  start: "M15 3L9 9l6 6zM9 3L3 9l6 6z",
  close: "M4.5 3L9 7.5 13.5 3 15 4.5 10.5 9l4.5 4.5-1.5 1.5L9 10.5 4.5 15 3 13.5 7.5 9 3 4.5z",
  plus: "M8 3h2v5h5v2h-5v5H8v-5H3V8h5z",
  minus: "M3 8h12v2H3z",
  fit: "M2 2h5v2H4v3H2zM11 2h5v5h-2V4h-3zM2 11h2v3h3v2H2zM14 11h2v5h-5v-2h3z",
  grip: "M6 3h2v2H6zM10 3h2v2h-2zM6 8h2v2H6zM10 8h2v2h-2zM6 13h2v2H6zM10 13h2v2h-2z",
  link: "M7 5H5a4 4 0 000 8h2v-2H5a2 2 0 010-4h2zM11 5h2a4 4 0 010 8h-2v-2h2a2 2 0 000-4h-2zM6 8h6v2H6z",
  pin: "M6 2h6v2h-1v4l2 3v1H9.8L9 17l-.8-5H5v-1l2-3V4H6z",
  theme: "M9 1.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15zm0 2v11a5.5 5.5 0 010-11z",
  download: "M8 2h2v7h3l-4 4.5L5 9h3zM3 14h12v2H3z",
};

export function icon(name: string): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 18 18");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: string, label: string, onclick: () => void, id?: string): HTMLButtonElement {
  return h("button", { type: "button", class: "icon-button", title: label, "aria-label": label, id, onclick }, icon(name) as unknown as Node);
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const wantsLessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
