/**
 * A log is backed up to a folder and restored from it, byte for byte or not at all; one without its signed part is
 * read-only.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pino from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { addToBackup, type Backup, digestOf, readBackup } from "../../eventstore/files/backup.ts";
import { exportFile } from "../../eventstore/files/export.ts";
import { BackupUnsound } from "../../eventstore/files/restore-source.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { restoreService } from "../../src/runtime/restoring.ts";
import { AT_ONCE, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { run } from "../audit/run-command.ts";
import { elsewhere as anywhereElse, bytesOf, place } from "../support/elsewhere.ts";
import { patientConfig } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";

const silent = pino({ level: "silent" });
const NEWEST = 10_000;
let service: Service & { database_url: string };
let folder: string;
let signing_key: string;

beforeAll(async () => {
  service = await startService();
  folder = await place();
  const backUp = () =>
    addToBackup(service.app.pool, folder, { log_id: MAIN_LOG, beside: evidenceFor(service.app) });
  for (let n = 0; n < 3; n++) await service.issue({ tenant: `tenant\\${n}\t"ä"` });
  expect((await backUp()).added).toBe((await service.app.store.head()).position);
  expect((await backUp()).added).toBe(0);
  for (let n = 0; n < 3; n++) await service.issue({ tenant: `later-${n}` });
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  await backUp();
  signing_key = await readFile(join(service.data_dir, "signing.key"), "utf8");
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** An empty database on a machine that has the key and nothing else. */
const elsewhere = (env?: Record<string, string>) => anywhereElse(signing_key, env);

/** A backup of one pack with these lines and a correct list. */
async function packed(
  lines: readonly string[],
  { last, log_hash }: { last: number; log_hash: string },
): Promise<string> {
  const own = await place();
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  const bytes = gzipSync(lines.join(""));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = `log-1-${last}-${sha256.slice(0, 16)}.ndjson.gz`;
  await writeFile(join(own, file), bytes);
  const { origin } = await service.app.store.identity();
  const backup: Backup = {
    ...{ format: "tallystick-backup/1", origin },
    packs: [{ file, first: 1, last, log_hash, sha256, bytes: bytes.length }],
  };
  await writeFile(join(own, "backup.json"), JSON.stringify(backup));
  return own;
}

/** The lines of an export up to a position, with the evidence of the whole log. */
async function exported(to: number): Promise<{ lines: string[]; last: number; log_hash: string }> {
  const own = await place();
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  const { app } = service;
  const beside = evidenceFor(app);
  const { head } = await exportFile(app.pool, { log_id: MAIN_LOG, to, beside }, join(own, "log.ndjson"));
  const text = await readFile(join(own, "log.ndjson"), "utf8");
  return { lines: text.split(/(?<=\n)/), last: head.position, log_hash: head.hash };
}

test("each run adds the new events, and the list describes every file", async () => {
  const backup = (await readBackup(folder))!;
  expect(backup.packs.length).toBe(2);
  for (const { file, sha256, bytes } of backup.packs)
    expect(await digestOf(join(folder, file))).toEqual({ sha256, bytes });
  expect((await readdir(folder)).sort()).toEqual(
    ["backup.json", ...backup.packs.map(({ file }) => file)].sort(),
  );
});

