/** An execution: every transition, every refusal, and what of its price goes back. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as execution from "../../src/domain/skills/execution.ts";
import { skillProblems } from "../../src/domain/skills/problems.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23) + 1_000 * seconds).toISOString();
const sha256 = "0".repeat(64);
const sealed = { subject_id: "1".repeat(32), seal_id: "2".repeat(32), iv: "", ct: "", tag: "" };
const facts: execution.Requested = {
  execution_id: "0".repeat(32),
  agent: "oracle",
  plan_version: 1,
  format: "json",
  slots: { country: "LV" },
  task: sealed,
  together: ["0".repeat(32)],
  payment_id: null,
  price_micro: 500_000,
  deadline_at: at(execution.DEADLINE_S),
  requested_at: at(0),
};

const given = (...decisions: ((state: execution.ExecutionState) => execution.ExecutionEvent[])[]) =>
  decisions.reduce<execution.ExecutionState>(
    (state, decision) => decision(state).reduce(execution.evolve, state),
    execution.initialState(),
  );
const requested = execution.request(facts);
const started = (seconds = 0, worker = "a") => execution.start(worker, at(seconds));
const done = (attempt: number, seconds: number) =>
  execution.doStep({
    ...{ attempt, step: "one", operation: "trade_alerts", vintages: "log", ms: 1 },
    ...{ input_sha256: sha256, answer_sha256: sha256, object_sha256: sha256, done_at: at(seconds) },
  });
const finished = (attempt: number, seconds: number) =>
  execution.finish({
    ...{ attempt, result_sha256: sha256, object_sha256: sha256, bytes: 2, vintages: "log" },
    finished_at: at(seconds),
  });
const overOf = (work: () => unknown) =>
  expect(work).toThrow(expect.objectContaining({ type: skillProblems["execution-over"] }));

test("an execution is requested, started, stepped through and finished", () => {
  const state = given(requested, started(), done(1, 5), finished(1, 6));
  expect(state).toMatchObject({ status: "finished", attempt: 1, steps: [{ step: "one" }], ended_at: at(6) });
  expect(execution.refundOf(state!)).toBe(0);
  expect(() => execution.request(facts)(state)).toThrow(/requested before/);
});

describe("a lease", () => {
  test("lasts a minute after the last step, and keeps others out meanwhile", () => {
    const running = given(requested, started());
    overOf(() => started(59, "b")(running));
    expect(given(requested, started(), done(1, 59))).toMatchObject({ lease_until: at(119) });
    expect(given(requested, started(), started(60, "b"))).toMatchObject({ attempt: 2, worker: "b" });
  });

  test("of a dead worker ends at once", () => {
    const [event] = execution.start("b", at(1), { is_dead: true })(given(requested, started()));
    expect(event).toMatchObject({ type: "SkillRunStarted", data: { attempt: 2 } });
  });

  test("that has ended writes neither a step nor an end, even if no other has begun", () => {
    const slept = given(requested, started());
    const taken = given(requested, started(), started(60, "b"));
    for (const state of [slept, taken]) {
      overOf(() => done(1, 61)(state));
      overOf(() => finished(1, 61)(state));
      overOf(() => execution.fail({ attempt: 1, step: "one", code: "refused" }, at(61))(state));
    }
    expect(finished(2, 61)(taken)).toHaveLength(1);
  });
});

describe("an execution is abandoned", () => {
  const third = given(requested, started(), started(60), started(120));

  test("after three attempts, once the last has ended, with the whole price refunded", () => {
    expect(execution.giveUp(at(179))(third)).toEqual([]);
    overOf(() => started(180)(third));
    const state = given(requested, started(), started(60), started(120), execution.giveUp(at(180)));
    expect(state).toMatchObject({ status: "failed", failed: { code: "attempts", attempt: 3 } });
    expect(execution.refundOf(state!)).toBe(500_000);
  });

  test("at the deadline, in any state; an ended execution stays unchanged", () => {
    const late = at(execution.DEADLINE_S);
    for (const state of [given(requested), given(requested, started(590))])
      expect(execution.giveUp(late)(state)).toMatchObject([{ data: { code: "deadline" } }]);
    expect(given(requested, started(590))).toMatchObject({ lease_until: late });
    overOf(() => execution.start("a", late)(given(requested)));
    expect(execution.giveUp(late)(given(requested, started(), finished(1, 1)))).toEqual([]);
  });
});

describe("cancelling", () => {
  test("refunds all before a step is done, and nothing after", () => {
    const cancel = execution.cancel(at(2));
    expect(execution.refundOf(given(requested, cancel)!)).toBe(500_000);
    expect(execution.refundOf(given(requested, started(), cancel)!)).toBe(500_000);
    expect(execution.refundOf(given(requested, started(), done(1, 1), cancel)!)).toBe(0);
    // A step of an earlier attempt still counts as done.
    expect(execution.refundOf(given(requested, started(), done(1, 1), started(62), cancel)!)).toBe(0);
  });

  test("twice counts once; an ended execution refuses it", () => {
    const cancelled = given(requested, execution.cancel(at(2)));
    expect(execution.cancel(at(3))(cancelled)).toEqual([]);
    overOf(() => execution.cancel(at(3))(given(requested, started(), finished(1, 1))));
    overOf(() => done(1, 3)(given(requested, started(), execution.cancel(at(2)))));
  });
});

test("in any order of events an execution ends at most once, and nothing follows its end", () => {
  const act = fc.record({
    what: fc.constantFrom("start", "step", "finish", "fail", "giveUp", "cancel"),
    attempt: fc.integer({ min: 1, max: 3 }),
    seconds: fc.integer({ min: 0, max: 700 }),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let state = given(requested);
      let ends = 0;
      for (const { what, attempt, seconds } of acts.toSorted((a, b) => a.seconds - b.seconds)) {
        const decision = {
          start: started(seconds),
          step: done(attempt, seconds),
          finish: finished(attempt, seconds),
          fail: execution.fail({ attempt, step: null, code: "refused" }, at(seconds)),
          giveUp: execution.giveUp(at(seconds)),
          cancel: execution.cancel(at(seconds)),
        }[what]!;
        const before = state!;
        let events: execution.ExecutionEvent[];
        try {
          events = decision(state);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          continue;
        }
        if (execution.isOver(before)) expect(events).toEqual([]);
        state = events.reduce(execution.evolve, state);
        if (!execution.isOver(before) && execution.isOver(state!)) ends++;
      }
      expect(ends).toBe(execution.isOver(state!) ? 1 : 0);
      expect(state!.attempt).toBeLessThanOrEqual(execution.MOST_ATTEMPTS);
    }),
  );
});
