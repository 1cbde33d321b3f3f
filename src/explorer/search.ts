/** Searches the documentation: the first letter loads its whole index, and the search runs here. */
import { ask, reasonOf } from "./ask.ts";
import { el, part } from "./dom.ts";
import { type Entry, entryFinder } from "./entries.ts";
import { excerptOf, WORD } from "./excerpt.ts";
import { counted } from "./format.ts";

const MOST = 30;

export function openSearch(): void {
  const input = part<HTMLInputElement>("#words");
  const found = part("#found");
  const contents = part("#contents");
  let find: Promise<ReturnType<typeof entryFinder>> | undefined;
  const show = async () => {
    const isEmpty = input.value.trim() === "";
    contents.hidden = !isEmpty;
    found.hidden = isEmpty;
    if (isEmpty) return;
    try {
      find ??= ask<Entry[]>("/docs/search.json").then(entryFinder);
      const { find: findEntries, matcher } = await find;
      const hits = findEntries(input.value);
      const isMatch = matcher(input.value);
      found.replaceChildren(
        el(
          "p",
          { class: "soft" },
          hits.length === 0
            ? "Nothing matches. Try other words, such as seasonality, refund or verify."
            : counted(hits.length, "place"),
        ),
        el("ul", { class: "entries" }, ...hits.slice(0, MOST).map((hit) => line(hit, isMatch))),
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

function line({ path, title, of, text }: Entry, isMatch: (word: string) => boolean): HTMLElement {
  return el(
    "li",
    {},
    el("a", { href: path }, ...marked(title, isMatch)),
    " ",
    // A page's first section has the page's title.
    el("span", { class: "soft" }, of === title ? "Guide" : of),
    el("p", { class: "soft" }, ...marked(excerptOf(text, isMatch), isMatch)),
  );
}

/** The text with its found words marked. */
const marked = (text: string, isMatch: (word: string) => boolean): (Node | string)[] =>
  text
    .replaceAll("`", "")
    .split(WORD)
    .map((part) => (isMatch(part) ? el("mark", {}, part) : part));
