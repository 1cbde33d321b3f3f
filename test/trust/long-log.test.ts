/** Scores of a long-lived log: many batches, several pairs, and read models rebuilt between computations. */
import { spawnSync } from "node:child_process";
import { createWriteStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportLog } from "../../eventstore/files/export.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { nameOf } from "../../src/core/read-models/runner.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { wholeLog } from "../projections/read-models.ts";
import { type Service, startService } from "../support/service.ts";
import { type Agency, agencyOf, walletOf } from "./agency.ts";
import { TRUST_VECTORS } from "./vectors.ts";

const BIN = fileURLToPath(new URL("../../bin/tallystick", import.meta.url));
const SECOND_VERIFIER = fileURLToPath(new URL("../../src/explorer/verifier.js", import.meta.url));
const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Requesters: two wallets, and a tenant with a key. */
const REQUESTERS = [`wallet:${walletOf(301)}`, `wallet:${walletOf(302)}`, "acme"];
const WORKERS = [1, 2];

let service: Service;
let agency: Agency;
const dir = mkdtempSync(join(tmpdir(), "tallystick-lived-"));
beforeAll(async () => {
  service = await startService();
  agency = agencyOf(service.app);
  for (const n of [1, 2, 3]) await agency.register(n);
  for (const [n, tenant] of REQUESTERS.entries()) await agency.pay(walletOf(301 + n), 20, { tenant });
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await service.stop();
});

let minutes = 0;
async function scores(): Promise<Record<number, number>> {
  minutes += 1;
  expect(await agency.compute(today + minutes * 60_000)).toEqual({ status: "done" });
  return agency.scores();
}

/** Empties the read model and folds the whole log again in batches of this size. */
async function rebuild(size: number): Promise<void> {
  const { pool, store } = service.app;
  const events = await wholeLog(store);
  const { rows } = await pool.query<{ tables: string }>(
    String.raw`select string_agg(oid::regclass::text, ', ') as tables from pg_class
      where relnamespace = 'read'::regnamespace and relkind = 'r' and relname like 'trust\_%'`,
  );
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    await tx.query("select from read.checkpoints where projection = $1 for update", [
      nameOf(trustProjection),
    ]);
    await tx.query(`truncate ${rows[0]!.tables}`);
    const folding = new Folding(store.schemas!);
    for (let from = 0; from < events.length; from += size)
      await folding.of(trustProjection, events.slice(from, from + size))?.(tx);
    await tx.query("commit");
  } finally {
    tx.release();
  }
}

test("three tasks of a pair count in 30 days, however the log is split into batches", async () => {
  for (let task = 1; task <= 6; task++) {
    await agency.task(1, REQUESTERS[0]!, "paid");
    expect(await scores()).toEqual({ 1: 2 * Math.min(task, 3) });
  }
});

test("each pair has its own three tasks, also across a rebuild of the read model", async () => {
  for (const size of [1, 7, 10_000]) {
    for (const requester of REQUESTERS)
      for (const worker of WORKERS) {
        await agency.task(worker, requester, "paid");
        await scores();
      }
    await agency.attest(1, 3, 2, `skill-${size}`);
    const before = await scores();
    await rebuild(size);
    // The reactor stores scores only if their digest equals the log's.
    expect(await scores()).toEqual(before);
  }
  expect(await agency.scores()).toMatchObject({ 1: 18, 2: 18 });
});

const exported = join(dir, "export.ndjson");
const exportOnce = async () => {
  if (!existsSync(exported)) await exportLog(service.app.pool, { log_id: 1 }, createWriteStream(exported));
  return exported;
};

test("the command line and the second verifier verify its export", async () => {
  const file = await exportOnce();
  const { position } = await service.app.store.head();
  const verify = (...args: string[]) => spawnSync(process.execPath, args, { encoding: "utf8" });
  const own = verify(BIN, "verify", file);
  expect([own.status, own.stdout]).toEqual([0, expect.stringContaining(`${position} events`)]);
  const second = verify("--no-warnings", SECOND_VERIFIER, file);
  expect([second.status, second.stdout]).toEqual([0, expect.stringMatching(/^ok +tree .*$/m)]);
});

const python = spawnSync("python3", ["--version"]).status === 0;
test.skipIf(!python)(
  `docs/vectors/trust.py computes every digest of that log${python ? "" : " (skipped: no python3 here)"}`,
  async () => {
    const file = await exportOnce();
    const script = fileURLToPath(new URL("trust.py", TRUST_VECTORS));
    const { stdout, stderr } = spawnSync("python3", [script, file], { encoding: "utf8" });
    expect([stderr, stdout]).toEqual(["", expect.stringMatching(/^ok \d\d computations\n$/)]);
  },
);
