/** Tasks: every transition, every refusal, and invariants. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as pricing from "../../src/domain/compute/pricing.ts";
import * as task from "../../src/domain/compute/task.ts";
import { leaseDigest, leaseEndsAt } from "../../src/domain/compute/work-lease.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";

const at = "2026-11-22T12:00:00.000Z";
const later = (seconds: number, from = at) => new Date(Date.parse(from) + seconds * 1_000).toISOString();
const digest = (text: string) => leaseDigest(text);

const facts = (terms: Partial<task.TaskFacts["terms"]> = {}): task.TaskFacts => ({
  task_id: "0".repeat(32),
  kind: "translate",
  input_sha256: digest("in"),
  input_bytes: 2,
  terms: {
    max_price_micro: 10_000,
    limit_s: 600,
    verify: "requester",
    quorum: null,
    assign: null,
    min_trust: 0,
    window_s: 3_600,
    deadline_at: later(86_400),
    ...terms,
  },
  copy_of: null,
  submitted_at: at,
});
const submitted = (terms = {}): task.TaskEvent => ({ type: "TaskSubmitted", data: facts(terms) });

const lease = (sx = 7, at_ = at, name = "a", rate = 60_000, bound = [`soul:${sx}`]) =>
  task.lease({ sx, hourly_rate_micro: rate, lease_sha256: digest(name), bound }, "acme", at_);
const leased = (attempt = 1, name = "a", leased_at = at): task.TaskEvent => ({
  type: "TaskLeased",
  data: {
    attempt,
    sx: 7,
    lease_sha256: digest(name),
    price_micro: 10_000,
    leased_at,
    limit_at: later(600, leased_at),
  },
});
const made = (output = "out") => ({
  output_sha256: digest(output),
  output_bytes: 3,
  exit: "ok" as const,
  used_ms: null,
  receipt: null,
  seed: null,
  submitted_at: at,
});
const resulted = (output = "out"): task.TaskEvent => ({
  type: "TaskResultSubmitted",
  data: { attempt: 1, ...made(output) },
});
const expired = (attempt: number, reason: "silence" | "limit" | "failed" = "silence"): task.TaskEvent => ({
  type: "TaskLeaseExpired",
  data: {
    attempt,
    reason,
    last_heartbeat_at: null,
    ready_at: later(5 * 4 ** (attempt - 1)),
    expired_at: at,
  },
});
const lost = (attempt: number) => task.loseLease({ attempt, reason: "silence", last_heartbeat_at: null }, at);
const accepted = (by: "requester" | "window" | "audit"): task.TaskEvent => ({
  type: "TaskAccepted",
  data: { by, draw: null, accepted_at: at },
});
const refunded = (why: string, when = at): task.TaskEvent => ({
  type: "TaskRefunded",
  data: { back_micro: 10_000, why, refunded_at: when },
});
const rejected: task.TaskEvent = { type: "TaskRejected", data: { reason_sha256: null, rejected_at: at } };
const audited = (verdict: "valid" | "mismatch" | "inconclusive"): task.TaskEvent => ({
  type: "TaskAudited",
  data: {
    ...{ verdict, expected_sha256: null, engine_sha256: digest("e"), draw: null, audited_at: at },
    on_silence: verdict === "inconclusive" ? "accepts" : null,
  },
});
const audit = (verdict: "valid" | "mismatch" | "inconclusive") =>
  task.audit({ verdict, expected_sha256: null, engine_sha256: digest("e"), draw: null, audited_at: at });

const given = specificationOf(task);

describe("a lease", () => {
  test("belongs to one node, at its price for the whole limit", () =>
    given([submitted()]).when(lease()).then([leased()]));

  test("is refused while another node has the task, before it is ready, after its deadline, and below the node's price", () => {
    given([submitted(), leased()])
      .when(lease(8, at, "b"))
      .thenThrows(refusedAs("task-state"));
    given([submitted(), leased(), expired(1)])
      .when(lease(8, later(4), "b"))
      .thenThrows(refusedAs("task-state"));
    given([submitted()])
      .when(lease(7, later(86_400)))
      .thenThrows(refusedAs("task-state"));
    given([submitted()])
      .when(lease(7, at, "a", 60_001))
      .thenThrows(refusedAs("task-state"));
  });

  test("never goes to the requester's own side, and an assigned task goes to its node only", () => {
    const own = lease(7, at, "a", 60_000, ["acme", "soul:7"]);
    for (const assign of [null, 7])
      given([submitted({ assign })])
        .when(own)
        .thenThrows(refusedAs("task-state"));
    given([submitted({ assign: 8 })])
      .when(lease(7))
      .thenThrows(refusedAs("task-state"));
    given([submitted({ assign: 7 })])
      .when(lease(7))
      .then([leased()]);
  });

  test("that is lost makes the task available after 5, then 20 seconds; the third loss ends it", () => {
    given([submitted(), leased()])
      .when(lost(1))
      .then([expired(1)]);
    given([submitted(), leased(), expired(1), leased(2, "b")])
      .when(lost(2))
      .then([expired(2)]);
    given([submitted(), leased(), expired(1), leased(2, "b"), expired(2), leased(3, "c")])
      .when(lost(3))
      .then([
        expired(3),
        { type: "TaskDeadLettered", data: { attempts: 3, at } },
        refunded("3 workers returned no result"),
      ]);
  });

  test("that is over cannot be lost again", () => {
    for (const story of [[resulted()], [expired(1)], [expired(1), leased(2, "b")]])
      given([submitted(), leased(), ...story])
        .when(lost(1))
        .thenNothingHappened();
  });

  test("lasts 90 seconds from its worker's last heartbeat, and never beyond its limit", () => {
    const one = { attempt: 1, lease_sha256: digest("a"), leased_at: at, limit_at: later(600) };
    expect(leaseEndsAt(one, null)).toBe(later(90));
    expect(leaseEndsAt(one, later(60))).toBe(later(150));
    expect(leaseEndsAt(one, later(-60))).toBe(later(90));
    expect(leaseEndsAt(one, later(590))).toBe(later(600));
  });
});

describe("a result", () => {
  const take = (name = "a", output = "out") => task.takeResult(digest(name), made(output));

  test("counts with a live lease; a repeat is not an event, and another result is refused", () => {
    given([submitted(), leased()]).when(take()).then([resulted()]);
    given([submitted(), leased(), resulted()]).when(take()).thenNothingHappened();
    given([submitted(), leased(), resulted()])
      .when(take("a", "else"))
      .thenThrows(refusedAs("result-differs"));
  });

  test("of a lease that is over is stale, whichever node has the task then", () => {
    for (const story of [
      [leased(), expired(1)],
      [leased(), expired(1), leased(2, "b")],
      [leased(2, "b"), resulted()],
    ])
      given([submitted(), ...story])
        .when(take())
        .thenThrows(refusedAs("stale-lease"));
  });
});

describe("a verdict", () => {
  const done = [submitted(), leased(), resulted()];
  const checked = [submitted({ verify: "rerun" }), leased(), resulted()];

  test("comes from the requester, who accepts or rejects in time", () => {
    given(done)
      .when(task.accept("requester", at))
      .then([accepted("requester")]);
    given(done)
      .when(task.reject({ reason_sha256: null, rejected_at: at }))
      .then([rejected]);
    const late = later(3_600);
    given(done)
      .when(task.reject({ reason_sha256: null, rejected_at: late }))
      .thenThrows(refusedAs("task-state"));
  });

  test("comes from silence, which accepts", () => {
    given(done)
      .when(task.accept("window", later(3_599)))
      .thenThrows(refusedAs("not-due"));
    given(done)
      .when(task.accept("window", later(3_600)))
      .then([{ type: "TaskAccepted", data: { by: "window", draw: null, accepted_at: later(3_600) } }]);
  });

  test("comes from an audit: valid is accepted, another result refunded, and an inconclusive one left to the requester", () => {
    given(checked)
      .when(audit("valid"))
      .then([audited("valid"), accepted("audit")]);
    given(checked)
      .when(audit("mismatch"))
      .then([audited("mismatch"), refunded("an audit got another result")]);
    given(checked)
      .when(audit("inconclusive"))
      .then([audited("inconclusive")]);
    given([...checked, audited("inconclusive")])
      .when(task.accept("requester", at))
      .then([accepted("requester")]);
    given([...checked, audited("inconclusive")])
      .when(audit("valid"))
      .thenNothingHappened();
  });

  test("waits for the audit that is due", () => {
    for (const decision of [
      task.accept("requester", at),
      task.accept("window", later(99_999)),
      task.reject({ reason_sha256: null, rejected_at: at }),
    ])
      given(checked).when(decision).thenThrows(refusedAs("not-due"));
  });
});

describe("the end of a task", () => {
  test("pays nine tenths and the remainder to the worker, once", () => {
    const story = [submitted({ max_price_micro: 20_000 }), leased(), resulted(), accepted("requester")];
    given(story)
      .when(task.settle(at))
      .then([
        {
          type: "TaskSettled",
          data: {
            sx: 7,
            price_micro: 10_000,
            provider_micro: 9_000,
            fee_micro: 1_000,
            back_micro: 10_000,
            settled_at: at,
          },
        },
      ]);
    expect(pricing.sharesOf(9)).toEqual({ provider_micro: 9, fee_micro: 0 });
    expect(pricing.sharesOf(19)).toEqual({ provider_micro: 18, fee_micro: 1 });
  });

  test("after a rejection is a refund a day later, unless a dispute decides otherwise", () => {
    const story = [submitted(), leased(), resulted(), rejected];
    given(story)
      .when(task.refundRejected(later(86_399)))
      .thenThrows(refusedAs("not-due"));
    given(story)
      .when(task.refundRejected(later(86_400)))
      .then([refunded("it was rejected, and nobody disputed that", later(86_400))]);
    const bonds = { bond_micro: 10_000, requester_bond_micro: 10_000 };
    given(story)
      .when(task.dispute(bonds, later(86_400)))
      .thenThrows(refusedAs("task-state"));
    const disputed: task.TaskEvent = { type: "TaskDisputed", data: { ...bonds, disputed_at: at } };
    given(story).when(task.dispute(bonds, at)).then([disputed]);
    for (const verdict of ["worker", "requester", "none"] as const) {
      const decided = { by: "operator" as const, verdict, reason: "looked at", decided_at: at };
      const dispute: task.TaskEvent = { type: "TaskDisputeDecided", data: decided };
      const end: task.TaskEvent =
        verdict === "worker"
          ? { type: "TaskAccepted", data: { by: "dispute", draw: null, accepted_at: at } }
          : refunded("the dispute was decided that way");
      given([...story, disputed])
        .when(task.decideDispute(decided))
        .then([dispute, end]);
    }
  });

  test("before a lease is a cancellation or the deadline", () => {
    given([submitted()])
      .when(task.cancel(at))
      .then([{ type: "TaskCancelled", data: { cancelled_at: at } }, refunded("it was cancelled")]);
    given([submitted(), leased()]).when(task.cancel(at)).thenThrows(refusedAs("task-state"));
    given([submitted()])
      .when(task.expire(later(86_399)))
      .thenNothingHappened();
    given([submitted()])
      .when(task.expire(later(86_400)))
      .then([
        { type: "TaskExpired", data: { expired_at: later(86_400) } },
        refunded("nobody did it in time", later(86_400)),
      ]);
  });
});

describe("an audit", () => {
  test("is certain below ten valid ones in a row, and then one in v, or as often as deterrence needs", () => {
    expect(pricing.auditMicro(9, 1, 1_000_000)).toBe(1_000_000);
    expect(pricing.auditMicro(10, 1, 1_000_000)).toBe(100_000);
    expect(pricing.auditMicro(100, 1_000, 9_000)).toBe(100_000);
    expect(pricing.auditMicro(1_000, 1_000, 0)).toBe(1_000_000);
  });

  test("costs a cheat at least what cheating brings, if it has that much to lose", () => {
    const amount = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 10_000 }), amount, amount, (v, price, stake) => {
        const p = pricing.auditMicro(v, price, stake);
        // p · S ≥ (1 − p) · price, in millionths.
        expect(p * stake).toBeGreaterThanOrEqual((1_000_000 - p) * price - 1_000_000);
        const slash = pricing.slashMicro(price, p, stake);
        expect(slash).toBeLessThanOrEqual(stake);
        if (stake >= price) expect(slash).toBeGreaterThanOrEqual(Math.min(stake, price));
      }),
    );
  });
});

test("in every order of events a task is settled or refunded once, for no more than was held, and only by its newest lease", () => {
  const step = fc.record({
    kind: fc.constantFrom(
      "lease",
      "lose",
      "result",
      "accept",
      "window",
      "reject",
      "settle",
      "refund",
      "cancel",
      "expire",
      "audit",
      "dispute",
    ),
    n: fc.integer({ min: 1, max: 4 }),
    wait_s: fc.constantFrom(0, 1, 30, 100_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isChecked) => {
      let state: task.TaskState;
      let now = at;
      const results: task.TaskEvent[] = [
        submitted({ verify: isChecked ? "rerun" : "requester", deadline_at: later(1e6) }),
      ];
      state = results.reduce(task.evolve, state);
      for (const { kind, n, wait_s } of steps) {
        now = later(wait_s, now);
        const by = {
          lease: lease(7, now, String(n)),
          lose: task.loseLease({ attempt: n, reason: "silence", last_heartbeat_at: null }, now),
          result: task.takeResult(digest(String(n)), { ...made(String(n)), submitted_at: now }),
          accept: task.accept("requester", now),
          window: task.accept("window", now),
          reject: task.reject({ reason_sha256: null, rejected_at: now }),
          settle: task.settle(now),
          refund: task.refundRejected(now),
          cancel: task.cancel(now),
          expire: task.expire(now),
          audit: audit(n === 1 ? "valid" : n === 2 ? "mismatch" : "inconclusive"),
          dispute: task.dispute({ bond_micro: 1, requester_bond_micro: 1 }, now),
        }[kind];
        const holder = state?.lease?.lease_sha256;
        let events: task.TaskEvent[] = [];
        try {
          events = by(state);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        if (kind === "result" && events.length > 0) expect(holder).toBe(digest(String(n)));
        results.push(...events);
        state = events.reduce(task.evolve, state);
      }
      const ends = results.filter(({ type }) => type === "TaskSettled" || type === "TaskRefunded");
      expect(ends.length).toBeLessThanOrEqual(1);
      for (const { type, data } of results)
        if (type === "TaskSettled") {
          expect(data.provider_micro + data.fee_micro).toBe(data.price_micro);
          expect(data.price_micro + data.back_micro).toBe(10_000);
        }
      const attempts = results.flatMap((one) => (one.type === "TaskLeased" ? one.data.attempt : []));
      expect(attempts).toEqual(attempts.map((_, index) => index + 1));
      expect(attempts.length).toBeLessThanOrEqual(task.MOST_ATTEMPTS);
    }),
  );
});
