/**
 * A log is restored from its copy in KurrentDB byte for byte, or not at all; one without signed events is
 * read-only.
 */
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { copyOfEpoch, copyStreamOf } from "../../src/adapters/kurrentdb.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { backupCommands } from "../../src/cli/backup.ts";
import { OutsideUnavailable } from "../../src/core/model/ports/outside-log.ts";
import { followReactor } from "../../src/reactors/outside/follow.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { elsewhere as anywhereElse, bytesOf } from "../support/elsewhere.ts";
import { KurrentDB, type Stored } from "../support/kurrentdb.ts";
import { patientConfig } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

let service: Service & { database_url: string };
let db: KurrentDB;
let epoch: string;
let signing_key: string;
/** The service's copy. */
let whole: Stored[];
/** The number of signed events. */
let size: number;

const elsewhere = (env?: Record<string, string>) => anywhereElse(signing_key, env);
const stream = () => copyStreamOf(epoch, 1);
const setCopy = (events: Stored[]) => db.streams.set(stream(), events);

beforeAll(async () => {
  service = await startService();
  const { origin, ...identity } = await service.app.store.identity();
  epoch = identity.epoch;
  for (let n = 0; n < 4; n++) await service.issue({ tenant: `tenant\\${n}\t"ä"` });
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  ({ size } = (await service.app.signed.last(origin))!);
  await service.issue({ tenant: "later" });
  // Two events of one commit, the second in another stream.
  const event = { type: "KeyRevoked", payload: { key_id: "k", revoked_at: "2026-01-01T00:00:00.000Z" } };
  await service.app.store.append({
    appends: ["beside-1", "beside-2"].map((stream_id) => ({
      ...{ tenant: "acme", stream_id, expected_version: 0 },
      events: [event],
    })),
    meta: { actor: "test", operation: "test" },
  });
  signing_key = await readFile(join(service.data_dir, "signing.key"), "utf8");
  db = new KurrentDB();
  await db.open();
  const outside = copyOfEpoch(db.url, epoch, 1);
  expect(await turn({ ...service.app, outside }, followReactor)).toEqual({ status: "done" });
  await outside.close();
  whole = db.streams.get(stream())!;
});
afterAll(async () => {
  db?.close();
  await service?.stop();
});
beforeEach(() => void setCopy(whole));
afterEach(() => void (process.exitCode = 0));

/** The copy with another metadata member at a position. */
const withChange = (position: number, change: Record<string, unknown>): Stored[] => {
  const event = whole[position - 1]!;
  const metadata = { ...JSON.parse(Buffer.from(event.metadata).toString()), ...change };
  return whole.with(position - 1, { ...event, metadata: Buffer.from(JSON.stringify(metadata)) });
};

test("a lost database is restored from the copy byte for byte, and the service resumes and signs", async () => {
  const { restore, ask, start } = await elsewhere();
  const lines: string[] = [];
  const restored = await restore(db.url, {
    epoch,
    progress: (stage, done, total) => void lines.push(`${stage} ${done === total}`),
  });
  expect(restored).toMatchObject({ events: whole.length, contradiction: null, left_out: 0 });
  expect(lines).toEqual(expect.arrayContaining(["check true", "fold true"]));
  expect(await ask(bytesOf)).toEqual(await bytesOf(service.app.pool));
  expect(await ask((pool) => verifyDatabase(pool, MAIN_LOG))).toMatchObject({ ok: true });
  const again = await start();
  try {
    await again.issue({ tenant: "after" });
    expect(await signTick(again.app, AT_ONCE)).toBe("done");
  } finally {
    await again.stop();
  }
});

test("a machine that remembers its signatures finds the copy by itself, and a copy without the last signed event is not signed", async () => {
  const { restore, start, data_dir } = await elsewhere();
  await cp(join(service.data_dir, "signed"), join(data_dir, "signed"), { recursive: true });
  setCopy(whole.slice(0, size - 1));
  const restored = await restore(db.url);
  expect(restored.events).toBe(size - 1);
  expect(restored.held_against).toEqual(["what this machine signed"]);
  expect(restored.contradiction).toMatch(/it was cut/);
  const again = await start();
  try {
    expect(await signTick(again.app, AT_ONCE)).toMatchObject({ status: "diverged" });
    await expect(again.issue({ tenant: "after" })).rejects.toThrow(/cut/);
    expect((await again.app.store.head()).position).toBe(size - 1);
  } finally {
    await again.stop();
  }
});

