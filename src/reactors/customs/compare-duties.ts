/** Compares each release of the import duties with the one that it replaced, and records the codes that changed. */
import type { App } from "../../core/app.ts";
import { reactor } from "../../core/background/reactor.ts";
import * as duties from "../../domain/customs/duty-changes.ts";
import * as comparison from "../../domain/customs/duty-comparison.ts";
import {
  changesOf,
  type DutyRelease,
  dutyDatasets,
  dutyReleasesAfter,
} from "../../projections/customs/duty-changes.ts";
import { referenceProjection } from "../../projections/reference/releases.ts";

/** Codes in one commit. */
const A_COMMIT = 100;

const meta = { actor: "reactor:customs", operation: "customs.compare" };

export const dutiesReactor = reactor({
  name: "duty-comparisons",
  every_ms: 1_000,
  memory: () => ({}),
  async take({ app, signal }) {
    const isCurrent = await app.caughtUp(referenceProjection);
    for (const dataset of dutyDatasets) {
      const compared = await app.load(comparison, comparison.targetOf(dataset));
      const after = compared?.release_position ?? 0;
      for (const release of await dutyReleasesAfter(app, dataset, after))
        if (!signal.aborted) await compare(app, release);
    }
    return isCurrent ? "idle" : "done";
  },
  failures: { failed: "releases of duties cannot be compared; trying again" },
  resumed: "releases of duties are compared again",
});

/** A crash in between repeats it: a code's change is recorded once for each release. */
async function compare(app: App, release: DutyRelease): Promise<void> {
  const changes = await changesOf(app, release);
  const { dataset, vintage, replaces, position: release_position } = release;
  const facts = { dataset, vintage, replaces, release_position, synthetic: dataset.startsWith("sandbox-") };
  for (let at = 0; at < (changes?.length ?? 0); at += A_COMMIT)
    await app.commit(
      async ({ decide }) => {
        for (const change of changes!.slice(at, at + A_COMMIT))
          await decide(
            duties,
            duties.targetOf({ dataset, ...change }),
            duties.change({ ...facts, ...change }),
          );
      },
      { meta },
    );
  const compared_at = app.clock.now().toISOString();
  const codes = changes?.length ?? null;
  const decision = comparison.compared({ dataset, vintage, release_position, codes, compared_at });
  await app.decide(comparison, comparison.targetOf(dataset), decision, { meta });
}
