/** Pays airdrops and follows the platform's accounts for as long as the service runs. */
import type { App } from "../../app.ts";
import { alone, inTurns, type ReactorLog } from "../../turn.ts";
import { followTransfers } from "./follow-transfers.ts";
import { payAirdrops } from "./pay-airdrops.ts";

/** Takes turns, one process of those that share the log at a time, until it is stopped. */
export function startWalletReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 1_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  const told = new Set<string>();
  let last: string | undefined;
  const take = async (signal: AbortSignal) => {
    await alone(app, "wallet", async () => {
      await payAirdrops(app, { log, told, signal });
      await followTransfers(app, log);
    });
    if (last !== undefined) log.info({}, "airdrops and transfers are followed on the chain again");
    last = undefined;
  };
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "airdrops and transfers cannot be followed; trying again");
    last = reason;
  });
}
