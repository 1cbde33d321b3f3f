import { html } from "../../../web/html.ts";
import type { RenderedDocument } from "../document.ts";
import { pageOf, searchable } from "./layout.ts";
import type { NearPage } from "./nearest.ts";

/** The 404 for people: what was missing, and where to look. Programs get the problem as JSON. */
export const notFoundPage = (
  detail: string,
  nearest: readonly NearPage[],
  embedded_chain: boolean,
): RenderedDocument => ({
  ...pageOf({
    title: "Not found · Tallystick",
    description: "There is no page at this address.",
    embedded_chain,
    body: html`
      <h1 class="claim">There is no page at this address</h1>
      <p class="description">${detail.charAt(0).toUpperCase() + detail.slice(1)}${detail.endsWith("?") ? "" : "."}</p>
      ${searchable(html`${
        nearest.length === 0
          ? ""
          : html`<h2>Near this address</h2>
      <ul class="entries">${nearest.map(
        ({ path, title }) => html`
        <li><a href="${path}">${title}</a> <code>${path}</code></li>`,
      )}
      </ul>
      `
      }<h2>All pages</h2>
      <ul class="entries">
        <li><a href="/docs">Documentation</a> <span class="soft">guides, and a page for each operation</span></li>
        <li><a href="/log">The log</a> <span class="soft">events, proofs and a verifier</span></li>
        <li><a href="/rng">Random numbers</a> <span class="soft">draw a number, and verify a roll</span></li>
        <li><a href="/soul">Agents</a> <span class="soft">passports and trust</span></li>
        <li><a href="/soul/market">Market</a> <span class="soft">nodes, bounties, items and settlements</span></li>
        <li><a href="/problems#not-found">The error for programs</a> <span class="soft">without text/html in Accept the answer is JSON</span></li>
      </ul>`)}`,
  }),
  status: 404,
});
