/** Events of a log's checkpoints and anchors, in any order that processes and chains produce. */
import { describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import {
  type Anchor,
  type AnchorEvent,
  anchor,
  type CosignedCheckpoint,
  cosign,
  events,
  evolve,
  finalise,
  initialState,
  newestAnchor,
  type PendingAnchor,
  pend,
  publishedNote,
  reorg,
  type SignedCheckpoint,
  sign,
  streamOf,
  targetOf,
} from "../../src/domain/anchoring/anchor.ts";
import { specificationOf } from "../support/specification.ts";

const hex = (digit: string, digits: number) => `0x${digit.repeat(digits)}` as Hex;
const AT = "2026-01-01T00:00:09.000Z";

const checkpoint = (size: number, root = "1"): SignedCheckpoint => ({
  size,
  root: hex(root, 64),
  note: `log.example/1/0f\n${size}\n`,
  signed_at: AT,
});
const cosignature = (witness: string, size: number, root = "1"): CosignedCheckpoint => ({
  ...{ size, root: hex(root, 64), witness, timestamp: 1_790_000_000, cosigned_at: AT },
  cosignature: `— ${witness} ${size}`,
});
const placed = (size: number, block_number: number, more: Partial<Anchor> = {}): Anchor => ({
  size,
  root: hex("1", 64),
  network: "eip155:8453",
  contract: hex("c", 40),
  signer: hex("d", 40),
  transaction: `0x${String(size).padStart(64, "0")}`,
  block_number,
  block_hash: `0x${String(block_number).padStart(64, "0")}`,
  timestamp: 1_790_000_000,
  fee_wei: "1000",
  anchored_at: AT,
  ...more,
});
const signed = (size: number, root?: string): AnchorEvent => ({
  type: "CheckpointSigned",
  data: checkpoint(size, root),
});
const cosigned = (witness: string, size: number): AnchorEvent => ({
  type: "CheckpointCosigned",
  data: cosignature(witness, size),
});
const pending = (size: number): PendingAnchor => ({
  ...{ size, root: hex("1", 64), signer: hex("d", 40) },
  ...{ transactions: [hex("7", 64), hex("8", 64)], pending_at: AT },
});
const sent = (size: number): AnchorEvent => ({ type: "AnchorPending", data: pending(size) });
const anchored = (facts: Anchor): AnchorEvent => ({ type: "Anchored", data: facts });
const reorged = ({ transaction }: Anchor): AnchorEvent => ({
  type: "AnchorReorged",
  data: { transaction, reorged_at: AT },
});
const final = ({ transaction, block_number }: Anchor): AnchorEvent => ({
  type: "AnchorFinal",
  data: { transaction, block_number, final_at: AT },
});
const [first, second, third] = [placed(10, 100), placed(20, 110), placed(30, 120)];

const given = specificationOf(anchors);
const stateAfter = (history: AnchorEvent[]) => history.reduce(evolve, initialState());
const refused = (type = "conflict") =>
  [Refusal, (error: Refusal) => error.code === "conflict" && error.type.slug === type] as const;

describe("a checkpoint", () => {
  test("is signed, and the next one has more events", () => {
    given([])
      .when(sign(checkpoint(10)))
      .then([signed(10)]);
    given([signed(10)])
      .when(sign(checkpoint(20, "2")))
      .then([signed(20, "2")]);
  });

  test("is signed once, even if another process repeats it", () => {
    given([signed(10)])
      .when(sign({ ...checkpoint(10), signed_at: "2026-01-02T00:00:00.000Z" }))
      .thenNothingHappened();
  });

  test("never decreases", () => {
    given([signed(10)])
      .when(sign(checkpoint(9)))
      .thenThrows(...refused());
  });

  test.each([
    ["signed", [signed(10)]],
    ["anchored", [anchored(first)]],
  ])("has no other root than the one that was %s", (_, history) => {
    given(history)
      .when(sign(checkpoint(10, "2")))
      .thenThrows(...refused("log-forked"));
  });
});

describe("a cosignature", () => {
  test("is stored once for each witness, below its checkpoint", () => {
    given([signed(10)])
      .when(cosign(cosignature("w1", 10)))
      .then([cosigned("w1", 10)]);
    given([signed(10), cosigned("w1", 10)])
      .when(cosign({ ...cosignature("w1", 10), timestamp: 1_790_000_007 }))
      .thenNothingHappened();
    given([signed(10), cosigned("w1", 10)])
      .when(cosign(cosignature("w2", 10)))
      .then([cosigned("w2", 10)]);
    const { note } = checkpoint(10);
    expect(publishedNote(stateAfter([signed(10)]))).toBe(note);
    expect(publishedNote(stateAfter([signed(10), cosigned("w1", 10), cosigned("w2", 10)]))).toBe(
      `${note}— w1 10\n— w2 10\n`,
    );
    expect(publishedNote(initialState())).toBeUndefined();
  });

  test("of an earlier checkpoint is not published with the newest, and shows the witness's progress", () => {
    const history = [signed(10), cosigned("w1", 10), cosigned("w2", 10), signed(20)];
    given(history)
      .when(cosign(cosignature("w1", 20)))
      .then([cosigned("w1", 20)]);
    const state = stateAfter([...history, cosigned("w1", 20)]);
    expect(publishedNote(state)).toBe(`${checkpoint(20).note}— w1 20\n`);
    expect(state.cosignatures.map(({ witness, size }) => [witness, size])).toEqual([
      ["w2", 10],
      ["w1", 20],
    ]);
  });

  test("is refused when it is late, has another root, or precedes any checkpoint", () => {
    given([signed(10), signed(20)])
      .when(cosign(cosignature("w1", 10)))
      .thenThrows(...refused());
    given([signed(10)])
      .when(cosign(cosignature("w1", 10, "2")))
      .thenThrows(...refused("log-forked"));
    given([])
      .when(cosign(cosignature("w1", 10)))
      .thenThrows(...refused());
  });
});

describe("an anchor", () => {
  test("is stored, and so is the next one above it", () => {
    given([signed(10)])
      .when(anchor(first))
      .then([anchored(first)]);
    given([anchored(first)])
      .when(anchor(second))
      .then([anchored(second)]);
    expect(stateAfter([anchored(first), anchored(second)])).toMatchObject({
      anchors: [{ ...first, final: false }, second],
    });
  });

  test("is stored once, also when it arrives after a later one", () => {
    given([anchored(first)])
      .when(anchor(first))
      .thenNothingHappened();
    given([anchored(first), anchored(second)])
      .when(anchor(first))
      .thenNothingHappened();
  });

  test("never decreases", () => {
    given([anchored(second)])
      .when(anchor(first))
      .thenThrows(...refused());
  });

  test("has the root of its checkpoint", () => {
    given([signed(10, "2")])
      .when(anchor(first))
      .thenThrows(...refused("log-forked"));
  });

  test.each([
    ["moved to another block", placed(10, 101)],
    ["was carried by another transaction", placed(10, 102, { transaction: hex("7", 64) })],
  ])("that %s was reorged before", (_, elsewhere) => {
    given([anchored(first)])
      .when(anchor(elsewhere))
      .then([reorged(first), anchored(elsewhere)]);
    given([anchored(first), final(first)])
      .when(anchor(elsewhere))
      .thenThrows(...refused());
  });

  test("that a reorg removed leaves the one before it", () => {
    const history = [anchored(first), anchored(second)];
    given(history)
      .when(reorg(second.transaction, AT))
      .then([reorged(second)]);
    expect(newestAnchor(stateAfter([...history, reorged(second)]))).toMatchObject(first);
    given([...history, reorged(second)])
      .when(reorg(second.transaction, AT))
      .thenNothingHappened();
    given([...history, reorged(second)])
      .when(anchor(placed(20, 111)))
      .then([anchored(placed(20, 111))]);
  });

  test("that is final makes those below it final; this is recorded once and not undone", () => {
    const history = [anchored(first), anchored(second), anchored(third)];
    given(history)
      .when(finalise(second.transaction, AT))
      .then([final(second)]);
    expect(stateAfter([...history, final(second)]).anchors).toEqual([
      { ...second, final: true },
      { ...third, final: false },
    ]);
    for (const { transaction } of [first, second])
      given([...history, final(second)])
        .when(finalise(transaction, AT))
        .thenNothingHappened();
    given([...history, final(second)])
      .when(reorg(second.transaction, AT))
      .thenThrows(...refused());
  });

  test("that is unknown is neither final nor taken back", () => {
    given([anchored(first)])
      .when(finalise(third.transaction, AT))
      .thenNothingHappened();
    given([anchored(first)])
      .when(reorg(third.transaction, AT))
      .thenNothingHappened();
    expect(stateAfter([anchored(first), final(third), reorged(third)])).toEqual(
      stateAfter([anchored(first)]),
    );
  });
});

describe("a pending transaction", () => {
  test("remains until an anchor covers it, and is not recorded for a covered one", () => {
    given([signed(10)])
      .when(pend(pending(10)))
      .then([sent(10)]);
    expect(stateAfter([signed(10), sent(10)]).pending).toEqual(pending(10));
    expect(stateAfter([signed(10), sent(10), anchored(first)]).pending).toBeUndefined();
    given([signed(10), anchored(first)])
      .when(pend(pending(10)))
      .thenNothingHappened();
    given([signed(10), anchored(first), reorged(first)])
      .when(pend(pending(10)))
      .then([sent(10)]);
  });
});

test("the stream is the operator's, and its events have the stored form", () => {
  expect(targetOf("log.example/1/0f")).toEqual({ tenant: "operator", id: "log.example/1/0f" });
  expect(streamOf("log.example/1/0f")).toBe("anchor-log.example/1/0f");
  for (const event of [
    signed(10),
    cosigned("w1", 10),
    sent(10),
    anchored(first),
    reorged(first),
    final(first),
  ])
    expect(events[event.type][1].parse(event.data)).toEqual(event.data);
});
