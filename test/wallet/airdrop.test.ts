/** Stories of an airdrop: every step, every refusal, and ids that mean the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import type { MinedTransaction } from "../../src/domain/payments/payment.ts";
import type { AirdropEvent, AirdropFacts } from "../../src/domain/wallet/airdrop.ts";
import * as airdrops from "../../src/domain/wallet/airdrop.ts";
import { decimalOf, unitsOf } from "../../src/domain/wallet/amount.ts";
import { amountEach, recipients } from "../../src/domain/wallet/inputs.ts";
import { specificationOf } from "../support/specification.ts";

const AT = "2026-11-21T12:00:00.000Z";
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const facts: AirdropFacts = {
  airdrop_id: "1".repeat(32),
  tenant: "acme",
  network: "eip155:8453",
  token: address("e"),
  symbol: "TALLY",
  decimals: 18,
  amount_each: "5",
  recipients: [address("a"), address("b")],
  asked_at: AT,
};
const { airdrop_id } = facts;
const payer = address("c");
const mined: MinedTransaction = {
  transaction: `0x${"7".repeat(64)}`,
  block_number: 9,
  block_hash: `0x${"8".repeat(64)}`,
  fee_wei: "21000",
};

const airdropRequested: AirdropEvent = { type: "AirdropAsked", data: facts };
const sent: AirdropEvent = {
  type: "AirdropSent",
  data: { airdrop_id, payer, name: airdrops.nameOf(facts), sent_at: AT },
};
const paid: AirdropEvent = { type: "AirdropPaid", data: { airdrop_id, ...mined, paid_at: AT } };
const reverted: AirdropEvent = { type: "AirdropReverted", data: { airdrop_id, ...mined, found_at: AT } };
const failed: AirdropEvent = { type: "AirdropFailed", data: { airdrop_id, reason: "r", failed_at: AT } };
const { transaction } = mined;
const reorged: AirdropEvent = { type: "AirdropReorged", data: { airdrop_id, transaction, found_at: AT } };

const given = specificationOf(airdrops);
const refused = (sentence: RegExp) => (error: Error) =>
  error instanceof Refusal && sentence.test(error.message);

describe("an airdrop", () => {
  test("within the available tokens is requested once", () => {
    given([]).when(airdrops.request(facts, 10n)).then([airdropRequested]);
    for (const story of [
      [airdropRequested],
      [airdropRequested, sent],
      [airdropRequested, sent, reverted],
      [airdropRequested, sent, paid],
    ])
      given(story).when(airdrops.request(facts, 0n)).thenNothingHappened();
  });

  test("beyond the available tokens is refused", () => {
    given([])
      .when(airdrops.request(facts, 9n))
      .thenThrows(refused(/TALLY are needed/));
    given([airdropRequested, failed])
      .when(airdrops.request(facts, 9n))
      .thenThrows(refused(/TALLY are needed/));
  });

  test("of one name has one content, in whatever order", () => {
    given([airdropRequested])
      .when(airdrops.request({ ...facts, amount_each: "6" }, 100n))
      .thenThrows(refused(/names another airdrop/));
    const reversed = { ...facts, recipients: facts.recipients.toReversed(), asked_at: AT };
    given([airdropRequested]).when(airdrops.request(reversed, 100n)).thenNothingHappened();
    given([airdropRequested, failed]).when(airdrops.request(reversed, 100n)).then([airdropRequested]);
  });

  test("is recorded as sent before it is sent, once, and from one account", () => {
    given([airdropRequested]).when(airdrops.send(payer, AT)).then([sent]);
    given([airdropRequested, sent]).when(airdrops.send(payer, AT)).thenNothingHappened();
    given([airdropRequested, sent, paid, reorged]).when(airdrops.send(payer, AT)).thenNothingHappened();
    given([airdropRequested, sent])
      .when(airdrops.send(address("d"), AT))
      .thenThrows(refused(/that is sent is not sent from/));
    for (const story of [
      [],
      [airdropRequested, sent, paid],
      [airdropRequested, sent, reverted],
      [airdropRequested, failed],
    ])
      given(story)
        .when(airdrops.send(payer, AT))
        .thenThrows(refused(/is not sent/));
  });

  test("is paid when the chain shows it, also after it moved to another block or counted as refused", () => {
    given([airdropRequested, sent]).when(airdrops.pay(mined, AT)).then([paid]);
    given([airdropRequested, sent, reverted]).when(airdrops.pay(mined, AT)).then([paid]);
    given([airdropRequested, sent, paid]).when(airdrops.pay(mined, AT)).thenNothingHappened();
    const moved = { ...mined, block_hash: `0x${"9".repeat(64)}` as Hex };
    given([airdropRequested, sent, paid])
      .when(airdrops.pay(moved, AT))
      .then([{ type: "AirdropPaid", data: { airdrop_id, ...moved, paid_at: AT } }]);
    for (const story of [[], [airdropRequested], [airdropRequested, failed]])
      given(story)
        .when(airdrops.pay(mined, AT))
        .thenThrows(refused(/never sent/));
  });

  test("that the chain refused is abandoned once that is final, and never while it may still be paid", () => {
    given([airdropRequested, sent]).when(airdrops.revert(mined, AT)).then([reverted]);
    given([airdropRequested, sent, paid]).when(airdrops.revert(mined, AT)).thenNothingHappened();
    given([airdropRequested, sent, reverted]).when(airdrops.fail("r", AT)).then([failed]);
    given([airdropRequested]).when(airdrops.fail("r", AT)).then([failed]);
    for (const story of [
      [],
      [airdropRequested, sent],
      [airdropRequested, sent, paid],
      [airdropRequested, sent, paid, reorged],
      [airdropRequested, failed],
    ])
      given(story)
        .when(airdrops.fail("r", AT))
        .thenThrows(refused(/cannot be abandoned/));
  });

  test("that a reorg removed is sent again under its name", () => {
    given([airdropRequested, sent, paid]).when(airdrops.reorg(transaction, AT)).then([reorged]);
    given([airdropRequested, sent, reverted]).when(airdrops.reorg(transaction, AT)).then([reorged]);
    given([airdropRequested, sent, paid])
      .when(airdrops.reorg(`0x${"0".repeat(64)}`, AT))
      .thenNothingHappened();
    given([airdropRequested, sent]).when(airdrops.reorg(transaction, AT)).thenNothingHappened();
    expect([airdropRequested, sent, paid, reorged].reduce(airdrops.evolve, airdrops.initialState())).toEqual({
      status: "sent",
      facts,
      payer,
    });
  });

  test("that failed is retried under the same name", () => {
    const again = [airdropRequested, failed, airdropRequested].reduce(
      airdrops.evolve,
      airdrops.initialState(),
    );
    expect(again).toEqual({ status: "asked", facts });
  });
});

describe("an id", () => {
  test("derives from the payment's terms, in whatever order, unless it is named", () => {
    const id = airdrops.airdropId(facts, undefined);
    const same = { ...facts, recipients: facts.recipients.toReversed() };
    expect(airdrops.airdropId(same, undefined)).toBe(id);
    const others = [
      { tenant: "b" },
      { network: "n" },
      { token: payer },
      { amount_each: "6" },
      { recipients: [payer] },
    ];
    const ids = others.map((other) => airdrops.airdropId({ ...facts, ...other }, undefined));
    const named = [airdrops.airdropId(facts, "one"), airdrops.airdropId(facts, "two")];
    expect(new Set([id, ...ids, ...named]).size).toBe(8);
    expect(airdrops.airdropId({ ...facts, amount_each: "6" }, "one")).toBe(named[0]);
  });
});

describe("input of callers", () => {
  test("an amount is exact to the eighteenth place", () => {
    const places = fc.bigInt(0n, 10_000n * 10n ** 18n);
    fc.assert(fc.property(places, (units) => unitsOf(amountEach.parse(decimalOf(units, 18)), 18) === units));
    expect(amountEach.parse(0.1)).toBe("0.1");
    expect([unitsOf("1.50", 1), unitsOf("1.5", 0), unitsOf("20", 0), unitsOf("1.00", 0)]).toEqual([
      15n,
      undefined,
      20n,
      1n,
    ]);
    for (const bad of [
      -1,
      10_000.5,
      "10000.000000000000000001",
      1e-7,
      "1e3",
      "",
      " 1",
      "0x1",
      "1.",
      ".5",
      "1.0000000000000000001",
      null,
    ])
      expect([bad, amountEach.safeParse(bad).success]).toEqual([bad, false]);
  });

  test("recipients are all valid or none", () => {
    const good = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    expect(recipients.parse([good])).toEqual([good.toLowerCase()]);
    const issuesOf = (list: unknown) =>
      recipients.safeParse(list).error?.issues.map(({ path, message }) => [path[0], message]);
    expect(issuesOf([good, good.toLowerCase()])).toEqual([[1, "repeats recipient 0"]]);
    expect(issuesOf([address("0")])).toEqual([[0, expect.stringContaining("not all of them 0")]]);
    expect(issuesOf([good.replace("C5", "c5")])).toEqual([[0, expect.stringContaining("EIP-55")]]);
    expect(issuesOf([])?.[0]?.[1]).toContain("at least one");
    expect(issuesOf(Array.from({ length: 201 }, () => good))?.[0]?.[1]).toContain("at most 200");
  });
});
