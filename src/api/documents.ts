import type { Document } from "./document.ts";
import { openapi } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { problemsPage } from "./problem.ts";
import { llmsPage, priceList } from "./reference.ts";
import type { PaymentTerms } from "./x402/required.ts";

/** All documents of a catalogue. What does not change while the service runs is rendered once. */
export function documentsOf(operations: Operation[], terms: PaymentTerms): Document[] {
  const fixed = (path: string, type: string, summary: string, body: string): Document => ({
    path,
    type,
    summary,
    render: () => ({ body }),
  });
  const description = JSON.stringify(openapi(operations, terms.public_url));
  return [
    health,
    ready,
    fixed("/openapi.json", "application/json", "OpenAPI 3.1.0 of every operation", description),
    fixed(
      "/llms.txt",
      "text/plain",
      "The service on one page, for models",
      llmsPage(operations, terms.public_url),
    ),
    fixed("/problems", "text/markdown", "Every kind of error", problemsPage()),
    fixed(
      "/.well-known/x402",
      "application/json",
      "The price list",
      JSON.stringify(priceList(operations, terms)),
    ),
    fixed(
      "/.well-known/security.txt",
      "text/plain",
      "Where to report a weakness",
      securityText(terms.public_url),
    ),
    fixed(
      "/.well-known/api-catalog",
      "application/linkset+json",
      "RFC 9727 catalogue",
      apiCatalog(terms.public_url),
    ),
  ];
}

const health: Document = {
  path: "/health",
  type: "application/json",
  summary: "Liveness: the process answers",
  render: () => ({ body: '{"status":"ok"}' }),
};

const ready: Document = {
  path: "/ready",
  type: "application/json",
  summary: "Readiness: what is up and what is not",
  render: async (app) => {
    const log = await app.store.head().then(
      (head) => ({ up: true, position: head.position }),
      () => ({ up: false, position: null }),
    );
    const datasets = app.vintages.open().map(({ dataset, vintage }) => ({ dataset, vintage }));
    const up = log.up && datasets.length > 0;
    return {
      status: up ? 200 : 503,
      body: JSON.stringify({ status: up ? "ready" : "not ready", log, datasets }),
    };
  },
};

/** RFC 9116; it must be renewed within a year, so it always ends half a year from the start. */
const securityText = (public_url: string) => {
  const expires = new Date(Date.now() + 182 * 86_400_000).toISOString();
  return `Contact: ${public_url}/\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${public_url}/.well-known/security.txt\n`;
};

const apiCatalog = (public_url: string) =>
  JSON.stringify({
    linkset: [
      {
        anchor: `${public_url}/`,
        "service-desc": [{ href: `${public_url}/openapi.json`, type: "application/json" }],
        "service-doc": [{ href: `${public_url}/llms.txt`, type: "text/plain" }],
        status: [{ href: `${public_url}/ready`, type: "application/json" }],
      },
    ],
  });
