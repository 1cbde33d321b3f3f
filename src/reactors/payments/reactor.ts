/** Reconciles payments with the chain, finds payments without a call, then pays open refunds and withdrawals. */
import { type ChainMemory, compareChain, noChainMemory } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { reactor } from "../../core/background/reactor.ts";
import { paymentsProjection } from "../../projections/payments/payments.ts";
import { arePaymentsOpen } from "../../projections/payments/watched.ts";
import { findPayments } from "./find.ts";
import type { OutgoingOptions } from "./outgoing.ts";
import { type ReconcileOptions, reconcile } from "./reconcile.ts";
import { payRefunds } from "./refund.ts";
import { payWithdrawals } from "./withdraw.ts";

type WarningMemory = NonNullable<OutgoingOptions["memory"]>;
type Memory = {
  chain: ChainMemory;
  refunds: WarningMemory;
  withdrawals: WarningMemory;
  is_compared: boolean;
  /** The state in which the last tick left open payments, and until when there is no need to look again. */
  compared: { state: string; until: number } | undefined;
};

/** Open payments are compared again after this time, although neither chain nor log has moved. */
const COMPARE_MS = 10_000;

/** The heads of chain and log. */
async function stateOf({ chain, tail }: App): Promise<string> {
  const { latest, finalized } = await chain.heads();
  return `${latest.hash} ${finalized.hash} ${tail.position}`;
}

export const paymentsReactor = (
  options: Pick<ReconcileOptions, "claim_holds_ms" | "answer_within_ms"> = {},
) =>
  reactor({
    name: "payments",
    every_ms: 2_000,
    memory: (): Memory => ({
      chain: noChainMemory(),
      refunds: {},
      withdrawals: {},
      is_compared: false,
      compared: undefined,
    }),
    take: async ({ app, log, memory, signal, lease }) => {
      // An idle tick makes no chain query, so the first one checks that it is the right chain.
      if (!memory.is_compared) {
        const compared = await compareChain(app);
        if (compared.status !== "same") return compared;
        memory.is_compared = true;
      }
      const { compared } = memory;
      const isRecent = compared && performance.now() < compared.until;
      if (isRecent && compared.state === (await stateOf(app))) return "done";
      memory.compared = undefined;
      const isCurrent = await app.caughtUp(paymentsProjection);
      const state = (await arePaymentsOpen(app.pool)) ? await stateOf(app) : undefined;
      const reconciled = await reconcile(app, { ...options, memory: memory.chain, signal });
      if (reconciled !== "done" || signal.aborted) return reconciled;
      await findPayments({ app, lease }, options.answer_within_ms);
      const refunded = await payRefunds(app, { log, memory: memory.refunds, signal });
      if (refunded !== "done" || signal.aborted) return refunded;
      const withdrawn = await payWithdrawals(app, { log, memory: memory.withdrawals, signal });
      if (withdrawn !== "idle" || !isCurrent) return withdrawn === "idle" ? "done" : withdrawn;
      if (state === undefined) return "idle";
      memory.compared = { state, until: performance.now() + COMPARE_MS };
      return "done";
    },
    failures: {
      away: "the chain is unavailable: payments are not reconciled meanwhile",
      behind: "payments are not reconciled: the chain lags behind its earlier head",
      foreign: "payments are not accepted: this is another chain than the log's",
      failed: "payments cannot be reconciled; trying again",
    },
    grave: ["foreign"],
    resumed: "payments are reconciled with the chain again",
  });
