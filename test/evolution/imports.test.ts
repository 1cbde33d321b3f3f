/** The imports of drafts, checked against this repository's own table of layers. */
import { describe, expect, test } from "vitest";
import { layers } from "../../layers.ts";
import { checksOf } from "../../src/domain/evolution/checks.ts";

const noFault = { typescript: () => Promise.resolve(undefined), json: () => undefined };

async function importsOf(target_file: string, draft: string) {
  const checks = await checksOf({ target_file, bytes: Buffer.from(draft) }, [], noFault);
  const { passed, detail } = checks.find(({ name }) => name === "imports")!;
  return { passed, detail };
}

const fileIn = (layer: string) => (layer.endsWith(".ts") ? layer : `${layer}/new-one.ts`);

test("a draft of any layer is refused for every import that its row lacks, and only for those", async () => {
  const sources = new Set(
    Object.values(layers).flatMap((row) => row.map((name) => name.replace(/^types:/, ""))),
  );
  for (const [layer, row] of Object.entries(layers)) {
    const file = fileIn(layer);
    const up = "../".repeat(file.split("/").length - 1) || "./";
    for (const source of new Set([...sources, ...Object.keys(layers)])) {
      if (source === layer || source === "(computed)") continue;
      const from = source in layers ? `${up}${fileIn(source)}` : source;
      const { passed } = await importsOf(file, `import type { A } from ${JSON.stringify(from)};\n`);
      const isAllowed = row.includes(source);
      expect([layer, source, passed]).toEqual([layer, source, isAllowed || row.includes(`types:${source}`)]);
      const named = await importsOf(file, `import { all } from ${JSON.stringify(from)};\n`);
      expect([layer, source, named.passed]).toEqual([layer, source, isAllowed]);
    }
  }
});

