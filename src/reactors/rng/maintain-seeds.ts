/** Publishes and commits the next chain of seeds when one runs short, and reveals used-up seeds. */
import type { App } from "../../core/app.ts";
import type { SeedUse } from "../../core/model/ports/seeds.ts";
import * as commitments from "../../domain/rng/commitment.ts";
import * as seeds from "../../domain/rng/seeds.ts";
import { rngProjection } from "../../projections/rng/rng.ts";
import { findSeed, requestedCommitments } from "../../projections/rng/seeds.ts";

const meta = { actor: "reactor:rng", operation: "rng.seeds" };

/** The next chain is published when the last one has this many seeds left. */
const LEAST_LEFT = 10;

/** A step that a state may require; returns whether it ran. */
type Step = (app: App, space: seeds.Space, state: seeds.SeedState) => Promise<boolean>;

/** Checks the seeds of a space once and runs each step that is required. */
export async function maintainSeeds(app: App, space: seeds.Space): Promise<void> {
  let state = await load(app, space);
  for (const step of [publishNext, recordCommitted, activateFirst, revealIfUsed])
    if (await step(app, space, state)) state = await load(app, space);
}

/** The time at which the next active seed retires; "soon" while a commitment is open or a seed is closed. */
export async function nextSeedStep(app: App): Promise<string | undefined | "soon"> {
  if (!(await app.caughtUp(rngProjection)) || (await requestedCommitments(app.pool, 1)).length > 0)
    return "soon";
  const active = await Promise.all(seeds.spaces.map(async (space) => (await load(app, space)).active));
  const uses = await Promise.all(active.map((one) => one && app.seed_uses.find(one.seed_hash)));
  if (uses.some((use) => use && use.closed_s !== null)) return "soon";
  return active.flatMap((one) => (one ? [one.retires_at] : [])).toSorted()[0];
}

const decider = (app: App, space: seeds.Space) => (decision: (state: seeds.SeedState) => seeds.SeedEvent[]) =>
  app.decide(seeds, seeds.targetOf(space), decision, { meta });

const load = (app: App, space: seeds.Space) => app.load(seeds, seeds.targetOf(space));

const publishNext: Step = async (app, space, { chains, active, published }) => {
  const [current] = chains;
  const used = active && active.chain === current?.chain ? active.index + 1 : 0;
  if (chains.length > 1 || (current && current.length - used > LEAST_LEFT)) return false;
  const head_hash = app.seeds.head(space, published + 1);
  const published_at = app.clock.now().toISOString();
  await decider(app, space)(seeds.publish({ space, head_hash, length: app.seeds.length, published_at }));
  await app.decide(
    commitments,
    commitments.targetOf(head_hash),
    commitments.request(head_hash, published_at),
    {
      meta,
    },
  );
  return true;
};

const recordCommitted: Step = async (app, space, { chains }) => {
  let isChanged = false;
  for (const { chain, head_hash, committed } of chains) {
    if (committed) continue;
    const target = commitments.targetOf(head_hash);
    const state = await app.load(commitments, target);
    // The process that published it may have died before it requested the commitment.
    if (!state)
      await app.decide(commitments, target, commitments.request(head_hash, app.clock.now().toISOString()), {
        meta,
      });
    if (state?.status !== "committed") continue;
    const { seed_hash: _hash, transaction: _transaction, ...block } = state.commitment;
    const facts = { space, chain, head_hash, ...block };
    await decider(app, space)(seeds.commit(facts, app.clock.now().toISOString()));
    isChanged = true;
  }
  return isChanged;
};

const activateFirst: Step = async (app, space, state) => {
  if (seeds.activateFirst(useFrom(app))(state).length === 0) return false;
  await decider(app, space)(seeds.activateFirst(useFrom(app)));
  return true;
};

/** An unrecorded draw is no longer awaited after this time: its process died, or its payment is slow. */
const UNRECORDED_S = 2;

/**
 * Reveals the active seed once its rolls or its time are used up. Any process may do so at any time: unrecorded draws
 * are repeated from the next seed. Only the announced limits count, so that a clock set back reveals neither early
 * nor late.
 */
export const revealUsed = async (app: App, space: seeds.Space): Promise<boolean> =>
  revealIfUsed(app, space, await load(app, space));

async function revealIfUsed(app: App, space: seeds.Space, { active }: seeds.SeedState): Promise<boolean> {
  if (!active) return false;
  await app.caughtUp(rngProjection);
  const rolls = (await findSeed(app.pool, active.seed_hash))?.rolls ?? 0;
  const now = app.clock.now().toISOString();
  const isUsedUp = rolls >= active.max_rolls || isSpent(await app.seed_uses.find(active.seed_hash), rolls);
  // Audit draws are not counted, so time reveals a seed whether or not anybody rolled.
  const reason = isUsedUp ? "rolls" : now >= active.retires_at ? "time" : undefined;
  if (!reason) return false;
  const { chain, index } = active;
  const seed = Buffer.from(app.seeds.seed(space, chain, index)).toString("hex");
  await decider(app, space)(seeds.rotate({ chain, index, seed, reason, revealed_at: now }, useFrom(app)));
  return true;
}

/** No more draws are reserved, and all earlier ones are recorded or given up. */
const isSpent = (use: SeedUse | undefined, rolls: number) =>
  use !== undefined && use.closed_s !== null && (rolls >= use.taken || use.closed_s > UNRECORDED_S);

function useFrom({ clock, settings }: App): seeds.Use {
  const now = clock.now();
  const retires_at = new Date(now.getTime() + settings.seeds.seconds * 1_000).toISOString();
  return { activated_at: now.toISOString(), max_rolls: settings.seeds.max_rolls, retires_at };
}
