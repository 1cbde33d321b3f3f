import { type AbandonedRow, abandonedChains } from "../../../projections/rng/seeds.ts";
import { html, type Markup } from "../../../web/html.ts";
import type { Document } from "../document.ts";
import { keyFor, type PageParts, pageOf } from "./layout.ts";

export const rngDocument = (parts: PageParts): Document => ({
  path: "/rng",
  type: "text/html",
  summary: "Draws a random number, and verifies one in the browser",
  render: async (app, visit) => {
    const abandoned = await abandonedChains(app.pool);
    return pageOf({
      title: "Random numbers · Tallystick",
      description: "Draws a provably fair random number, and verifies one in this browser.",
      place: "/rng",
      embedded_chain: parts.embedded_chain,
      script: "/rng/page.js",
      key: keyFor(parts, visit),
      body: html`${BODY}${abandoned.length > 0 ? givenUp(abandoned) : ""}`,
    });
  },
});

const givenUp = (chains: readonly AbandonedRow[]) => html`
      <section class="card" aria-labelledby="given-up-title">
        <h2 id="given-up-title">Abandoned seeds</h2>
        <p>Their secret is lost. All draws from the seed in use are void, and stakes of bets were refunded.</p>
        <ul>${chains.map(
          ({ space, chain, reason, void: used, rolls, abandoned_at }) => html`
          <li>${abandoned_at}: ${space} chain ${String(chain)}. ${
            reason === "committed-before"
              ? "Its head was on chain before this log published it; it was never used."
              : used
                ? `Seed ${used.index} was in use: ${rolls ?? 0} rolls and bets, and its audit draws, are void.`
                : "None of its secret seeds was used."
          }</li>`,
        )}</ul>
      </section>`;

/** The games on the page, with their parameters. */
const GAMES: [title: string, game: string, params: object][] = [
  ["A die", "dice", { sides: 6 }],
  ["A coin", "coin", {}],
  ["A number from 1 to 100", "range", { min: 1, max: 100 }],
  ["A fraction", "float", {}],
  ["An order of five", "shuffle", { items: ["a", "b", "c", "d", "e"] }],
];

const field = (id: string, title: string, control: Markup) => html`
            <div><label for="${id}">${title}</label>${control}</div>`;

const BODY = html`
      <h1 class="claim">A random number that neither side chose</h1>
      <p class="lead">It comes from words of yours and a secret seed, to which this service committed before. Once the seed is revealed, anybody can compute it again.</p>
      <noscript><p class="trouble">This page needs JavaScript. <a href="/rng/roll-verifier.js">roll-verifier.js</a> does the same with Node.</p></noscript>
      <section aria-labelledby="draw-title">
        <h2 id="draw-title">Draw one</h2>
        <form id="draw" class="card">
          <div class="fields">${field(
            "game",
            "Kind",
            html`<select id="game">${GAMES.map(
              ([title, game, params]) =>
                html`<option value="${game}" data-params="${JSON.stringify(params)}">${title}</option>`,
            )}</select>`,
          )}${field(
            "client-seed",
            "Your words",
            html`<input id="client-seed" type="text" required autocomplete="off" spellcheck="false" maxlength="128">`,
          )}
            <div class="draw-key">
              <label for="draw-key">API key</label><input id="draw-key" type="password" autocomplete="off" spellcheck="false" placeholder="sk_…">
              <p class="soft" id="draw-way">It stays in this page.</p>
            </div>
          </div>
          <div class="actions"><button type="submit" class="primary">Draw one</button> <a href="/docs/operations/rng_roll">Every way to draw</a></div>
        </form>
        <div id="drawn" class="result" role="status" aria-live="polite"></div>
      </section>
      <section aria-labelledby="verify-title">
        <h2 id="verify-title">Verify one</h2>
        <p class="actions"><button type="button" id="example">Verify an example</button></p>
        <div class="ways">
          <form id="by-id" class="card">
            <h3>By its id</h3>
            <p class="soft">This service gives the proof for your API key. The key stays in this page.</p>
            <label for="roll-id">Roll id</label>
            <input id="roll-id" type="text" required autocomplete="off" spellcheck="false" pattern="[0-9a-f]{32}" title="32 hex digits" placeholder="32 hex digits">
            <label for="api-key">API key</label>
            <input id="api-key" type="password" required autocomplete="off" spellcheck="false" placeholder="sk_…">
            <button type="submit" class="primary">Verify</button>
          </form>
          <form id="by-proof" class="card">
            <h3>By its proof</h3>
            <p class="soft">The answer of <code>POST /v1/agent/rng/verify</code>. It stays in this page.</p>
            <label for="proof">Proof, as JSON</label>
            <textarea id="proof" rows="8" required spellcheck="false" placeholder='{"data":{"roll":{…},"seed":"…"}}'></textarea>
            <button type="submit" class="primary">Verify</button>
          </form>
        </div>
        <div id="result" class="result" role="status"></div>
      </section>
      <section class="card own" aria-labelledby="own-title">
        <h2 id="own-title">Without trusting this page</h2>
        <p>This page comes from the service that it checks. <a href="/rng/roll-verifier.js" download>roll-verifier.js</a> is short enough to be read, and runs in Node. Any node of the network shows when the chain of seeds was committed: call <code>seedCommittedAt(signer, head)</code> of the contract. <a href="/docs/rng">How it works</a>, byte by byte.</p>
        <p>Not proven: a client seed that the operator can guess may be steered, and a service can delay a roll. <a href="/docs/rng#limits">Limits</a>.</p>
      </section>`;
