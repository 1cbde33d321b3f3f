import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as confirmations from "../../src/domain/payments/confirmation.ts";
import {
  type ConfirmationData,
  type ConfirmationEvent,
  confirm,
  events,
} from "../../src/domain/payments/confirmation.ts";
import { specificationOf } from "../support/specification.ts";

const first: ConfirmationData = {
  network: "eip155:8453",
  block_number: 100,
  block_hash: `0x${"a".repeat(64)}`,
  timestamp: 1_790_000_000,
  as_of_position: 7,
  claimed_before: "2026-01-01T00:00:00.000Z",
  payments: 2,
  settled_micro: 100_000,
  refunds: 0,
  refunded_micro: 0,
  confirmed_at: "2026-01-01T00:01:30.000Z",
};
const next: ConfirmationData = {
  ...first,
  block_number: 110,
  block_hash: `0x${"b".repeat(64)}`,
  as_of_position: 9,
};
const confirmed = (data: ConfirmationData): ConfirmationEvent => ({ type: "ChainConfirmed", data });

const given = specificationOf(confirmations);

describe("the chain", () => {
  test("is confirmed up to a block, and then up to a later one", () => {
    given([])
      .when(confirm(first, undefined))
      .then([confirmed(first)]);
    return given([confirmed(first)])
      .when(confirm(next, first))
      .then([confirmed(next)]);
  });

  test("is confirmed again up to the same block for later events of the log", () => {
    const later = { ...first, as_of_position: 8 };
    return given([confirmed(first)])
      .when(confirm(later, first))
      .then([confirmed(later)]);
  });

  test.each<[string, ConfirmationEvent[], ConfirmationData | undefined]>([
    ["the first one", [confirmed(first)], undefined],
    ["the next one", [confirmed(first), confirmed(next)], first],
  ])(
    "stays as confirmed when another process was faster with %s: nothing counts twice",
    (_, history, after) =>
      given(history)
        .when(confirm({ ...next, as_of_position: 20 }, after))
        .thenNothingHappened(),
  );

  test.each([
    ["an earlier block", { ...next, block_number: 99 }],
    ["a position that was compared before", { ...next, as_of_position: 7 }],
  ])("is not confirmed up to %s", (_, facts) =>
    given([confirmed(first)])
      .when(confirm(facts, first))
      .thenThrows(Refusal, ({ code }) => code === "conflict"),
  );

  test("is confirmed by an event that fits its stored schema", () =>
    expect(events.ChainConfirmed[1].parse(first)).toEqual(first));
});
