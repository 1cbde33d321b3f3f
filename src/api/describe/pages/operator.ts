import { html } from "../../../web/html.ts";
import type { Document } from "../document.ts";
import { type PageParts, pageOf } from "./layout.ts";

/** The page contains no figures. Its script requests them with the key that the operator types. */
export const operatorDocument = ({ embedded_chain }: PageParts): Document => ({
  path: "/operator",
  type: "text/html",
  summary: "The service as its operator sees it; it asks for an admin key",
  render: () =>
    pageOf({
      title: "Operator · Tallystick",
      description: "Open work, money, gas and failures of this service, for its operator.",
      embedded_chain,
      script: "/operator/page.js",
      body: html`
      <h1 class="claim">The service as its operator sees it</h1>
      <p class="lead">Open orders, executions, tasks, refunds and webhooks, gas, and every reactor with its failure and lag. The figures name no tenant.</p>
      <noscript><p class="trouble">This page needs JavaScript. Its figures are the JSON of /operator/overview.</p></noscript>
      <form id="unlock" class="card">
        <label for="admin-key">Admin key</label>
        <input id="admin-key" type="password" required autocomplete="off" spellcheck="false" placeholder="sk_…">
        <p class="soft">The key stays in this page. The operator issues one: <code>bin/tallystick keys issue --tenant me --scopes read,admin</code>.</p>
        <div class="actions"><button type="submit" class="primary">Show</button></div>
      </form>
      <p id="trouble" class="trouble" role="alert" hidden></p>
      <div id="overview" hidden></div>
      <section aria-labelledby="operator-tools">
        <h2 id="operator-tools">Elsewhere</h2>
        <ul class="entries">
          <li><a href="/docs/operating">Operating</a> <span class="soft">the checklist, and what to do about a failure</span></li>
          <li><a href="/ready">/ready</a> <span class="soft">readiness of each part, as JSON</span></li>
          <li><a href="/docs/operations/operator_overview">operator_overview</a> <span class="soft">the same figures for programs</span></li>
        </ul>
      </section>`,
    }),
});
