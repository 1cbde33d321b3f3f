/** Concurrent stream reads are batched, and each gets the same result as alone. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { batched } from "../../eventstore/query-batch.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { type Fixture, openLog } from "./fixture.ts";

/** Events by stream: none, a few, as many as a batch takes, and a whole page. */
const LENGTHS = { none: 0, one: 1, few: 7, hundred: 100, long: 101, full: 1_000 };

let log: Fixture;
let all: RecordedEvent[];
beforeAll(async () => {
  log = await openLog();
  for (const tenant of ["a", "b"])
    for (const [stream_id, length] of Object.entries(LENGTHS)) {
      const events = Array.from({ length }, (_, n) => ({ type: "Happened", payload: { tenant, n } }));
      if (length === 0) continue;
      await log.store.append({ appends: [{ tenant, stream_id, expected_version: 0, events }] });
    }
  all = await log.store.readLog({ after: 0, limit: 10_000 });
});
afterAll(() => log.close());

test("many simultaneous reads of any length, version and limit are right", async () => {
  const reads = ["a", "b"].flatMap((tenant) =>
    Object.keys(LENGTHS).flatMap((stream_id) =>
      [0, 1, 6, 99, 1_000, 5_000].flatMap((after_version) =>
        [1, 99, 100, 101, undefined].map((limit) => ({ tenant, stream_id, after_version, limit })),
      ),
    ),
  );
  const queries = vi.spyOn(log.pool, "query");
  const answers = await Promise.all(reads.map((read) => log.store.readStream(read)));
  const sent = queries.mock.calls.length;
  queries.mockRestore();
  for (const [at, { tenant, stream_id, after_version, limit = 1_000 }] of reads.entries()) {
    const alone = all
      .filter((event) => event.tenant === tenant && event.stream_id === stream_id)
      .filter(({ version }) => version > after_version)
      .slice(0, limit);
    expect(answers[at]).toEqual(alone);
  }
  expect(sent).toBeLessThan(reads.length / 2);
});

test("a failed query rejects its batch; the next ones are answered", async () => {
  const read = () => log.store.readStream({ tenant: "a", stream_id: "few" });
  const queries = vi.spyOn(log.pool, "query");
  for (let n = 0; n < 3; n++) queries.mockImplementationOnce(() => Promise.reject(new Error("away")));
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, read));
  queries.mockRestore();
  expect(outcomes.map(({ status }) => status)).toEqual(Array(9).fill("rejected"));
  expect(await read()).toHaveLength(7);
});

test("queries of one tick are batched, as are those that arrive during two running queries", async () => {
  const requests: number[][] = [];
  const open: (() => void)[] = [];
  const double = batched<number, number>(async (_, questions) => {
    requests.push([...questions]);
    await new Promise<void>((done) => open.push(done));
    return questions.map((question) => 2 * question);
  });
  const answers: Promise<number>[] = [];
  for (const questions of [[1, 2], [3], [4, 5], [6]]) {
    answers.push(...questions.map((question) => double(log.pool, question)));
    await turn();
  }
  expect(requests).toEqual([[1, 2], [3]]);
  open.shift()!();
  await vi.waitFor(() => expect(requests).toEqual([[1, 2], [3], [4, 5, 6]]));
  for (const done of open) done();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
});
