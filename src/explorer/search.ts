/** Searches the documentation: the first letter loads its whole index, and the search runs here. */
import { ask, reasonOf } from "./ask.ts";
import { el, part } from "./dom.ts";
import { type Entry, entryFinder } from "./entries.ts";
import { counted } from "./format.ts";

const MOST = 30;

export function openSearch(): void {
  const input = part<HTMLInputElement>("#words");
  const found = part("#found");
  const contents = part("#contents");
  let find: Promise<ReturnType<typeof entryFinder>> | undefined;
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    contents.hidden = words.length > 0;
    found.hidden = words.length === 0;
    if (words.length === 0) return;
    try {
      find ??= ask<Entry[]>("/docs/search.json").then(entryFinder);
      const hits = (await find)(input.value);
      found.replaceChildren(
        el(
          "p",
          { class: "soft" },
          hits.length === 0
            ? "Nothing matches. Try other words, such as seasonality, refund or verify."
            : counted(hits.length, "place"),
        ),
        el("ul", { class: "entries" }, ...hits.slice(0, MOST).map((hit) => line(hit, words))),
      );
    } catch (error) {
      find = undefined;
      found.replaceChildren(el("p", { class: "trouble" }, reasonOf(error)));
    }
  };
  input.addEventListener("input", () => void show());
  part("#search").addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.focus();
  });
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
