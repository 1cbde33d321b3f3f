import { describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { problemOfCode, type RefusalCode } from "../../src/core/model/problem.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import {
  byOwner,
  type Claim,
  claim,
  events,
  evolve,
  type FoundPayment,
  fail,
  giveUp,
  idOf,
  initialState,
  isFree,
  type MinedTransaction,
  openRefund,
  type PaidAnswer,
  type PaymentEvent,
  type PaymentState,
  paymentId,
  payRefund,
  recordFound,
  refundAnswered,
  reorg,
  reorgRefund,
  settle,
  takeOver,
  targetOf,
} from "../../src/domain/payments/payment.ts";
import { specificationOf } from "../support/specification.ts";

const hex = (digit: string, digits: number) => `0x${digit.repeat(digits)}` as Hex;

const facts: Claim = {
  network: "eip155:8453",
  asset: hex("a", 40),
  payer: hex("b", 40),
  pay_to: hex("c", 40),
  amount_micro: 50_000,
  valid_after: "0",
  valid_before: "1790000000",
  nonce: hex("d", 64),
  signature: hex("e", 130),
  operation: "trade_balance",
  request_sha256: "f".repeat(64),
  tenant: "acme",
  seen_block: 10,
  claimed_at: "2026-01-01T00:00:00.000Z",
  holder: "019b76da-a800-4000-8000-000000000001",
};
const AT = "2026-01-01T00:00:09.000Z";
const mined = (letter: string, block_number = 11): MinedTransaction => ({
  ...{ transaction: hex(letter, 64), block_number, block_hash: hex(letter, 64), fee_wei: "1000" },
});
const first = mined("1");
const second = mined("2", 12);
/** The same transaction in another block. */
const lifted: MinedTransaction = { ...first, block_number: 12, block_hash: hex("9", 64) };
const answer: PaidAnswer = { status: 200, sha256: "0".repeat(64), vintage: "v" };

const claimed: PaymentEvent = { type: "PaymentClaimed", data: facts };
const settledBy = (by: MinedTransaction, given: PaidAnswer | null): PaymentEvent => ({
  type: "PaymentSettled",
  data: { ...by, answer: given, settled_at: AT },
});
const answered: PaymentEvent = { type: "PaymentAnswered", data: { answer, answered_at: AT } };
const failed = (reason: string, for_good: boolean): PaymentEvent => ({
  type: "PaymentFailed",
  data: { reason, for_good, failed_at: AT },
});
const reorged = (by: MinedTransaction): PaymentEvent => ({
  type: "PaymentReorged",
  data: { transaction: by.transaction, reorged_at: AT },
});
const refundOpened: PaymentEvent = {
  type: "RefundOpened",
  data: { amount_micro: 50_000, reason: "late", opened_at: AT },
};
const refundPaid = (by: MinedTransaction): PaymentEvent => ({
  type: "RefundPaid",
  data: { ...by, paid_at: AT },
});
const refundReorged = (by: MinedTransaction): PaymentEvent => ({
  type: "RefundReorged",
  data: { transaction: by.transaction, reorged_at: AT },
});

type Decide = (state: PaymentState) => PaymentEvent[];
const given = specificationOf(payments);
const refused =
  (code: RefusalCode, type = problemOfCode[code].slug) =>
  (refusal: Refusal): boolean =>
    refusal.code === code && refusal.type.slug === type;
const stateAfter = (...history: PaymentEvent[]) => history.reduce(evolve, initialState());
const decided = (history: PaymentEvent[], decide: Decide) => decide(stateAfter(...history));