test("a lost database is restored byte for byte, and the service resumes: keys work, it signs", async () => {
  const { restore, start, ask } = await elsewhere();
  const known = await service.issue({ tenant: "known" });
  await addToBackup(service.app.pool, folder, { log_id: MAIN_LOG, beside: evidenceFor(service.app) });
  const restored = await restore(folder);
  expect(restored.contradiction).toBeNull();
  expect(await ask(bytesOf)).toEqual(await bytesOf(service.app.pool));
  expect(await ask((pool) => verifyDatabase(pool, MAIN_LOG))).toMatchObject({
    ok: true,
    events: restored.events,
  });
  const again = await start();
  try {
    const answer = await fetch(`${again.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, known);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    await again.issue({ tenant: "after" });
    expect(await signTick(again.app, AT_ONCE)).toBe("done");
  } finally {
    await again.stop();
  }
});

test("a backup that lacks one signed event is read-only: nothing is appended or signed, also by a machine without memory", async () => {
  const { size } = (await service.app.signed.last((await service.app.store.identity()).origin))!;
  const cut = await exported(size - 1);
  expect(cut.last).toBe(size - 1);
  const { restore, start } = await elsewhere();
  const restored = await restore(await packed(cut.lines, cut));
  expect(restored.events).toBe(size - 1);
  expect(restored.contradiction).toMatch(/it was cut/);
  const again = await start();
  try {
    expect(await signTick(again.app, AT_ONCE)).toMatchObject({ status: "diverged" });
    await expect(again.issue({ tenant: "after" })).rejects.toThrow(/cut/);
    expect((await again.app.store.readLog({ after: 0, limit: NEWEST })).length).toBe(size - 1);
  } finally {
    await again.stop();
  }
});

test("a changed file, event or line is named, and the database stays empty for the next try", async () => {
  const { restore, ask } = await elsewhere();
  const whole = await exported((await service.app.store.head()).position);
  const at = whole.lines.findIndex((line) => line.startsWith('{"position":3,'));
  const changed = whole.lines.with(at, whole.lines[at]!.replace('\\"key_id\\":\\"', '\\"key_id\\":\\"x'));
  expect(changed[at]).not.toBe(whole.lines[at]);
  await expect(restore(await packed(changed, whole))).rejects.toThrow(/at position 3: .*payload_hash/);
  await expect(restore(await packed(whole.lines.toSpliced(at, 1), whole))).rejects.toThrow(/at position 3: /);
  await expect(restore(await packed(whole.lines.slice(0, -1), whole))).rejects.toThrow(/truncated/);

  const own = await packed(whole.lines, whole);
  const { file } = (await readBackup(own))!.packs[0]!;
  const bytes = await readFile(join(own, file));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(join(own, file), bytes);
  await expect(restore(own)).rejects.toThrow(`${file} was changed`);
  expect(await ask((pool) => verifyDatabase(pool, MAIN_LOG))).toMatchObject({ events: 0 });

  await restore(await packed(whole.lines, whole));
  await expect(restore(await packed(whole.lines, whole))).rejects.toThrow(/the database has events/);
});

test("a non-empty database, and a folder without a backup or of another log, are refused", async () => {
  const { restore } = await elsewhere();
  await expect(restore(tmpdir())).rejects.toThrow(BackupUnsound);
  const other = await startService();
  try {
    await expect(addToBackup(other.app.pool, folder, { log_id: MAIN_LOG })).rejects.toThrow(
      /name another folder/,
    );
    const env = { DATABASE_URL: other.database_url, DATA_DIR: other.data_dir };
    await expect(restoreService(patientConfig(env), silent, folder)).rejects.toThrow(
      /give an empty database/,
    );
  } finally {
    await other.stop();
  }
});

test("a restore without events that the chain has is refused, though no machine remembers that they were signed", async () => {
  const setup = await openAnchoringSetup();
  const packs = await place();
  onTestFinished(async () => {
    await setup.close();
    await rm(packs, { recursive: true, force: true });
  });
  const { app, chain } = setup;
  const backUp = () => addToBackup(app.pool, packs, { log_id: MAIN_LOG });
  await setup.happen();
  await backUp();
  await setup.happen();
  expect(await setup.turn()).toMatchObject({ status: "done" });
  const { size } = (await setup.kept())!;
  const env = {
    SIGNING_KEY: setup.signing_key,
    BASE_RPC_URL: chain.rpc_url,
    GAS_KEY: chain.gas_key,
    PAY_TO: chain.pay_to,
  };
  const other = await elsewhere(env);
  await expect(other.restore(packs)).rejects.toThrow(`the chain has ${size} events of this log`);
  expect((await other.ask((pool) => bytesOf(pool))).length).toBe(1);
  await backUp();
  const { events, contradiction } = await other.restore(packs);
  expect([events, contradiction]).toEqual([(await app.store.head()).position, null]);
});

test("a restored log has the proof of its anchor: of the backup without a chain, of the chain where the backup has none", async () => {
  const setup = await openAnchoringSetup();
  const [proven, bare] = [await place(), await place()];
  onTestFinished(async () => {
    await setup.close();
    for (const one of [proven, bare]) await rm(one, { recursive: true, force: true });
  });
  const { app, chain } = setup;
  await setup.happen();
  await setup.turn();
  await setup.turn();
  const { size } = (await setup.kept())!;
  await addToBackup(app.pool, proven, { log_id: MAIN_LOG, beside: evidenceFor(app) });
  await addToBackup(app.pool, bare, { log_id: MAIN_LOG });
  const onBase = { BASE_RPC_URL: chain.rpc_url, GAS_KEY: chain.gas_key, PAY_TO: chain.pay_to };
  const verified = async (from: string, env: Record<string, string>) => {
    const { restore, database_url, data_dir } = await anywhereElse(setup.signing_key, env);
    expect((await restore(from)).contradiction).toBeNull();
    const own = { DATABASE_URL: database_url, DATA_DIR: data_dir, SIGNING_KEY: setup.signing_key };
    return run(["verify"], { ...own, ...onBase });
  };
  const is_good = new RegExp(`ok {3}anchor +${size} events are on eip155:8453, .* the chain has this block`);
  for (const [from, env] of [
    [proven, {}],
    [proven, onBase],
    [bare, onBase],
  ] as const) {
    const { code, said } = await verified(from, env);
    expect(said).toMatch(is_good);
    expect(code).toBe(0);
  }
  const { code, said } = await verified(bare, {});
  expect(said).toMatch(
    /FAIL anchor +the chain has an anchor, and this database has no proof of it: start the service/,
  );
  expect(code).toBe(1);
});
