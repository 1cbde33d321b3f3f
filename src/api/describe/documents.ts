import { inTime } from "../../core/coordination/concurrency.ts";
import { buildsOf, likelyWait } from "../../datasets/builds.ts";
import { issuerOf } from "../../domain/identity/credential.ts";
import { didOf, keyUrl } from "../../domain/payments/receipt.ts";
import type { Catalogue, Operation, Path } from "../declare/operation.ts";
import { pathOf } from "../declare/operation-facts.ts";
import { priceList } from "../serve/x402/discovery.ts";
import type { PaymentTerms } from "../serve/x402/required.ts";
import type { Document } from "./document.ts";
import { explorerDocuments } from "./explorer.ts";
import { missingData } from "./missing-data.ts";
import { openapi } from "./openapi.ts";
import { asOpenapi30 } from "./openapi-3-0.ts";
import { docsDocuments } from "./pages/docs.ts";
import { homeDocuments } from "./pages/home.ts";
import { operatorDocument } from "./pages/operator.ts";
import { problemsDocument } from "./pages/problems.ts";
import { rngDocument } from "./pages/rng.ts";
import { llmsPage } from "./reference.ts";
import { serviceRecords } from "./service-records.ts";
import { iconDocuments } from "./tool-icons.ts";

/** The documents of a service. Constant ones are rendered once, at the first request. */
export function documentsOf(
  catalogue: Catalogue,
  terms: PaymentTerms,
  { sandbox_key }: { sandbox_key?: string | undefined } = {},
): Document[] {
  const pages = { ...terms, sandbox_key };
  const fixed = (path: Path, type: string, summary: string, rendered: () => string): Document => {
    let body: string | undefined;
    const render = () => {
      body ??= rendered();
      return { body };
    };
    return { path, type, summary, render };
  };
  const description = (path: Path, described: Catalogue, what: string): Document =>
    fixed(path, "application/json", `OpenAPI 3.1.0 of ${what}`, () =>
      JSON.stringify(openapi(described, terms.public_url)),
    );
  return [
    ...homeDocuments(catalogue, pages),
    ...docsDocuments(catalogue, pages),
    rngDocument(pages),
    operatorDocument(pages),
    health,
    { ...health, path: "/healthz", summary: "Liveness, under the name that some monitors request" },
    ready,
    description("/openapi.json", catalogue, "every operation"),
    ...catalogue.areas
      .filter(({ operations }) => operations.length > 0)
      .map(({ name }) => description(`/openapi/${name}.json`, ofArea(catalogue, name), `the area ${name}`)),
    fixed(
      "/soul/openapi.json",
      "application/json",
      "OpenAPI 3.0 of identity, trust, compute and compliance",
      () => JSON.stringify(asOpenapi30(openapi(ofSoul(catalogue), terms.public_url))),
    ),
    fixed("/llms.txt", "text/plain", "The service on one page, for language models", () =>
      llmsPage(catalogue, terms.public_url),
    ),
    problemsDocument(catalogue, pages),
    fixed("/.well-known/x402", "application/json", "The price list", () =>
      JSON.stringify(priceList(catalogue.operations, terms)),
    ),
    ...serviceRecords(catalogue, terms.public_url),
    keySet,
    didDocument,
    fixed("/.well-known/security.txt", "text/plain", "Where to report a weakness", () =>
      securityText(terms.public_url),
    ),
    fixed("/.well-known/api-catalog", "application/linkset+json", "RFC 9727 catalogue", () =>
      apiCatalog(terms.public_url),
    ),
    fixed("/robots.txt", "text/plain", "Rules for crawlers", () => robots(terms.public_url)),
    ...explorerDocuments(),
    ...iconDocuments(),
  ];
}

/** Search engines should index the pages, not the answers. */
const robots = (public_url: string) =>
  `User-agent: *\nDisallow: /v1/\nDisallow: /api/\nDisallow: /mcp\nSitemap: ${public_url}/sitemap.xml\n`;