describe("claiming", () => {
  test("takes a payment that nobody has presented", () => given([]).when(claim(facts)).then([claimed]));

  test("takes one that failed before it bought anything, for any call of the same tenant", () => {
    const again: Claim = { ...facts, operation: "health", seen_block: 20 };
    return given([claimed, failed("no funds", false)])
      .when(claim(again))
      .then([{ type: "PaymentClaimed", data: again }]);
  });

  test.each([
    { amount_micro: 1 },
    { pay_to: hex("1", 40) },
    { valid_before: "1790000001" },
    { valid_after: "1" },
  ])("refuses another authorization of the same nonce: %o", (other) =>
    given([claimed, failed("no funds", false)])
      .when(claim({ ...facts, ...other }))
      .thenThrows(Refusal, refused("conflict")),
  );

  const taken: [string, PaymentEvent[]][] = [
    ["claimed", [claimed]],
    ["settled", [claimed, settledBy(first, answer)]],
    ["reorged", [claimed, settledBy(first, null), reorged(first)]],
    [
      "failed after its answer was given",
      [claimed, settledBy(first, answer), reorged(first), failed("x", true)],
    ],
    [
      "failed with a refund",
      [claimed, settledBy(first, null), refundOpened, reorged(first), failed("x", true)],
    ],
  ];
  test.each(taken)("refuses one that is %s", (_, history) =>
    given(history).when(claim(facts)).thenThrows(Refusal, refused("conflict", "payment-known")),
  );
});

test("another tenant cannot present a failed payment: its signature may be on the chain by then", () => {
  const failed = { type: "PaymentFailed", data: { reason: "moved_nothing", for_good: false } } as const;
  for (const tenant of ["another", "soul:7"])
    expect(() => claim({ ...facts, tenant })(stateAfter(claimed, failed as never))).toThrow(
      "when another tenant presented it",
    );
});

describe("a claim", () => {
  const [mine, other] = [facts.holder!, "019b76da-a800-4000-8000-000000000002"];
  const takenOver: PaymentEvent = { type: "PaymentTakenOver", data: { holder: other, taken_over_at: AT } };
  const lost = refused("conflict", "payment-known");

  test("belongs to its process until another takes it over", () => {
    given([claimed])
      .when(takeOver(mine, other, AT))
      .then([takenOver]);
    expect(stateAfter(claimed, takenOver)).toMatchObject({ held: { by: other, since: AT }, claim: facts });
    given([claimed])
      .when(takeOver(mine, mine, AT))
      .thenNothingHappened();
    given([claimed])
      .when(takeOver(other, mine, AT))
      .thenThrows(Refusal, lost);
    return given([claimed, takenOver])
      .when(takeOver(mine, other, AT))
      .thenThrows(Refusal, lost);
  });

  test("without a recorded owner belongs to any process", () => {
    const { holder: _, ...old } = facts;
    const upcast = events.PaymentClaimed.upcast[1](old) as Claim;
    return given([{ type: "PaymentClaimed", data: upcast }])
      .when(takeOver(null, other, AT))
      .then([takenOver]);
  });

  test.each<[string, Decide]>([
    ["fails", fail("nothing was sent", AT)],
    ["answers", settle(first, answer, AT)],
    ["does nothing", () => []],
  ])("that was taken over refuses its first process, even one that %s", (_, decide) => {
    given([claimed, takenOver])
      .when(byOwner(mine, facts, decide))
      .thenThrows(Refusal, lost);
    given([claimed, takenOver])
      .when(byOwner(other, facts, decide))
      .then(decided([claimed], decide));
    given([claimed])
      .when(byOwner(mine, facts, decide))
      .then(decided([claimed], decide));
  });

  test("that failed and was renewed for another call is lost to the first call", () => {
    const anew: PaymentEvent = {
      type: "PaymentClaimed",
      data: { ...facts, request_sha256: "0".repeat(64) },
    };
    return given([claimed, failed("x", false), anew, settledBy(first, null)])
      .when(byOwner(mine, facts, settle(first, answer, AT)))
      .thenThrows(Refusal, lost);
  });
});