describe("a breach of the table is reported with its line", () => {
  const forms: [file: string, draft: string, detail: string | RegExp][] = [
    ["src/domain/x.ts", 'import fs from "node:fs";', "line 1 may not import this package or module of Node"],
    ["src/domain/x.ts", 'import pg from "pg";', "line 1 may not import this package or module of Node"],
    ["src/domain/x.ts", 'import {App} from "../core/app.ts";', "line 1 may not import src/core"],
    ["src/domain/x.ts", '\nimport type { App } from "../core/app.ts";', "line 2 may not import src/core"],
    ["src/domain/x.ts", 'import "../../eventstore/store.ts";', "line 1 may not import eventstore"],
    ["src/domain/x.ts", "const a = import(`../api/serve/x.ts`);", "line 1 may not import src/api/serve"],
    [
      "src/domain/x.ts",
      'export { y } from /*x*/ "../api/serve/y.ts";',
      "line 1 may not import src/api/serve",
    ],
    [
      "src/domain/x.ts",
      'export { y } from // x\n"../api/serve/y.ts";',
      "line 1 may not import src/api/serve",
    ],
    ["src/domain/x.ts", 'import/**/"../api/serve/y.ts";', "line 1 may not import src/api/serve"],
    ["src/domain/x.ts", 'import(/* " */ "../api/serve/y.ts", {});', "line 1 may not import src/api/serve"],
    [
      "src/domain/x.ts",
      'import { import as a } from "../api/serve/y.ts";',
      "line 1 may not import src/api/serve",
    ],
    [
      "src/domain/x.ts",
      'import { "a(b" as c } from "../api/serve/y.ts";',
      "line 1 may not import src/api/serve",
    ],
    [
      "src/domain/x.ts",
      `import { "from 'a'" as c } from "../api/serve/y.ts";`,
      /line 1 may not import src\/api\/serve$/,
    ],
    [
      "src/domain/x.ts",
      'import { from /* ; */ } from "../api/serve/y.ts";',
      "line 1 may not import src/api/serve",
    ],
    ["src/domain/x.ts", 'const r = /"/; import("../api/serve/y.ts");', "line 1 may not import src/api/serve"],
    ["src/domain/x.ts", 'type A = import("../api/serve/y.ts").A;', "line 1 may not import src/api/serve"],
    [
      "src/domain/x.ts",
      `import "../${"./".repeat(400)}api/serve/y.ts";`,
      "line 1 may not import src/api/serve",
    ],
    ["src/domain/x.ts", "import(name);", "line 1 may not import what is computed"],
    ["src/domain/x.ts", 'import("../api/serve/" + name);', "line 1 may not import what is computed"],
    ["src/domain/x.ts", `import(\`../api/serve/\${name}\`);`, "line 1 may not import what is computed"],
    ["src/domain/x.ts", 'import "../\\u0061pi/y.ts";', "line 1 may not import what is computed"],
    ["src/domain/x.ts", 'import "../%61pi/y.ts";', "line 1 may not import what is computed"],
    [
      "src/domain/x.ts",
      'import "../api/serve/y.ts?/../../domain/x";',
      "line 1 may not import what is computed",
    ],
    ["src/domain/x.ts", 'import "../a\tpi/y.ts";', "line 1 may not import what is computed"],
    ["src/domain/x.ts", 'import "../../package.json";', "line 1 may not import a file of no layer"],
    ["src/domain/x.ts", 'import a from "domain";', "line 1 may not import this package or module of Node"],
    [
      "src/domain/x.ts",
      'import { randomBytes } from "node:crypto";',
      "line 1 may import no random numbers from this package or module of Node",
    ],
    [
      "src/outside/x.ts",
      'import { createApp } from "../core/app.ts";',
      "line 1 may import only types of src/core",
    ],
    ["src/core/commands/unit.ts", 'import "../../api/serve/x.ts";', "line 1 may not import src/api/serve"],
    ["eventstore/store.ts", 'import "../src/core/app.ts";', "line 1 may not import src/core"],
    ["eventstore/x.ts", 'import { a } from "./verify/hashes.ts";', "line 1 may not import eventstore/verify"],
    [
      "src/domain/x.ts",
      'import "../api/serve/a.ts";\nimport "../core/app.ts";\nimport "../api/serve/b.ts";',
      /api\/serve; line 2 .* src\/core$/,
    ],
  ];
  test.each(forms)("%s: %s", async (file, draft, detail) => {
    expect(await importsOf(file, draft)).toEqual({
      passed: false,
      detail: typeof detail === "string" ? detail : expect.stringMatching(detail),
    });
  });
});

describe("allowed imports pass, and so do texts that are not an import", () => {
  const fine = "each import found in the text is one that its layer may have";
  const forms: [file: string, draft: string][] = [
    ["src/domain/x.ts", 'import { createHash, type Hash } from "node:crypto";'],
    ["src/domain/x.ts", 'import { type Event } from "@event-driven-io/emmett";'],
    ["src/domain/x.ts", 'import type { Event } from "@event-driven-io/emmett";'],
    ["src/domain/x.ts", 'import { z } from "zod";\nimport { a } from "./y/z.ts";'],
    ["src/outside/x.ts", 'import type { App } from "../core/app.ts";'],
    ["src/adapters/x.ts", "const a = await import(name);"],
    ["src/domain/x.ts", 'const words = ["import", "from", "export"];'],
    ["src/domain/x.ts", 'const at = import.meta.url; Array.from("abc"); // what import() does'],
    ["src/domain/x.ts", 'import { z } from "zod";\nconst sql = `select a from "streams" where (x)`;'],
    ["src/domain/x.ts", 'const sql = `select a, b.c from "streams" where (x)`;'],
  ];
  test.each(forms)("%s: %s", async (file, draft) => {
    expect(await importsOf(file, draft)).toEqual({ passed: true, detail: fine });
  });

  test.each(["src/new-one.ts", "test/x.ts", "bin/x.ts", "docs/x.md"])(
    "%s belongs to no layer: only that is reported",
    async (file) => {
      const detail = "not checked: no TypeScript of a layer";
      expect(await importsOf(file, 'import "pg";')).toEqual({ passed: true, detail });
    },
  );
});
