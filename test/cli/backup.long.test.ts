/**
 * `tallystick backup` and `tallystick restore` with a running service: the drill of docs/operating.md, step by
 * step.
 */
import { cp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBackup } from "../../eventstore/files/backup.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { manifest, partitionsDir, vintagesDir } from "../../src/datasets/manifest.ts";
import { importFiles } from "../../src/operator/releases.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { bulkFixture, limits } from "../datasets/workshop.ts";
import { elsewhere, place } from "../support/elsewhere.ts";
import { sealFirst } from "../support/log-example.ts";
import { PATIENT } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { runWith } from "./command.ts";
import { runHere } from "./in-process.ts";

const REPORTERS = ["DE", "FR"] as const;
let service: Service & { database_url: string };
let folder: string;
let signing_key: string;
let vintage: string;
/** The first backup, without later signatures. */
let older: string;

beforeAll(async () => {
  service = await startService();
  [folder, older] = [await place(), await place()];
  await service.issue({ tenant: "acme" });
  const { app, data_dir } = service;
  const reporters = [...REPORTERS];
  ({ vintage } = (await importFiles(app, [bulkFixture], { data_dir, limits, reporters })).facts);
});
afterAll(async () => {
  await service?.stop();
  for (const dir of [folder, older]) await rm(dir, { recursive: true, force: true });
});

type Machine = { data_dir: string; database_url: string };
const settingsOf = ({ data_dir, database_url }: Machine, more: Record<string, string> = {}) => ({
  ...PATIENT,
  ...{ HOME: data_dir, DATA_DIR: data_dir, DATABASE_URL: database_url, ANCHORING: "0", ...more },
});
const backUp = (into = folder, run = runHere) => run(settingsOf(service), "backup", into);
const headNow = async () => {
  const { position, log_hash } = await service.app.store.head();
  return `${position}:${Buffer.from(log_hash).toString("hex")}`;
};

test("each run reports the added events and the folder's last position, which is the log's head", async () => {
  const first = await backUp(folder, runWith);
  const { position } = await service.app.store.head();
  expect(first).toEqual({
    code: 0,
    stdout: `${position} events added; ${folder} has the log up to ${await headNow()}\n`,
    stderr: expect.any(String),
  });
  await cp(folder, older, { recursive: true });
  expect((await backUp()).stdout).toMatch(/^0 events added; /);
  await service.issue({ tenant: "acme" });
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  signing_key = await readFile(join(service.data_dir, "signing.key"), "utf8");
  await sealFirst(service.app);
  const more = (await service.app.store.head()).position - position;
  expect((await backUp()).stdout).toBe(
    `${more} events added; ${folder} has the log up to ${await headNow()}\n`,
  );
});

test("a backup includes the segments, and the vintages' manifests without their partitions", async () => {
  const { packs } = (await readBackup(folder))!;
  expect(packs.map(({ first, last }) => [first, last])).toEqual([
    [1, 1],
    [2, (await service.app.store.head()).position],
  ]);
  expect((await readdir(folder)).sort()).toEqual(
    ["backup.json", "vintages", ...packs.map(({ file }) => file)].sort(),
  );
  expect(packs[0]!.file).toMatch(/\.parquet$/);
  expect((await readdir(partitionsDir(service.data_dir))).length).toBeGreaterThan(0);
  expect(await readdir(join(folder, "vintages"))).toEqual([`${vintage}.json`]);
  expect(await readFile(join(folder, "vintages", `${vintage}.json`))).toEqual(
    await readFile(join(vintagesDir(service.data_dir), `${vintage}.json`)),
  );
});

test("a restored database has the printed head, verifies, and the same files give the same vintage", async () => {
  const printed = /up to (\S+)\n$/.exec((await backUp()).stdout)![1]!;
  const there = await elsewhere(signing_key);
  const settings = settingsOf(there, { SIGNING_KEY: signing_key });
  const restored = await runWith(settings, "restore", folder);
  expect(restored.code, restored.stderr).toBe(0);
  const [position] = printed.split(":");
  expect(restored.stdout).toContain(`${position} events restored; head ${printed}\n`);
  const verified = await runHere(settings, "verify");
  expect(verified.code, verified.stderr).toBe(0);
  expect(verified.stdout).toContain(printed.split(":")[1]);
  const reporters = ["--reporters", REPORTERS.join(","), "--afresh"];
  const imported = await runHere(settings, "import", bulkFixture, ...reporters);
  expect(imported.code, imported.stderr).toBe(0);
  const manifestIn = async (dir: string) =>
    manifest.parse(JSON.parse(await readFile(join(dir, `${vintage}.json`), "utf8")));
  const [kept, made] = [
    await manifestIn(join(folder, "vintages")),
    await manifestIn(vintagesDir(there.data_dir)),
  ];
  const contentOf = ({ partitions }: typeof kept) => partitions.map(({ content_sha256 }) => content_sha256);
  expect(contentOf(made)).toEqual(contentOf(kept));
});

test("a log without this machine's last signature is restored read-only, and cannot be backed up", async () => {
  const there = await elsewhere(signing_key);
  await cp(join(service.data_dir, "signed"), join(there.data_dir, "signed"), { recursive: true });
  const settings = settingsOf(there, { SIGNING_KEY: signing_key });
  const restored = await runHere(settings, "restore", older);
  expect(restored.code, restored.stderr).toBe(1);
  expect(restored.stdout).toMatch(/\nCompared with what this machine signed\.\nRead-only, /);
  const refused = join(there.data_dir, "backup");
  const { code, stdout, stderr } = await runHere(settings, "backup", refused);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("a backup would hide that");
  await expect(readdir(refused)).rejects.toThrow("ENOENT");
});

test("a folder of another log, or without a backup, is refused", async () => {
  const there = await elsewhere(signing_key);
  const empty = await runHere(settingsOf(there), "restore", there.data_dir);
  expect([empty.code, empty.stdout]).toEqual([1, ""]);
  expect(empty.stderr).toContain("no backup.json is in it");
  // An empty database gets its own log.
  const other = await runHere(settingsOf(there), "backup", folder);
  expect([other.code, other.stdout]).toEqual([1, ""]);
  expect(other.stderr).toContain("name another folder");
});
