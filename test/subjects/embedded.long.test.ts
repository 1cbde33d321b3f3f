/** The vault of the embedded Postgres: a second database of its cluster, which only its own role may enter. */
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import { openRuntime, type Runtime } from "../../src/runtime/assemble.ts";
import { startDatabase } from "../../src/runtime/database.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { letters, placeOf } from "./letters.ts";

let dir: string;
let runtimes: Runtime[] = [];
const config = () => patientConfig({ DATA_DIR: join(dir, "data"), ANCHORING: "0" });
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-embedded-vault-"));
  await chmod(dir, 0o755);
  const open = () => openRuntime(config(), silent, { chain: false, areas: [...areas, letters] });
  runtimes = await Promise.all([open(), open()]);
});
afterAll(async () => {
  for (const { close } of runtimes) await close();
  await rm(dir, { recursive: true, force: true });
});

test("two concurrent starts share one vault: a value sealed by one is opened and erased by the other", async () => {
  const [one, other] = runtimes.map(({ app }) => app);
  const place = placeOf("acme", "0".repeat(32));
  const subject = mailSubject("acme", "anna@example.org");
  const [sealed] = await one!.subjects.seal([{ subject, place, value: { name: "Anna" } }]);
  expect(await other!.subjects.open([{ sealed: sealed!, place }])).toMatchObject([
    { erased: false, value: { name: "Anna" } },
  ]);
  await other!.subjects.erase([sealed!.subject_id]);
  expect(await one!.subjects.open([{ sealed: sealed!, place }])).toMatchObject([{ erased: true }]);
});

test("the role of the log's database may not enter it, and its secrets are its owner's only", async () => {
  const { appUrl, vaultUrl, release } = await startDatabase(config(), silent);
  const trespassing = new URL(appUrl);
  trespassing.pathname = new URL(vaultUrl!).pathname;
  const client = new pg.Client({ connectionString: trespassing.href });
  await expect(client.connect()).rejects.toThrow("permission denied for database");
  await release();
  for (const name of ["subjects-master.key", "subjects-pepper.key", "postgres-subjects.password"])
    expect((await stat(join(dir, "data", name))).mode & 0o777).toBe(0o600);
});
