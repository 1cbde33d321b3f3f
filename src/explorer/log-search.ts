/** The search box of the log's page: one match opens, several are listed. */
import { ask, reasonOf } from "./ask.ts";
import { el, part } from "./dom.ts";
import { typedKey } from "./filters.ts";

type Match = { kind: string; title: string; about: string; page: string };

export function openLogSearch(): void {
  const input = part<HTMLInputElement>("#log-words");
  const place = part("#log-found");
  const show = (...children: (Node | string)[]) => {
    place.replaceChildren(...children);
    place.hidden = children.length === 0;
  };
  input.addEventListener("input", () => {
    if (input.value === "") show();
  });
  part("#log-search").addEventListener("submit", async (event) => {
    event.preventDefault();
    const q = input.value.trim();
    if (q === "") return show();
    try {
      const { found } = await ask<{ found: Match[] }>("/log/search", { q }, typedKey());
      const [first] = found;
      if (!first)
        return show(
          el(
            "p",
            { class: "soft" },
            `Nothing is called ${q}. With your API key, the search also finds your own streams.`,
          ),
        );
      show(
        el(
          "ul",
          { class: "entries" },
          ...found.map(({ kind, title, about, page }) =>
            el(
              "li",
              {},
              el("a", { href: page }, title),
              " ",
              el("span", { class: "soft" }, `${kind}: ${about}`),
            ),
          ),
        ),
      );
      if (found.length === 1) location.href = first.page;
    } catch (error) {
      show(el("p", { class: "trouble" }, reasonOf(error)));
    }
  });
}
