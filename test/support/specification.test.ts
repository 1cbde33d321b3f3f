import { expect, test } from "vitest";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { refusedAs, specificationOf } from "./specification.ts";

const facts: confirmation.ConfirmationData = {
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
const confirmed = (more: object = {}): confirmation.ConfirmationEvent => ({
  type: "ChainConfirmed",
  data: { ...facts, ...more },
});
const given = specificationOf(confirmation);
const [first, second] = [confirmed(), confirmed({ block_number: 101 })];

test("the specification of a decider compares every event, in its order and with all its fields", () => {
  const both = given([]).when(() => [first, second]);
  both.then([first, second]);
  for (const other of [[second, first], [first], [first, second, second]])
    expect(() => both.then(other)).toThrow();
  const { payments: _, ...fewer } = facts;
  const incomplete = { type: "ChainConfirmed", data: fewer } as confirmation.ConfirmationEvent;
  expect(() =>
    given([])
      .when(() => [first])
      .then([incomplete]),
  ).toThrow();
  expect(() => both.thenNothingHappened()).toThrow();
  expect(() => both.thenThrows(refusedAs("conflict"))).toThrow();
});

test("an event that its declaration does not allow is refused in given and in then", () => {
  const wrong = confirmed({ payments: -1 });
  expect(() => given([wrong]).when(() => [])).toThrow("payments");
  expect(() =>
    given([])
      .when(() => [wrong])
      .then([wrong]),
  ).toThrow("payments");
});
