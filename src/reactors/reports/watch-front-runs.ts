/** Writes the front-running signals for everybody each Monday at 07:00 UTC, in one process of all. */
import type { App } from "../../core/app.ts";
import { type Outcome, reactor } from "../../core/background/reactor.ts";
import * as frontRun from "../../domain/reports/front-run.ts";
import { frontRunSignalsIn } from "../../projections/reports/answers/front-run.ts";

const meta = { actor: "reactor:front_run.watch", operation: "front_run.watch" };

export const frontRunReactor = reactor({
  name: "front_run.watch",
  every_ms: 10_000,
  memory: () => ({}),
  take: ({ app, signal }) => watchWeek(app, signal),
  failures: { failed: "the week's front-run signals are not written; trying again" },
  resumed: "front-run signals are written again",
});

/**
 * A week missed while nothing ran is not made up for: the newest covers it. Without policies, or while data load, it
 * waits.
 */
async function watchWeek(app: App, signal: AbortSignal): Promise<Outcome<"done">> {
  const week = frontRun.weekOf(app.clock.now());
  const state = await app.load(frontRun, frontRun.target);
  if (state && state.week >= week) return { idle_until: frontRun.nextWeek(week) };
  if (app.data.vintages.awaited().length > 0) return "done";
  const watched = await frontRunSignalsIn(app.data, app.data.reference, week, signal);
  if (watched) await app.decide(frontRun, frontRun.target, frontRun.recordWeek(watched), { meta });
  return "done";
}
