/** The pages at / and /docs as HTTP has them: what they say to whom, and that no link of theirs leads nowhere. */
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { program } from "../../src/cli/program.ts";
import { tenantName } from "../../src/domain/access/key.ts";
import { environment, readConfig } from "../../src/runtime/config.ts";
import { catalogue } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";

const KEY = "sk_test_shown_at_home";

let service: Service;
beforeAll(async () => {
  service = await startService({ chain: "embedded", sandbox_key: KEY });
});
afterAll(() => service?.stop());

type PageResponse = { status: number; headers: IncomingHttpHeaders; body: string };

/** With exactly these headers: fetch has some of its own. */
const get = (path: string, headers: Record<string, string> = {}): Promise<PageResponse> =>
  new Promise((done, fail) =>
    request(service.url + path, { headers }, async (answer) =>
      done({ status: answer.statusCode!, headers: answer.headers, body: await text(answer) }),
    )
      .on("error", fail)
      .end(),
  );

const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Mode": "navigate" };

describe("/", () => {
  test("is a page, and JSON if the client accepts that", async () => {
    const page = await get("/", BROWSER);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      vary: "Accept, Accept-Encoding",
    });
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    for (const { name } of catalogue) expect(page.body).toContain(`/docs/operations/${name}"`);
    const { headers, body } = await get("/", { Accept: "application/json" });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    const areas = (JSON.parse(body) as { areas: { operations: number }[] }).areas;
    expect(areas.reduce((sum, { operations }) => sum + operations, 0)).toBe(catalogue.length);
  });

  test("fills the sandbox's key in for a browser at this machine", async () => {
    const { headers, body } = await get("/", BROWSER);
    expect(body).toContain(KEY);
    expect(headers["cache-control"]).toBe("no-store");
    expect((await get("/docs/operations/trade_balance", BROWSER)).body).toContain(KEY);
  });

  test("shows visitors without a key the commands that issue one", async () => {
    expect((await get("/", BROWSER)).body).not.toContain("keys issue");
    const { body } = await get("/");
    const commands = [...body.matchAll(/<code>([^<]* keys issue [^<]*)<\/code>/g)].map(([, line]) => line!);
    expect(commands).toEqual([
      "bin/tallystick keys issue --tenant me",
      "docker compose exec tallystick bin/tallystick keys issue --tenant me",
    ]);
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    expect(parse(read("docker-compose.yml")).services).toHaveProperty("tallystick");
    expect(read("Dockerfile")).toContain('ENTRYPOINT ["bin/tallystick"]');
    const root = await program(
      { settings: () => readConfig({}), logger: () => pino({ enabled: false }) },
      "keys",
    );
    const keys = root.commands.find((command) => command.name() === "keys");
    const issue = keys?.commands.find((command) => command.name() === "issue");
    const options = issue?.options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
    expect(options).toEqual(["--tenant"]);
    expect(tenantName.safeParse("me").success).toBe(true);
  });

  test("names no chart while no data are open, to people or programs", async () => {
    expect((await get("/", BROWSER)).body).not.toContain("/chart.svg");
    const { body } = await get("/", { Accept: "application/json" });
    expect(JSON.parse(body)).toMatchObject({ chart: null });
    expect((await get("/chart.svg")).status).toBe(503);
  });

  test.each([
    ["another program", { Accept: BROWSER.Accept }],
    ["a script of another site", { ...BROWSER, "Sec-Fetch-Mode": "cors", Origin: "https://evil.example" }],
    ["a name bent to this machine", { ...BROWSER, Host: "evil.example:3000" }],
    ["a name that begins like this machine's", { ...BROWSER, Host: "localhost.evil.example" }],
    ["a proxy", { ...BROWSER, "X-Forwarded-For": "203.0.113.9" }],
  ])("does not show the sandbox's key to %s", async (_, headers) => {
    for (const path of ["/", "/docs/operations/trade_balance"]) {
      const answer = await get(path, headers);
      expect(answer.status).toBe(200);
      expect(answer.body).not.toContain(KEY);
    }
  });
});

