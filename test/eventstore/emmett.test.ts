import {
  DeciderSpecification,
  type Event,
  IllegalStateError,
  isExpectedVersionConflictError,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
} from "@event-driven-io/emmett";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { emmettStore, type TenantStore } from "../../eventstore/emmett.ts";
import { registry } from "../../eventstore/schemas.ts";
import { type Fixture, openLog } from "./fixture.ts";

type Opened = Event<"AccountOpened", { owner: string }>;
type Deposited = Event<"Deposited", { cents: number }>;
type AccountEvent = Opened | Deposited;
type Account = { status: "none" } | { status: "open"; owner: string; cents: number };
type Deposit = { type: "Deposit"; data: { cents: number } };

const initialState = (): Account => ({ status: "none" });
const evolve = (state: Account, event: AccountEvent): Account => {
  if (event.type === "AccountOpened") return { status: "open", owner: event.data.owner, cents: 0 };
  return state.status === "open" ? { ...state, cents: state.cents + event.data.cents } : state;
};
const decide = (command: Deposit, state: Account): AccountEvent[] => {
  if (state.status === "none") throw new IllegalStateError("there is no such account");
  return command.data.cents === 0 ? [] : [{ type: "Deposited", data: command.data }];
};

describe("a decider for emmett", () => {
  const given = DeciderSpecification.for<Deposit, AccountEvent, Account>({ decide, evolve, initialState });
  const opened: AccountEvent = { type: "AccountOpened", data: { owner: "ada" } };
  const deposit = (cents: number): Deposit => ({ type: "Deposit", data: { cents } });

  test("works with given, when and then", () => {
    given([opened])
      .when(deposit(5))
      .then([{ type: "Deposited", data: { cents: 5 } }]);
    given([opened]).when(deposit(0)).thenNothingHappened();
    given([]).when(deposit(5)).thenThrows(IllegalStateError);
  });

  test("decides on the store's folded state", async () => {
    await store.appendToStream<AccountEvent>("account-1", [opened], {
      expectedStreamVersion: STREAM_DOES_NOT_EXIST,
    });
    for (const cents of [5, 7]) {
      const { state, currentStreamVersion } = await store.aggregateStream<Account, AccountEvent>(
        "account-1",
        {
          evolve,
          initialState,
        },
      );
      await store.appendToStream("account-1", decide(deposit(cents), state), {
        expectedStreamVersion: currentStreamVersion,
      });
    }
    const { state, currentStreamVersion, streamExists } = await store.aggregateStream<Account, AccountEvent>(
      "account-1",
      { evolve, initialState },
    );
    expect(state).toEqual({ status: "open", owner: "ada", cents: 12 });
    expect({ currentStreamVersion, streamExists }).toEqual({ currentStreamVersion: 3n, streamExists: true });
  });
});

let log: Fixture;
let store: TenantStore;
beforeAll(async () => {
  log = await openLog();
  store = emmettStore(log.store, { tenant: "acme" });
});
afterAll(() => log.close());

const counted = (from: number, to: number): Deposited[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ type: "Deposited", data: { cents: from + i } }));

test("append returns the next version, whether the stream is new, and the global position", async () => {
  const before = BigInt((await log.store.head()).position);
  expect(await store.appendToStream("s-1", counted(1, 2))).toEqual({
    nextExpectedStreamVersion: 2n,
    createdNewStream: true,
    lastEventGlobalPosition: before + 2n,
  });
  expect(await store.appendToStream("s-1", counted(3, 3), { expectedStreamVersion: 2n })).toEqual({
    nextExpectedStreamVersion: 3n,
    createdNewStream: false,
    lastEventGlobalPosition: before + 3n,
  });
});

