import { html } from "../../../web/html.ts";
import { isOpen, paymentOf, priceText } from "../../declare/access/way.ts";
import type { Catalogue, Operation } from "../../declare/operation.ts";
import { type Document, type Visit, wants } from "../document.ts";
import { CHARTED_BY, chartDocument, exampleChart, NARROW_CHART } from "./example-chart.ts";
import { keyFor, type PageParts, pageOf } from "./layout.ts";

const ABOUT = "Data, computation and trust for autonomous agents, over one log that anyone can verify.";

export const homeDocuments = (catalogue: Catalogue, parts: PageParts): Document[] => [
  {
    path: "/",
    type: "text/html",
    summary: "This service for people: purpose, calls to paste, prices; as JSON for Accept: application/json",
    render: (app, visit) => {
      const chart = exampleChart(app);
      return wants("application/json", visit.accept)
        ? summary(catalogue, parts, chart)
        : home(catalogue, parts, visit, chart);
    },
  },
  chartDocument(),
  chartDocument(NARROW_CHART, 375),
];

const LINKS = {
  docs: "/docs",
  openapi: "/openapi.json",
  llms: "/llms.txt",
  prices: "/.well-known/x402",
  mcp: "/mcp",
  log: "/log/status",
  ready: "/ready",
  problems: "/problems",
} as const;

type Chart = ReturnType<typeof exampleChart>;

function summary({ areas, operations }: Catalogue, { public_url, embedded_chain }: PageParts, chart: Chart) {
  const links = Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, public_url + path]));
  return {
    type: "application/json",
    headers: { Vary: "Accept" },
    body: JSON.stringify({
      name: "Tallystick",
      about: ABOUT,
      chain: embedded_chain ? "development" : "base",
      links,
      chart: chart ? { url: public_url + chart.path, about: chart.about } : null,
      areas: areas.map(({ name, about }) => ({
        name,
        about,
        operations: operations.filter(({ area }) => area === name).length,
        openapi: `${public_url}/openapi/${name}.json`,
      })),
    }),
  };
}

function home(catalogue: Catalogue, parts: PageParts, visit: Visit, chart: Chart) {
  const { areas, operations } = catalogue;
  const key = keyFor(parts, visit);
  const page = pageOf({
    title: "Tallystick",
    description: ABOUT,
    place: "/",
    embedded_chain: parts.embedded_chain,
    key,
    body: html`
      <section class="hero" aria-labelledby="title">
        <h1 id="title" class="claim">${ABOUT}</h1>
        <p class="opening">Agents use ${operations.length} operations for trade figures, wages, provably fair random numbers, payments, goods and each other's reputation.
        Pay each call in USDC on Base by x402, without an account, or use an API key.
        Every event is in one hash-chained log, signed and anchored on chain, which your own browser can verify.
        It proves what was recorded and when, not that a figure is true: <a href="/docs/trust#limits">limits</a>.</p>
        <p id="state" class="state" role="status">Loading log, data and chain…</p>
      </section>
      <section aria-labelledby="calls-title">
        <h2 id="calls-title">Three calls</h2>
        ${callsOf(parts, key)}
      </section>
      <section aria-labelledby="chart-title"${chart ? "" : html` hidden`}>
        <h2 id="chart-title">What an answer looks like</h2>
        <figure class="picture">
          <picture>
            ${chart ? html`<source media="(max-width: 30rem)" srcset="${chart.narrow_path}" width="375" height="420">` : ""}
            <img id="chart"${chart ? html` src="${chart.path}" alt="${chart.about}"` : html` alt=""`} width="900" height="500">
          </picture>
          <figcaption class="soft">Drawn now from the answer of <a href="/docs/operations/${CHARTED_BY}">${CHARTED_BY}</a>; available as JSON, CSV, Parquet, PNG or SVG.</figcaption>
        </figure>
      </section>
      <section aria-labelledby="prices-title">
        <h2 id="prices-title">What it costs</h2>
        <p class="lead">A refused call costs nothing. Each operation has a page that runs its example.</p>
        ${areas.map(({ name, about }) => {
          const members = operations.filter(({ area }) => area === name);
          return html`<details class="prices" id="prices-${name}">
          <summary><span class="area">${name}</span> <span class="soft about">${about}</span> <span class="range">${rangeOf(members)}</span></summary>
          <ul>${members.map(
            (operation) => html`
            <li><a href="/docs/operations/${operation.name}">${operation.summary}</a> <code>${operation.name}</code> <span class="price">${priceText(operation)}</span></li>`,
          )}
          </ul>
        </details>`;
        })}
      </section>`,
  });
  return { ...page, headers: { ...page.headers, Vary: "Accept" } };
}

/** As in the list of operations: "0.10", and "0.001" where a cent is too much. */
const amount = (price: number) =>
  price.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false });

/** The range of prices: "0.01 – 0.25 USDC", "free, or 0.01 USDC", "free" or "by key". */
function rangeOf(operations: readonly Operation[]): string {
  const prices = operations.flatMap((one) => paymentOf(one)?.unit_price ?? []).map(Number);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const isFree = operations.some(isOpen);
  if (prices.length === 0) return isFree ? "free" : "by key";
  return `${isFree ? "free, or " : ""}${least === most ? amount(least) : `${amount(least)} – ${amount(most)}`} USDC`;
}

/** How to get a key on the operator's own machine; elsewhere, callers ask the operator. */
const TO_GET_A_KEY = html`
        <p class="soft">The operator issues keys: <code>bin/tallystick keys issue --tenant me</code>, in containers <code>docker compose exec tallystick bin/tallystick keys issue --tenant me</code>.</p>`;

function callsOf({ public_url, embedded_chain }: PageParts, key: string | undefined) {
  const top = `${public_url}/v1/agent/trade/top-partners?reporter=DE&limit=3`;
  const calls: [about: string, command: string][] = [
    ["Free: service health.", `curl -s '${public_url}/v1/agent/health'`],
    [
      "Without a key or payment: the 402 names what to sign.",
      `curl -si '${public_url}/v1/agent/trade/balance?reporter=LV&years=2024'`,
    ],
    [
      `With ${key ? "this sandbox's key" : "an API key of yours"}: Germany's largest trading partners.`,
      `curl -s -H 'Authorization: Bearer ${key ?? "sk_live_…"}' '${top}'`,
    ],
  ];
  return html`<ol class="calls">${calls.map(
    ([about, command]) => html`
          <li><p>${about}</p><div class="call"><pre tabindex="0">${command}</pre><button type="button" class="copy" aria-label="Copy the call" hidden></button></div></li>`,
  )}
        </ol>${key === undefined ? TO_GET_A_KEY : ""}
        <p class="soft">${
          embedded_chain
            ? "This is a sandbox: its figures are invented, its USDC is worthless. A signature for it would be valid on Base, so never sign with a funded wallet."
            : "With a wallet on Base that has USDC you need no key."
        }</p>`;
}