const ofArea = ({ areas, operations, problems }: Catalogue, wanted: string): Catalogue => ({
  areas: areas.filter(({ name }) => name === wanted),
  operations: operations.filter(({ area }) => area === wanted),
  problems,
});

const isOfSoul = (operation: Operation) => /^(?:\/v1\/agent)?\/soul\//.test(pathOf(operation));

function ofSoul({ areas, operations, problems }: Catalogue): Catalogue {
  const described = operations.filter(isOfSoul);
  return {
    areas: areas.filter(({ name }) => described.some(({ area }) => area === name)),
    operations: described,
    problems,
  };
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
  summary: "Readiness of each part",
  render: async (app) => {
    const [log, chain, checked, disputes] = await Promise.all([
      readinessDetail(LOG_MS, app.store.head()).then(
        (head) => ({ up: true, position: head.position }),
        () => ({ up: false, position: null }),
      ),
      readinessDetail(CHAIN_MS, app.chain.heads()).then(
        ({ latest }) => ({ up: true, block: Number(latest.number) }),
        () => ({ up: false, block: null }),
      ),
      readinessDetail(LOG_MS, app.accepting.contradiction()).then(
        (contradiction) => ({ checked: true, contradiction }),
        () => ({ checked: false, contradiction: null }),
      ),
      readinessDetail(LOG_MS, app.disputes()).catch(() => []),
    ]);
    const datasets = app.data.vintages.open().map(({ dataset, vintage }) => ({ dataset, vintage }));
    const missing = log.up ? await readinessDetail(LOG_MS, missingData(app)).catch(() => null) : null;
    const accepts = log.up && checked.checked && checked.contradiction === null;
    const up = accepts && disputes.length === 0 && missing?.length === 0;
    const awaited = app.vintage_store.awaited();
    return {
      ...(up ? {} : { status: 503, headers: { "Retry-After": String(likelyWait(awaited)) } }),
      body: JSON.stringify({
        status: up ? "ready" : "not ready",
        log: { ...log, ...checked, disputes },
        chain,
        datasets,
        missing,
        making: buildsOf(awaited),
        readers: app.readers.health(),
      }),
    };
  },
};

const keySet: Document = {
  path: "/.well-known/jwks.json",
  type: "application/jwk-set+json",
  summary: "The public key that signs receipts and credentials, by each kid that they name",
  render: ({ signer, settings }) => {
    // A service under http names its key by `kid` alone in credentials, so the set lists the key under both names.
    const kids = new Set([
      keyUrl(settings.public_url, signer.kid),
      issuerOf(settings.public_url, signer).key,
    ]);
    const keys = [...kids].map((kid) => ({ ...signer.public_key, kid, use: "sig", alg: "EdDSA" }));
    return { body: JSON.stringify({ keys }) };
  },
};

/** The DID document for did:web, because x402 names the keys of receipts by DID. */
const didDocument: Document = {
  path: "/.well-known/did.json",
  type: "application/did+json",
  summary: "The same key as a DID document (did:web)",
  render: ({ signer, settings }) => {
    const [id, key_url] = [didOf(settings.public_url), keyUrl(settings.public_url, signer.kid)];
    const key = { id: key_url, type: "JsonWebKey", controller: id, publicKeyJwk: signer.public_key };
    const context = ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/jwk/v1"];
    return {
      body: JSON.stringify({
        "@context": context,
        id,
        verificationMethod: [key],
        assertionMethod: [key_url],
      }),
    };
  },
};

/** Time limit of the chain query. Without the chain nobody can pay, but the service stays ready. */
const CHAIN_MS = 1_000;
/** Time limit of the log query, so that a stalled database connection does not stall the readiness check. */
const LOG_MS = 2_000;

const readinessDetail = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  inTime(ms, answer, () => new Error("late"));

/** security.txt expires in half a year, because RFC 9116 recommends less than a year. */
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
        "service-meta": [
          "/.well-known/agent-card.json",
          "/.well-known/agent-registration.json",
          "/server.json",
        ].map((path) => ({ href: public_url + path, type: "application/json" })),
        status: [{ href: `${public_url}/ready`, type: "application/json" }],
      },
    ],
  });
