import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../eventstore/errors.ts";
import { transact } from "../src/core/commands/transact.ts";
import type { Command, UnitParts } from "../src/core/commands/unit.ts";
import { refuse } from "../src/core/model/refusal.ts";
import { notebooks } from "./support/notebooks.ts";
import * as notes from "./support/notes.ts";
import { until } from "./support/until.ts";

const log = notebooks();
const { makeProcess } = log;

const plain: Command = { meta: { actor: "test" } };
const keyed = (key: string, request: string): Command => ({
  meta: { actor: "test" },
  idempotency: { idem_key: key, request_hash: createHash("sha256").update(request).digest() },
});
const takeIn = (parts: UnitParts, id: string, text: string, command = plain, most?: number) =>
  transact(parts, command, ({ decide }) => decide(notes, { tenant: "acme", id }, notes.take(text, most)));

describe("decisions", () => {
  test("all succeed if 200 come at once on one stream from two processes", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    const texts = Array.from({ length: 200 }, (_, n) => `note ${n}`);
    const done = await Promise.all(texts.map((text, n) => takeIn(n % 2 === 0 ? one : other, "busy", text)));
    expect(done.every(({ events }) => events.length === 1)).toBe(true);
    const { state } = (await takeIn(makeProcess(), "busy", "note 0")).result;
    expect([...state.notes].sort()).toEqual([...texts].sort());
  });

  test("that repeat an earlier one append nothing", async () => {
    const parts = makeProcess();
    await takeIn(parts, "twice", "a");
    const again = await takeIn(parts, "twice", "a");
    expect(again).toMatchObject({ events: [], result: { version: 1, state: { notes: ["a"] } } });
  });

  test("a refusal never rests on a state that another process has changed", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    await takeIn(one, "full", "a", plain, 1);
    await takeIn(other, "full", "a", plain, 1);
    await expect(takeIn(one, "full", "b", plain, 1)).rejects.toMatchObject({ code: "conflict" });
    // Another process freed a place: `one` still has the old state in its cache.
    await takeIn(other, "full", "b", plain, 9);
    expect((await takeIn(one, "full", "b", plain, 1)).events).toEqual([]);
  });

  test("neither a refusal nor an answer rests on a watched stream that another process has changed", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    const notesOf = () =>
      transact(one, plain, async ({ watch }) => {
        const { notes: found } = await watch(notes, { tenant: "acme", id: "watched" });
        return found.length > 0 ? found : refuse("not_found", "there is no note");
      });
    await expect(notesOf()).rejects.toMatchObject({ code: "not_found" });
    await takeIn(other, "watched", "a");
    expect((await notesOf()).result).toEqual(["a"]);
    await takeIn(other, "watched", "b");
    expect((await notesOf()).result).toEqual(["a", "b"]);
  });

  test("a stream presumed new is not read, and is decided on its state if it is not new", async () => {
    const parts = makeProcess();
    const read = vi.spyOn(parts.store, "readStream");
    const begin = (process: UnitParts, text: string, most?: number) =>
      transact(process, plain, ({ decide }) =>
        decide(notes, { tenant: "acme", id: "presumed" }, notes.take(text, most), { is_new: true }),
      );
    expect((await begin(parts, "a")).result).toMatchObject({ version: 1, state: { notes: ["a"] } });
    expect(read).not.toHaveBeenCalled();
    expect((await begin(makeProcess(), "b")).result).toMatchObject({
      version: 2,
      state: { notes: ["a", "b"] },
    });
    expect((await begin(makeProcess(), "a")).events).toEqual([]);
    await expect(begin(makeProcess(), "c", 2)).rejects.toMatchObject({ code: "conflict" });
    const refused = transact(makeProcess(), plain, ({ decide }) =>
      decide(notes, { tenant: "acme", id: "presumed" }, () => refuse("conflict", "whatever it has"), {
        is_new: true,
      }),
    );
    await expect(refused).rejects.toMatchObject({ code: "conflict" });
  });

  test("after somebody has queued for seconds, new callers are refused at once, and waiters are not", async () => {
    const parts = makeProcess();
    await takeIn(parts, "long-line", "a");
    const held = await parts.cache.queue(`acme\n${notes.streamOf("long-line")}`);
    const queued = vi.spyOn(parts.cache, "queue");
    const waits = takeIn(parts, "long-line", "b");
    await until(() => queued.mock.calls.length === 1);
    const waited = vi.spyOn(parts.cache, "waitedFor").mockReturnValue(10_001);
    await expect(takeIn(parts, "long-line", "c")).rejects.toMatchObject({
      code: "unavailable",
      retry_after_s: 1,
    });
    const pays = transact(
      parts,
      plain,
      ({ decide }) => decide(notes, { tenant: "acme", id: "long-line" }, notes.take("paid for")),
      { once: async () => undefined, stage: async () => undefined },
    );
    await until(() => queued.mock.calls.length === 2);
    held();
    expect((await waits).result).toMatchObject({ version: 2, state: { notes: ["a", "b"] } });
    expect((await pays).result).toMatchObject({ version: 3 });
    waited.mockRestore();
  });

  test("commands that write their own stream before a shared one decide little more than twice", async () => {
    const parts = makeProcess();
    let runs = 0;
    const texts = Array.from({ length: 20 }, (_, n) => `note ${n}`);
    const both = (text: string) =>
      transact(parts, plain, async ({ decide }) => {
        runs++;
        await decide(notes, { tenant: "acme", id: `own-${text}` }, notes.take(text));
        return decide(notes, { tenant: "acme", id: "shared" }, notes.take(text));
      });
    await Promise.all(texts.map(both));
    const { state } = (await takeIn(makeProcess(), "shared", texts[0]!)).result;
    expect([...state.notes].sort()).toEqual([...texts].sort());
    expect(runs).toBeLessThan(3 * texts.length);
  });

  test("a refusal is answered at once while others queue for the stream, and stores nothing", async () => {
    const parts = makeProcess();
    const put = vi.spyOn(parts.objects, "put").mockResolvedValue(undefined);
    await takeIn(parts, "held", "a");
    const leave = await parts.cache.queue(`acme\n${notes.streamOf("held")}`);
    const storing = (most: number) =>
      transact(parts, plain, ({ decide, store }) => {
        store("note/held/b", Buffer.from("b"));
        return decide(notes, { tenant: "acme", id: "held" }, notes.take("b", most));
      });
    await expect(storing(1)).rejects.toMatchObject({ code: "conflict" });
    expect(put).not.toHaveBeenCalled();
    const stored = storing(9);
    await until(() => put.mock.calls.length === 1);
    leave();
    expect((await stored).result).toMatchObject({ state: { notes: ["a", "b"] } });
    put.mockRestore();
  });

  test("a retried key gets the first answer even after the state moved on", async () => {
    const parts = makeProcess();
    const first = await takeIn(parts, "keyed", "first", keyed("k1", "first"));
    await takeIn(parts, "keyed", "second");
    const again = await takeIn(makeProcess(), "keyed", "first", keyed("k1", "first"));
    expect(again.replayed).toBe(true);
    expect(again.result).toEqual(first.result);
    expect(again.events.map(({ position }) => position)).toEqual(
      first.events.map(({ position }) => position),
    );
  });

  test("a key reused for another request is refused", async () => {
    const parts = makeProcess();
    await takeIn(parts, "other", "a", keyed("k2", "a"));
    await expect(takeIn(parts, "other", "b", keyed("k2", "b"))).rejects.toMatchObject({
      code: "unprocessable",
      type: { slug: "idempotency-key-reused" },
    });
  });

  test("one key repeated many times at once is done once", async () => {
    const processes = [makeProcess(), makeProcess(), makeProcess()];
    const done = await Promise.all(
      Array.from({ length: 30 }, (_, n) => takeIn(processes[n % 3]!, "race", `x`, keyed("k3", "x"))),
    );
    expect(new Set(done.map(({ events }) => events[0]!.position)).size).toBe(1);
    expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test("a duplicate is not refused because of its own first call", async () => {
    const parts = makeProcess();
    const last = () =>
      transact(parts, keyed("k4", "x"), ({ decide }) =>
        decide(notes, { tenant: "acme", id: "own" }, (state) =>
          state.notes.length > 0 ? refuse("conflict", "taken") : notes.take("x")(state),
        ),
      );
    const done = await Promise.all([last(), last(), last()]);
    expect(done.map(({ result }) => result.state.notes)).toEqual([["x"], ["x"], ["x"]]);
  });
});

