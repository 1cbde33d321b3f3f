/** The log's own package, in a folder of its own: a stranger's program uses it with emmett on a real Postgres. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Manifest = { name: string; version: string; dependencies: Record<string, string> };
const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-log-alone-"));
  const { stdout } = await run(process.execPath, [join(ROOT, "bin/eventstore.mjs")], { cwd: folder });
  tarball = join(folder, stdout.split(":")[0]!);
  const { name, dependencies } = await manifestOf(join(ROOT, "eventstore"));
  const unpacked = join(folder, "node_modules", name);
  await mkdir(unpacked, { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", unpacked]);
  // As npm would install them, and nothing else of the repository.
  for (const dependency of Object.keys(dependencies)) {
    const place = join(folder, "node_modules", dependency);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(ROOT, "node_modules", dependency), place);
  }
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the package has at most 200 kB, and the service's versions of dependencies", async () => {
  expect((await stat(tarball)).size).toBeLessThan(200_000);
  const { dependencies } = await manifestOf(join(ROOT, "eventstore"));
  const { version } = await manifestOf(ROOT);
  expect(await manifestOf(join(folder, "node_modules/tallystick-eventstore"))).toMatchObject({ version });
  for (const [name, wanted] of Object.entries(dependencies)) {
    const installed = (await manifestOf(join(ROOT, "node_modules", name))).version;
    expect([name, wanted]).toEqual([name, installed]);
  }
});

const TYPED = `
import type { Event } from "@event-driven-io/emmett";
import { emmettStore } from "tallystick-eventstore/emmett";
import { openPool } from "tallystick-eventstore/pool";
import { createEventStore } from "tallystick-eventstore/store";
const store = emmettStore(createEventStore(openPool("postgres://")), { tenant: "acme" });
type Deposited = Event<"Deposited", { cents: number }>;
const { state } = await store.aggregateStream<number, Deposited>("account-1", {
  initialState: () => 0,
  evolve: (cents: number, { data }: Deposited) => cents + data.cents,
});
export const sum: number = state;
// @ts-expect-error: a stream is named by a text.
await store.readStream(1);
`;

test("the program of its README runs, is typed, and a changed export is found", async () => {
  const readme = await readFile(join(ROOT, "eventstore/README.md"), "utf8");
  const program = /```js\n([\s\S]*?)```/.exec(readme)![1]!;
  const found = [
    "console.log(JSON.stringify({ state, ok }));",
    'import { readFile, writeFile } from "node:fs/promises";',
    'const log = await readFile("log.ndjson", "utf8");',
    'await writeFile("forged.ndjson", log.replace("500", "501"));',
    'const { ok: forged } = await verifyExport(openExport("forged.ndjson"));',
    "console.log(JSON.stringify({ forged }));",
  ];
  await writeFile(join(folder, "program.mjs"), `${program}\n${found.join("\n")}\n`);
  const database = await freshDatabase();
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: folder, env });
  await database.drop();
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ state: 500, ok: true }, { forged: false }]);
  await writeFile(join(folder, "typed.mts"), TYPED);
  const compiler = join(ROOT, "node_modules/tsc/bin/tsc");
  const options = "--noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node".split(
    " ",
  );
  const roots = ["--typeRoots", join(ROOT, "node_modules/@types")];
  await run(process.execPath, [compiler, ...options, ...roots, "typed.mts"], { cwd: folder });
});
