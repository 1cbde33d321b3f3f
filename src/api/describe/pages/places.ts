import { html, type Markup } from "../../../web/html.ts";

export const PLACES = [
  ["/docs", "Docs"],
  ["/log", "The log"],
  ["/rng", "Random numbers"],
  ["/soul", "Agents"],
  ["/soul/market", "Market"],
] as const;

export type MenuEntry = "/" | (typeof PLACES)[number][0];

export const placesFor = (place?: MenuEntry): Markup => html`<div class="top">
      <a class="brand" href="/"><img src="/log/icon.svg" alt="" width="28" height="28"> Tallystick</a>
      <nav class="places" aria-label="Pages">
        ${PLACES.map(([path, name]) => html`<a href="${path}"${path === place ? html` aria-current="page"` : ""}>${name}</a>`)}
      </nav>
    </div>`;
