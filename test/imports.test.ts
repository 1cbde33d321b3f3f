import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { development, layers } from "../layers.ts";
import { breachOf, layerOf } from "../src/domain/evolution/import-rules.ts";
import { importsIn } from "../src/domain/evolution/imports.ts";
import { circlesAmong } from "./circles.ts";
import { importsOf, violationsOf } from "./import-violations.ts";
import { LONGEST, testFiles, tiers } from "./tiers.ts";

const ROOT = join(import.meta.dirname, "..");

/** The layers, packages and modules of a row. */
const namesIn = (row: readonly string[]) => row.map((name) => name.replace(/^types:/, ""));

/** Source files below a folder, as repository paths. */
const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`);

const sources = [...sourcesIn("eventstore"), ...sourcesIn("src")];

test("every source file imports only what its layer may", () => {
  const violations = sources.flatMap((path) => violationsOf(path, readFileSync(join(ROOT, path), "utf8")));
  expect(violations).toEqual([]);
});

describe("the check of drafts, by the text alone", () => {
  const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const typescript = sources.filter((path) => path.endsWith(".ts"));

  test("finds every import in the syntax trees", () => {
    const lost = typescript.flatMap((path) => {
      const found = new Set(importsIn(textOf(path)).map(({ line, ...one }) => JSON.stringify(one)));
      return importsOf(textOf(path)).flatMap(({ in_type, ...wanted }) => {
        // An import in a type looks like a run-time import.
        const types = wanted.types && !in_type;
        const forms = [
          { types, names: types ? ["*"] : wanted.names, specifier: wanted.specifier },
          { types: wanted.types, names: ["*"], specifier: wanted.specifier },
        ];
        return forms.some((one) => found.has(JSON.stringify(one)))
          ? []
          : [`${path}: ${JSON.stringify(wanted)}`];
      });
    });
    expect(lost).toEqual([]);
  });

  test("reports no file as a violation", () => {
    const results = typescript.flatMap((path) =>
      importsIn(textOf(path)).filter((one) => breachOf(path, layerOf(path)!, one)),
    );
    expect(results).toEqual([]);
  });
});

describe("the structure", () => {
  test("has an engine of at most 5,000 lines", () => {
    const lines = sourcesIn("src/core").map(
      (path) => readFileSync(join(ROOT, path), "utf8").split("\n").length - 1,
    );
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5_000);
  });

  test("has no circle of files, not even of types", () => {
    expect(circlesAmong(sources, (path) => readFileSync(join(ROOT, path), "utf8"))).toEqual([]);
  });

  test.each(["src/domain", "src/projections", "src/reactors", "src/api/operations"])(
    "has no circle of areas in %s",
    (layer) => {
      const areaOf = (path: string) => path.slice(layer.length + 1).split("/")[0]!;
      const files = sources.filter((path) => path.startsWith(`${layer}/`));
      const uses = new Map<string, Set<string>>();
      for (const file of files)
        for (const { specifier } of importsIn(readFileSync(join(ROOT, file), "utf8"))) {
          const target = specifier.startsWith(".") ? join(file, "..", specifier) : "";
          if (!target.startsWith(`${layer}/`) || areaOf(target) === areaOf(file)) continue;
          uses.set(areaOf(file), (uses.get(areaOf(file)) ?? new Set()).add(areaOf(target)));
        }
      const reached = (from: string, seen = new Set<string>()): Set<string> => {
        for (const next of uses.get(from) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
        return seen;
      };
      expect(files.length).toBeGreaterThan(10);
      for (const area of uses.keys()) expect([...reached(area)], area).not.toContain(area);
    },
  );

  test("finds a circle, and only that", () => {
    const files: Record<string, string> = {
      "a/x.ts": 'import { y } from "./y.ts";',
      "a/y.ts": 'import type { z } from "../b/z.ts";\nimport { free } from "./free.ts";',
      "a/free.ts": 'import { readFile } from "node:fs/promises";',
      "b/z.ts": 'export * from "../a/x.ts";',
    };
    expect(circlesAmong(Object.keys(files), (path) => files[path]!)).toEqual([
      ["a/x.ts", "a/y.ts", "b/z.ts"],
    ]);
  });

  test("has small folders of operations and a small assembly", () => {
    for (const folder of readdirSync(join(ROOT, "src/api/operations")))
      expect(sourcesIn(`src/api/operations/${folder}`).length, folder).toBeLessThanOrEqual(12);
    expect(readFileSync(join(ROOT, "src/runtime/assemble.ts"), "utf8").split("\n").length).toBeLessThan(200);
  });
});

test("the files are found", () => {
  expect(sources.length).toBeGreaterThan(70);
  for (const path of [
    "eventstore/store.ts",
    "src/main.ts",
    "src/domain/access/key.ts",
    "src/api/serve/pipeline.ts",
  ])
    expect(sources).toContain(path);
});

test("the table names only layers, packages of this project and Node's own modules", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const known = (name: string, isDevelopment: boolean) =>
    name in layers ||
    name === "(computed)" ||
    name.startsWith("node:") ||
    Object.keys(isDevelopment ? { ...dependencies, ...devDependencies } : dependencies).some(
      (own) => name === own || name.startsWith(`${own}/`),
    );
  const strangers = Object.entries(layers).flatMap(([layer, row]) =>
    namesIn(row).filter((name) => !known(name, development.includes(layer))),
  );
  expect(strangers).toEqual([]);
});

test("no layer reaches itself through others", () => {
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const next of namesIn(layers[from]!))
      if (next in layers && !seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  for (const name of Object.keys(layers)) expect([...reach(name, new Set())], name).not.toContain(name);
});

describe("a forbidden line is found", () => {
  const forbidden: [path: string, source: string, because: RegExp][] = [
    ["eventstore/x.ts", 'import { App } from "../src/core/app.ts";', /may not import src\/core/],
    ["eventstore/verify/x.ts", 'import { hash } from "../hash.ts";', /may not import eventstore/],
    [
      "eventstore/x.ts",
      'import { LogHashes } from "./verify/hashes.ts";',
      /may not import eventstore\/verify/,
    ],
    ["src/anchoring/x.ts", 'import solc from "solc";', /may not import solc/],
    [
      "src/anchoring/x.ts",
      'import { SOURCE } from "./contracts/compile.ts";',
      /may not import src\/anchoring\/contracts/,
    ],
    ["src/domain/a/x.ts", 'import { readFile } from "node:fs/promises";', /may not import node:fs/],
    ["src/domain/a/x.ts", 'export * from "../../core/app.ts";', /may not import src\/core/],
    [
      "src/domain/a/x.ts",
      'export { openPool } from "../../../eventstore/pool.ts";',
      /may not import eventstore/,
    ],
    ["src/domain/a/x.ts", 'const a = await import("pg");', /may not import pg/],
    ["src/projections/x.ts", 'import { create } from "domain";', /may not import domain/],
    ["src/domain/x.ts", 'import { a } from "../../../../src/domain/y.ts";', /belongs to no layer/],
    ["src/domain/a/x.ts", "const a = await import(name);", /may not import \(computed\)/],
    ["src/domain/a/x.ts", 'type A = import("../../core/app.ts").App;', /may not import src\/core/],
    ["src/domain/a/x.ts", 'import { randomBytes } from "node:crypto";', /no random numbers/],
    ["src/domain/a/x.ts", 'import * as hashes from "node:crypto";', /no random numbers/],
    ["src/domain/a/x.ts", 'import { isErrorConstructor } from "@event-driven-io/emmett";', /only types/],
    ["src/domain/a/x.ts", "const at = Date.now();", /Date\.now/],
    ["src/domain/a/x.ts", 'const at = Date["now"]();', /Date\.now/],
    ["src/domain/a/x.ts", "const at = new Date();", /present Date/],
    ["src/domain/a/x.ts", "const n = Math.random();", /Math\.random/],
    ["src/domain/a/x.ts", "const id = crypto.randomUUID();", /uses crypto/],
    ["src/domain/a/x.ts", "setTimeout(() => {}, 1);", /uses setTimeout/],
    [
      "src/core/app.ts",
      'import type { Vintages } from "../datasets/vintage-store.ts";',
      /may not import src\/datasets/,
    ],
    ["src/outside/x.ts", 'import { createApp } from "../core/app.ts";', /only types/],
    [
      "src/api/serve/x.ts",
      'import { createQuotas } from "../../adapters/quotas.ts";',
      /may not import src\/adapters/,
    ],
    ["src/api/serve/x.ts", 'import { z } from "left-pad";', /may not import left-pad/],
    [
      "src/adapters/x.ts",
      'import type { Caller } from "../api/declare/caller.ts";',
      /may not import src\/api/,
    ],
    [
      "src/reactors/x.ts",
      'import { catalogueOf } from "../api/declare/catalogue.ts";',
      /may not import src\/api/,
    ],
    ["src/runtime/assemble.ts", "const port = process.env.PORT;", /reads process\.env/],
    ["src/runtime/assemble.ts", 'const port = process["env"].PORT;', /reads process\.env/],
    ["src/runtime/assemble.ts", "const { env } = process;", /reads process\.env/],
    ["src/stray.ts", "export const x = 1;", /belongs to no layer/],
  ];
  test.each(forbidden)("%s: %s", (path, source, because) => {
    const violations = violationsOf(path, source);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(because);
  });
});

describe("an allowed line is accepted", () => {
  const allowed: [path: string, source: string][] = [
    ["src/domain/a/x.ts", 'import type { Event } from "@event-driven-io/emmett";'],
    ["src/domain/a/x.ts", 'import { type Event } from "@event-driven-io/emmett";'],
    ["src/domain/a/x.ts", 'import { createHash } from "node:crypto";'],
    ["src/domain/a/x.ts", "const at = (text: string) => new Date(text).process;"],
    ["src/outside/x.ts", 'import type { App } from "../core/app.ts";'],
    ["src/main.ts", "readConfig(process.env);"],
    ["eventstore/x.ts", '// import { App } from "../src/core/app.ts";'],
    ["eventstore/files/export.ts", 'import { LogHashes } from "../verify/hashes.ts";'],
  ];
  test.each(allowed)("%s: %s", (path, source) => {
    expect(violationsOf(path, source)).toEqual([]);
  });
});

test("the longest path wins", () => {
  expect(layerOf("eventstore/verify/checks.ts")).toBe("eventstore/verify");
  expect(layerOf("eventstore/store.ts")).toBe("eventstore");
  expect(layerOf("README.md")).toBeUndefined();
});

describe("a test file's tier", () => {
  const sources: Record<string, string> = {
    "test/adding.test.ts": 'import type { Client } from "pg";\nimport { add } from "../src/add.ts";',
    "test/asking.test.ts": 'import { ask } from "../src/ask.ts";',
    "test/listing.test.ts": 'import { question } from "../src/question.ts";',
    "test/starting.test.ts": 'const { spawn } = await import("node:child_process");',
    "test/serving.test.ts": 'import { serve } from "./support/serve.ts";',
    "test/serving.long.test.ts": 'import { serve } from "./support/serve.ts";',
    "test/quoting.test.ts": 'import { add } from "../src/add.ts";\nconst text = `\nimport pg from "pg";`;',
    "test/reading.test.ts": 'import { readFile } from "node:fs/promises";',
    "test/circle.test.ts": 'import "./circle.test.ts";\nimport { add } from "../src/add.ts";',
    "test/support/serve.ts": 'import { createServer } from "node:http";',
    "src/add.ts": "export const add = 1;",
    "src/ask.ts": 'import pg from "pg";',
    "src/question.ts": 'import { ask } from "./ask.ts";',
  };
  const tierOf = tiers((path) => sources[path]!);

  test.each([
    ["test/adding.test.ts", "pure"],
    ["test/listing.test.ts", "pure"],
    ["test/quoting.test.ts", "pure"],
    ["test/reading.test.ts", "pure"],
    ["test/circle.test.ts", "pure"],
    ["test/asking.test.ts", "stories"],
    ["test/starting.test.ts", "stories"],
    ["test/serving.test.ts", "stories"],
    ["test/serving.long.test.ts", "long"],
  ])("follows from its name and its imports: %s is %s", (path, tier) => expect(tierOf(path)).toBe(tier));

  test("is pure for decisions and formulas, and a story if a service runs", () => {
    const tierHere = tiers();
    for (const file of ["checks/check", "payments/payment", "rng/seeds", "trade/formulas", "anchoring/note"])
      expect(tierHere(`test/${file}.test.ts`)).toBe("pure");
    for (const file of ["unit", "api/http", "chain/settlement", "trade/analytics"])
      expect(tierHere(`test/${file}.test.ts`)).toBe("stories");
    expect(new Set(testFiles().map(tierHere)).size).toBe(4);
  });

  test("of the files that begin a long run is long", () => {
    const files = new Set(testFiles());
    expect(LONGEST.filter((name) => !files.has(`test/${name}.long.test.ts`))).toEqual([]);
  });
});
