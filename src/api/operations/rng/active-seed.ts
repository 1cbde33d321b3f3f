/** Finds the seed from which a call draws: the active one, if enough of its announced draws are left. */
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../../core/app.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { rngProblems } from "../../../domain/rng/problems.ts";
import type { SeedAtHand } from "../../../domain/rng/roll.ts";
import * as seeds from "../../../domain/rng/seeds.ts";
import { rngProjection } from "../../../projections/rng/rng.ts";
import { findSeed } from "../../../projections/rng/seeds.ts";
import { revealUsed } from "../../../reactors/rng/maintain-seeds.ts";
import type { Context } from "../../declare/index.ts";
import { spaceOf } from "./fields.ts";

/** How long a call waits for the next seed, or for the count of this seed's draws. */
const PATIENCE_MS = 5_000;
/** The pause between two queries. */
const LOOK_MS = 50;

export type Drawing = Pick<Context<never>, "app" | "caller" | "unit">;

/**
 * Reserves draws of the active seed in the caller's space. A used-up seed is replaced meanwhile; refuses with
 * `unavailable` (seed-missing) if that takes too long. The decision commits only if the seed is still active.
 */
export async function seedAtHand(
  drawing: Drawing,
  count: number,
): Promise<SeedAtHand & { block: seeds.CommitBlock | undefined }> {
  const { app, caller, unit } = drawing;
  const space = spaceOf(caller);
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const state = await unit.watch(seeds, seeds.targetOf(space));
    const { active } = state;
    if (active && (await isTaken(drawing, active, count)))
      return {
        seed: active,
        secret: app.seeds.seed(space, active.chain, active.index),
        block: state.chains.find(({ chain }) => chain === active.chain)?.committed,
      };
    if (performance.now() > deadline) {
      seeds.activeSeed(state);
      refuse(rngProblems["seed-missing"], "the active seed is used up; retry for the next one", {
        retry_after_s: 1,
      });
    }
    await lookFor(app, space);
  }
}

/** Reserves `count` draws of the seed for the command; false if fewer are left. */
async function isTaken({ app, unit }: Drawing, seed: seeds.ActiveSeed, count: number): Promise<boolean> {
  const { seed_hash, max_rolls: most } = seed;
  if (count > most) {
    const message = `has at most ${most}: one seed gives no more`;
    refuseField("rolls", message);
  }
  return unit.reserve(`seed ${seed_hash}`, {
    take: () => app.seed_uses.take(seed_hash, { count, most, before: () => usesOf(app, seed_hash) }),
    release: () => app.seed_uses.release(seed_hash, count),
  });
}

/** The number of draws from a seed that the log records. */
async function usesOf(app: App, seed_hash: string): Promise<number> {
  for (const deadline = performance.now() + PATIENCE_MS; !(await app.caughtUp(rngProjection)); )
    if (performance.now() > deadline)
      refuse(rngProblems["seed-missing"], "rolls of the active seed are still being counted", {
        retry_after_s: 1,
      });
  return (await findSeed(app.pool, seed_hash))?.rolls ?? 0;
}

/** Waits for a space's next seed. All waiting calls of this process share one query. */
async function lookFor(app: App, space: seeds.Space): Promise<void> {
  const under_way = app.once("rng: seeds looked for", () => new Map<seeds.Space, Promise<void>>());
  const look = under_way.get(space) ?? revealOrWait(app, space).finally(() => under_way.delete(space));
  under_way.set(space, look);
  await look;
}

/** Reveals the seed once none of its draws is pending. The cached state then has the next seed. */
async function revealOrWait(app: App, space: seeds.Space): Promise<void> {
  await revealUsed(app, space);
  const { active } = await app.load(seeds, seeds.targetOf(space));
  const use = active && (await app.seed_uses.find(active.seed_hash));
  if (!active || use?.closed_s != null) await sleep(LOOK_MS, undefined, { ref: false });
}
