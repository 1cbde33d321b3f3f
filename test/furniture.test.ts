/** Documents match the code: settings, links, requests, containers and decisions. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import pino from "pino";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { priceText } from "../src/api/declare/access/way.ts";
import { catalogueOf } from "../src/api/declare/catalogue.ts";
import { methodOf, pathOf } from "../src/api/declare/operation-facts.ts";
import { documentsOf } from "../src/api/describe/documents.ts";
import { areas } from "../src/areas/index.ts";
import { commandsPage } from "../src/cli/commands-page.ts";
import { allCommands } from "../src/cli/program.ts";
import { settingsPage } from "../src/cli/settings-page.ts";
import * as checks from "../src/domain/checks/check.ts";
import * as orders from "../src/domain/commerce/order.ts";
import * as tasks from "../src/domain/compute/task.ts";
import * as bounties from "../src/domain/marketplace/bounty.ts";
import * as executions from "../src/domain/skills/execution.ts";
import { environment, readConfig } from "../src/runtime/config.ts";
import { catalogue } from "./support/catalogue.ts";

type Mapping = { [key: string]: unknown };

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe(".env.example", () => {
  const lines = read(".env.example").split("\n");
  const settings = lines.flatMap((line, i) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value, meaning: lines[i - 1] ?? "" }];
  });

  test("lists every setting once, in the order of src/runtime/config.ts", () => {
    expect(settings.map(({ name }) => name)).toEqual(Object.keys(environment.shape));
  });

  test("gives every default", () => {
    const given = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    expect(readConfig(given)).toEqual(readConfig({}));
    for (const [name, rule] of Object.entries(environment.shape))
      if (!rule.safeParse(undefined).success || rule.parse(undefined) !== undefined)
        expect(given[name] !== "" || rule.parse(undefined) === "", `${name} has a default`).toBe(true);
  });

  test.each(settings)("explains $name", ({ meaning }) => {
    expect(meaning).toMatch(/^# .{10,}\.$/);
  });
});

test("docs/settings.md matches .env.example", () => {
  expect(read("docs/settings.md"), "run `npm run docs`").toBe(settingsPage(read(".env.example")));
});

test.each([
  ["docs/compute.md", tasks.statuses],
  ["docs/market.md", bounties.statuses],
  ["docs/commerce.md", orders.statuses],
  ["docs/skills.md", executions.statuses],
  ["docs/checks.md", checks.statuses],
] as const)("%s explains each status in a table", (page, statuses) => {
  const rows = read(page).matchAll(/^\| `?(\w+)`? \|/gm);
  const explained = new Set([...rows].map(([, name]) => name));
  expect(statuses.filter((status) => !explained.has(status))).toEqual([]);
});

describe("package-lock.json", () => {
  type Locked = { optionalDependencies?: Record<string, string>; resolved?: string };
  const locked = Object.entries(JSON.parse(read("package-lock.json")).packages as Record<string, Locked>);

  test("names no registry, nor do those of the stock clients and the benchmarks", () => {
    const others = ["test/clients", "bench"].map((folder) => {
      const { packages } = JSON.parse(read(`${folder}/package-lock.json`));
      return Object.entries(packages as Record<string, Locked>);
    });
    for (const packages of [locked, ...others]) {
      expect(packages.length).toBeGreaterThan(100);
      expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    }
  });

  // `npm ci` refuses a lock file that omits one, on every machine.
  test("has the binaries of every platform", () => {
    const paths = new Set(locked.map(([path]) => path));
    const missing = locked.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !paths.has(`${path}/node_modules/${name}`) && !paths.has(`node_modules/${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe("links in Markdown", () => {
  const pages = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".md") && !/(^|\/)(node_modules|\.[a-z]+)\//.test(path),
  );
  const links = pages.flatMap((page) => {
    const prose = read(page).replace(/^```.*?^```/gms, "");
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ page, target: target! }));
  });

  test("are found", () => {
    expect(pages).toContain("README.md");
    expect(links.length).toBeGreaterThan(12);
  });

  test("lead to existing files and headings", () => {
    const broken = links.filter(({ page, target }) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [path, anchor] = target.split("#") as [string, string | undefined];
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(read(file)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** A heading's anchor as code hosts derive it. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("ARCHITECTURE names every folder of src, in at most 1,200 words", () => {
  const text = read("ARCHITECTURE.md");
  const folders = readdirSync(join(ROOT, "src")).map((name) => `src/${name}`);
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((name) => !text.includes(name))).toEqual([]);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
});

test("docs/README.md links every page of docs", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  const index = read("docs/README.md");
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});

test("docs/which-operation.md has the prices of the catalogue", () => {
  const row = /\[(\w+)\]\(operations\.md#\w+\) \| ([\d.]+) \|$/gm;
  const rows = [...read("docs/which-operation.md").matchAll(row)];
  expect(rows.length).toBeGreaterThan(20);
  for (const [, name, price] of rows) {
    const operation = catalogue.find((one) => one.name === name);
    expect(operation && priceText(operation), name).toContain(`${price} USDC`);
  }
});

test("docs/troubleshooting.md names kinds of problems that exist", () => {
  const slugs = new Set(catalogueOf(areas).problems.map(({ slug }) => slug));
  const cells = [...read("docs/troubleshooting.md").matchAll(/^\| (`[a-z]+-[^|]+?) \|/gm)].map(
    ([, cell]) => cell!,
  );
  const kinds = cells.flatMap((cell) =>
    [...cell.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, kind]) => kind!),
  );
  expect(kinds.length).toBeGreaterThan(30);
  expect(kinds.filter((kind) => !slugs.has(kind))).toEqual([]);
});

test("README has at most 700 words", () => {
  expect(read("README.md").split(/\s+/).length).toBeLessThanOrEqual(700);
});

test("docs/command-line.md explains every command and option", async () => {
  const terminal = { settings: () => readConfig({}), logger: () => pino({ enabled: false }) };
  expect(read("docs/command-line.md"), "run `npm run docs`").toBe(commandsPage(await allCommands(terminal)));
});

describe("requests.http", () => {
  const requests = [...read("requests.http").matchAll(/^([A-Z]+) \{\{host\}\}(\S+)$/gm)].map(
    ([, method, target]) => ({ method: method!, url: new URL(target!, "http://host") }),
  );
  const documents = documentsOf(catalogueOf(areas), {
    pay_to: "0x",
    public_url: "http://host",
    embedded_chain: false,
  });
  const others = ["POST /mcp", ...documents.map(({ path }) => `GET ${path}`)];

  test("shows a dozen calls", () => {
    expect(requests.length).toBeGreaterThanOrEqual(12);
  });

  test.each(requests)("$method $url.pathname is served, with these parameters", ({ method, url }) => {
    if (others.includes(`${method} ${url.pathname}`)) return;
    const operation = catalogue.find((one) => methodOf(one) === method && pathOf(one) === url.pathname);
    expect(operation, "in the catalogue").toBeDefined();
    expect(Object.keys(operation!.input.shape)).toEqual(expect.arrayContaining([...url.searchParams.keys()]));
  });
});

describe("containers", () => {
  const text = read("docker-compose.yml");
  const compose = parse(text, { merge: true }) as { services: Record<string, Mapping>; volumes: Mapping };
  const dockerfile = read("Dockerfile");
  const instructions = dockerfile
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line));
  const argumentsOf = (name: string) =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  test("compose runs Postgres 18 and the service after it, both stopped cleanly", () => {
    const { postgres, tallystick } = compose.services;
    expect(postgres).toMatchObject({ image: "postgres:18", stop_grace_period: "60s" });
    expect((postgres!.healthcheck as Mapping).test).toContain("pg_isready");
    expect(tallystick).toMatchObject({
      build: ".",
      read_only: true,
      stop_grace_period: "30s",
      depends_on: { postgres: { condition: "service_healthy" } },
    });
  });

  test("the service gets only its own settings, with separate owner and application", () => {
    const { environment: settings } = compose.services.tallystick as { environment: Record<string, string> };
    for (const name of Object.keys(settings)) expect(Object.keys(environment.shape)).toContain(name);
    expect(new URL(plain(settings.DATABASE_OWNER_URL!)).username).toBe("tallystick_owner");
    expect(new URL(plain(settings.DATABASE_URL!)).username).toBe("tallystick_app");
    const filledIn = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, plain(value)]),
    );
    expect(() => readConfig(filledIn)).not.toThrow();
  });

  /** Settings that the container sets itself, and development settings. */
  const NOT_PASSED = ["PORT", "HOST", "DATA_DIR", "ALLOW_PRIVATE_WEBHOOKS", "WEBHOOK_PORTS"];

  test("every setting for production can come from .env", () => {
    const { environment: settings } = compose.services.tallystick as { environment: Record<string, string> };
    const missing = Object.keys(environment.shape).filter((name) => !(name in settings));
    expect(missing.sort()).toEqual(NOT_PASSED.toSorted());
  });

  test("the profile scale has two equal processes, and the proxy for both", () => {
    const { tallystick, second, haproxy } = compose.services;
    expect(second).toEqual({ ...tallystick, profiles: ["scale"], ports: [] });
    expect(haproxy).toMatchObject({ profiles: ["scale"], depends_on: ["tallystick", "second"] });
    const rules = read("docker/haproxy.cfg");
    for (const place of ["tallystick:3000", "second:3000"]) expect(rules).toContain(place);
    expect(rules).toContain("uri /ready");
  });

  test("no password is in the file", () => {
    const secrets = text.split("\n").filter((line) => /^\s+\w*(PASSWORD|SECRET|TOKEN|_URL)\w*:/.test(line));
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    for (const line of secrets) expect(line).toMatch(/\$\{[A-Z_]+:[?-]/);
  });

  test("volumes are declared, and mounted files exist", () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes }) => volumes as string[]);
    expect(mounted.length).toBeGreaterThanOrEqual(3);
    for (const mount of mounted) {
      const source = mount.split(":")[0]!;
      if (source.startsWith(".")) expect(existsSync(join(ROOT, source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    expect(statSync(join(ROOT, "docker/create-app-role.sh")).mode & 0o111).not.toBe(0);
  });

  test("the image runs a supported Node without root and has a health check", () => {
    const [base, ...others] = argumentsOf("FROM").map((line) => line.split(" ")[0]!);
    expect(base).toMatch(/^node:24-/);
    expect(others).toEqual([base]);
    // The image's user node, by number: Kubernetes would take a name for root.
    expect(argumentsOf("USER")).toEqual(["1000:1000"]);
    const order = ["COPY", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"].map((name) =>
      instructions.findLastIndex((line) => line.startsWith(`${name} `)),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(argumentsOf("HEALTHCHECK")[0]).toContain("/health");
    expect(JSON.parse(argumentsOf("ENTRYPOINT")[0]!)).toEqual(["bin/tallystick"]);
  });

  test("the image copies only existing files that .dockerignore allows", () => {
    const copies = argumentsOf("COPY");
    const copied = copies
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1));
    for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const [first, ...let_in] = read(".dockerignore").trim().split("\n");
    expect(first).toBe("*");
    expect(let_in.map((line) => line.slice(1)).sort()).toEqual(copied.sort());
    // The last stage takes the compiled files from the previous one, and no sources.
    const kept = copies.filter((line) => line.startsWith("--from=build"));
    expect(kept.map((line) => line.split(" ").at(-2))).toEqual([
      "/app/package.json",
      "/app/node_modules",
      "/app/bin",
      "/app/dist",
      "/app/docs",
      "/app/data",
    ]);
    expect(argumentsOf("RUN").join()).toMatch(/npm ci --omit=dev/);
  });
});

/** A compose value with each `${NAME:-default}` filled in, inner defaults first; a required one becomes a word. */
function plain(value: string): string {
  const filled = value.replace(/\$\{[A-Z_]+:([?-])([^{}]*)\}/g, (_all, kind: string, text: string) =>
    kind === "-" ? text : "given",
  );
  return filled === value ? value : plain(filled);
}

describe("decisions", () => {
  const files = readdirSync(join(ROOT, "docs/decisions")).sort();

  test("are numbered without a gap", () => {
    expect(files.length).toBeGreaterThanOrEqual(10);
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, i) => i + 1));
  });

  test.each(files)("%s has one page: context, decision, consequences", (file) => {
    expect(file).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
    const text = read(`docs/decisions/${file}`);
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 4)}\\. [A-Z].*[^.]\n`));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      "Context",
      "Decision",
      "Consequences",
    ]);
    expect(text.split("\n").length).toBeLessThan(60);
  });
});
