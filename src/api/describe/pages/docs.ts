import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { refuse } from "../../../core/model/refusal.ts";
import { html, markup, written } from "../../../web/html.ts";
import { priceText } from "../../declare/access/way.ts";
import type { Catalogue, Operation } from "../../declare/operation.ts";
import { type Document, wants } from "../document.ts";
import { PACKAGE } from "../explorer.ts";
import { inputText } from "../find-operations.ts";
import { SEARCH_WORDS } from "../search-words.ts";
import { keyFor, type PageParts, pageOf, searchable } from "./layout.ts";
import { type Destination, type Rendering, rendering, type Size } from "./markdown.ts";
import { operationBody } from "./operation-page.ts";

const FOLDER = join(PACKAGE, "docs");

const INDEX = "README";

const ELSEWHERE = new Map([
  ["operations", "/docs#operations"],
  [INDEX, "/docs"],
]);

const SERVED = new Map([
  ["/.env.example", "/docs/settings"],
  ["/docs/decisions", "/docs#decisions-title"],
  ["/src/explorer/verifier.js", "/log/verifier.js"],
  ["/test/clients/worker.py", "/docs/compute#a-worker-in-any-language"],
  ["/src/explorer/roll-verifier.js", "/rng/roll-verifier.js"],
]);

type Article = Rendering & { name: string };
/** `index`: docs/README.md, which sorts the pages by task. */
type Articles = { index: Article; pages: Map<string, Article>; sources: Map<string, string> };

export function docsDocuments(catalogue: Catalogue, parts: PageParts): Document[] {
  const articles = once(() => readArticles(catalogue, parts.public_url));
  const pictures = once(readPictures);
  return [
    {
      path: "/docs",
      type: "text/html",
      summary: "The documentation, with a page to try each operation",
      render: async () => indexPage(catalogue, parts, await articles()),
    },
    {
      path: "/docs/search.json",
      type: "application/json",
      summary: "The search index of that page",
      render: async () => ({
        body: JSON.stringify(entriesOf(catalogue, await articles())),
      }),
    },
    {
      path: "/llms-full.txt",
      type: "text/plain",
      summary: "The guides and every operation in one text, for language models",
      render: async () => ({ body: fullText((await articles()).sources) }),
    },
    {
      path: "/sitemap.xml",
      type: "application/xml",
      summary: "Every page, for crawlers",
      render: async () => ({ body: siteMap(parts.public_url, catalogue, await articles()) }),
    },
    {
      path: "/docs/pictures/{name}",
      type: "image/svg+xml",
      summary: "A diagram of a guide",
      render: async (_app, { params }) => {
        const body = (await pictures()).get(String(params.name));
        return body === undefined
          ? refuse("not_found", "no such picture; the guides at /docs show all")
          : { body, headers: { "Content-Security-Policy": PICTURE_POLICY } };
      },
    },
    {
      path: "/docs/operations/{name}",
      type: "text/html",
      summary: "An operation: input, answer, and a runnable example",
      render: (_app, visit) => {
        const operation = catalogue.operations.find(({ name }) => name === visit.params.name);
        if (!operation) return refuse("not_found", "no such operation; /docs lists all");
        const key = keyFor(parts, visit);
        return pageOf({
          title: `${operation.name} · Tallystick`,
          description: operation.summary,
          place: "/docs",
          embedded_chain: parts.embedded_chain,
          script: "/docs/try.js",
          is_wide: true,
          key,
          body: operationBody(operation, { catalogue, public_url: parts.public_url, key }),
        });
      },
    },
    {
      path: "/docs/{+page}",
      type: "text/html",
      summary:
        "A page of the documentation; as Markdown with .md after its name, or for Accept: text/markdown",
      render: async (_app, { params, accept }) => {
        const path = String(params.page);
        const name = path.replace(/(\.md)?\/?$/, "");
        const { pages, sources } = await articles();
        const source = sources.get(name);
        if (source === undefined) return refuse("not_found", "no such page; /docs lists all");
        if (path.endsWith(".md") || wants("text/markdown", accept)) return asMarkdown(source);
        const article = pages.get(name);
        const place = ELSEWHERE.get(name) ?? (name !== path ? `/docs/${name}` : undefined);
        if (place !== undefined) return movedTo(place);
        if (!article) return refuse("not_found", "no such page; /docs lists all");
        return pageOf({
          title: `${article.title} · Tallystick`,
          description: article.lead,
          place: "/docs",
          embedded_chain: parts.embedded_chain,
          body: html`<p class="back"><a href="/docs">← All pages</a></p>${contentsOf(article)}<article class="prose">${article.body}</article>`,
        });
      },
    },
  ];
}

