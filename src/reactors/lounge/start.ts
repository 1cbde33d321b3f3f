/** Follows deposits to the lounge for as long as the service runs. */
import type { App } from "../../app.ts";
import { inTurns, type ReactorLog, type Turn } from "../../turn.ts";
import { type DepositMemory, followDeposits } from "./follow-deposits.ts";

const TOLD: Partial<Record<Turn, string>> = {
  away: "the chain is away: deposits to the lounge are not seen meanwhile",
  behind: "the chain lags behind what it showed before: deposits to the lounge are not seen meanwhile",
  foreign: "the RPC serves another history than the one deposits were credited from: none is credited",
};

/** Takes turns, one process of those that share the log at a time, until it is stopped. */
export function startLoungeReactors(
  app: App,
  log: ReactorLog,
  // Each turn asks a node five questions, and a real one is paid for by the question.
  { every_ms = app.embedded_chain ? 1_000 : 10_000 }: { every_ms?: number } = {},
): { stop(): Promise<void> } {
  const memory: DepositMemory = {};
  let last: string | undefined;
  const tell = (told: string | undefined) => {
    if (told === last) return;
    last = told;
    if (told === undefined) log.info({}, "deposits to the lounge are followed again");
    else log.warn({}, told);
  };
  const take = async () => {
    const turn = await followDeposits(app, memory);
    if (turn !== "taken") tell(TOLD[turn]);
  };
  return inTurns(every_ms, take, (reason) => tell(`deposits to the lounge cannot be followed: ${reason}`));
}
