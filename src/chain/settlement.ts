/** Accepts no payment on a chain that is not the log's. */
import type { App } from "../core/app.ts";
import { inTime } from "../core/coordination/concurrency.ts";
import { ChainUnavailable, TransactionPending } from "../core/model/ports/chain.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import { type Comparison, compareChain } from "./history.ts";

/** How long a comparison is reused where nothing is sent or stored. */
const HOLDS_MS = 2_000;

/** How long to wait for the endpoint before a payment's state is reported as unknown. */
const PATIENCE_MS = 5_000;

/**
 * Refuses with ChainUnavailable, which names the remedy, while the RPC endpoint has another history than the log or
 * lacks a final block. The endpoint may change between requests. So the chain is compared right before a payment is
 * sent, and again after it; on another chain the result is unknown.
 */
export function settlementOnLogsChain(
  app: () => App,
  { facts, ended, settle }: Settlement,
  patience_ms = PATIENCE_MS,
): Settlement {
  const compare = comparisons(app, patience_ms);
  const refuseForeign = async (comparison: Promise<Comparison>) => {
    const compared = await comparison;
    if (compared.status !== "same") throw new ChainUnavailable(compared.reason);
  };
  return {
    facts: async (payment, errand) => {
      const [found] = await Promise.all([facts(payment, errand), refuseForeign(compare.lately())]);
      return found;
    },
    ended: async (payment) => {
      const end = await ended(payment);
      if (end) await refuseForeign(compare.now());
      return end;
    },
    settle: async (payment, seen_block, errand) => {
      await refuseForeign(compare.now());
      const receipt = await settle(payment, seen_block, errand);
      // If the comparison fails for any reason, a transaction may have been sent.
      await refuseForeign(compare.now()).catch((cause) => {
        throw new TransactionPending([receipt.transaction], { cause });
      });
      return receipt;
    },
  };
}

/** Compares the chain with the log; concurrent callers share one request. */
function comparisons(app: () => App, patience_ms: number) {
  const late = () => new ChainUnavailable(`the chain was not compared with the log in ${patience_ms} ms`);
  let last: { found: Promise<Comparison>; began_at: number } | undefined;
  let next: Promise<Comparison> | undefined;
  const begin = (): Promise<Comparison> => {
    const begun = { found: inTime(patience_ms, compareChain(app()), late), began_at: performance.now() };
    last = begun;
    // Any result except a match is compared again for the next payment.
    const forget = () => {
      if (last === begun) last = undefined;
    };
    begun.found.then(({ status }) => status !== "same" && forget(), forget);
    return begun.found;
  };
  /** Uses a comparison that begins after this call. */
  const now = (): Promise<Comparison> => {
    next ??= settled(last?.found).then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
  return {
    now,
    lately: () => (last && performance.now() - last.began_at < HOLDS_MS ? last.found : now()),
  };
}

const settled = (answer: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(answer).catch(() => undefined);
