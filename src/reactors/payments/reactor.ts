/** Reconciles payments with the chain, finds payments without a call, then pays open refunds and withdrawals. */
import { type ChainMemory, compareChain, noChainMemory } from "../../chain/history.ts";
import { reactor } from "../../core/background/reactor.ts";
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
};

export const paymentsReactor = (
  options: Pick<ReconcileOptions, "claim_holds_ms" | "answer_within_ms"> = {},
) =>
  reactor({
    name: "payments",
    every_ms: 2_000,
    memory: (): Memory => ({ chain: noChainMemory(), refunds: {}, withdrawals: {}, is_compared: false }),
    take: async ({ app, log, memory, signal, lease }) => {
      // An idle tick makes no chain query, so the first one checks that it is the right chain.
      if (!memory.is_compared) {
        const compared = await compareChain(app);
        if (compared.status !== "same") return compared;
        memory.is_compared = true;
      }
      const reconciled = await reconcile(app, { ...options, memory: memory.chain, signal });
      if (reconciled !== "done" || signal.aborted) return reconciled;
      await findPayments({ app, lease }, options.answer_within_ms);
      const refunded = await payRefunds(app, { log, memory: memory.refunds, signal });
      if (refunded !== "done" || signal.aborted) return refunded;
      return payWithdrawals(app, { log, memory: memory.withdrawals, signal });
    },
    troubles: {
      away: "the chain is down: payments are not reconciled meanwhile",
      behind: "payments are not reconciled: the chain lags behind its earlier heads",
      foreign: "no payments are taken: this is another chain than the log's",
      failed: "payments cannot be reconciled; trying again",
    },
    grave: ["foreign"],
    resumed: "payments are reconciled with the chain again",
  });
