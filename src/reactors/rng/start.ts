/** Keeps the seeds of random numbers for as long as the service runs. */
import type { App } from "../../app.ts";
import { TransactionPending } from "../../domain/ports.ts";
import { spaces } from "../../domain/rng/seeds.ts";
import { alone, inTurns, type ReactorLog } from "../../turn.ts";
import { commitAsked, takeBackReorged } from "./commit-seeds.ts";
import { keepSeeds } from "./keep-seeds.ts";

/** How often it is looked whether the chain took commitments back. */
const LOOK_BACK_MS = 60_000;

/** `look_back_at`: when commitments are looked at again, in milliseconds of Unix time. */
export type SeedMemory = { look_back_at?: number };

/** One turn, unless another process takes one. Seeds are used and revealed also while the chain is away. */
export async function takeSeedTurn(
  app: App,
  { memory = {}, signal }: { memory?: SeedMemory; signal?: AbortSignal } = {},
): Promise<void> {
  await alone(app, "seeds", async () => {
    for (const space of spaces) await keepSeeds(app, space);
    const now = app.clock.now().getTime();
    if (now >= (memory.look_back_at ?? 0)) {
      await takeBackReorged(app);
      memory.look_back_at = now + LOOK_BACK_MS;
    }
    await commitAsked(app, signal);
    for (const space of spaces) await keepSeeds(app, space);
  });
}

/** Takes turns, one process of those that share the log at a time, until it is stopped. */
export function startSeedReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 1_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  let last: string | undefined;
  const memory: SeedMemory = {};
  const take = async (signal: AbortSignal) => {
    await takeSeedTurn(app, { memory, signal }).catch((error) => {
      if (!(error instanceof TransactionPending)) throw error;
    });
    if (last !== undefined) log.info({}, "seeds are committed to the chain again");
    last = undefined;
  };
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "seeds cannot be committed to the chain; trying again");
    last = reason;
  });
}
