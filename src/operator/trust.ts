/** The operator's public initial trust of agents. */
import { type App, operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import * as trust from "../domain/trust/trust.ts";
import { liveSeeds, type SeedRow } from "../projections/trust/seeds.ts";
import { trustProjection } from "../projections/trust/trust.ts";
import { agentNamed } from "./agents.ts";

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/** Sets an agent's micro-points, replacing earlier ones. Returns its number. */
export async function seedTrust(
  app: App,
  name: string,
  { points_micro, reason }: { points_micro: number; reason: string },
): Promise<number> {
  const { sx_number } = await agentNamed(app, name);
  await giveSeed(app, { sx_number, points_micro, reason });
  return sx_number;
}

/** Removes an agent's initial points; refuses if it has none. Returns its number. */
export async function unseedTrust(app: App, name: string, reason: string): Promise<number> {
  const { sx_number } = await agentNamed(app, name);
  const seeds = await listSeeds(app);
  if (!seeds.some((seed) => seed.sx_number === sx_number))
    refuse("not_found", `SX#${sx_number} has no seed; trust list shows those that there are`);
  await giveSeed(app, { sx_number, points_micro: 0, reason });
  return sx_number;
}

/** The current seeds, ascending by number. */
export async function listSeeds(app: App): Promise<SeedRow[]> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(trustProjection, position, FOLDED_MS)))
    refuse("unavailable", "the read model of trust lags behind the log; try again in a few seconds");
  return liveSeeds(app.pool);
}

async function giveSeed(app: App, seed: Omit<trust.Seed, "seeded_at">): Promise<void> {
  const seeded_at = app.clock.now().toISOString();
  const meta = operatorMeta("trust.seed");
  await app.decide(trust, trust.target, trust.seed({ ...seed, seeded_at }), { meta });
}
