/** On each release of data, closes the paper trades that it decides and opens new ones; undecided trades expire. */
import type { App } from "../../core/app.ts";
import { idleUntil, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { pause } from "../../core/coordination/concurrency.ts";
import * as evaluation from "../../domain/signals/evaluation.ts";
import { type Backtest, betsOn, largest, openingAt, summed } from "../../domain/signals/openings.ts";
import * as trades from "../../domain/signals/paper-trade.ts";
import {
  decided,
  indexOfMonth,
  keyOf,
  newestMonth,
  nextIndex,
  type Series,
  seriesAsOf,
} from "../../domain/signals/series.ts";
import { lineAt, strategies } from "../../domain/signals/strategies.ts";
import { addMonths, monthText } from "../../domain/trade/units.ts";
import { referenceProjection } from "../../projections/reference/releases.ts";
import {
  indicatorDatasets,
  indicatorSeries,
  policiesFor,
  tradeSeries,
} from "../../projections/signals/series.ts";
import {
  nextOverdue,
  openTrades,
  overdueTrades,
  type Release,
  releaseOfTable,
  signalsProjection,
  unevaluated,
} from "../../projections/signals/trades.ts";
import { releasesProjection } from "../../projections/trade/releases.ts";

const meta = { actor: "reactor:signals", operation: "signals.evaluate" };

export const signalsReactor = reactor({
  name: "signals",
  every_ms: 5_000,
  memory: () => ({}),
  async take({ app, signal }) {
    const read = [signalsProjection, releasesProjection, referenceProjection];
    // A list that lags would have a release evaluated without the trades that it decides.
    const isCurrent = await Promise.all(read.map((one) => app.caughtUp(one)));
    if (!isCurrent.every((one) => one)) return "done";
    const releases = await unevaluated(app.pool, indicatorDatasets);
    for (const release of releases) {
      if (signal.aborted) return "done";
      await evaluate(app, release, signal);
    }
    const at = app.clock.now().toISOString();
    for (const id of await overdueTrades(app.pool, at.slice(0, 10)))
      await unlessRefused(app.decide(trades, trades.targetOf(id), trades.expire(at), { meta }));
    const day = await nextOverdue(app.pool);
    return releases.length > 0 ? "done" : idleUntil(day && endOfDay(day));
  },
  failures: { failed: "releases cannot be evaluated for signals; trying again" },
  resumed: "releases are evaluated for signals again",
});

/** The first moment after a day, given as YYYY-MM-DD. */
const endOfDay = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString();

/** The series of a release to bet on, and the vintages that they rest on. */
type Material = { all: Series[]; synthetic: boolean; rests_on: Release[] };

/**
 * A release that is not open here waits for a later tick. A synthetic dataset is released once with years of months:
 * its last months are evaluated one by one before the whole, so that bets on them are decided.
 */
async function evaluate(app: App, release: Release, signal: AbortSignal): Promise<void> {
  const material = await materialOf(app, release, signal);
  if (!material) return;
  const newest = material.synthetic ? newestMonth(material.all) : undefined;
  const state = await app.load(evaluation, evaluation.targetOf(release.dataset));
  for (let earlier = evaluation.MONTHS_BEFORE; newest !== undefined && earlier > 0; earlier--) {
    const as_of_month = monthText(addMonths(newest, -earlier));
    if (!evaluation.isDue(state, { release_position: release.position, as_of_month })) continue;
    const all = material.all.map((series) => seriesAsOf(series, earlier));
    if (!(await evaluateAsOf(app, release, { ...material, all }, as_of_month, signal))) return;
  }
  await evaluateAsOf(app, release, material, null, signal);
}

/** Evaluates in one commit, so that a crash leaves all or nothing; false where it waits for a later tick. */
async function evaluateAsOf(
  app: App,
  { dataset, vintage, position: release_position }: Release,
  { all, synthetic, rests_on }: Material,
  as_of_month: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const newest = rests_on.reduce((last, one) => (one.position > last.position ? one : last));
  const at = app.clock.now().toISOString();
  const byKey = new Map(all.map((series) => [keyOf(series.subject), series]));
  const opened = await openings(all, signal);
  const backtest = as_of_month === null ? await backtestOf(all, signal) : [];
  if (!opened || !backtest || !(await app.caughtUp(signalsProjection))) return false;
  await app.commit(
    async ({ decide, watch }) => {
      const target = evaluation.targetOf(dataset);
      const state = await watch(evaluation, target);
      if (!evaluation.isDue(state, { release_position, as_of_month })) return;
      let ended = 0;
      for (const { trade_id, statement } of await openTrades(app.pool, dataset)) {
        const series = byKey.get(keyOf(statement));
        if (!series) continue;
        const outcome = decided(series, statement);
        const place = indexOfMonth(series, Number(statement.month.replace("-", "")));
        const decision =
          outcome === undefined
            ? trades.follow({ line: lineAt(series, place), vintage, at })
            : trades.close({ outcome, vintage, at });
        const { events } = await decide(trades, trades.targetOf(trade_id), decision);
        ended += events.length;
      }
      for (const opening of opened)
        await decide(
          trades,
          trades.targetOf(opening.trade_id),
          trades.open({
            ...opening,
            dataset,
            synthetic,
            as_of_month,
            as_of_position: newest.position,
            vintages: rests_on.map((one) => one.vintage),
            opened_at: newest.released_at,
            decides_by: trades.decidesBy(newest.released_at),
          }),
        );
      const facts = {
        ...{ dataset, vintage, release_position },
        ...{ opened: opened.length, ended, evaluated_at: at },
      };
      await decide(
        evaluation,
        target,
        as_of_month === null
          ? evaluation.evaluated({ ...facts, synthetic, backtest })
          : evaluation.monthEvaluated({ ...facts, as_of_month }),
      );
    },
    { meta },
  );
  return true;
}

async function materialOf(app: App, release: Release, signal: AbortSignal): Promise<Material | undefined> {
  if (indicatorDatasets.includes(release.dataset)) {
    const found = indicatorSeries(app.data.reference, release.dataset);
    if (found?.vintage !== release.vintage || (found.synthetic && isMaking(app))) return undefined;
    return { all: [found.series], synthetic: found.synthetic, rests_on: [release] };
  }
  const isOpen = app.data.vintages.open().some(({ vintage }) => vintage === release.vintage);
  if (!isOpen) return undefined;
  const lease = app.data.vintages.lease(release.dataset);
  try {
    const { vintage, synthetic } = lease.manifest;
    if (vintage !== release.vintage || (synthetic && !app.settings.allow_synthetic)) return undefined;
    if (synthetic && isMaking(app)) return undefined;
    const fits = policiesFor(app.data.reference, synthetic);
    const released = fits && (await releaseOfTable(app.pool, fits.vintage));
    const all = await tradeSeries(lease, released ? fits.rows : [], signal);
    return { all, synthetic, rests_on: released ? [release, released] : [release] };
  } finally {
    lease.release();
  }
}

/** Synthetic data are bet on once complete: until then the service is not ready, and nothing else should delay it. */
const isMaking = (app: App): boolean => app.vintage_store.awaited().some(({ released }) => !released);

/** The strategies' openings on the first month that each series lacks, as backtestOf. */
async function openings(all: readonly Series[], signal: AbortSignal): Promise<trades.Opening[] | undefined> {
  const found = strategies.map((): trades.Opening[] => []);
  for (const series of all) {
    if (signal.aborted) return undefined;
    for (const [at, strategy] of strategies.entries()) {
      const opening = openingAt(strategy, series, nextIndex(series));
      if (opening) found[at]!.push(opening);
    }
    await pause(0, signal);
  }
  return found.flatMap(largest);
}

/** Series by series, so that concurrent requests do not wait; undefined when it is to stop. */
async function backtestOf(all: readonly Series[], signal: AbortSignal): Promise<Backtest[] | undefined> {
  const tested: Backtest[] = [];
  for (const strategy of strategies) {
    const bets: ReturnType<typeof betsOn> = [];
    for (const series of all) {
      if (signal.aborted) return undefined;
      // All months of one vintage are released together: no partner delivers earlier in it.
      const { mirror: _, ...known } = series;
      bets.push(...betsOn(strategy, known));
      await pause(0, signal);
    }
    tested.push(summed(strategy, bets));
  }
  return tested;
}