const LEAST_SECTIONS = 5;

/** The list of a long page's sections. */
const contentsOf = ({ sections }: Article) => {
  const listed = sections.filter(({ level }) => level === 2 || level === 3);
  return listed.length < LEAST_SECTIONS
    ? ""
    : html`<details class="toc"><summary>On this page</summary><ul>${listed.map(
        ({ level, title, anchor }) =>
          html`<li${level === 3 ? html` class="deeper"` : ""}><a href="#${anchor}">${title}</a></li>`,
      )}</ul></details>`;
};

/** Reads once. A failed read is repeated at the next call. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read().catch((error) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

/** Diagrams contain their own styles. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

async function readPictures(): Promise<Map<string, string>> {
  const names = (await readdir(join(FOLDER, "pictures"))).filter((name) => name.endsWith(".svg"));
  const read = async (name: string) =>
    [name, await readFile(join(FOLDER, "pictures", name), "utf8")] as const;
  return new Map(await Promise.all(names.map(read)));
}

function sizeIn(svg = ""): Size | undefined {
  const [, width, height] = /^<svg[^>]* width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  return width === undefined || height === undefined ? undefined : { width, height };
}

const asMarkdown = (body: string) => ({ type: "text/markdown", headers: { Vary: "Accept" }, body });

const movedTo = (place: string) => ({
  status: 301,
  headers: { Location: place },
  body: written(html`<!doctype html><title>Moved</title><p>Now at <a href="${place}">${place}</a>.</p>`),
});

/** The address in the files of docs/; a service shows its own instead. */
const WRITTEN_ADDRESS = "http://127.0.0.1:3000";

/** The operator's guide is about the machine itself, so a public name behind a proxy does not belong there. */
function addressed(name: string, text: string, public_url: string): string {
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(public_url).hostname);
  return name === "operating" && !isHere ? text : text.replaceAll(WRITTEN_ADDRESS, public_url);
}

async function readArticles(
  { operations }: Catalogue,
  public_url: string = WRITTEN_ADDRESS,
): Promise<Articles> {
  const operationNames = new Set(operations.map(({ name }) => name));
  const pictures = await readPictures();
  const files = (await readdir(FOLDER, { recursive: true })).filter((path) => path.endsWith(".md")).sort();
  const sources = new Map(
    await Promise.all(
      files.map(async (path) => {
        const name = path.slice(0, -3);
        const text = await readFile(join(FOLDER, path), "utf8");
        return [name, addressed(name, text, public_url)] as const;
      }),
    ),
  );
  const articleOf = (name: string): Article => ({
    name,
    ...rendering(
      sources.get(name)!,
      (target) => linkFrom(name, target, operationNames),
      (src) => sizeIn(pictures.get(src.replace("/docs/pictures/", ""))),
    ),
  });
  const names = [...sources.keys()].filter((name) => !ELSEWHERE.has(name));
  return { index: articleOf(INDEX), pages: new Map(names.map((name) => [name, articleOf(name)])), sources };
}