test("a forged, a reordered and a thinned copy are named with the position, and leave the database empty for the next try", async () => {
  const { restore, ask } = await elsewhere();
  const refused = async (events: Stored[], reason: RegExp) => {
    setCopy(events);
    await expect(restore(db.url, { epoch })).rejects.toThrow(reason);
    expect((await ask(bytesOf)).length).toBe(1);
  };
  const [second, third] = [whole[1]!, whole[2]!];
  const forged = Buffer.from(Buffer.from(third.data).toString().replace('"key_id":"', '"key_id":"x'));
  expect(forged).not.toEqual(Buffer.from(third.data));
  await refused(
    whole.with(2, { ...third, data: forged }),
    /at position 3: event 3, .* was changed after it was recorded: payload_hash/,
  );
  await refused(
    whole.with(2, { ...third, type: "KeyRevoked" }),
    /at position 3: event 3, .* was changed after it was recorded: event_hash/,
  );
  await refused(whole.with(1, third).with(2, second), /at position 2: /);
  await refused(whole.toSpliced(1, 1), /at position 2: /);
  await refused([...whole, whole.at(-1)!], new RegExp(`at position ${whole.length + 1}: `));
  await refused(withChange(2, { tenant: "another" }), /at position 2: /);
  await refused(
    withChange(2, { origin: "other/1/0123456789abcdef" }),
    /position 2 of the copy is of the log other/,
  );
  await refused(withChange(2, { version: "1" }), /position 2 of the copy cannot be read: version: /);
  await refused(
    withChange(whole.length, { origin: 7 }),
    /its newest event of the copy cannot be read: origin: /,
  );
  await refused(withChange(whole.length, { origin: "a/1/0123456789abcdef" }), /which is not of the epoch/);

  setCopy(whole);
  await restore(db.url, { epoch });
  await expect(restore(db.url, { epoch })).rejects.toThrow(/the database has events/);
});

test("a copy that ends within a commit is restored without that commit", async () => {
  const { restore } = await elsewhere();
  setCopy(whole.slice(0, -1));
  const { events, left_out, contradiction } = await restore(db.url, { epoch });
  expect({ events, left_out, contradiction }).toEqual({
    events: whole.length - 2,
    left_out: 1,
    contradiction: null,
  });
});

test("a command without a log, or with a different one, fails with the log to name", async () => {
  const { restore, ask } = await elsewhere();
  await expect(restore(db.url)).rejects.toThrow(/say which one is meant by --epoch/);
  await expect(restore(db.url, { epoch: "x" })).rejects.toThrow(/16 hex digits/);
  await expect(restore(db.url, { epoch: "0123456789abcdef" })).rejects.toThrow(/has no copy of a log/);
  await expect(restore("esdb://127.0.0.1:9?tls=false", { epoch })).rejects.toThrow(OutsideUnavailable);
  expect(await ask((pool) => pool.query("select to_regclass('eventstore.events') as there"))).toMatchObject({
    rows: [{ there: null }],
  });
});

test("the command reports the restored range and its comparison, and exits with 1 where the log is read-only", async () => {
  const said: string[] = [];
  const run = async (data: string, url: string) => {
    const env = { DATABASE_URL: url, DATA_DIR: data, SIGNING_KEY: signing_key, ANCHORING: "0" };
    const terminal = { settings: () => patientConfig(env), logger: () => pino({ enabled: false }) };
    const restore = backupCommands(terminal).find((command) => command.name() === "restore")!;
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0);
    await restore.parseAsync([db.url, "--epoch", epoch], { from: "user" }).finally(() => write.mockRestore());
    return said.splice(0).join("");
  };
  const one = await elsewhere();
  setCopy(whole.slice(0, -1));
  expect(await run(one.data_dir, one.database_url)).toMatch(
    /^\d+ events restored; head \d+:[0-9a-f]{64}\nThe copy ends within a commit: 1 events .*\nCompared with nothing outside/,
  );
  expect(process.exitCode ?? 0).toBe(0);
  const other = await elsewhere();
  await cp(join(service.data_dir, "signed"), join(other.data_dir, "signed"), { recursive: true });
  setCopy(whole.slice(0, size - 1));
  expect(await run(other.data_dir, other.database_url)).toMatch(
    /Compared with what this machine signed\.\nRead-only/,
  );
  expect(process.exitCode).toBe(1);
  db.close();
  onTestFinished(() => db.open());
  const last = await elsewhere();
  await expect(run(last.data_dir, last.database_url)).rejects.toThrow("KurrentDB at 127.0.0.1:");
  await rm(join(last.data_dir, "signed"), { recursive: true, force: true });
});