describe("units over several streams", () => {
  test("append everything or nothing", async () => {
    const parts = makeProcess();
    const both = (fail: boolean) =>
      transact(parts, plain, async ({ decide }) => {
        await decide(notes, { tenant: "acme", id: "l" }, notes.take("x"));
        await decide(notes, { tenant: "acme", id: "r" }, notes.take("x"));
        if (fail) throw new Error("after staging");
      });
    await expect(both(true)).rejects.toThrow("after staging");
    expect(await parts.store.readStream({ tenant: "acme", stream_id: "notebook-l" })).toEqual([]);
    const { events } = await both(false);
    expect(events.map(({ stream_id }) => stream_id)).toEqual(["notebook-l", "notebook-r"]);
  });

  test("that cross neither deadlock nor lose an event", async () => {
    const processes = [makeProcess(), makeProcess()];
    const cross = (n: number) => {
      const ids = n % 2 === 0 ? ["p", "q"] : ["q", "p"];
      return transact(processes[n % 2]!, plain, async ({ decide }) => {
        for (const id of ids) await decide(notes, { tenant: "acme", id }, notes.take(`n${n}`));
      });
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => cross(n)));
    for (const id of ["p", "q"]) {
      const events = await processes[0]!.store.readStream({ tenant: "acme", stream_id: `notebook-${id}` });
      expect(events).toHaveLength(40);
    }
  });

  test("run the step before the append once, though the work runs again", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    await takeIn(one, "settled", "a");
    let settled = 0;
    let runs = 0;
    await transact(
      one,
      plain,
      ({ decide }) => {
        runs++;
        return decide(notes, { tenant: "acme", id: "settled" }, notes.take("mine"));
      },
      {
        once: async () => {
          settled++;
          // Another process is faster during the settlement.
          await takeIn(other, "settled", "theirs");
          return "paid";
        },
        stage: async (decide, _result, done) => {
          await decide(notes, { tenant: "acme", id: "receipts" }, notes.take(done));
        },
      },
    );
    expect({ settled, runs }).toEqual({ settled: 1, runs: 2 });
    const receipts = await one.store.readStream({ tenant: "acme", stream_id: "notebook-receipts" });
    expect(receipts).toHaveLength(1);
    const { state } = (await takeIn(makeProcess(), "settled", "a")).result;
    expect(state.notes).toEqual(["a", "theirs", "mine"]);
  });
});

