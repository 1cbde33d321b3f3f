/** Evaluates the last months of each released dataset, and alerts the subscriptions that match. */
import type { App } from "../../core/app.ts";
import { reactor } from "../../core/background/reactor.ts";
import * as evaluation from "../../domain/alerts/evaluation.ts";
import { alertIdOf, isWatched } from "../../domain/alerts/message.ts";
import type { Finding, Watch } from "../../domain/alerts/subscription.ts";
import * as subscriptions from "../../domain/alerts/subscription.ts";
import {
  type Coverage,
  coveredReporters,
  productsComplete,
  reportersOfEu,
} from "../../domain/trade/coverage.ts";
import { productLevels } from "../../domain/trade/products.ts";
import {
  alertsProjection,
  type Unseen,
  unseenReleases,
  type Watcher,
  watchersOf,
} from "../../projections/alerts/subscriptions.ts";
import { isSignificant, judge, rowOf, watchedQuestion } from "../../projections/trade/answers/anomalies.ts";
import { dataOf } from "../../projections/trade/answers/data.ts";
import { inBasis } from "../../projections/trade/answers/product-codes.ts";
import { releasesProjection } from "../../projections/trade/releases.ts";

/** A release is judged over its last months, since reporters deliver late. */
export const MONTHS = 3;

const meta = { actor: "reactor:alerts", operation: "alerts.evaluate" };

export const evaluationsReactor = reactor({
  name: "alert-evaluations",
  every_ms: 1_000,
  memory: () => ({}),
  take: ({ app, signal }) => evaluateReleases(app, signal),
  failures: { failed: "releases cannot be evaluated for alerts; trying again" },
  resumed: "releases are evaluated for alerts again",
});

/** Evaluates new releases; one that this process has not opened yet waits for the next tick. */
async function evaluateReleases(app: App, signal: AbortSignal): Promise<"done" | "idle"> {
  const current = await Promise.all([app.caughtUp(alertsProjection), app.caughtUp(releasesProjection)]);
  const unseen = await unseenReleases(app.pool);
  for (const release of unseen) {
    const isOpen = app.data.vintages.open().some(({ vintage }) => vintage === release.vintage);
    if (!isOpen || signal.aborted || (release.synthetic && !app.settings.allow_synthetic)) continue;
    await evaluate(app, release, signal);
  }
  return unseen.length === 0 && current.every(Boolean) ? "idle" : "done";
}

/** A crash in between repeats it: no subscription gets an alert twice. */
async function evaluate(app: App, release: Unseen, signal: AbortSignal): Promise<void> {
  const watchers = await watchersOf(app.pool, release);
  const judged = await judgedRelease(app, release, finerThanChapters(watchers), signal);
  if (!judged) return;
  const at = app.clock.now().toISOString();
  for (const { subscription_id: id, tenant, watch } of watchers) {
    const alerts = judged.findings
      .filter((finding) => isWatched(watch, finding) && isJudged(watch, judged.coverage))
      .filter(({ product }) => watch.dataset !== null || productsComplete(judged.coverage, { hs: product }))
      .map((finding) => ({ alert_id: alertIdOf(id, finding), finding }));
    if (alerts.length === 0) continue;
    await app.decide(subscriptions, { tenant, id }, subscriptions.trigger(alerts, at), { meta });
  }
  const { dataset, vintage, position: release_position } = release;
  const facts = {
    dataset,
    vintage,
    release_position,
    subscriptions: watchers.length,
    significant: judged.findings.filter(({ product }) => product.length === productLevels.hs2).length,
    evaluated_at: at,
  };
  await app.decide(evaluation, evaluation.targetOf(dataset), evaluation.evaluated(facts), { meta });
}

/** A watch of a fine product in every country waits for data of all 27, as trade_alerts does. */
const isJudged = ({ hs, reporter }: Watch, coverage: Coverage): boolean =>
  reporter !== null ||
  reportersOfEu(hs ?? undefined).every((code) =>
    coveredReporters(coverage, { hs: hs ?? undefined }).includes(code),
  );

const finerThanChapters = (watchers: readonly Watcher[]): Set<string> =>
  new Set(watchers.flatMap(({ watch }) => watch.hs ?? []).filter((hs) => hs.length > productLevels.hs2));

/**
 * The significant anomalies in a release's last months, the largest |z| first. All chapters are judged together, and
 * each finer product by itself, as trade_alerts does: alerts do not depend on other subscriptions. Undefined when the
 * vintage was replaced.
 */
async function judgedRelease(
  app: App,
  { dataset, vintage, synthetic }: Unseen,
  finer: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<{ findings: Finding[]; coverage: Coverage } | undefined> {
  const lease = app.data.vintages.lease(dataset);
  try {
    if (lease.manifest.vintage !== vintage) return undefined;
    const { coverage } = lease.manifest;
    const { codesOf } = dataOf(app.data);
    const reporters = coverage.reporters.map(({ reporter }) => reporter);
    const held = [...finer].filter((hs) => coverage.products.codes.some((code) => code.startsWith(hs)));
    const findings: Finding[] = [];
    for (const hs of [undefined, ...held]) {
      const watched = watchedQuestion({ hs, reporters, months: MONTHS });
      const manifest = inBasis(lease.manifest, codesOf, watched);
      const { anomalies } = await judge({ ...lease, manifest }, watched, signal);
      for (const anomaly of anomalies.filter(isSignificant)) {
        const { name: _, significant: __, ...row } = rowOf(anomaly, () => null);
        findings.push({ ...row, dataset, vintage, synthetic });
      }
    }
    return { findings: findings.toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z)), coverage };
  } finally {
    lease.release();
  }
}