describe("settling", () => {
  test("records the answer", () =>
    given([claimed])
      .when(settle(first, answer, AT))
      .then([settledBy(first, answer)]));

  test.each<[string, PaymentEvent[]]>([
    ["claimed", [claimed]],
    ["failed", [claimed, failed("no funds", false)]],
    ["given up", [claimed, failed("expired", true)]],
    ["reorged", [claimed, settledBy(first, null), reorged(first)]],
  ])("a payment that is %s, without an answer: the chain wins", (_, history) =>
    given(history)
      .when(settle(second, null, AT))
      .then([settledBy(second, null)]),
  );

  test("twice changes nothing", () =>
    given([claimed, settledBy(first, answer)])
      .when(settle(first, null, AT))
      .thenNothingHappened());

  test("before answering works, once", () =>
    given([claimed, settledBy(first, null)])
      .when(settle(first, answer, AT))
      .then([answered]));

  test.each<[string, PaymentEvent[]]>([
    ["settling", [claimed, settledBy(first, answer)]],
    ["answering", [claimed, settledBy(first, null), answered]],
    ["a reorg after it", [claimed, settledBy(first, answer), reorged(first)]],
    ["a refund", [claimed, settledBy(first, null), refundOpened]],
  ])("refuses a second answer after %s", (_, history) =>
    given(history)
      .when(settle(first, answer, AT))
      .thenThrows(Refusal, refused("conflict", "payment-known")),
  );

  test.each([
    ["another transaction", second],
    ["another block", lifted],
  ])("follows a settlement to %s, and keeps the answer", (_, place) => {
    const history = [claimed, settledBy(first, answer)];
    const moved = decided(history, settle(place, null, AT));
    expect(moved).toEqual([reorged(first), settledBy(place, null)]);
    expect(stateAfter(...history, ...moved)).toMatchObject({ status: "settled", settlement: place, answer });
  });

  test("refuses an unclaimed payment", () =>
    given([])
      .when(settle(first, null, AT))
      .thenThrows(Refusal, refused("not_found")));
});

describe("failing", () => {
  test("fails a payment for now, and then for good", () => {
    given([claimed])
      .when(fail("no funds", AT))
      .then([failed("no funds", false)]);
    given([claimed, failed("no funds", false)])
      .when(giveUp("expired", AT))
      .then([failed("expired", true)]);
  });

  test("after a reorg keeps the answer", () => {
    const history = [claimed, settledBy(first, answer), reorged(first)];
    given(history)
      .when(fail("no funds", AT))
      .then([failed("no funds", false)]);
    const state = stateAfter(...history, ...decided(history, giveUp("expired", AT)));
    expect(state).toMatchObject({ status: "failed", reason: "expired", for_good: true, answer });
  });

  test.each<[string, PaymentEvent[], Decide]>([
    ["fail", [claimed, failed("no funds", false)], fail("again", AT)],
    ["fail after giving up", [claimed, failed("expired", true)], fail("again", AT)],
    ["give up", [claimed, failed("expired", true)], giveUp("again", AT)],
  ])("twice changes nothing: %s", (_, history, decide) => given(history).when(decide).thenNothingHappened());

  test.each([
    ["fail", fail("x", AT)],
    ["give up", giveUp("x", AT)],
  ])("refuses to %s a settled or unknown payment", (_, decide) => {
    given([claimed, settledBy(first, null)])
      .when(decide)
      .thenThrows(Refusal, refused("conflict", "payment-known"));
    return given([]).when(decide).thenThrows(Refusal, refused("not_found"));
  });
});

describe("a reorg", () => {
  test("reverts a settlement", () =>
    given([claimed, settledBy(first, answer)])
      .when(reorg(first.transaction, AT))
      .then([reorged(first)]));

  test.each<[string, PaymentEvent[]]>([
    ["of another transaction", [claimed, settledBy(second, answer)]],
    ["said twice", [claimed, settledBy(first, answer), reorged(first)]],
    ["of what is claimed", [claimed]],
    ["of what is unknown", []],
  ])("%s changes nothing", (_, history) =>
    given(history).when(reorg(first.transaction, AT)).thenNothingHappened(),
  );
});

