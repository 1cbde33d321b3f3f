import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as checks from "../../src/domain/checks/check.ts";
import {
  askRedemption,
  type CheckEvent,
  type CheckFacts,
  type CheckState,
  type CheckStatus,
  cancel,
  create,
  events,
  evolve,
  existingCheck,
  expire,
  follow,
  initialState,
  isRedeeming,
  MOST_TRIES,
  refusePassphrase,
  statusOf,
  takeBack,
} from "../../src/domain/checks/check.ts";
import * as following from "../../src/domain/checks/following.ts";
import { advance, type Followed, followedTo } from "../../src/domain/checks/following.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";

const hex = (digit: string, digits: number) => `0x${digit.repeat(digits)}` as Hex;
const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2026-01-01T00:15:00.000Z";

const facts: CheckFacts = {
  check_id: "c".repeat(32),
  network: "eip155:8453",
  asset: hex("a", 40),
  from: hex("b", 40),
  to: hex("d", 40),
  amount_micro: 12_500_000,
  mode: "transfer",
  valid_before: 1_800_000_000,
  nonce: hex("e", 64),
  passphrase: null,
  created_at: AT,
};

const place = (digit: string, block_number = 10) => ({
  transaction: hex(digit, 64),
  block_number,
  block_hash: hex(digit, 64),
});
type Ended = Extract<CheckEvent, { type: "CheckRedeemed" | "CheckRevoked" }>;
const paid = (digit: string, block?: number): Ended => ({
  type: "CheckRedeemed",
  data: { ...place(digit, block), redeemed_at: AT },
});
const voided = (digit: string, reason: "cancelled" | "used for another transfer" = "cancelled"): Ended => ({
  type: "CheckRevoked",
  data: { ...place(digit), reason, revoked_at: AT },
});

const created: CheckEvent = { type: "CheckCreated", data: facts };
const redemption: CheckEvent = { type: "CheckRedemptionAsked", data: { by: "key:1", asked_at: AT } };
const byCreator = { by: "key:1", proof: "creator" as const, cancelled_at: AT };
const cancelled: CheckEvent = { type: "CheckCancelled", data: byCreator };
const over = { block_number: 20, block_timestamp: facts.valid_before, expired_at: AT };
const expired: CheckEvent = { type: "CheckExpired", data: over };
const wrong = (tries: number, paused_until: string | null = null): CheckEvent => ({
  type: "CheckPassphraseRefused",
  data: { by: "key:2", tries, paused_until, refused_at: AT },
});
const reorged = (digit: string): CheckEvent => {
  const { transaction, block_hash } = place(digit);
  return { type: "CheckReorged", data: { transaction, block_hash, reorged_at: AT } };
};

/** The state after events as the log has them: each has to fit its schema. */
const stateAfter = (history: CheckEvent[]) => {
  for (const { type, data } of history) events[type][1].parse(data);
  return history.reduce(evolve, initialState());
};
const given = specificationOf(checks);

type Story = [
  what: string,
  history: CheckEvent[],
  decision: (state: CheckState) => CheckEvent[],
  then: CheckEvent[],
];
const stories: Story[] = [
  ["is created once", [], create(facts), [created]],
  ["is asked for while pending", [created], askRedemption("key:1", AT), [redemption]],
  ["is asked for by several", [created, redemption], askRedemption("key:2", AT), []],
  ["counts a wrong passphrase", [created], refusePassphrase("key:2", AT), [wrong(1)]],
  ["counts on", [created, wrong(1)], refusePassphrase("key:2", AT), [wrong(2)]],
  ["pauses after five", [created, wrong(4)], refusePassphrase("key:2", AT), [wrong(MOST_TRIES, LATER)]],
  [
    "counts anew after the pause",
    [created, wrong(5, LATER)],
    refusePassphrase("key:2", LATER),
    [
      {
        type: "CheckPassphraseRefused",
        data: { by: "key:2", tries: 1, paused_until: null, refused_at: LATER },
      },
    ],
  ],
  [
    "forgets wrong ones with a right one",
    [created, wrong(4), redemption],
    refusePassphrase("key:2", AT),
    [wrong(1)],
  ],
  ["is cancelled while pending", [created], cancel(byCreator), [cancelled]],
  ["is cancelled once", [created, cancelled], cancel(byCreator), []],
  ["that is void on the chain needs no cancelling", [created, voided("1")], cancel(byCreator), []],
  ["expires when the chain's time is there", [created], expire(over), [expired]],
  ["expires while it is being redeemed", [created, redemption], expire(over), [expired]],
  ["expires once", [created, expired], expire(over), []],
  ["that was cancelled does not expire", [created, cancelled], expire(over), []],
  ["that was redeemed does not expire", [created, paid("1")], expire(over), []],
  ["is redeemed without a call when the chain paid it", [created], follow(paid("1"), AT), [paid("1")]],
  ["is redeemed once", [created, paid("1")], follow(paid("1"), AT), []],
  ["is redeemed after a cancellation", [created, cancelled], follow(paid("1"), AT), [paid("1")]],
  ["is redeemed after it expired", [created, expired], follow(paid("1"), AT), [paid("1")]],
  ["moves to another block", [created, paid("1")], follow(paid("2"), AT), [reorged("1"), paid("2")]],
  ["turns from redeemed to void", [created, paid("1")], follow(voided("2"), AT), [reorged("1"), voided("2")]],
  ["is void on the chain", [created, redemption], follow(voided("1"), AT), [voided("1")]],
  ["is taken back", [created, paid("1")], takeBack(place("1"), AT), [reorged("1")]],
  ["is not taken back from another block", [created, paid("1")], takeBack(place("2"), AT), []],
  ["that has not ended is not taken back", [created], takeBack(place("1"), AT), []],
];

