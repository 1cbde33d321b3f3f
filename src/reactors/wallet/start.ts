/** Pays airdrops and follows the platform's accounts for as long as the service runs. */
import type { App } from "../../app.ts";
import { TransactionPending } from "../../domain/ports.ts";
import { alone, inTurns, type ReactorLog } from "../../turn.ts";
import { followTransfers } from "./follow-transfers.ts";
import { payAirdrops } from "./pay-airdrops.ts";

/** How often it is looked what the chain took back, and which transfers have become final. */
const LOOK_MS = 60_000;

/** `look_at`: when the next such look is due, in milliseconds of Unix time; `told`: what was warned of. */
export type WalletMemory = { look_at?: number; told?: Set<string> };

export type WalletOptions = { log: ReactorLog; memory?: WalletMemory; signal?: AbortSignal };

/** One turn, unless another process takes one. Rejects with ChainUnavailable and TransactionPending. */
export const takeWalletTurn = (
  app: App,
  { log, memory = {}, signal }: WalletOptions,
): Promise<"done" | "taken"> =>
  alone(app, "wallet", async () => {
    const now = app.clock.now().getTime();
    const open_only = now < (memory.look_at ?? 0);
    if (!open_only) memory.look_at = now + LOOK_MS;
    memory.told ??= new Set();
    try {
      await payAirdrops(app, { log, told: memory.told, open_only, signal });
    } finally {
      // Neither waits for what ails the other.
      if (!open_only) await followTransfers(app, log, signal);
    }
    return "done" as const;
  });

/** Takes turns, one process of those that share the log at a time, until it is stopped. */
export function startWalletReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 1_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  const memory: WalletMemory = {};
  let last: string | undefined;
  const take = async (signal: AbortSignal) => {
    await takeWalletTurn(app, { log, memory, signal }).catch((error) => {
      if (!(error instanceof TransactionPending)) throw error;
    });
    if (last !== undefined) log.info({}, "airdrops and transfers are followed on the chain again");
    last = undefined;
  };
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "airdrops and transfers cannot be followed; trying again");
    last = reason;
  });
}
