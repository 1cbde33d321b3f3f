/** A person is erased everywhere and finally, whatever process is killed meanwhile, and every hash still verifies. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { formatVerdicts } from "../../eventstore/verify/report.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { openExport, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { areas } from "../../src/areas/index.ts";
import { mailSubject, sealedIn } from "../../src/core/model/sealed.ts";
import * as subject from "../../src/core/model/subject.ts";
import { verifyPack } from "../../src/explorer/verifier.js";
import { erasuresReactor } from "../../src/reactors/subjects/erase.ts";
import { replayErasures } from "../../src/reactors/subjects/erasure.ts";
import { run as inProcess } from "../audit/run-command.ts";
import { startProgram } from "../support/compiled.ts";
import { copyOfDatabase, type FreshDatabase, freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { letters, placeOf } from "./letters.ts";
import { holds, tablesWith } from "./traces.ts";

type Shown = { letter_id: string; to: { mail: string; address: string } | null; erased: boolean };
type Erased = {
  subject_id: string;
  status: string;
  sealed_events: number | null;
  erased_at: string | null;
  final_after: string | null;
};

const withLetters = [...areas, letters];
let vault: FreshDatabase;
let service: Service & { database_url: string };
let acme: Record<string, string>;
let globex: Record<string, string>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-erasure-"));
  vault = await freshDatabase();
  service = await startService({ vault: vault.url, areas: withLetters });
  acme = (await service.issue({ tenant: "acme" })).headers;
  globex = (await service.issue({ tenant: "globex" })).headers;
});
afterAll(async () => {
  await service.stop();
  await vault.drop();
  await rm(folder, { recursive: true, force: true });
});

async function call<T>(
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<{ status: number; data: T; text: string }> {
  const answer = await fetch(service.url + path, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
  });
  const text = await answer.text();
  return { status: answer.status, data: (JSON.parse(text) as { data: T }).data, text };
}

const write = (mail: string, headers = acme, key?: string) =>
  call<Shown>(
    "/v1/agent/letters",
    { ...headers, ...(key && { "Idempotency-Key": key }) },
    { mail, address: "Brivibas iela 71-3" },
  );
const read = (id: string, headers = acme, key?: string) =>
  call<Shown>(`/v1/agent/letters/${id}`, { ...headers, ...(key && { "Idempotency-Key": key }) });
const erase = (email: string, headers = acme) => call<Erased>("/v1/agent/commerce/erase", headers, { email });

const exported = async (name: string) => {
  const path = join(folder, name);
  await exportFile(service.app.pool, { log_id: 1 }, path);
  return path;
};

async function onDatabase<Row extends pg.QueryResultRow>(
  { url }: { url: string },
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const wrappedKeys = () =>
  onDatabase<{ subject_id: string; wrapped_key: string }>(
    vault,
    "select subject_id, encode(wrapped_key, 'hex') as wrapped_key from subject_keys.subjects",
  );

describe("a customer who is erased", () => {
  const mail = "Zenta.Kalnina@example.org";
  const street = "Brivibas iela 71-3";
  let first: Awaited<ReturnType<typeof write>>;
  let second: Awaited<ReturnType<typeof write>>;

  test("was visible to their tenant before, and in plain text only in stored answers", async () => {
    first = await write(mail, acme, "first");
    second = await write(mail.toUpperCase());
    expect(first.data).toMatchObject({ to: { mail, address: street }, erased: false });
    expect((await read(first.data.letter_id, acme, "reading")).data.to).toMatchObject({ mail });
    expect((await write(mail, acme, "first")).text).toBe(first.text);
    // Postgres does so by itself at intervals, and stores samples of the values that it read.
    for (const url of [service.database_url, vault.url]) await onDatabase({ url }, "analyze");
    expect(await tablesWith(service.database_url, mail)).toEqual(["access.kept_answers"]);
    expect(await tablesWith(vault.url, mail)).toEqual([]);
    const before = await exported("before.ndjson");
    expect(holds(await readFile(before, "utf8"), mail)).toBe(false);
    const result = { values: 2, erased: 0 };
    expect(await verifyExport(openExport(before))).toMatchObject({ ok: true, sealed: result });
    expect(await verifyPack(await readFile(before))).toMatchObject({ ok: true });
  });

  test("cannot be erased or found by another tenant, who gets the same answer as for an unknown mail", async () => {
    const [known, unknown] = [await erase(mail, globex), await erase("nobody@example.org", globex)];
    expect(known.status).toBe(404);
    const bare = (body: string) => ({ ...JSON.parse(body), instance: "" });
    expect(bare(known.text)).toEqual(bare(unknown.text));
    expect((await read(first.data.letter_id)).data.erased).toBe(false);
    const { headers } = await service.issue({ scopes: ["read"] });
    expect((await erase(mail, headers)).status).toBe(403);
    const { headers: test } = await service.issue({ tenant: "acme", space: "test" });
    expect((await erase(mail, test)).status).toBe(404);
  });

  test("is then nowhere: in no table, log line, metric, export or stored answer, and both verifiers pass", async () => {
    const keys = await wrappedKeys();
    const { status, data } = await erase(` ${mail.toLowerCase()} `);
    expect(status).toBe(200);
    const [destroyed] = keys.filter(({ subject_id }) => subject_id === data.subject_id);
    expect(data).toMatchObject({ status: "erased", sealed_events: 2 });
    expect(Date.parse(data.final_after!) - Date.parse(data.erased_at!)).toBe(30 * 86_400_000);
    const after = await exported("after.ndjson");
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    for (const trace of [mail, street, "Zenta"]) {
      expect(await tablesWith(service.database_url, trace)).toEqual([]);
      expect(await tablesWith(vault.url, trace)).toEqual([]);
      expect(holds(await readFile(after, "utf8"), trace)).toBe(false);
      expect(holds(JSON.stringify(service.logged), trace)).toBe(false);
      expect(holds(metrics, trace)).toBe(false);
    }
    expect(await tablesWith(vault.url, data.subject_id)).toEqual([]);
    expect(await tablesWith(vault.url, destroyed!.wrapped_key)).toEqual([]);
    const result = { values: 2, erased: 2 };
    const report = await verifyExport(openExport(after));
    expect(report).toMatchObject({ ok: true, sealed: result });
    expect(formatVerdicts(report)).toContain("\nsealed 2, erased 2\n");
    expect(await verifyExport(openExport(after), { threads_from_bytes: 0 })).toMatchObject({
      ok: true,
      sealed: result,
    });
    expect(await verifyPack(await readFile(after))).toMatchObject({ ok: true });
    expect(await verifyDatabase(service.app.pool, 1)).toMatchObject({ ok: true, sealed: result });
    const { rows } = await service.app.pool.query("select count(*)::int as n from access.kept_answers");
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("reads as erased in every answer, including earlier ones", async () => {
    expect((await read(first.data.letter_id)).data).toEqual({
      letter_id: first.data.letter_id,
      to: null,
      erased: true,
    });
    expect((await read(second.data.letter_id)).data.erased).toBe(true);
    const again = await write(mail, acme, "first");
    expect(again.data).toEqual({ letter_id: first.data.letter_id, to: null, erased: true });
    expect(await service.app.subjects.find({ tenant: "acme", kind: "mail", name: mail.toLowerCase() })).toBe(
      undefined,
    );
  });

  test("is unknown a second time, and is a new subject on return", async () => {
    expect((await erase(mail)).status).toBe(404);
    const back = await write(mail);
    expect(back.data.to).toMatchObject({ mail });
    expect((await read(first.data.letter_id)).data.erased).toBe(true);
    expect((await erase(mail)).data).toMatchObject({ sealed_events: 1 });
  });

  test("is listed at /log", async () => {
    await until(async () => {
      const answer = await fetch(`${service.url}/log/status`);
      const { sealed } = (await answer.json()) as { sealed: { values: number; erased: number } };
      return sealed.values === 3 && sealed.erased === 3;
    });
  });

  test.each(["", "anna", "a b@example.org", "@", `${"x".repeat(250)}@example.org`])(
    "has a mail address: %j is refused",
    async (email) => {
      const answer = await erase(email);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('"path":"email"');
    },
  );
});

test("an answer in progress during its subject's erasure is not stored", async () => {
  const { data } = await write("late@example.org", acme);
  const { app } = service;
  const id = await app.subjects.find({ tenant: "acme", kind: "mail", name: "late@example.org" });
  const answer = { request_sha256: "0".repeat(64), status: 200, body: Buffer.from("late"), payment_id: null };
  await app.answers.keep("acme/before", answer, [id!]);
  expect(await app.answers.find("acme/before")).toMatchObject({ status: 200 });
  await erase("late@example.org");
  expect(await app.answers.find("acme/before")).toBeUndefined();
  await app.answers.keep("acme/after", answer, [id!]);
  expect(await app.answers.find("acme/after")).toBeUndefined();
  expect((await read(data.letter_id)).data.erased).toBe(true);
});

test("no answer about an erased subject is stored, whatever the order of storing and erasing", async () => {
  const { app } = service;
  const body = Buffer.from("raced");
  for (let round = 0; round < 20; round++) {
    const id = `${round}`.padStart(32, "f");
    const names = Array.from({ length: 10 }, (_, i) => `acme/raced-${round}-${i}`);
    const keeping = names.map((name) =>
      app.answers.keep(name, { request_sha256: "0".repeat(64), status: 200, body, payment_id: null }, [id]),
    );
    await Promise.all([...keeping, app.answers.forget(id)]);
    for (const name of names) expect(await app.answers.find(name)).toBeUndefined();
  }
});

const childEnv = (more: Record<string, string>) => ({
  PATH: process.env.PATH,
  DATABASE_URL: service.database_url,
  DATA_DIR: service.data_dir,
  SUBJECT_KEYS_URL: vault.url,
  ANCHORING: "0",
  ...more,
});

test("the operator erases by the command line, which reports typing errors", async () => {
  const mail = "by-command@example.org";
  const { data } = await write(mail);
  const run = async (name: string, tenant: string) => {
    const args = [resolve("bin/tallystick"), "subjects", "erase", name, "--tenant", tenant];
    const child = spawn(process.execPath, args, { env: childEnv({}), stdio: ["ignore", "pipe", "pipe"] });
    const [output, complaint, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, complaint, code };
  };
  const { PATH: _, ...settings } = childEnv({});
  const mistyped = await inProcess(
    ["subjects", "erase", "by-comand@example.org", "--tenant", "acme"],
    settings,
  );
  expect(mistyped.code).toBe(1);
  expect(mistyped.said).toContain("check the spelling");
  const done = await run(mail.toUpperCase(), "acme");
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining("nobody can open 1 events") });
  expect((await read(data.letter_id)).data.erased).toBe(true);
});

describe("killed", () => {
  test.concurrent.each([
    ["before SubjectErasureRequested", false],
    ["after SubjectErasureRequested", true],
    ["after the key is destroyed", true],
    ["after answers are forgotten", true],
    ["before SubjectErased", true],
    ["after SubjectErased", true],
  ])("%s: a begun erasure is finished", async (step, begun) => {
    const name = step.toLowerCase().replaceAll(" ", "-");
    const mail = `${name}@example.org`;
    const { data } = await write(mail, acme, name);
    const { app } = service;
    const id = (await app.subjects.find(mailSubject("acme", mail)))!;
    const child = startProgram("test/subjects/killed-eraser.ts", [], {
      env: childEnv({ DIES_AT: step, MAIL: mail }),
      stdio: ["ignore", "inherit", "inherit"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    if (!begun) {
      await turn(app, erasuresReactor, { patient: true });
      expect((await read(data.letter_id)).data.to).toMatchObject({ mail });
      return;
    }
    const target = { tenant: "acme", id };
    await until(async () => {
      await turn(app, erasuresReactor, { patient: true });
      return (await app.load(subject, target))?.status === "erased";
    });
    expect((await read(data.letter_id)).data.erased).toBe(true);
    expect(await tablesWith(service.database_url, mail)).toEqual([]);
    expect(await tablesWith(vault.url, id)).toEqual([]);
    const events = await app.store.readStream({ tenant: "acme", stream_id: subject.streamOf(id) });
    expect(events.map(({ type }) => type)).toEqual(["SubjectErasureRequested", "SubjectErased"]);
    expect(events[1]!.payload).toMatchObject({ sealed_events: 1 });
  });
});

test("two processes seal for and erase one person: nothing is sealed after a request, and every count is right", async () => {
  const mail = "raced@example.org";
  const TURNS = String(scaled(25, 10));
  const start = (more: Record<string, string>) =>
    startProgram("test/subjects/racer.ts", [], {
      env: childEnv({ MAIL: mail, ...more }),
      stdio: ["ignore", "pipe", "inherit"],
    });
  const begun = (await service.app.store.head()).position;
  const children = [start({ WRITES: "1", TURNS }), start({ TURNS })];
  const ended = await Promise.all(
    children.map(async (child) => {
      const [output, [code]] = await Promise.all([text(child.stdout!), once(child, "exit")]);
      expect(code).toBe(0);
      return JSON.parse(output) as { erased: number };
    }),
  );
  expect(ended[1]!.erased).toBeGreaterThan(0);
  await until(async () => {
    await turn(service.app, erasuresReactor);
    const events = service.app.eventsOf(
      subject,
      await service.app.store.readLog({ after: begun, limit: 10_000 }),
    );
    const ids = new Set(events.map(({ id }) => id));
    return events.length === 2 * ids.size;
  });
  const events = await service.app.store.readLog({ after: begun, limit: 10_000 });
  const requested = new Map<string, number>();
  const holding = new Map<string, number>();
  for (const { type, payload, position } of events) {
    if (type === "SubjectErasureRequested") requested.set(String(payload.subject_id), position);
    for (const id of new Set(sealedIn(payload).map(({ subject_id }) => subject_id))) {
      expect(requested.get(id), `sealed at ${position}`).toBeUndefined();
      holding.set(id, (holding.get(id) ?? 0) + 1);
    }
  }
  expect(requested.size).toBe(ended[1]!.erased);
  for (const { type, payload } of events)
    if (type === "SubjectErased")
      expect(payload.sealed_events).toBe(holding.get(String(payload.subject_id)) ?? 0);
  const page = events.flatMap(({ type, tenant, stream_id, payload }) =>
    sealedIn(payload).map((sealed) => ({ sealed, place: { tenant, stream_id, type } })),
  );
  const opened = await service.app.subjects.open(page);
  for (const one of opened) expect(one.erased).toBe(requested.has(one.subject_id));
});

describe("a vault that is restored from yesterday", () => {
  let yesterday: FreshDatabase;
  afterAll(() => yesterday?.drop());

  test("opens nothing erased since, in whatever process is started on it", async () => {
    const mail = "yesterday@example.org";
    const { data } = await write(mail);
    const stays = await write("stays@example.org");
    yesterday = await copyOfDatabase(vault);
    expect((await erase(mail)).status).toBe(200);
    const id = (await service.app.store.readLog({ after: 0, limit: 10_000 })).findLast(
      ({ type }) => type === "SubjectErased",
    )!.payload.subject_id as string;
    expect(await tablesWith(yesterday.url, id)).toEqual(["subject_keys.subjects"]);
    const restored = await startService({
      areas: withLetters,
      vault: yesterday.url,
      beside: { data_dir: service.data_dir, database_url: service.database_url },
    });
    try {
      const result = restored.logged.find(({ msg }) => String(msg).includes("destroyed again"));
      expect(result).toMatchObject({ destroyed: 1 });
      expect(await tablesWith(yesterday.url, id)).toEqual([]);
      const ask = async (letter_id: string) => {
        const answer = await fetch(`${restored.url}/v1/agent/letters/${letter_id}`, { headers: acme });
        return ((await answer.json()) as { data: Shown }).data;
      };
      expect((await ask(data.letter_id)).erased).toBe(true);
      expect((await ask(stays.data.letter_id)).to).toMatchObject({ mail: "stays@example.org" });
      expect(await replayErasures(restored.app, { warn: () => {} })).toBe(0);
    } finally {
      await restored.stop();
    }
  });
});

test("a sealed value cannot be opened from another stream, tenant or type of the log", async () => {
  const { data } = await write("moved@example.org");
  const { app } = service;
  const [event] = await app.store.readStream({ tenant: "acme", stream_id: `letter-${data.letter_id}` });
  const [sealed] = sealedIn(event!.payload);
  const place = placeOf("acme", data.letter_id);
  await expect(app.subjects.open([{ sealed: sealed!, place }])).resolves.toMatchObject([{ erased: false }]);
  for (const moved of [
    { ...place, stream_id: `letter-${"0".repeat(32)}` },
    { ...place, tenant: "globex" },
    { ...place, type: "LetterCopied" },
  ])
    await expect(app.subjects.open([{ sealed: sealed!, place: moved }])).rejects.toThrow("another location");
});
