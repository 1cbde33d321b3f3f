/** Shows scores as points out of a hundred, levels and a bar. */
import { el } from "./dom.ts";

const MOST_MICRO = 100_000_000;

/** Micro-points as points, rounded down like the service. */
export const pointsText = (micro: number, digits = 2): string => {
  const whole = Math.trunc(micro / 10 ** (6 - digits)) / 10 ** digits;
  return whole.toFixed(digits);
};

/** "very_high" as "very high". */
export const levelText = (level: string): string => level.replaceAll("_", " ");

/** A framed word. Classes are the service's own words only. */
export const badge = (kind: string, text: string): HTMLElement =>
  el("span", { class: /^[a-z_]{1,20}$/.test(kind) ? `badge ${kind}` : "badge" }, text);

/** A bar as long as the score, hidden from screen readers because the figure is next to it. */
export function meter(micro: number): HTMLElement {
  const fill = el("span");
  fill.style.width = `${Math.max(0, Math.min(100, (100 * micro) / MOST_MICRO))}%`;
  return el("div", { class: "meter", "aria-hidden": "true" }, fill);
}