test("events carry their metadata and emmett's own", async () => {
  const withMetadata = { ...counted(1, 1)[0]!, metadata: { by: "ada" } };
  await store.appendToStream("s-2", [withMetadata, ...counted(2, 2)]);
  const { events } = await store.readStream("s-2");
  expect(events).toEqual([
    {
      kind: "Event",
      type: "Deposited",
      data: { cents: 1 },
      metadata: {
        by: "ada",
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        streamName: "s-2",
        streamPosition: 1n,
        globalPosition: expect.any(BigInt),
      },
    },
    expect.objectContaining({ data: { cents: 2 }, metadata: expect.not.objectContaining({ by: "ada" }) }),
  ]);
  await store.appendToStream("s-3", [{ ...counted(1, 1)[0]!, metadata: { by: "ada" } }]);
});

test.each([
  [{}, [1, 2, 3, 4, 5]],
  [{ from: 2n }, [3, 4, 5]],
  [{ to: 2n }, [1, 2]],
  [{ from: 1n, to: 3n }, [2, 3]],
  [{ from: 1n, maxCount: 2n }, [2, 3]],
  [{ from: 9n }, []],
])("reading with %o gives the requested events", async (options, expected) => {
  if (!(await store.streamExists("five"))) await store.appendToStream("five", counted(1, 5));
  const read = await store.readStream<Deposited>("five", options);
  expect(read.events.map((event) => event.data.cents)).toEqual(expected);
  expect(read).toMatchObject({ currentStreamVersion: 5n, streamExists: true });
});

test("a stream longer than a page is read completely", async () => {
  for (let n = 0; n < 3; n++) await store.appendToStream("long", counted(1, 900));
  const { events, currentStreamVersion } = await store.readStream("long");
  expect(events).toHaveLength(2_700);
  expect(currentStreamVersion).toBe(2_700n);
});

test("a missing stream is empty, and a stream exists only for its own tenant", async () => {
  await store.appendToStream("mine", counted(1, 1));
  const stranger = emmettStore(log.store, { tenant: "other" });
  expect(await stranger.streamExists("mine")).toBe(false);
  expect(await store.streamExists("mine")).toBe(true);
  expect(await stranger.readStream("mine")).toEqual({
    events: [],
    currentStreamVersion: 0n,
    streamExists: false,
  });
});

test.each([
  ["STREAM_DOES_NOT_EXIST on one that is there", "there", STREAM_DOES_NOT_EXIST],
  ["STREAM_EXISTS on none", "nowhere", STREAM_EXISTS],
  ["an older version", "there", 0n],
  ["a later version", "there", 2n],
])("%s is emmett's version conflict, on append and on read", async (_, name, expectedStreamVersion) => {
  if (!(await store.streamExists("there"))) await store.appendToStream("there", counted(1, 1));
  const attempts = await Promise.allSettled([
    store.appendToStream(name, counted(2, 2), { expectedStreamVersion }),
    store.readStream(name, { expectedStreamVersion }),
  ]);
  for (const attempt of attempts)
    expect(attempt.status === "rejected" && isExpectedVersionConflictError(attempt.reason)).toBe(true);
});

test("schemas give new events their newest version, and upcast read ones before emmett's own upcast", async () => {
  const schemas = registry([
    {
      Deposited: {
        1: z.strictObject({ cents: z.number() }),
        2: z.strictObject({ cents: z.number(), currency: z.string() }),
        upcast: { 1: (old) => ({ ...old, currency: "EUR" }) },
      },
    },
  ]);
  const versioned = emmettStore(log.store, { tenant: "acme", schemas });
  await store.appendToStream("money", counted(1, 1));
  await versioned.appendToStream("money", [{ type: "Deposited", data: { cents: 2, currency: "USD" } }]);
  const { events } = await versioned.readStream<Event>("money", {
    schema: { versioning: { upcast: (event) => ({ ...event, data: { ...event.data, seen: true } }) } },
  });
  expect(events.map((event) => event.data)).toEqual([
    { cents: 1, currency: "EUR", seen: true },
    { cents: 2, currency: "USD", seen: true },
  ]);
});