describe("a stream with many simultaneous writers", () => {
  /** A process whose next commit is in flight until it is told to fail. */
  const failing = () => {
    const parts = makeProcess();
    const { send } = parts.store;
    let fail!: () => void;
    const store = {
      ...parts.store,
      send: vi.fn(send).mockImplementationOnce(() => ({
        settled: new Promise<never>((_, reject) => {
          fail = () => reject(new StoreUnavailable("cut off"));
        }),
      })),
    };
    return { parts: { ...parts, store }, fail: () => fail() };
  };

  test("batches their commits", async () => {
    const parts = makeProcess();
    await Promise.all(Array.from({ length: 100 }, (_, n) => takeIn(parts, "hot", `note ${n}`)));
    const { rows } = await log.pool.query(
      "select count(*)::int as events, count(distinct xmin::text)::int as calls from eventstore.events where stream_id = 'notebook-hot'",
    );
    expect(rows[0].events).toBe(100);
    expect(rows[0].calls).toBeLessThan(20);
  });

  test.each([
    ["a refusal", "b"],
    ["nothing to do", "a"],
  ])("%s gets the committed state", async (_, text) => {
    const id = `doubtful-${text}`;
    const { parts, fail } = failing();
    const lost = takeIn(parts, id, "a", plain, 1);
    await until(() => parts.cache.ahead(`acme\nnotebook-${id}`) !== undefined);
    // With the commit in flight there is no place for b, and a exists already.
    let runs = 0;
    const next = transact(parts, plain, ({ decide }) => {
      runs++;
      return decide(notes, { tenant: "acme", id }, notes.take(text, 1));
    });
    await until(() => runs > 0);
    await new Promise(setImmediate);
    fail();
    await expect(lost).rejects.toBeInstanceOf(StoreUnavailable);
    expect((await next).result).toMatchObject({ version: 1, state: { notes: [text] } });
  });

  test("a decision without events does not carry another stream's events after a conflict", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    await takeIn(one, "ground", "first");
    await takeIn(other, "ground", "theirs");
    const [taken, rests] = await Promise.all([
      takeIn(one, "ground", "a"),
      transact(one, plain, async ({ decide }) => {
        await decide(notes, { tenant: "acme", id: "ground" }, notes.take("a"));
        return decide(notes, { tenant: "acme", id: "upon-it" }, notes.take("b"));
      }),
    ]);
    expect([taken.events.length, rests.events.length]).toEqual([1, 1]);
    expect(rests.events[0]!.position).toBeGreaterThan(taken.events[0]!.position);
  });

  test("nothing is settled on a state that may still fail", async () => {
    const { parts, fail } = failing();
    const lost = takeIn(parts, "paid", "a");
    await until(() => parts.cache.ahead("acme\nnotebook-paid") !== undefined);
    const seen: string[][] = [];
    let runs = 0;
    const paid = transact(
      parts,
      plain,
      ({ decide }) => {
        runs++;
        return decide(notes, { tenant: "acme", id: "paid" }, notes.take("b"));
      },
      {
        once: async ({ state }) => void seen.push([...state.notes]),
        stage: async () => {},
      },
    );
    await until(() => runs > 0);
    await new Promise(setImmediate);
    fail();
    await expect(lost).rejects.toBeInstanceOf(StoreUnavailable);
    await paid;
    expect(seen).toEqual([["b"]]);
  });
});

