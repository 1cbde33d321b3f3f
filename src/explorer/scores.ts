/** Scores as people read them: points of a hundred, levels, and a bar. */
import { el } from "./dom.ts";

const MOST_MICRO = 100_000_000;

/** Micro-points as points; floored, as the service rounds them. */
export const pointsText = (micro: number, digits = 2): string => {
  const whole = Math.trunc(micro / 10 ** (6 - digits)) / 10 ** digits;
  return whole.toFixed(digits);
};

/** "very_high" as "very high". */
export const levelText = (level: string): string => level.replaceAll("_", " ");

/** A word in a frame; the classes are the service's own words, and no other text becomes one. */
export const badge = (kind: string, text: string): HTMLElement =>
  el("span", { class: /^[a-z_]{1,20}$/.test(kind) ? `badge ${kind}` : "badge" }, text);

/** A bar as long as the score; the figure stands beside it, so it is told to nobody twice. */
export function meter(micro: number): HTMLElement {
  const fill = el("span");
  fill.style.width = `${Math.max(0, Math.min(100, (100 * micro) / MOST_MICRO))}%`;
  return el("div", { class: "meter", "aria-hidden": "true" }, fill);
}
