import { html, type Markup, written } from "../../../web/html.ts";
import type { RenderedDocument, Visit } from "../document.ts";
import { PAGE_POLICY } from "../explorer.ts";
import { type MenuEntry, placesFor } from "./places.ts";

export type Page = {
  title: string;
  description: string;
  body: Markup;
  place?: MenuEntry;
  script?: "/docs/page.js" | "/docs/try.js" | "/rng/page.js" | "/operator/page.js";
  embedded_chain: boolean;
  /** True for a page whose body has a list at its side. */
  is_wide?: boolean;
  /** The sandbox's key, shown only to a browser on this machine. */
  key?: string | undefined;
};

/** A page with a key is never cached. */
export function pageOf({ script = "/docs/page.js", ...page }: Page): RenderedDocument {
  const { title, description, body, place, embedded_chain, is_wide = false, key } = page;
  const text = html`<!doctype html>
<html lang="en" data-chain="${embedded_chain ? "development" : "public"}">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="${description}">
    <link rel="icon" href="/log/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/log/page.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script type="module" src="${script}"></script>
  </head>
  <body${is_wide ? html` class="wide"` : ""}${key === undefined ? "" : html` data-key="${key}"`}>
    <a class="skip" href="#content">Skip to the content</a>
    <header>${placesFor(place)}</header>
    <main id="content" tabindex="-1">
      ${body}
    </main>
    <footer>
      <p>For programs: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>, <a href="/.well-known/x402">the price list</a>, <a href="/problems">every kind of error</a>. For the operator: <a href="/operator">the overview</a>.</p>
    </footer>
    <p id="announcer" class="unseen" role="status"></p>
  </body>
</html>
`;
  return {
    body: written(text),
    headers: {
      "Content-Security-Policy": PAGE_POLICY,
      "Cache-Control": key === undefined ? "no-cache" : "no-store",
    },
  };
}

export type PageParts = { public_url: string; embedded_chain: boolean; sandbox_key?: string | undefined };

export const keyFor = ({ sandbox_key }: PageParts, { is_at_home }: Visit) =>
  is_at_home ? sandbox_key : undefined;

/** The search field of the documentation. Search results replace `contents`. */
export const searchable = (contents: Markup): Markup => html`
      <form id="search" class="search" role="search">
        <label for="words">Search pages and operations</label>
        <input id="words" type="search" autocomplete="off" spellcheck="false" placeholder="seasons of a product, refund, verify…">
      </form>
      <div id="found" class="result" role="status" aria-live="polite" hidden></div>
      <div id="contents">${contents}
      </div>`;
