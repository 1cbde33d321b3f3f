/** Every command and snippet of the guides, as it stands, in one folder with one service. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";
import { onServer } from "../support/database.ts";
import { blocksOf, GUIDES, missingLine, textOf } from "./guides.ts";
import { type Reader, readerOf } from "./reader.ts";

const run = promisify(execFile);

/** A busy machine takes minutes to make the data of a first start. */
const PATIENCE_MS = 20 * 60_000;

/** The guide of operators has services of its own. */
const HERE = GUIDES.filter((page) => page !== "docs/operating.md");

let reader: Reader;
beforeAll(async () => {
  reader = await readerOf({ CHECKPOINT_SECONDS: "5" });
});
afterAll(() => reader?.leave());

test.each(HERE)(
  "the blocks of %s run in order and print what the page shows",
  { timeout: PATIENCE_MS },
  (page) => follow(reader, page),
);

/** Runs each block of a page in order, and compares what it prints with what the page shows. */
async function follow(by: Reader, page: string): Promise<void> {
  const terminal = by.terminal();
  try {
    const blocks = blocksOf(textOf(page));
    for (const [at, block] of blocks.entries()) {
      if (block.reason !== undefined) continue;
      if (block.file !== undefined) await by.save(block.file, block.text);
      if (block.language !== "sh") continue;
      if (block.stops) await by.stopLast();
      const next = blocks[at + 1];
      const shown = by.addressed(next?.language === "text" ? next.text : "");
      const output = block.keeps_running
        ? await by.keepRunning(block.text, (so_far) => missingLine(shown, so_far) === undefined)
        : await terminal.run(block.text);
      expect(missingLine(shown, output), `${block.text}\nprinted\n${output}`).toBeUndefined();
    }
  } finally {
    terminal.close();
  }
}

test("the cookbook's recipes in TypeScript have no type error", async () => {
  const folder = join(reader.folder, "types");
  await mkdir(folder);
  const recipes = blocksOf(textOf("docs/cookbook.md")).filter(({ language }) => language === "ts");
  expect(recipes.length).toBeGreaterThan(3);
  for (const { file, text } of recipes) await writeFile(join(folder, file!.replace(".mjs", ".mts")), text);
  const options = ["--strict", "--noEmit", "--skipLibCheck", "--lib", "esnext,dom", "--types", "node"];
  const files = recipes.map(({ file }) => join(folder, file!.replace(".mjs", ".mts")));
  const modules = ["--target", "esnext", "--module", "nodenext", "--ignoreConfig"];
  const compiler = join(reader.folder, "node_modules/.bin/tsc");
  const faults = await run(compiler, [...options, ...modules, ...files]).catch(({ stdout }) => stdout);
  expect(faults).toMatchObject({ stdout: "" });
});

/** Debian's client; the embedded Postgres brings none along. */
const hasPsql = await run("psql", ["--version"]).then(
  () => true,
  () => false,
);

const REHEARSAL = "docs/operating.md, the rehearsal, against an anvil as BASE_RPC_URL";
test.skipIf(!hasPsql)(REHEARSAL, { timeout: PATIENCE_MS }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-superuser-"));
  await chmod(folder, 0o755);
  const server = await embeddedPostgres({ dir: join(folder, "postgres"), database: "first" });
  // The guide makes a role of the name that the embedded server's owner has.
  await onServer("create role superuser superuser login password 'superuser'", server.ownerUrl);
  const { port } = new URL(server.ownerUrl);
  const superuser = `postgres://superuser:superuser@127.0.0.1:${port}/postgres`;
  await onServer("alter role tallystick_owner rename to first_owner", superuser);
  const operator = await readerOf({
    PGHOST: "127.0.0.1",
    PGPORT: port,
    PGUSER: "superuser",
    PGPASSWORD: "superuser",
    CHECKPOINT_SECONDS: "3",
    ANCHOR_SECONDS: "10",
  });
  try {
    await follow(operator, "docs/operating.md");
  } finally {
    await operator.leave();
    await onServer(
      `do $$ begin
        if exists (select from pg_roles where rolname = 'tallystick_owner') then
          alter role tallystick_owner rename to guide_owner;
        end if;
      end $$`,
      superuser,
    );
    await onServer("alter role first_owner rename to tallystick_owner", superuser);
    await server.leave();
    await rm(folder, { recursive: true, force: true });
  }
});
