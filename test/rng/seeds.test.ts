import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import {
  abandon,
  activateFirst,
  activeSeed,
  commit,
  evolve,
  initialState,
  publish,
  rotate,
  type SeedEvent,
  type SeedState,
} from "../../src/domain/rng/seeds.ts";

const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
/** A chain of `length` seeds in order of use: seed 0 first. */
const chainOf = (fill: number, length: number) => {
  const seeds = [Buffer.alloc(32, fill)];
  while (seeds.length < length) seeds.unshift(hash(seeds[0]!));
  return { head_hash: hash(seeds[0]!).toString("hex"), seeds: seeds.map((seed) => seed.toString("hex")) };
};
const [first, second] = [chainOf(1, 3), chainOf(2, 2)];
const at = "2026-01-01T00:00:00.000Z";
const use = { activated_at: at, max_rolls: 10, retires_at: "2026-01-02T00:00:00.000Z" };
const published = (head_hash: string, length: number) =>
  publish({ space: "live", head_hash, length, published_at: at });
const block = { block_number: 5, block_hash: `0x${"b".repeat(64)}` as const };
const committed = (chain: number, head_hash: string, committed_at = at) => {
  const place = { network: "eip155:31337", contract: "0xc", signer: "0xs", ...block };
  return commit({ space: "live", chain, head_hash, ...place, committed_at }, at);
};
const ended = (index: number, seed: string, chain = 1) =>
  rotate({ chain, index, seed, reason: "rolls", revealed_at: at }, use);

/** Runs decisions one after the other; the state they lead to and the types of their events. */
function ledTo(...decisions: ((state: SeedState) => SeedEvent[])[]) {
  let state = initialState();
  const recorded: SeedEvent[] = [];
  for (const decide of decisions) {
    const events = decide(state);
    recorded.push(...events);
    state = events.reduce(evolve, state);
  }
  return { state, types: recorded.map(({ type }) => type), recorded };
}
const begun = [published(first.head_hash, 3), committed(1, first.head_hash), activateFirst(use)];

describe("a chain of seeds", () => {
  test("is used only once its head is committed", () => {
    const early = ledTo(published(first.head_hash, 3), activateFirst(use));
    expect(early.types).toEqual(["SeedChainPublished"]);
    expect(() => activeSeed(early.state)).toThrow(Refusal);
    const { state } = ledTo(...begun);
    expect(activeSeed(state)).toMatchObject({ chain: 1, index: 0, seed_hash: first.head_hash });
  });

  test("is committed by its own head alone, and once", () => {
    expect(() => ledTo(published(first.head_hash, 3), committed(1, second.head_hash))).toThrow(
      /a different head/,
    );
    expect(
      ledTo(...begun, committed(1, first.head_hash)).types.filter((type) => type === "SeedChainCommitted"),
    ).toHaveLength(1);
  });

  test("reveals one seed with the event that activates the next, whose hash is the one revealed", () => {
    const { state, recorded } = ledTo(...begun, ended(0, first.seeds[0]!));
    expect(recorded.slice(-2)).toMatchObject([
      { type: "SeedRevealed", data: { index: 0, seed: first.seeds[0], seed_hash: first.head_hash } },
      { type: "SeedActivated", data: { index: 1, seed_hash: first.seeds[0] } },
    ]);
    expect(createHash("sha256").update(Buffer.from(first.seeds[1]!, "hex")).digest("hex")).toBe(
      activeSeed(state).seed_hash,
    );
  });

  test("is rotated once for each seed, even at several requests", () =>
    expect(ledTo(...begun, ended(0, first.seeds[0]!), ended(0, first.seeds[0]!)).types.slice(3)).toEqual([
      "SeedRevealed",
      "SeedActivated",
    ]));

  test("that is used up is followed by the next one, which was committed before", () => {
    const { state, recorded } = ledTo(
      ...begun,
      published(second.head_hash, 2),
      committed(2, second.head_hash),
      ended(0, first.seeds[0]!),
      ended(1, first.seeds[1]!),
      ended(2, first.seeds[2]!),
    );
    expect(activeSeed(state)).toMatchObject({ chain: 2, index: 0, seed_hash: second.head_hash });
    const hashes = recorded.flatMap((event) =>
      event.type === "SeedActivated" ? [event.data.seed_hash] : [],
    );
    expect(new Set(hashes).size).toBe(4);
    expect(state.chains.map(({ chain }) => chain)).toEqual([2]);
  });

  test("that is used up before the next is committed leaves no seed, until it is", () => {
    const spent = [0, 1, 2].map((index) => ended(index, first.seeds[index]!));
    const gap = ledTo(...begun, published(second.head_hash, 2), ...spent);
    expect(() => activeSeed(gap.state)).toThrow(/no seed is active/);
    const { state } = ledTo(
      ...begun,
      published(second.head_hash, 2),
      ...spent,
      committed(2, second.head_hash),
      activateFirst(use),
    );
    expect(activeSeed(state).chain).toBe(2);
  });

  test("has at most one successor waiting", () => {
    const twice = ledTo(...begun, published(second.head_hash, 2), published(first.head_hash, 2));
    expect(twice.state.chains).toHaveLength(2);
  });

  test("whose secret is lost is no longer used, and its seed in use is void", () => {
    const lost = abandon(({ chain }) => chain === 1, at);
    const { state, recorded } = ledTo(...begun, lost);
    expect(recorded.at(-1)).toMatchObject({
      type: "SeedChainAbandoned",
      data: { reason: "lost", void: { index: 0, seed_hash: first.head_hash } },
    });
    expect(state).toMatchObject({ chains: [], active: undefined, published: 1 });
    expect(ledTo(...begun, lost, published(second.head_hash, 2)).state.chains[0]!.chain).toBe(2);
  });

  test("that was on the blockchain before its publication is abandoned, and never used", () => {
    const [before, allowed] = ["2025-12-31T23:57:59.000Z", "2025-12-31T23:58:00.000Z"];
    const given = ledTo(
      published(first.head_hash, 3),
      committed(1, first.head_hash, before),
      activateFirst(use),
    );
    expect(given.recorded.at(-1)).toMatchObject({
      type: "SeedChainAbandoned",
      data: { reason: "committed-before", void: null },
    });
    expect(given.state).toMatchObject({ chains: [], active: undefined });
    const { state } = ledTo(
      published(first.head_hash, 3),
      committed(1, first.head_hash, allowed),
      activateFirst(use),
    );
    expect(activeSeed(state).chain).toBe(1);
  });

  test("reveals nothing but the seed that was announced", () =>
    expect(() => ledTo(...begun, ended(0, second.seeds[0]!))).toThrow(/SEED_SECRET/));
});