test("every link of every page leads somewhere, to a heading that is there", async () => {
  const seen = new Map<string, PageResponse>();
  const visit = async (path: string) => {
    const known = seen.get(path) ?? (await get(path, BROWSER));
    seen.set(path, known);
    return known;
  };
  const queue = ["/", "/docs", ...catalogue.map(({ name }) => `/docs/operations/${name}`)];
  const walked = new Set<string>();
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (walked.has(path)) continue;
    walked.add(path);
    const page = await visit(path);
    expect(page.status, path).toBe(200);
    for (const [, target] of page.body.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
      const [to = "", anchor] = target!.split("#");
      const there = await visit(to);
      expect(there.status, `${target} of ${path}`).toBe(200);
      if (anchor !== undefined && to.startsWith("/docs"))
        expect(there.body, `${target} of ${path}`).toContain(`id="${anchor}"`);
      if (to.startsWith("/docs/") && !to.includes(".")) queue.push(to);
    }
  }
  expect(walked.size).toBeGreaterThan(catalogue.length + 40);
});

test("an operation's page has an example answer, its fields, its errors and the call as code before any run", async () => {
  const { body } = await get("/docs/operations/trade_balance", BROWSER);
  const plain = body.replaceAll(/<[^>]+>/g, "").replaceAll(/&(#34|quot);/g, '"');
  expect(plain).toContain('"success": true');
  expect(plain).toContain("urlopen(");
  expect(body).toMatch(/<code>meta\.vintage<\/code><\/td><td>text<\/td><td>\w/);
  expect(body).toContain('<a href="/problems#dataset-missing">');
  expect(body).toContain('data-form="application/vnd.apache.parquet"');
  expect(body).toContain('<a href="/docs/operations/trade_balance" aria-current="page">');
});

test("a missing page is a page for browsers and a problem for programs", async () => {
  const page = await get("/docs/nowhere<b>", BROWSER);
  expect(page).toMatchObject({ status: 404, headers: { vary: expect.stringContaining("Accept") } });
  expect(page.headers["content-type"]).toContain("text/html");
  expect(page.body).toContain("There is no page at this address");
  expect((await get("/<b>", BROWSER)).body).not.toContain("<b>");
  const market = (await get("/market", BROWSER)).body;
  expect(market).toMatch(/Near this address.*href="\/soul\/market".*All pages/s);
  expect(market).not.toContain("openapi.json lists");
  const misspelt = (await get("/trade_top_partner", BROWSER)).body;
  expect(misspelt).toContain("<code>/docs/operations/trade_top_partners</code>");
  const problem = await get("/docs/nowhere");
  expect(problem.headers["content-type"]).toContain("application/problem+json");
  expect(problem.headers.vary).toContain("Accept");
});

test.each([
  "/docs/operations/none",
  "/docs/none",
  "/docs/none.md",
  "/docs/constructor",
  "/docs/../package",
  "/docs/decisions/none",
])("%s is a 404", async (path) => {
  expect((await get(path, BROWSER)).status).toBe(404);
});

test("no link of a page's text ends at the list of pages: an unserved file is named without a link", async () => {
  const { body } = await get("/docs");
  const pages = [...body.matchAll(/href="(\/docs\/[^"#]*)"/g)]
    .map(([, path]) => path!)
    .filter((path) => !path.startsWith("/docs/operations/") && !path.endsWith(".css"));
  expect(pages.length).toBeGreaterThan(40);
  for (const path of pages) {
    const [, prose] = (await get(path)).body.split('<article class="prose">');
    expect(prose, path).not.toContain('href="/docs"');
  }
  const operating = (await get("/docs/operating")).body;
  expect(operating).toContain('<code title="A file of the repository">docker/haproxy.cfg</code>');
  expect(operating).toContain('<a href="/docs/settings">.env.example</a>');
});

test("every setting can be read, listed and found", async () => {
  const { body } = await get("/docs/settings");
  expect((await get("/docs")).body).toContain('<a href="/docs/settings">Settings</a>');
  const entries = JSON.parse((await get("/docs/search.json")).body) as { path: string; title: string }[];
  for (const name of Object.keys(environment.shape)) {
    const anchor = name.toLowerCase();
    expect(body).toContain(`<h3 id="${anchor}">${name}</h3>`);
    expect(entries).toContainEqual(
      expect.objectContaining({ path: `/docs/settings#${anchor}`, title: name }),
    );
  }
});

test.each([
  ["/docs/operations", "/docs#operations"],
  ["/docs/operations/", "/docs#operations"],
  ["/docs/payments/", "/docs/payments"],
  ["/docs/README", "/docs"],
])("%s leads to %s", async (path, place) => {
  const { status, headers, body } = await get(path, BROWSER);
  expect({ status, location: headers.location }).toEqual({ status: 301, location: place });
  expect(body).toContain(`<a href="${place}">`);
});

test("the search index has every operation and the pages' words", async () => {
  const entries = JSON.parse((await get("/docs/search.json")).body) as { path: string; text: string }[];
  for (const { name } of catalogue)
    expect(entries.map(({ path }) => path)).toContain(`/docs/operations/${name}`);
  expect(entries.find(({ path }) => path === "/docs/payments#asking-again")?.text).toContain("24 hours");
});

test.each([
  ["/docs/payments.md", BROWSER.Accept],
  ["/docs/payments", "text/markdown"],
  ["/docs/operations.md", BROWSER.Accept],
  ["/docs/decisions/0004-merkle-tree-later.md", BROWSER.Accept],
  ["/problems", "text/markdown"],
])("%s for %s is Markdown", async (path, Accept) => {
  const { status, headers, body } = await get(path, { Accept });
  expect([status, headers["content-type"]]).toEqual([200, expect.stringContaining("text/markdown")]);
  expect(body).toMatch(/^# /);
});

test("the guides name the address of the service that serves them", async () => {
  for (const name of ["agent-builder", "worker", "clients", "cookbook", "operating"])
    for (const path of [`/docs/${name}`, `/docs/${name}.md`]) {
      const { body } = await get(path, BROWSER);
      expect(body, path).not.toContain("http://127.0.0.1:3000");
      expect(body, path).toContain(service.url);
    }
  expect((await get("/llms-full.txt")).body).not.toContain("http://127.0.0.1:3000");
});

test("a problem's type leads to a page for people, at its kind", async () => {
  const { headers, body } = await get("/problems", BROWSER);
  expect(headers["content-type"]).toContain("text/html");
  expect(body).toContain('<h2 id="not-found">');
});

test("models get every guide in one text, and crawlers the address of every page", async () => {
  const full = (await get("/llms-full.txt")).body;
  expect(full).toMatch(/^# Documentation\n/);
  for (const title of ["# Clients", "# Operations", "# Settings"]) expect(full).toContain(`\n${title}\n`);
  expect(full).not.toContain("# 0004");
  const sites = (await get("/sitemap.xml")).body;
  for (const { name } of catalogue) expect(sites).toContain(`/docs/operations/${name}</loc>`);
  expect((await get("/robots.txt")).body).toMatch(/^Sitemap: http.*\/sitemap\.xml$/m);
});

test("the operator's overview needs an admin key, and names each failure first", async () => {
  expect((await get("/operator", BROWSER)).body).toContain('id="admin-key"');
  const bearer = async (scopes: ("read" | "admin")[]) =>
    (await service.issue({ scopes })).headers as Record<string, string>;
  expect((await get("/operator/overview")).status).toBe(401);
  expect((await get("/operator/overview", await bearer(["read"]))).status).toBe(403);
  const failing =
    "insert into reactors.leases (reactor, status, reason) values ('payments', 'away', 'no node')";
  await service.app.pool.query(failing);
  const { status, headers, body } = await get("/operator/overview", await bearer(["admin"]));
  expect([status, headers.etag]).toEqual([200, undefined]);
  const overview = JSON.parse(body) as Record<string, unknown> & { reactors: object[] };
  expect(overview.reactors[0]).toMatchObject({ name: "payments", status: "away", reason: "no node" });
  expect(overview.reactors.length).toBeGreaterThan(10);
  expect(overview).toMatchObject({
    orders: { awaiting_payment: 0, to_ship: 0 },
    refunds: { open: 0, open_usdc: 0 },
    gas: { balance: expect.any(Number), queued: 0 },
    webhooks: { active: 0, waiting: 0, late: 0 },
  });
});

test("health checks, crawlers and browsers get the files that they request", async () => {
  expect((await get("/healthz")).body).toBe('{"status":"ok"}');
  expect((await get("/robots.txt")).body).toContain("Disallow: /v1/");
  expect((await get("/favicon.ico")).headers["content-type"]).toContain("image/svg+xml");
});
