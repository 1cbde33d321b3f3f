/** The precondition of every append. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEventStore } from "../../eventstore/store.ts";
import type { LogHead } from "../../eventstore/types.ts";
import { appended, commitOf, type Fixture, keyed, openLog, positions } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
});
afterAll(() => log.close());

const withStream = () => commitOf({ stream_id: randomUUID(), expected_version: 0 });
const large = () => {
  const { appends } = withStream();
  const events = Array.from({ length: 3 }, (_, n) => ({ type: "Happened", payload: { n } }));
  return { appends: [{ ...appends[0]!, events }] };
};

/** A store that appends only if the log has that position and hash. */
function storeAfter(place: LogHead | undefined) {
  const lost = async ({ position }: LogHead) => new Error(`position ${position} is lost`);
  return createEventStore(log.pool, { precondition: { place: async () => place, lost } });
}

test("a log that meets the precondition accepts appends, single and concurrent", async () => {
  await log.store.append(large());
  const head = await log.store.head();
  const store = storeAfter(head);
  const results = [await store.append(withStream()), await store.append(large())];
  results.push(...(await Promise.all(Array.from({ length: 30 }, () => store.append(large())))));
  expect(positions(results.flatMap(appended))).toHaveLength(94);
  const once = commitOf({ stream_id: randomUUID() }, { n: 1 }, keyed(randomUUID()));
  expect((await store.append(once)).status).toBe("appended");
  expect((await store.append(once)).status).toBe("replayed");
});

test.each([
  ["further than it goes", ({ position }: LogHead) => ({ position: position + 1 })],
  ["with another hash", () => ({ log_hash: Buffer.alloc(32, 7) })],
])("a log that fails the precondition, %s, accepts none", async (_, change) => {
  const head = await log.store.head();
  const store = storeAfter({ ...head, ...change(head) });
  const commits = [withStream(), large(), ...Array.from({ length: 10 }, withStream)];
  const results = await Promise.allSettled(commits.map((commit) => store.append(commit)));
  for (const result of results)
    expect(result).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringMatching(/^position \d+ is lost$/) },
    });
  expect((await log.store.head()).position).toBe(head.position);
});

test("if the precondition cannot be computed, waiting commits are refused with the reason, and later ones are not", async () => {
  let isAway = true;
  const place = async () => {
    if (isAway) throw new Error("nobody knows");
    return undefined;
  };
  const store = createEventStore(log.pool, { precondition: { place, lost: () => expect.unreachable() } });
  const results = await Promise.allSettled([store.append(withStream()), store.append(large())]);
  for (const result of results) expect(result).toMatchObject({ reason: { message: "nobody knows" } });
  isAway = false;
  appended(await store.append(withStream()));
});
