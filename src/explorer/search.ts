/** Searches the documentation: the first letter loads its whole index, and the search runs here. */
import { ask, reasonOf } from "./ask.ts";
import { el, part } from "./dom.ts";
import { counted } from "./format.ts";

type Entry = { path: string; title: string; of: string; text: string };

const MOST = 30;
/** A word's weight in a title, and in a text. */
const [IN_TITLE, IN_TEXT] = [5, 1];

export function openSearch(): void {
  const input = part<HTMLInputElement>("#words");
  const found = part("#found");
  const contents = part("#contents");
  let entries: Promise<Entry[]> | undefined;
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    contents.hidden = words.length > 0;
    found.hidden = words.length === 0;
    if (words.length === 0) return;
    try {
      entries ??= ask<Entry[]>("/docs/search.json");
      const hits = best(await entries, words);
      found.replaceChildren(
        el(
          "p",
          { class: "soft" },
          hits.length === 0 ? "Nothing has all of these words." : counted(hits.length, "place"),
        ),
        el("ul", { class: "entries" }, ...hits.slice(0, MOST).map((hit) => line(hit, words))),
      );
    } catch (error) {
      entries = undefined;
      found.replaceChildren(el("p", { class: "trouble" }, reasonOf(error)));
    }
  };
  input.addEventListener("input", () => void show());
  part("#search").addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.focus();
  });
}

/** The entries that have every word, those with title matches first. */
function best(entries: Entry[], words: string[]): Entry[] {
  return entries
    .map((entry) => ({ entry, weight: weightOf(entry, words) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ entry }) => entry);
}

function weightOf({ title, of, text }: Entry, words: string[]): number {
  const [high, low] = [`${title} ${of}`.toLowerCase(), text.toLowerCase()];
  const weights = words.map((word) => (high.includes(word) ? IN_TITLE : low.includes(word) ? IN_TEXT : 0));
  return weights.includes(0) ? 0 : weights.reduce((sum, weight) => sum + weight, 0);
}

/** Letters around the first match. */
const [BEFORE, AFTER] = [50, 120];

function line({ path, title, of, text }: Entry, words: string[]): HTMLElement {
  const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)));
  const from = Math.max(0, at - BEFORE);
  const excerpt = text.slice(from, at + AFTER).trim();
  return el(
    "li",
    {},
    el("a", { href: path }, title),
    " ",
    el("span", { class: "soft" }, of),
    el("p", { class: "soft" }, `${from > 0 ? "…" : ""}${excerpt}${at + AFTER < text.length ? "…" : ""}`),
  );
}