describe("a watched stream", () => {
  const copyIn = (parts: UnitParts, id: string, meanwhile = async () => {}) => {
    let runs = 0;
    const work = transact(parts, plain, async ({ decide, watch }) => {
      runs++;
      const seen = await watch(notes, { tenant: "acme", id });
      if (runs === 1) await meanwhile();
      return decide(notes, { tenant: "acme", id: `copy-${id}` }, notes.take(seen.notes.join()));
    });
    return work.then(({ result }) => ({ runs, copied: result.state.notes }));
  };

  test("is read again when another process changed it before the append", async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    await takeIn(one, "source", "a");
    const change = async () => void (await takeIn(other, "source", "b"));
    expect(await copyIn(one, "source", change)).toEqual({ runs: 2, copied: ["a,b"] });
  });

  test("is not extended, and does not block other watchers", async () => {
    const parts = makeProcess();
    await takeIn(parts, "shared", "a");
    const before = await parts.store.streamHead({ tenant: "acme", stream_id: "notebook-shared" });
    const copies = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        transact(parts, plain, async ({ decide, watch }) => {
          const { notes: seen } = await watch(notes, { tenant: "acme", id: "shared" });
          return decide(notes, { tenant: "acme", id: `reader-${n}` }, notes.take(seen.join()));
        }),
      ),
    );
    expect(copies.every(({ events }) => events.length === 1)).toBe(true);
    expect(await parts.store.streamHead({ tenant: "acme", stream_id: "notebook-shared" })).toEqual(before);
  });

  test("may be decided on in the same unit", async () => {
    const parts = makeProcess();
    const { result } = await transact(parts, plain, async ({ decide, watch }) => {
      const target = { tenant: "acme", id: "both" };
      await watch(notes, target);
      await decide(notes, target, notes.take("x"));
      return watch(notes, target);
    });
    expect(result.notes).toEqual(["x"]);
  });
});