describe("a refund", () => {
  const open = [claimed, settledBy(first, null), refundOpened];
  const paid = [...open, refundPaid(second)];

  test("is opened for a settled payment without an answer, for its whole amount, once", () => {
    given([claimed, settledBy(first, null)])
      .when(openRefund("late", AT))
      .then([refundOpened]);
    return given(open).when(openRefund("again", AT)).thenNothingHappened();
  });

  test.each<[string, PaymentEvent[]]>([
    ["unknown", []],
    ["claimed", [claimed]],
    ["failed", [claimed, failed("x", true)]],
    ["reorged", [claimed, settledBy(first, null), reorged(first)]],
  ])("is refused for a payment that is %s", (_, history) =>
    given(history).when(openRefund("late", AT)).thenThrows(Refusal, refused("conflict")),
  );

  test.each<[string, PaymentEvent[]]>([
    ["answered", [claimed, settledBy(first, answer)]],
    ["answered later", [claimed, settledBy(first, null), answered]],
  ])("is refused for a payment that is %s, whose caller then gets that answer", (_, history) =>
    given(history).when(openRefund("late", AT)).thenThrows(Refusal, refused("conflict", "payment-known")),
  );

  describe("of an answered payment", () => {
    const bought = [claimed, settledBy(first, answer)];
    const opened = (amount_micro: number): PaymentEvent => ({
      type: "RefundOpened",
      data: { amount_micro, reason: "cancelled", opened_at: AT },
    });
    const back = (amount_micro?: number) => refundAnswered("cancelled", AT, amount_micro);

    test.each<[string, PaymentEvent[]]>([
      ["settled", bought],
      ["answered later", [claimed, settledBy(first, null), answered]],
      ["taken back by the chain for now", [...bought, reorged(first)]],
    ])("is whole, or partial, when it is %s", (_, history) => {
      given(history)
        .when(back())
        .then([opened(50_000)]);
      return given(history)
        .when(back(1))
        .then([opened(1)]);
    });

    test("happens once: a repeat changes nothing, and another sum is refused", () => {
      given([...bought, opened(20_000)])
        .when(back(20_000))
        .thenNothingHappened();
      given([...bought, opened(20_000), refundPaid(second)])
        .when(back(20_000))
        .thenNothingHappened();
      given([...bought, opened(20_000)])
        .when(back())
        .thenThrows(Refusal, refused("conflict"));
      return given([...bought, opened(20_000)])
        .when(back(30_000))
        .thenThrows(Refusal, refused("conflict"));
    });

    test.each([0, -1, 0.5, 50_001, Number.NaN])("is never of %d", (amount_micro) =>
      given(bought).when(back(amount_micro)).thenThrows(Refusal, refused("invalid")),
    );

    test.each<[string, PaymentEvent[]]>([
      ["unknown", []],
      ["claimed", [claimed]],
      ["settled and unanswered", [claimed, settledBy(first, null)]],
      ["refunded because it bought nothing", open],
    ])("is refused when it is %s", (_, history) =>
      given(history).when(back()).thenThrows(Refusal, refused("conflict")),
    );

    test("is void when the chain reverted the payment for good", () =>
      given([...bought, reorged(first), failed("expired", true)])
        .when(back())
        .thenNothingHappened());

    test("keeps the answer, and continues like any other", () => {
      const history = [...bought, opened(20_000)];
      expect(stateAfter(...history)).toMatchObject({ answer, refund: { amount_micro: 20_000 } });
      return given(history)
        .when(payRefund(second, AT))
        .then([refundPaid(second)]);
    });
  });

  test("is paid once, and followed to another block", () => {
    given(open)
      .when(payRefund(second, AT))
      .then([refundPaid(second)]);
    given(paid).when(payRefund(second, AT)).thenNothingHappened();
    return given(paid)
      .when(payRefund(lifted, AT))
      .then([refundReorged(second), refundPaid(lifted)]);
  });

  test.each<[string, PaymentEvent[]]>([
    ["of what is unknown", []],
    ["that was never opened", [claimed, settledBy(first, null)]],
  ])("%s cannot be paid", (_, history) =>
    given(history).when(payRefund(second, AT)).thenThrows(Refusal, refused("conflict")),
  );

  test("that the chain reverted is open again, and paid again", () => {
    given(paid)
      .when(reorgRefund(second.transaction, AT))
      .then([refundReorged(second)]);
    const back = [...paid, refundReorged(second)];
    const state = stateAfter(...back);
    expect(state).toMatchObject({ refund: { amount_micro: 50_000 } });
    expect(state).not.toHaveProperty("refund.paid");
    return given(back)
      .when(payRefund(first, AT))
      .then([refundPaid(first)]);
  });

  test.each<[string, PaymentEvent[]]>([
    ["of another transaction", [...open, refundPaid(first)]],
    ["of one that is open", open],
    ["where none was opened", [claimed]],
    ["of what is unknown", []],
  ])("a reorg %s changes nothing", (_, history) =>
    given(history).when(reorgRefund(second.transaction, AT)).thenNothingHappened(),
  );

  test("stays with its payment through a reorg", () =>
    expect(stateAfter(...open, reorged(first), settledBy(second, null))).toMatchObject({
      status: "settled",
      refund: { reason: "late" },
    }));
});

