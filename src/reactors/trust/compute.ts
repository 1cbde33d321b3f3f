/**
 * Computes all scores when evidence has changed, at most once per TRUST_SECONDS, and when a day begins. Stores the
 * scores of each day's last computation; a rebuilt read model gets them again, the newest first.
 */
import type { App } from "../../core/app.ts";
import { idleUntil, type Outcome, reactor, type Tick, unlessRefused } from "../../core/background/reactor.ts";
import { TABLE_SHA256 } from "../../domain/trust/decay.ts";
import { METHOD } from "../../domain/trust/rules.ts";
import { computeTrust, type Result, resultSha256 } from "../../domain/trust/score.ts";
import { ScoreTree } from "../../domain/trust/score-tree.ts";
import * as trust from "../../domain/trust/trust.ts";
import { dayOfTime, startOfDay } from "../../projections/trust/days.ts";
import { inputAt, movedAt } from "../../projections/trust/evidence.ts";
import { storeRanks } from "../../projections/trust/ranks.ts";
import {
  type ComputedRow,
  newestComputed,
  newestUnstored,
  storeScores,
} from "../../projections/trust/scores.ts";
import { trustProjection } from "../../projections/trust/trust.ts";

/** The newest computation of this process: it need not compute again what it just recorded. */
export type TrustMemory = { as_of_position?: number; day?: number; result?: Result };

export const trustReactor = reactor({
  name: "trust.compute",
  every_ms: 1_000,
  memory: (): TrustMemory => ({}),
  take: trustTick,
  failures: {
    differs: "scores are not stored: a recomputation has another digest than the log",
    failed: "trust scores are not computed",
  },
  grave: ["differs"],
  resumed: "the computation of trust scores works again",
});

async function trustTick({
  app,
  memory,
  lease,
}: Pick<Tick<TrustMemory>, "app" | "memory" | "lease">): Promise<Outcome<"differs">> {
  if (!(await app.caughtUp(trustProjection))) return "done";
  const next = await computeIfDue(app, memory);
  if (!(await app.caughtUp(trustProjection))) return "done";
  const unstored = await newestUnstored(app.pool);
  if (!unstored) return next;
  const { scores, digest } = await resultOf(app, memory, unstored);
  if (digest !== unstored.result_sha256)
    return {
      status: "differs",
      reason: `the recomputation of the event at position ${unstored.position} has the digest ${digest}`,
    };
  await lease.transaction(async (tx) => {
    await storeScores(tx, unstored, scores);
    await storeRanks(tx, unstored, scores);
  });
  return "done";
}

async function computeIfDue(app: App, memory: TrustMemory): Promise<"done" | ReturnType<typeof idleUntil>> {
  const now = app.clock.now();
  const day = dayOfTime(now);
  const [as_of_position, newest] = await Promise.all([movedAt(app.pool), newestComputed(app.pool)]);
  // Changes during the pause wait for the next computation.
  const pause_ms = app.settings.trust_seconds * 1_000;
  const due_at = dueAt({ as_of_position, day, pause_ms }, newest);
  if (due_at === undefined) return "idle";
  if (now.getTime() < due_at) return idleUntil(new Date(due_at).toISOString());
  const result = computeTrust(await inputAt(app.pool, as_of_position, day));
  Object.assign(memory, { as_of_position, day, result });
  const computed: trust.Computed = {
    method: METHOD,
    as_of_position,
    day,
    agents: result.scores.filter(({ score }) => score > 0).length,
    edges: result.edges,
    rounds: result.rounds,
    table_sha256: TABLE_SHA256,
    result_sha256: resultSha256(result),
    result_root: new ScoreTree(result.scores).root,
    computed_at: now.toISOString(),
  };
  const meta = { actor: "reactor:trust.compute", operation: "trust.compute" };
  await unlessRefused(app.decide(trust, trust.target, trust.compute(computed), { meta }));
  return "done";
}

/** When the next computation is due, in Unix milliseconds: 0 for at once, undefined before the first evidence. */
function dueAt(
  { as_of_position, day, pause_ms }: { as_of_position: number; day: number; pause_ms: number },
  newest: ComputedRow | undefined,
): number | undefined {
  if (as_of_position === 0) return undefined;
  if (!newest || day > newest.day) return 0;
  const next_day = startOfDay(newest.day + 1);
  if (day < newest.day || as_of_position <= newest.as_of_position) return next_day;
  return Math.min(next_day, Date.parse(newest.computed_at) + pause_ms);
}

async function resultOf(app: App, memory: TrustMemory, { as_of_position, day }: ComputedRow) {
  const isCached = memory.result && memory.as_of_position === as_of_position && memory.day === day;
  const result = isCached ? memory.result! : computeTrust(await inputAt(app.pool, as_of_position, day));
  return { scores: result.scores, digest: resultSha256(result) };
}
