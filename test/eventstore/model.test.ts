import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../eventstore/migrate.ts";
import type {
  AppendResult,
  Commit,
  ExpectedVersion,
  JsonObject,
  RecordedEvent,
} from "../../eventstore/types.ts";
import { scaled } from "../support/scale.ts";
import { type Fixture, openLog } from "./fixture.ts";

let log: Fixture;
let nextLog = 100;
beforeAll(async () => {
  log = await openLog();
});
afterAll(() => log.close());

type ModelEvent = { tenant: string; stream_id: string; version: number; type: string; payload: JsonObject };
type ModelCommit = { request: number; first: number; size: number };

/** A log's in-memory model: a list of events and the commits that had a key. */
class Model {
  readonly events: ModelEvent[] = [];
  readonly commits = new Map<string, ModelCommit>();

  version(tenant: string, stream_id: string): number {
    return this.stream(tenant, stream_id).length;
  }

  stream(tenant: string, stream_id: string): ModelEvent[] {
    return this.events.filter((event) => event.tenant === tenant && event.stream_id === stream_id);
  }

  append(commit: Commit): { status: AppendResult["status"]; positions?: number[]; actual?: number } {
    const key = commit.idempotency?.idem_key;
    const earlier = key === undefined ? undefined : this.commits.get(key);
    if (earlier && earlier.request !== commit.idempotency!.request_hash[0])
      return { status: "idem_conflict" };
    if (earlier) return { status: "replayed", positions: range(earlier.first, earlier.size) };
    for (const { tenant, stream_id, expected_version } of commit.appends) {
      const actual = this.version(tenant, stream_id);
      if (!fits(expected_version, actual)) return { status: "wrong_version", actual };
    }
    const first = this.events.length + 1;
    for (const { tenant, stream_id, events } of commit.appends)
      for (const { type, payload } of events)
        this.events.push({ tenant, stream_id, version: this.version(tenant, stream_id) + 1, type, payload });
    const size = this.events.length - first + 1;
    if (key !== undefined)
      this.commits.set(key, { request: commit.idempotency!.request_hash[0]!, first, size });
    return { status: "appended", positions: range(first, size) };
  }
}

const range = (first: number, size: number) => Array.from({ length: size }, (_, i) => first + i);

function fits(expected: ExpectedVersion, actual: number): boolean {
  if (expected === "any") return true;
  if (expected === "exists") return actual > 0;
  return actual === (expected === "absent" ? 0 : expected);
}

const tenant = fc.constantFrom("a", "b");
const stream_id = fc.constantFrom("x", "y", "z");

const commits: fc.Arbitrary<Commit> = fc.record({
  appends: fc.uniqueArray(
    fc.record({
      tenant,
      stream_id,
      expected_version: fc.oneof(
        { weight: 3, arbitrary: fc.constant<ExpectedVersion>("any") },
        fc.constantFrom<ExpectedVersion>("exists", "absent", 0, 1, 2, 3),
      ),
      events: fc.array(fc.record({ type: fc.constantFrom("T", "U"), payload: fc.record({ n: fc.nat(9) }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { minLength: 1, maxLength: 3, selector: (append) => `${append.tenant}${append.stream_id}` },
  ),
  idempotency: fc.option(
    fc.record({
      idem_key: fc.constantFrom("k1", "k2", "k3"),
      request_hash: fc.constantFrom(1, 1, 1, 2).map((n) => Buffer.alloc(32, n)),
    }),
    { nil: undefined },
  ),
});

type Command = fc.AsyncCommand<Model, { log_id: number }>;

const append = (commit: Commit): Command => ({
  check: () => true,
  toString: () => `append ${JSON.stringify(commit)}`,
  async run(model, { log_id }) {
    const expected = model.append(commit);
    const result = await log.store.append({ ...commit, log_id });
    expect({
      status: result.status,
      positions: "events" in result ? result.events.map((event) => event.position) : undefined,
      actual: "actual" in result ? result.actual : undefined,
    }).toEqual({ positions: undefined, actual: undefined, ...expected });
  },
});

const readStream = (tenant: string, stream_id: string, after_version: number): Command => ({
  check: () => true,
  toString: () => `readStream ${tenant} ${stream_id} ${after_version}`,
  async run(model, { log_id }) {
    const read = await log.store.readStream({ log_id, tenant, stream_id, after_version });
    expect(read.map(asModel)).toEqual(model.stream(tenant, stream_id).slice(after_version));
  },
});

const readLog = (after: number, tenant: string | undefined): Command => ({
  check: () => true,
  toString: () => `readLog ${after} ${tenant}`,
  async run(model, { log_id }) {
    const read = await log.store.readLog({ log_id, after, tenant });
    expect(read.map(asModel)).toEqual(
      model.events.slice(after).filter((event) => tenant === undefined || event.tenant === tenant),
    );
    expect((await log.store.head(log_id)).position).toBe(model.events.length);
  },
});

function asModel({ tenant, stream_id, version, type, payload }: RecordedEvent): ModelEvent {
  return { tenant, stream_id, version, type, payload };
}

test("the log behaves like its in-memory model", async () => {
  const commands = [
    commits.map(append),
    fc.tuple(tenant, stream_id, fc.nat(3)).map((args) => readStream(...args)),
    fc.tuple(fc.nat(6), fc.option(tenant, { nil: undefined })).map((args) => readLog(...args)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: "medium", maxCommands: 40 }), async (story) => {
      const log_id = nextLog++;
      await createLog(log.pool, { log_id, host: "test.example" });
      await fc.asyncModelRun(() => ({ model: new Model(), real: { log_id } }), story);
    }),
    { numRuns: scaled(30, 10) },
  );
});

test("simultaneous commits give the result of sequential ones in order of position", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commits, { minLength: 2, maxLength: 25 }), async (together) => {
      const log_id = nextLog++;
      await createLog(log.pool, { log_id, host: "test.example" });
      const results = await Promise.all(together.map((commit) => log.store.append({ ...commit, log_id })));
      const model = new Model();
      const inOrder = together
        .map((commit, i) => ({ commit, result: results[i]! }))
        .filter(({ result }) => result.status === "appended")
        .sort((a, b) => firstPosition(a.result) - firstPosition(b.result));
      for (const { commit, result } of inOrder)
        expect(model.append(commit)).toMatchObject({
          status: "appended",
          positions: [firstPosition(result), ...rest(result)],
        });
      expect((await log.store.readLog({ log_id, after: 0 })).map(asModel)).toEqual(model.events);
    }),
    { numRuns: scaled(25, 10) },
  );
});

const firstPosition = (result: AppendResult): number => ("events" in result ? result.events[0]!.position : 0);
const rest = (result: AppendResult): number[] =>
  "events" in result ? result.events.slice(1).map((event) => event.position) : [];