const { network, asset, payer, pay_to, amount_micro, nonce } = facts;
const foundPayment: FoundPayment = {
  network,
  asset,
  payer,
  pay_to,
  amount_micro,
  nonce,
  ...first,
  found_at: AT,
};

describe("a payment without a call", () => {
  test("is recorded with its refund open, once", () => {
    const [note, refund] = recordFound(foundPayment, 0n)(undefined);
    expect([note?.type, refund]).toMatchObject([
      "PaymentFound",
      { type: "RefundOpened", data: { amount_micro } },
    ]);
    const state = stateAfter(note!, refund!);
    expect(state).toMatchObject({ status: "settled", settlement: first, refund: { amount_micro } });
    expect(recordFound(foundPayment, 0n)(state)).toEqual([]);
    expect(isFree(state)).toBe(false);
  });

  test("is not refunded if the refund would cost more, and buys nothing", () => {
    const cost = BigInt(amount_micro) + 1n;
    const [note, kept] = recordFound(foundPayment, cost)(undefined);
    expect([note?.type, kept]).toEqual([
      "PaymentFound",
      { type: "PaymentKept", data: { refund_cost_micro: Number(cost), kept_at: AT } },
    ]);
    const state = stateAfter(note!, kept!);
    expect(isFree(state)).toBe(false);
    expect(openRefund("late", AT)(state)).toEqual([]);
    expect(recordFound(foundPayment, BigInt(amount_micro))(undefined)[1]?.type).toBe("RefundOpened");
  });

  test("belongs to its claimant if it was claimed", () =>
    expect(recordFound(foundPayment, 0n)(stateAfter(claimed))).toEqual([]));
});

test("only a payment that bought nothing is free", () => {
  expect(isFree(stateAfter())).toBe(true);
  expect(isFree(stateAfter(claimed, failed("x", false)))).toBe(true);
  expect(isFree(stateAfter(claimed))).toBe(false);
  expect(isFree(stateAfter(claimed, settledBy(first, answer), reorged(first), failed("x", true)))).toBe(
    false,
  );
});

test("a payment's id is the name of its authorization, and its stream is its payer's", () => {
  const id = idOf(facts);
  expect(paymentId.parse(id)).toBe(id);
  expect(paymentId.safeParse(id.toUpperCase()).success).toBe(false);
  expect(targetOf(id)).toEqual({ tenant: `wallet:${facts.payer}`, id });
});

test("every event fits its schema", () => {
  const taken = takeOver(facts.holder, "019b76da-a800-4000-8000-000000000002", AT)(stateAfter(claimed));
  const all: PaymentEvent[] = [
    ...taken,
    ...[claimed, settledBy(first, answer), settledBy(first, null), answered, failed("x", true)],
    ...[reorged(first), refundOpened, refundPaid(second), refundReorged(second)],
    ...recordFound(foundPayment, 0n)(undefined),
    ...recordFound(foundPayment, BigInt(amount_micro) + 1n)(undefined),
  ];
  expect(new Set(all.map(({ type }) => type))).toEqual(new Set(Object.keys(events)));
  for (const { type, data } of all) {
    const newest = type === "PaymentClaimed" ? events[type][2] : events[type][1];
    expect(newest.parse(data)).toEqual(data);
  }
});