function linkFrom(page: string, target: string, operations: ReadonlySet<string>): Destination {
  if (/^([a-z]+:|#|\/)/i.test(target)) return target;
  const { pathname, hash } = new URL(target, `http://docs/docs/${page}`);
  if (pathname.startsWith("/docs/pictures/")) return pathname;
  if (!pathname.startsWith("/docs/") || !pathname.endsWith(".md"))
    return SERVED.get(pathname) ?? { file: decodeURIComponent(pathname.slice(1)) };
  const name = pathname.slice("/docs/".length, -3);
  const operation = hash.slice(1);
  if (name === "operations" && operations.has(operation)) return `/docs/operations/${operation}`;
  return ELSEWHERE.get(name) ?? `/docs/${name}${hash}`;
}

function indexPage({ areas, operations }: Catalogue, parts: PageParts, { index, pages }: Articles) {
  const decisions = [...pages.values()].filter(({ name }) => isDecision(name));
  const listOf = (some: readonly Article[]) => html`<ul class="entries">${some.map(
    ({ name, title, lead }) => html`
          <li><a href="/docs/${name}">${title}</a> <span class="soft">${lead}</span></li>`,
  )}
        </ul>`;
  return pageOf({
    title: "Documentation · Tallystick",
    description: "How to call, pay, verify and run Tallystick, and every operation with its example to try.",
    place: "/docs",
    embedded_chain: parts.embedded_chain,
    body: searchable(html`
        <article class="prose">${index.body}</article>
        <section aria-labelledby="operations">
          <h2 id="operations">Operations</h2>
          ${areas.map(
            ({ name, about }) => html`
          <details class="prices">
          <summary><span class="area">${name}</span> <span class="soft about">${about}</span> <span class="range">${counted(operations, name)}</span></summary>
          <ul id="area-${name}">${operations
            .filter(({ area }) => area === name)
            .map(
              (one) => html`
            <li><a href="/docs/operations/${one.name}">${one.summary}</a> <code>${one.name}</code> <span class="price">${priceText(one)}</span></li>`,
            )}
          </ul>
          </details>`,
          )}
        </section>
        <section aria-labelledby="decisions-title">
          <h2 id="decisions-title">Decisions</h2>
          ${listOf(decisions)}
        </section>`),
  });
}

const counted = (operations: readonly Operation[], name: string): string => {
  const count = operations.filter(({ area }) => area === name).length;
  return `${count} ${count === 1 ? "operation" : "operations"}`;
};

const isDecision = (name: string) => name.startsWith("decisions/");

/**
 * All texts in one: the index, then guides and references. Decisions are left out, because they explain why and not
 * how.
 */
const fullText = (sources: ReadonlyMap<string, string>): string =>
  [INDEX, ...[...sources.keys()].filter((name) => name !== INDEX && !isDecision(name))]
    .map((name) => sources.get(name)!)
    .join("\n\n");

/** The site map, as https://www.sitemaps.org/protocol.html describes it. */
function siteMap(public_url: string, { operations }: Catalogue, { pages }: Articles): string {
  const paths = [
    ...["/", "/docs", "/log", "/rng", "/soul", "/soul/market", "/problems"],
    ...[...pages.keys()].map((name) => `/docs/${name}`),
    ...operations.map(({ name }) => `/docs/operations/${name}`),
  ];
  const entries = paths.map((path) => html`<url><loc>${public_url + path}</loc></url>`);
  return written(
    html`${markup('<?xml version="1.0" encoding="UTF-8"?>\n')}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`,
  );
}

/** A section that the search can find: its address, title and words. */
type Entry = { path: string; title: string; of: string; text: string; input?: string };

/** Pages that the search finds, although they are not articles. */
const PAGES: readonly Entry[] = [
  {
    path: "/docs#operations",
    title: "List of all operations",
    of: "Documentation",
    text: "Every endpoint of the API by area, with its price and a page to try it.",
  },
  {
    path: "/problems",
    title: "Problems: the kinds of errors",
    of: "Page",
    text: "Each error's type, status and remedy: 400, 401, 402, 403, 404, 409, 422, 429, 503.",
  },
  {
    path: "/log",
    title: "The log in a browser",
    of: "Page",
    text: "Search events, payments, transactions and agents; verify one or an export. An explorer of the log.",
  },
  {
    path: "/soul",
    title: "Agents in a browser",
    of: "Page",
    text: "The directory of agents by trust, or newest first: a leaderboard with scores and keys.",
  },
  {
    path: "/soul/market",
    title: "The market in a browser",
    of: "Page",
    text: "Compute nodes, bounties, items for sale and settlements.",
  },
  {
    path: "/rng",
    title: "Random numbers in a browser",
    of: "Page",
    text: "Draw a number, and verify a roll in the browser.",
  },
];

/** The entries of the search: every operation, and every section of the pages. */
export const documentationEntries = async (catalogue: Catalogue): Promise<Entry[]> =>
  entriesOf(catalogue, await readArticles(catalogue));

const entriesOf = ({ operations }: Catalogue, { pages }: Articles): Entry[] => [
  ...PAGES,
  ...operations.map((operation) => ({
    path: `/docs/operations/${operation.name}`,
    title: operation.summary,
    of: `${operation.area} · ${operation.name}`,
    text: operation.description,
    input: `${SEARCH_WORDS[operation.name] ?? ""} ${inputText(operation)}`,
  })),
  ...[...pages.values()].flatMap(({ name, title, sections }) =>
    sections.map((section) => ({
      path: `/docs/${name}#${section.anchor}`,
      title: section.title,
      of: title,
      text: section.text,
    })),
  ),
];
