// Light or dark: as the system has it, until the reader says otherwise.
import { iconButton } from "./dom";

const listeners = new Set<() => void>();
const system = matchMedia("(prefers-color-scheme: dark)");

function stored(): string | null {
  try {
    return localStorage.getItem("thud-theme");
  } catch {
    return null;
  }
}

export const isDark = (): boolean => document.documentElement.dataset.theme === "dark";

function apply(theme: string): void {
  document.documentElement.dataset.theme = theme;
  palette = undefined;
  for (const listener of listeners) listener();
}

export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startTheme(): void {
  const follow = () => apply(stored() ?? (system.matches ? "dark" : "light"));
  system.addEventListener("change", follow);
  follow();
}

export function themeButton(): HTMLElement {
  return iconButton("theme", "Light or dark", () => {
    const theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("thud-theme", theme);
    } catch {
      // a page from disk may have no storage
    }
    apply(theme);
  }, "theme");
}

export type Palette = Record<string, string>;
let palette: Palette | undefined;

/// A colour of the style sheet, for canvases.
export function colour(name: string): string {
  palette ??= {};
  palette[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return palette[name];
}

export const seriesColours = (): string[] => ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6"].map(colour);
