/** Settlement that takes no payment on a chain which is not the log's. */
import type { App } from "../core/app.ts";
import { inTime } from "../core/coordination/concurrency.ts";
import { ChainUnavailable, TransactionPending } from "../core/model/ports/chain.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import { type Comparison, compareChain } from "./history.ts";

/** For so long what was found of the chain holds where nothing is sent or kept. */
const HOLDS_MS = 2_000;

/** How long the endpoint is waited for before a payment is told that nobody can say. */
const PATIENCE_MS = 5_000;

/**
 * Refuses with ChainUnavailable, which names the remedy, while the chain behind the RPC has another history than the log, or does
 * not reach what was final. The endpoint may be another one from one question to the next: so it is looked right before a payment is
 * sent, and again at what came of it, which is not known where the chain is another one by then.
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
      // Whatever keeps us from knowing that it is the log's chain, something was sent.
      await refuseForeign(compare.now()).catch((cause) => {
        throw new TransactionPending([receipt.transaction], { cause });
      });
      return receipt;
    },
  };
}

/** The chain compared with the log: one question at a time, for all who ask meanwhile. */
function comparisons(app: () => App, patience_ms: number) {
  const late = () => new ChainUnavailable(`the chain was not compared with the log in ${patience_ms} ms`);
  let last: { found: Promise<Comparison>; began_at: number } | undefined;
  let next: Promise<Comparison> | undefined;
  const begin = (): Promise<Comparison> => {
    const begun = { found: inTime(patience_ms, compareChain(app()), late), began_at: performance.now() };
    last = begun;
    // Anything but that it is the log's is asked again by the next payment.
    const forget = () => {
      if (last === begun) last = undefined;
    };
    begun.found.then(({ status }) => status !== "same" && forget(), forget);
    return begun.found;
  };
  /** By a question that begins after it was asked for. */
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