describe("a check", () => {
  test.each(stories)("%s", (_, history, decision, then) => {
    given(history).when(decision).then(then);
  });

  type RefusedCase = [
    what: string,
    history: CheckEvent[],
    decision: (state: CheckState) => CheckEvent[],
    type: string,
  ];
  const refused: RefusedCase[] = [
    ["nobody created: redeem", [], askRedemption("key:1", AT), "not-found"],
    ["nobody created: cancel", [], cancel(byCreator), "not-found"],
    ["nobody created: expire", [], expire(over), "not-found"],
    ["nobody created: follow", [], follow(paid("1"), AT), "not-found"],
    ["that is there: create", [created], create(facts), "conflict"],
    ["redeemed: redeem", [created, paid("1")], askRedemption("key:1", AT), "check-not-pending"],
    ["cancelled: redeem", [created, cancelled], askRedemption("key:1", AT), "check-not-pending"],
    ["expired: redeem", [created, expired], askRedemption("key:1", AT), "check-not-pending"],
    ["void on the chain: redeem", [created, voided("1")], askRedemption("key:1", AT), "check-not-pending"],
    ["paused: redeem", [created, wrong(5, LATER)], askRedemption("key:1", AT), "passphrase-paused"],
    [
      "paused: another passphrase",
      [created, wrong(5, LATER)],
      refusePassphrase("key:2", AT),
      "passphrase-paused",
    ],
    ["being redeemed: cancel", [created, redemption], cancel(byCreator), "check-redeeming"],
    ["redeemed: cancel", [created, paid("1")], cancel(byCreator), "check-not-pending"],
    ["expired: cancel", [created, expired], cancel(byCreator), "check-not-pending"],
    [
      "not over: expire",
      [created],
      expire({ ...over, block_timestamp: over.block_timestamp - 1 }),
      "conflict",
    ],
  ];
  test.each(refused)("%s is refused", (_, history, decision, type) => {
    given(history).when(decision).thenThrows(refusedAs(type));
  });

  type StatusCase = [status: CheckStatus, redeeming: boolean, history: CheckEvent[]];
  const standings: StatusCase[] = [
    ["pending", false, [created]],
    ["pending", true, [created, redemption]],
    ["redeemed", false, [created, redemption, paid("1")]],
    ["pending", true, [created, redemption, paid("1"), reorged("1")]],
    ["cancelled", false, [created, cancelled, paid("1"), reorged("1")]],
    ["expired", false, [created, expired, paid("1"), reorged("1")]],
    ["redeemed", false, [created, cancelled, paid("1")]],
    ["redeemed", false, [created, expired, paid("1")]],
    ["cancelled", false, [created, redemption, voided("1")]],
    ["pending", false, [created, voided("1"), reorged("1")]],
    ["expired", false, [created, expired, voided("1")]],
    ["cancelled", false, [created, cancelled, voided("1")]],
  ];
  test.each(standings)("is %s, redeeming %s, after %j", (status, redeeming, history) => {
    const check = existingCheck(stateAfter(history));
    expect([statusOf(check), isRedeeming(check)]).toEqual([status, redeeming]);
  });
});

describe("the block up to which checks are followed", () => {
  const followed = (block_number: number, as_of_position: number): Followed => ({
    ...{ network: "eip155:8453", block_number, block_hash: hex("1", 64), timestamp: 5 },
    ...{ as_of_position, followed_at: AT },
  });
  const eventOf = (data: Followed): following.FollowingEvent => ({ type: "ChecksFollowed", data });
  const given = specificationOf(following);
  const at5 = [eventOf(followed(5, 5))];

  test("only advances", () => {
    given([])
      .when(advance(followed(5, 5)))
      .then(at5);
    given(at5)
      .when(advance(followed(6, 7)))
      .then([eventOf(followed(6, 7))]);
    for (const earlier of [followed(4, 7), followed(6, 5)])
      given(at5).when(advance(earlier)).thenNothingHappened();
  });

  test("must exist before a check is made", () => {
    expect(() => followedTo(undefined)).toThrow(/until it has read the chain/);
    expect(followedTo(followed(5, 5)).block_number).toBe(5);
  });
});

test("the chain's outcome counts, and without one only the service's record", () => {
  const said = fc.constantFrom(
    askRedemption("key:1", AT),
    cancel(byCreator),
    expire(over),
    refusePassphrase("key:2", AT),
  );
  const word = fc.constantFrom(...[paid("1"), paid("2"), voided("3"), voided("4")]);
  const step = fc.oneof(
    said.map((decision) => ({ decision, ending: undefined })),
    word.map((event) => ({ decision: follow(event, AT), ending: event })),
    fc
      .constantFrom("1", "2", "3", "4")
      .map((digit) => ({ decision: takeBack(place(digit), AT), ending: undefined })),
  );
  const decided = (state: CheckState, decision: (state: CheckState) => CheckEvent[]) => {
    try {
      return decision(state);
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let state: CheckState = stateAfter([created]);
      let local: CheckState = state;
      for (const { decision, ending } of steps) {
        const results = decided(state, decision);
        state = results.reduce(evolve, state);
        local = results.filter(({ type }) => !/Redeemed|Revoked|Reorged/.test(type)).reduce(evolve, local);
        if (ending) expect(existingCheck(state).ending).toMatchObject(ending.data);
      }
      const { ending } = existingCheck(state);
      if (ending?.kind === "redeemed") expect(statusOf(existingCheck(state))).toBe("redeemed");
      if (ending) state = takeBack(ending, AT)(state).reduce(evolve, state);
      expect(statusOf(existingCheck(state))).toBe(statusOf(existingCheck(local)));
    }),
  );
});
