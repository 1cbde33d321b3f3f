/** A bounty: every transition, every refusal, and money that is never lost or created. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/core/model/objects.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as bounty from "../../src/domain/marketplace/bounty.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";

const DAY_S = 86_400;
const at = "2026-11-22T12:00:00.000Z";
const later = (seconds: number, from = at) => new Date(Date.parse(from) + seconds * 1_000).toISOString();
const bounty_id = "0".repeat(32);
const deadline_at = later(14 * DAY_S);

const facts: bounty.BountyFacts = {
  bounty_id,
  text_sha256: digestOf("text"),
  reward_micro: 1_000_009,
  skills: [],
  min_trust: 0,
  deadline_at,
  opened_at: at,
};
const opened: bounty.BountyEvent = { type: "BountyOpened", data: facts };
const funded: bounty.BountyEvent = {
  type: "BountyFunded",
  data: { creator: "acme", hold_id: `bounty:${bounty_id}`, funded_at: at },
};
const idOf = (sx: number) => String(sx).padStart(32, "0");
const claimed = (sx: number): bounty.BountyEvent => ({
  type: "BountyClaimed",
  data: { claim_id: idOf(sx), sx, note_sha256: null, claimed_at: at },
});
const submitted = (sx: number, submitted_at = at): bounty.BountyEvent => ({
  type: "BountySubmitted",
  data: { claim_id: idOf(sx), content_sha256: digestOf(`by ${sx}`), url: null, submitted_at },
});
const awarded = (sx: number, more: object = {}): bounty.BountyEvent => ({
  type: "BountyAwarded",
  data: {
    claim_id: idOf(sx),
    sx,
    reward_micro: 1_000_009,
    winner_micro: 900_009,
    fee_micro: 100_000,
    by: "creator",
    trust_as_of: null,
    awarded_at: at,
    ...more,
  },
});
const cancelled = (shared_micro: number, by: "creator" | "operator" = "creator"): bounty.BountyEvent => ({
  type: "BountyCancelled",
  data: { by, shared_micro, back_micro: 1_000_009 - shared_micro, cancelled_at: at },
});

const claim = (sx: number, when = at, more: Partial<bounty.Claimant> = {}) =>
  bounty.claim(
    { sx, tenants: [`soul:${sx}`], trust: 0, ...more },
    { claim_id: idOf(sx), note_sha256: null, claimed_at: when },
  );
const submit = (sx: number, when = at, text = `by ${sx}`) =>
  bounty.submit(sx, { content_sha256: digestOf(text), url: null, submitted_at: when });
const due = (when: string, points: Record<number, number> = {}) =>
  bounty.fallDue(
    { of: new Map(Object.entries(points).map(([sx, score]) => [Number(sx), score])), as_of: 7 },
    when,
  );

const given = specificationOf(bounty);

describe("funding", () => {
  test("makes the payer the creator, once, and within the hour", () => {
    given([opened]).when(bounty.fund("acme", at)).then([funded]);
    given([opened, funded]).when(bounty.fund("other", at)).thenThrows(refusedAs("bounty-state"));
    given([opened])
      .when(bounty.fund("acme", later(3_600)))
      .thenThrows(refusedAs("not-found"));
    given([]).when(bounty.fund("acme", at)).thenThrows(refusedAs("not-found"));
  });
});

describe("a claim", () => {
  test("is one per agent, by agents other than the creator with enough trust, and until the deadline", () => {
    given([opened, funded])
      .when(claim(7))
      .then([claimed(7)]);
    given([opened, funded, claimed(7)])
      .when(claim(7))
      .thenNothingHappened();
    given([opened, funded, claimed(7)])
      .when(claim(8))
      .then([claimed(8)]);
    given([opened]).when(claim(7)).thenThrows(refusedAs("bounty-state"));
    given([opened, funded]).when(claim(7, deadline_at)).thenThrows(refusedAs("bounty-state"));
    given([opened, funded])
      .when(claim(7, at, { tenants: ["soul:7", "acme"] }))
      .thenThrows(refusedAs("own-goods"));
    const trusting = { ...opened, data: { ...facts, min_trust: 10 } } as bounty.BountyEvent;
    given([trusting, funded])
      .when(claim(7, at, { trust: 9.99 }))
      .thenThrows(refusedAs("trust-missing"));
    given([trusting, funded])
      .when(claim(7, at, { trust: 10 }))
      .then([claimed(7)]);
    const full = Array.from({ length: bounty.MOST_CLAIMS }, (_, n) => claimed(n + 100));
    given([opened, funded, ...full])
      .when(claim(7))
      .thenThrows(refusedAs("bounty-state"));
  });

  test("takes one submission, before the deadline", () => {
    given([opened, funded, claimed(7)])
      .when(submit(7))
      .then([submitted(7)]);
    given([opened, funded, claimed(7), submitted(7)])
      .when(submit(7, deadline_at))
      .thenNothingHappened();
    given([opened, funded, claimed(7), submitted(7)])
      .when(submit(7, at, "else"))
      .thenThrows(refusedAs("submission-stands"));
    given([opened, funded, claimed(7)])
      .when(submit(8))
      .thenThrows(refusedAs("bounty-state"));
    given([opened, funded, claimed(7)])
      .when(submit(7, deadline_at))
      .thenThrows(refusedAs("bounty-state"));
    given([opened, funded, claimed(7), claimed(8), submitted(7), awarded(7)])
      .when(submit(8))
      .thenThrows(refusedAs("bounty-state"));
  });
});

describe("the end", () => {
  test("is an award of nine tenths to a submission", () => {
    given([opened, funded, claimed(7), submitted(7)])
      .when(bounty.award(idOf(7), at))
      .then([awarded(7)]);
    given([opened, funded, claimed(7), submitted(7), awarded(7)])
      .when(bounty.award(idOf(7), at))
      .thenNothingHappened();
    given([opened, funded, claimed(7), claimed(8), submitted(7)])
      .when(bounty.award(idOf(8), at))
      .thenThrows(refusedAs("bounty-state"));
    given([opened, funded, claimed(7)])
      .when(bounty.award(idOf(7), at))
      .thenThrows(refusedAs("bounty-state"));
  });

  test("comes at the deadline without a submission", () => {
    given([opened, funded, claimed(7)])
      .when(due(later(-1, deadline_at)))
      .thenNothingHappened();
    given([opened, funded, claimed(7)])
      .when(due(deadline_at))
      .then([{ type: "BountyExpired", data: { back_micro: 1_000_009, expired_at: deadline_at } }]);
    given([opened])
      .when(due(later(100 * DAY_S)))
      .thenNothingHappened();
  });

  test("comes by silence, 14 days after the newest submission and not before the deadline: the earliest of highest trust wins", () => {
    const early = [opened, funded, claimed(7), submitted(7)];
    given([...early])
      .when(due(later(-1, deadline_at)))
      .thenNothingHappened();
    const by = { by: "silence", trust_as_of: 7 };
    given([...early])
      .when(due(deadline_at))
      .then([awarded(7, { ...by, awarded_at: deadline_at })]);
    const last = later(-60, deadline_at);
    const both = [...early, claimed(8), submitted(8, last)];
    const ends = later(14 * DAY_S, last);
    given([...both])
      .when(due(later(-1, ends)))
      .thenNothingHappened();
    given([...both])
      .when(due(ends))
      .then([awarded(7, { ...by, awarded_at: ends })]);
    given([...both])
      .when(due(ends, { 8: 1 }))
      .then([awarded(8, { ...by, awarded_at: ends })]);
    given([...both])
      .when(due(ends, { 7: 2, 8: 1 }))
      .then([awarded(7, { ...by, awarded_at: ends })]);
  });

  test("comes by the creator's cancellation, for a tenth after a submission", () => {
    given([opened, funded, claimed(7)])
      .when(bounty.cancel("creator", at))
      .then([cancelled(0)]);
    const three = [7, 8, 9].flatMap((sx) => [claimed(sx), submitted(sx)]);
    given([opened, funded, ...three])
      .when(bounty.cancel("creator", at))
      .then([cancelled(99_999)]);
    given([opened, funded, ...three, cancelled(99_999)])
      .when(bounty.cancel("creator", at))
      .thenNothingHappened();
    given([opened, funded, ...three, awarded(7)])
      .when(bounty.cancel("creator", at))
      .thenThrows(refusedAs("bounty-state"));
    given([opened]).when(bounty.cancel("creator", at)).thenThrows(refusedAs("bounty-state"));
  });

  test("comes if the operator hides the text; an ended bounty only loses its text", () => {
    const hidden: bounty.BountyEvent = { type: "BountyHidden", data: { reason: "spam", hidden_at: at } };
    given([opened, funded])
      .when(bounty.hide("spam", at))
      .then([cancelled(0, "operator"), hidden]);
    given([opened, funded, claimed(7), submitted(7), awarded(7)])
      .when(bounty.hide("spam", at))
      .then([hidden]);
    given([opened]).when(bounty.hide("spam", at)).then([hidden]);
    given([opened, hidden]).when(bounty.hide("spam", at)).thenNothingHappened();
    given([opened, hidden]).when(bounty.fund("acme", at)).thenThrows(refusedAs("not-found"));
  });
});

test("whatever is decided, the reward ends once, and all of it is paid out", () => {
  const steps = fc.oneof(
    fc.record({ kind: fc.constantFrom("claim", "submit", "award"), sx: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constantFrom("cancel", "hide", "due", "fund"), sx: fc.constant(0) }),
  );
  const days = fc.array(fc.tuple(steps, fc.integer({ min: 0, max: 8 })), { maxLength: 40 });
  fc.assert(
    fc.property(days, fc.integer({ min: 100_000, max: 10 ** 11 }), (path, reward_micro) => {
      const first = { ...opened, data: { ...facts, reward_micro } } as bounty.BountyEvent;
      let state = [first, funded].reduce(bounty.evolve, bounty.initialState());
      let day = 0;
      const moved: number[] = [];
      for (const [{ kind, sx }, passed] of path) {
        day += passed;
        const now = later(day * DAY_S);
        const decision = {
          claim: claim(sx, now),
          submit: submit(sx, now),
          award: bounty.award(idOf(sx), now),
          cancel: bounty.cancel("creator", now),
          hide: bounty.hide("spam", now),
          due: due(now),
          fund: bounty.fund("other", now),
        }[kind]!;
        let events: bounty.BountyEvent[] = [];
        try {
          events = decision(state);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        state = events.reduce(bounty.evolve, state);
        for (const { type, data } of events) {
          if (type === "BountyAwarded") moved.push(data.winner_micro + data.fee_micro);
          if (type === "BountyExpired") moved.push(data.back_micro);
          if (type !== "BountyCancelled") continue;
          const submitters = bounty.submissionsOf(state!).length;
          expect(data.shared_micro % Math.max(1, submitters)).toBe(0);
          moved.push(data.back_micro + data.shared_micro);
        }
      }
      const isOver = bounty.endedAt(state!) !== null;
      expect(moved).toEqual(isOver ? [reward_micro] : []);
      expect(bounty.dueAt(state!) === null).toBe(isOver);
    }),
  );
});
