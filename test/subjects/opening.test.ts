/** A vault is opened with the keys that belong to it, for the log that it belongs to, or not at all. */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { mailSubject, type Sealed } from "../../src/core/model/sealed.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { letters, placeOf } from "./letters.ts";

const OTHER = "ab".repeat(32);
const withLetters = [...areas, letters];
const id = "0".repeat(32);
const place = placeOf("acme", id);

let vault: FreshDatabase;
let first: Service & { database_url: string };
let sealed: Sealed;
beforeAll(async () => {
  vault = await freshDatabase();
  first = await startService({ vault: vault.url, areas: withLetters });
  const value = { mail: "anna@example.org" };
  [sealed] = (await first.app.subjects.seal([
    { subject: mailSubject("acme", "anna@example.org"), place, value },
  ])) as [Sealed];
});
afterAll(async () => {
  await first.stop();
  await vault.drop();
});

const settings = (more: Record<string, string> = {}) =>
  patientConfig({
    DATABASE_URL: first.database_url,
    DATA_DIR: first.data_dir,
    SUBJECT_KEYS_URL: vault.url,
    ANCHORING: "0",
    ...more,
  });

/** Opens a runtime with these settings, and what it opens of what was sealed. */
async function opened(more: Record<string, string> = {}) {
  const { app, close } = await openRuntime(settings(more), silent, { chain: false, areas: withLetters });
  try {
    return await app.subjects.open([{ sealed, place }]);
  } finally {
    await close();
  }
}

const file = (name: string) => join(first.data_dir, name);
let master: string;
let pepper: string;
beforeEach(async () => {
  master = (await readFile(file("subjects-master.key"), "utf8")).trim();
  pepper = (await readFile(file("subjects-pepper.key"), "utf8")).trim();
});

/** The whole vault as text. */
async function contents(): Promise<string> {
  const client = new pg.Client({ connectionString: vault.url });
  await client.connect();
  const tables = ["vault", "master_keys", "subjects"];
  const rows = [];
  for (const table of tables)
    rows.push((await client.query(`select t::text from subject_keys.${table} t order by 1`)).rows);
  await client.end();
  return JSON.stringify(rows);
}

test("unset keys are created at the first start, readable by their owner only", async () => {
  for (const name of ["subjects-master.key", "subjects-pepper.key"]) {
    expect((await readFile(file(name), "utf8")).trim()).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(file(name))).mode & 0o777).toBe(0o600);
  }
  expect(await opened()).toMatchObject([{ erased: false }]);
  expect(await opened({ SUBJECT_MASTER_KEY: master, SUBJECT_PEPPER: pepper })).toMatchObject([
    { erased: false },
  ]);
});

describe("a wrong setting is reported with its location, and nothing is changed", () => {
  test.each([
    [
      "the master key is another",
      { SUBJECT_MASTER_KEY: OTHER },
      /this vault is wrapped by [0-9a-f]{16}: restore that key/,
    ],
    ["the pepper is another", { SUBJECT_PEPPER: OTHER }, /SUBJECT_PEPPER .* is not the pepper of this vault/],
    [
      "the vault is away",
      { SUBJECT_KEYS_URL: "postgres://nobody@127.0.0.1:1/none" },
      /SUBJECT_KEYS_URL: no connection to 127.0.0.1:1/,
    ],
    ["the vault is left out", { SUBJECT_KEYS_URL: "" }, /SUBJECT_KEYS_URL is missing/],
  ])("%s", async (_, more, answer) => {
    const before = await contents();
    await expect(opened(more)).rejects.toThrow(answer);
    expect(await contents()).toBe(before);
    expect(await opened()).toMatchObject([{ erased: false }]);
  });

  test.each(["subjects-master.key", "subjects-pepper.key"])(
    "%s is missing, and none is created",
    async (name) => {
      const kept = await readFile(file(name), "utf8");
      await rm(file(name));
      await expect(opened()).rejects.toThrow(/is missing: this vault is in use/);
      await expect(stat(file(name))).rejects.toThrow("ENOENT");
      await writeFile(file(name), "half a key\n");
      await expect(opened()).rejects.toThrow(/is not 32 bytes in hex/);
      await writeFile(file(name), kept, { mode: 0o600 });
      expect(await opened()).toMatchObject([{ erased: false }]);
    },
  );

  test("the vault is empty: subjects that it lacks would count as erased", async () => {
    const empty = await freshDatabase();
    await expect(opened({ SUBJECT_KEYS_URL: empty.url })).rejects.toThrow(/is an empty vault/);
    await empty.drop();
  });

  test("the vault belongs to another log, or this log to another vault", async () => {
    const theirs = await freshDatabase();
    const other = await startService({ vault: theirs.url, areas: withLetters });
    await expect(opened({ SUBJECT_KEYS_URL: theirs.url })).rejects.toThrow(/is the vault of another log/);
    const { origin } = await first.app.store.identity();
    const client = new pg.Client({ connectionString: theirs.url });
    await client.connect();
    await client.query("update subject_keys.vault set origin = $1", [origin]);
    await client.end();
    await expect(opened({ SUBJECT_KEYS_URL: theirs.url })).rejects.toThrow(/is another vault than the one/);
    await other.stop();
    await theirs.drop();
  });
});

test.each([
  ["SUBJECT_MASTER_KEY", "short", /is 32 random bytes: 64 hex digits/],
  ["SUBJECT_PEPPER", "zz".repeat(32), /is 32 random bytes: 64 hex digits/],
  ["SUBJECT_BACKUP_DAYS", "31", /is at most 30/],
  ["SUBJECT_KEYS_URL", "mysql://x", /is a Postgres URL/],
])("%s=%s is refused", (name, value, answer) => {
  expect(() => settings({ [name]: value })).toThrow(answer);
});

test("a vault on the log's own server gives a warning", () => {
  expect(first.logged.map(({ msg }) => String(msg))).toContainEqual(
    expect.stringContaining("SUBJECT_KEYS_URL is on the log's server"),
  );
});

test("the master key is rotated: both open meanwhile, and only the new one afterwards", async () => {
  const rotating = { SUBJECT_MASTER_KEY: OTHER, SUBJECT_MASTER_KEY_OLD: master };
  expect(await opened(rotating)).toMatchObject([{ erased: false }]);
  // The old key is needed until all are wrapped anew.
  await expect(opened({ SUBJECT_MASTER_KEY: OTHER })).rejects.toThrow(/is wrapped by/);
  const { app, close } = await openRuntime(settings(rotating), silent, { chain: false, areas: withLetters });
  expect(await app.subjects.rewrap()).toBe(1);
  expect(await app.subjects.rewrap()).toBe(0);
  await close();
  expect(await opened({ SUBJECT_MASTER_KEY: OTHER })).toMatchObject([{ erased: false }]);
  await expect(opened()).rejects.toThrow(/is wrapped by/);
});

test("without a vault the service runs, and refuses what needs one", async () => {
  const service = await startService({ areas: withLetters });
  const { headers } = await service.issue();
  const answer = await fetch(`${service.url}/v1/agent/letters`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ mail: "anna@example.org", address: "Riga" }),
  });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("personal data cannot be sealed or opened at the moment");
  expect((await service.app.store.head()).position).toBe(1);
  await service.stop();
});
