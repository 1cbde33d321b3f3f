/** Runs the reactors of alerts for as long as the service does. */
import type { App } from "../../app.ts";
import { alone, inTurns, type ReactorLog } from "../../turn.ts";
import { deliverDue } from "./deliver.ts";
import { evaluateReleases } from "./evaluate.ts";

/** One turn, unless another process takes one: releases first, then what is due, whether or not releases could be looked through. */
export async function takeAlertTurn(app: App, signal?: AbortSignal): Promise<void> {
  await alone(app, "alerts", async () => {
    const [evaluated] = await Promise.allSettled([evaluateReleases(app, signal)]);
    await deliverDue(app, signal);
    if (evaluated.status === "rejected") throw evaluated.reason;
  });
}

/** Takes turns, one process of those that share the log at a time, until it is stopped; posts under way are seen through. */
export function startAlertReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 1_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  let last: string | undefined;
  const take = async (signal: AbortSignal) => {
    await takeAlertTurn(app, signal);
    if (last !== undefined) log.info({}, "alerts are delivered again");
    last = undefined;
  };
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "alerts cannot be delivered; trying again");
    last = reason;
  });
}
