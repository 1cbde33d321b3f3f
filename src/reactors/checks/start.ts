/** Follows checks on the chain for as long as the service runs. */
import type { App } from "../../app.ts";
import { inTurns, type ReactorLog, type Turn } from "../../turn.ts";
import { type FollowMemory, followChecks } from "./follow.ts";

const TROUBLES: Record<Exclude<Turn, "done" | "taken">, string> = {
  away: "the chain is away: checks are not followed meanwhile",
  behind: "checks are not followed: the chain lags behind what it showed before",
  foreign: "checks are not followed: this is another chain than the one they were made for",
};

/** Takes turns, one process of those that share the log at a time, until it is stopped. */
export function startCheckReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 2_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  const memory: FollowMemory = {};
  let last = "done";
  const take = async () => {
    const turn = await followChecks(app, memory);
    if (turn === "taken" || turn === last) return;
    last = turn;
    if (turn === "done") log.info({}, "checks are followed on the chain again");
    else log.warn({}, TROUBLES[turn]);
  };
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "checks cannot be followed; trying again");
    last = reason;
  });
}
