/** Runs the reactors of payments for as long as the service does. */
import type { App } from "../../app.ts";
import { compareChain } from "./compare.ts";
import { type ChainMemory, type ReconcileOptions, reconcile } from "./reconcile.ts";
import { payRefunds } from "./refund.ts";
import type { ReactorLog, Turn } from "./turn.ts";

export type PaymentReactorOptions = Pick<ReconcileOptions, "claim_holds_ms" | "answer_within_ms"> & {
  /** The pause between two turns. */
  every_ms?: number;
};

/** Reconciles and refunds in turns, one process of those that share the log at a time, until it is stopped. */
export function startPaymentReactors(
  app: App,
  log: ReactorLog,
  { every_ms = 2_000, ...options }: PaymentReactorOptions = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const memory: ChainMemory = { standing: new Set() };
  const told = {};
  let last = "done";

  /** Troubles are told when they begin and when they end, not every two seconds. */
  const tell = async (turn: Turn) => {
    if (turn === last || turn === "taken") return;
    last = turn;
    if (turn === "done") return log.info({}, "payments are reconciled with the chain again");
    if (turn === "away") return log.warn({}, "the chain is away: payments are not reconciled meanwhile");
    const compared = await compareChain(app);
    const message =
      compared.status === "same" ? "the chain lags behind what it showed before" : compared.message;
    if (turn === "foreign") log.error({}, `payments are not reconciled: ${message}`);
    else log.warn({}, `payments are not reconciled: ${message}`);
  };

  const run = async () => {
    while (!signal.aborted) {
      try {
        const turn = await reconcile(app, { ...options, memory, signal });
        await tell(turn === "done" && !signal.aborted ? await payRefunds(app, { log, told, signal }) : turn);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== last) log.warn({ reason }, "payments cannot be reconciled; trying again");
        last = reason;
      }
      await pause(every_ms, signal);
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
