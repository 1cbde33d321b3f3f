/** A task: every transition, every refusal, and what holds whatever happens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { leaseDigest, leaseEndsAt } from "../../src/core/model/work-lease.ts";
import * as pricing from "../../src/domain/compute/pricing.ts";
import * as task from "../../src/domain/compute/task.ts";
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
  test("is of one node, at its price for the whole limit", () =>
    given([submitted()]).when(lease()).then([leased()]));

  test("is refused while another holds the task, before it is ready, after its deadline, and below what the node asks", () => {
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

  test("is never for a node that is one hand with the requester, and where one is named, that one's alone", () => {
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

  test("that is lost lets others begin after 5, then 20 seconds; the third gives the task up", () => {
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
        refunded("3 workers came to nothing"),
      ]);
  });

  test("that is over already cannot be lost again", () => {
    for (const story of [[resulted()], [expired(1)], [expired(1), leased(2, "b")]])
      given([submitted(), leased(), ...story])
        .when(lost(1))
        .thenNothingHappened();
  });

  test("holds 90 seconds after its worker was heard, and never beyond its limit", () => {
    const one = { attempt: 1, lease_sha256: digest("a"), leased_at: at, limit_at: later(600) };
    expect(leaseEndsAt(one, null)).toBe(later(90));
    expect(leaseEndsAt(one, later(60))).toBe(later(150));
    expect(leaseEndsAt(one, later(-60))).toBe(later(90));
    expect(leaseEndsAt(one, later(590))).toBe(later(600));
  });
});

describe("a result", () => {
  const take = (name = "a", output = "out") => task.takeResult(digest(name), made(output));

  test("counts by the lease that holds; said again it is no news, and another one is refused", () => {
    given([submitted(), leased()]).when(take()).then([resulted()]);
    given([submitted(), leased(), resulted()]).when(take()).thenNothingHappened();
    given([submitted(), leased(), resulted()])
      .when(take("a", "else"))
      .thenThrows(refusedAs("result-differs"));
  });

  test("by a lease that is over is stale, whoever has the task by then", () => {
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

describe("a result is judged", () => {
  const done = [submitted(), leased(), resulted()];
  const checked = [submitted({ verify: "rerun" }), leased(), resulted()];

  test("by its requester, who accepts or rejects in time", () => {
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

  test("by nobody, and silence says yes", () => {
    given(done)
      .when(task.accept("window", later(3_599)))
      .thenThrows(refusedAs("not-due"));
    given(done)
      .when(task.accept("window", later(3_600)))
      .then([{ type: "TaskAccepted", data: { by: "window", draw: null, accepted_at: later(3_600) } }]);
  });

  test("by an audit: valid is accepted, another result is refunded, and what is inconclusive is left to the requester", () => {
    given(checked)
      .when(audit("valid"))
      .then([audited("valid"), accepted("audit")]);
    given(checked)
      .when(audit("mismatch"))
      .then([audited("mismatch"), refunded("an audit came to another result")]);
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

  test("by nobody before the audit that it waits for", () => {
    for (const decision of [
      task.accept("requester", at),
      task.accept("window", later(99_999)),
      task.reject({ reason_sha256: null, rejected_at: at }),
    ])
      given(checked).when(decision).thenThrows(refusedAs("not-due"));
  });
});

describe("the end", () => {
  test("pays nine tenths to the worker, the odd unit too, once", () => {
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

  test("of a rejection is a refund after a day, unless it is disputed, and then whoever is right wins", () => {
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
          : refunded("the dispute was decided so");
      given([...story, disputed])
        .when(task.decideDispute(decided))
        .then([dispute, end]);
    }
  });

  test("of one that nobody has begun is its requester's word or its deadline", () => {
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
  test("is certain below ten valid ones in a row, and then one in v, or as often as cheating would pay", () => {
    expect(pricing.auditMicro(9, 1, 1_000_000)).toBe(1_000_000);
    expect(pricing.auditMicro(10, 1, 1_000_000)).toBe(100_000);
    expect(pricing.auditMicro(100, 1_000, 9_000)).toBe(100_000);
    expect(pricing.auditMicro(1_000, 1_000, 0)).toBe(1_000_000);
  });

  test("costs whoever cheats at least what cheating brings, where there is so much to lose", () => {
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

test("whatever happens in whatever order, a task is settled or refunded once, for no more than was held, and by the newest lease alone", () => {
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
      const told: task.TaskEvent[] = [
        submitted({ verify: isChecked ? "rerun" : "requester", deadline_at: later(1e6) }),
      ];
      state = told.reduce(task.evolve, state);
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
        told.push(...events);
        state = events.reduce(task.evolve, state);
      }
      const ends = told.filter(({ type }) => type === "TaskSettled" || type === "TaskRefunded");
      expect(ends.length).toBeLessThanOrEqual(1);
      for (const { type, data } of told)
        if (type === "TaskSettled") {
          expect(data.provider_micro + data.fee_micro).toBe(data.price_micro);
          expect(data.price_micro + data.back_micro).toBe(10_000);
        }
      const attempts = told.flatMap((one) => (one.type === "TaskLeased" ? one.data.attempt : []));
      expect(attempts).toEqual(attempts.map((_, index) => index + 1));
      expect(attempts.length).toBeLessThanOrEqual(task.MOST_ATTEMPTS);
    }),
  );
});
