/** Whenever a dataset is released, its last months are judged, and each subscription is told of what it waits for. */
import type { App } from "../../app.ts";
import * as evaluation from "../../domain/alerts/evaluation.ts";
import { alertIdOf, isWatched } from "../../domain/alerts/message.ts";
import type { Finding } from "../../domain/alerts/subscription.ts";
import * as subscriptions from "../../domain/alerts/subscription.ts";
import { type Coverage, productsComplete } from "../../domain/trade/coverage.ts";
import {
  alertsProjection,
  type Unseen,
  unseenReleases,
  watchersOf,
} from "../../projections/alerts/subscriptions.ts";
import { isSignificant, judge, rowOf } from "../../projections/trade/answers/anomalies.ts";
import { releasesProjection } from "../../projections/trade/releases.ts";
import { reactor } from "../../reactor.ts";

/** A release is judged over its last months, since reporters deliver late. */
export const MONTHS = 3;

const meta = { actor: "reactor:alerts", operation: "alerts.evaluate" };

export const evaluationsReactor = reactor({
  name: "alert-evaluations",
  every_ms: 1_000,
  memory: () => ({}),
  take: ({ app, signal }) => evaluateReleases(app, signal),
  troubles: { failed: "releases cannot be looked through for alerts; trying again" },
  resumed: "releases are looked through for alerts again",
});

/** Looks through the releases that were not looked through; one that this process has not open yet is left to the next turn. */
async function evaluateReleases(app: App, signal: AbortSignal): Promise<"done"> {
  await Promise.all([app.caughtUp(alertsProjection), app.caughtUp(releasesProjection)]);
  for (const release of await unseenReleases(app.pool)) {
    const isOpen = app.vintages.open().some(({ vintage }) => vintage === release.vintage);
    if (!isOpen || signal.aborted || (release.synthetic && !app.settings.allow_synthetic)) continue;
    await evaluate(app, release, signal);
  }
  return "done";
}

/** Killed in between, it is done again: a subscription is told nothing twice. */
async function evaluate(app: App, release: Unseen, signal: AbortSignal): Promise<void> {
  const watchers = await watchersOf(app.pool, release);
  const found = await findings(app, release, new Set(watchers.map(({ watch }) => watch.hs)), signal);
  if (!found) return;
  const at = app.clock.now().toISOString();
  for (const { subscription_id: id, tenant, watch } of watchers) {
    const told = found
      .filter((finding) => isWatched(watch, finding))
      .map((finding) => ({ alert_id: alertIdOf(id, finding), finding }));
    if (told.length === 0) continue;
    await app.decide(subscriptions, { tenant, id }, subscriptions.trigger(told, at), { meta });
  }
  const { dataset, vintage, position: release_position } = release;
  const facts = {
    dataset,
    vintage,
    release_position,
    subscriptions: watchers.length,
    significant: found.length,
    evaluated_at: at,
  };
  await app.decide(evaluation, evaluation.targetOf(dataset), evaluation.evaluated(facts), { meta });
}

/** What to judge for the products watched: all chapters together (undefined), and each finer product; only what the dataset has whole. */
function judgeable(coverage: Coverage, products: ReadonlySet<string | null>): Set<string | undefined> {
  const wanted = [...products].map((hs) => hs ?? undefined);
  const asked = wanted.map((hs) => (coverage.products.national && hs?.length === 2 ? undefined : hs));
  return new Set(asked.filter((hs) => productsComplete(coverage, { hs })));
}

/** What is significant in the last months, of what is watched; the largest |z| first. Undefined when the vintage was swapped. */
async function findings(
  app: App,
  { dataset, vintage, synthetic }: Unseen,
  products: ReadonlySet<string | null>,
  signal: AbortSignal | undefined,
): Promise<Finding[] | undefined> {
  const lease = app.vintages.lease(dataset);
  try {
    if (lease.manifest.vintage !== vintage) return undefined;
    const reporters = lease.manifest.coverage.reporters.map(({ reporter }) => reporter);
    const found: Finding[] = [];
    for (const hs of judgeable(lease.manifest.coverage, products)) {
      const { anomalies } = await judge(lease, { hs, reporters, months: MONTHS }, signal);
      for (const anomaly of anomalies.filter(isSignificant)) {
        const { name: _, significant: __, ...row } = rowOf(anomaly, () => null);
        found.push({ ...row, dataset, vintage, synthetic });
      }
    }
    return found.toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z));
  } finally {
    lease.release();
  }
}
