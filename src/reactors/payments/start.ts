/** Runs the reactors of payments for as long as the service does. */
import type { App } from "../../app.ts";
import { ChainUnavailable } from "../../domain/ports.ts";
import { inTurns, type ReactorLog, type Turn } from "../../turn.ts";
import { compareChain } from "./compare.ts";
import { type ChainMemory, type ReconcileOptions, reconcile } from "./reconcile.ts";
import { payRefunds } from "./refund.ts";

export type PaymentReactorOptions = Pick<ReconcileOptions, "claim_holds_ms" | "answer_within_ms"> & {
  /** The pause between two turns. */
  every_ms?: number;
  /** Told what is wrong with a chain that is not the one the log settled on; undefined once it is right again. */
  onForeign?: (message: string | undefined) => void;
};

/** Reconciles and refunds in turns, one process of those that share the log at a time, until it is stopped. */
export function startPaymentReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 2_000, onForeign = () => {}, ...options }: PaymentReactorOptions = {},
): { stop(): Promise<void> } {
  const memory: ChainMemory = { standing: new Set() };
  const told = {};
  let last = "done";
  let isForeign = false;

  /** Troubles are told when they begin and when they end, not every two seconds. */
  const tell = async (turn: Turn) => {
    if (turn === last || turn === "taken") return;
    // A turn that failed in between has left `last` behind.
    if (isForeign && turn !== "foreign") onForeign(undefined);
    isForeign = turn === "foreign";
    last = turn;
    if (turn === "done") return log.info({}, "payments are reconciled with the chain again");
    if (turn === "away") return log.warn({}, "the chain is away: payments are not reconciled meanwhile");
    const compared = await compareChain(app);
    const message =
      compared.status === "same" ? "the chain lags behind what it showed before" : compared.message;
    if (turn === "foreign") {
      log.error({}, `no payments are taken: ${message}`);
      onForeign(message);
    } else log.warn({}, `payments are not reconciled: ${message}`);
  };

  // A turn with nothing to look for asks the chain nothing, so the first one looks whether it is the right chain.
  let isCompared = false;
  const takeTurn = async (signal: AbortSignal): Promise<Turn> => {
    if (!isCompared) {
      const { status } = await compareChain(app);
      if (status !== "same") return status;
      isCompared = true;
    }
    const turn = await reconcile(app, { ...options, memory, signal });
    return turn === "done" && !signal.aborted ? payRefunds(app, { log, told, signal }) : turn;
  };

  const take = async (signal: AbortSignal) => tell(await takeTurn(signal).catch(awayOrThrow));
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "payments cannot be reconciled; trying again");
    last = reason;
  });
}

function awayOrThrow(error: unknown): Turn {
  if (error instanceof ChainUnavailable) return "away";
  throw error;
}
