/** No more ether for gas in a UTC day than is allowed. */
import { parseEther } from "viem/utils";
import type { Hex } from "../domain/chain.ts";
import { type Chain, type Clock, GasBudgetSpent, type Settlement } from "../domain/ports.ts";

export type GasBudgetOptions = {
  /** Ether a day, as a decimal. */
  budget_eth: string;
  clock: Clock;
  /**
   * The wei of all transactions that were recorded for a day (YYYY-MM-DD), by whatever process, each counted once and
   * without those in `except`, which this process knows of itself. When it rejects, its last answer stands.
   */
  recorded(day: string, except: readonly Hex[]): Promise<bigint>;
};

export type GasBudget = {
  /** The same chain; what its sender pays is counted, whatever a transaction came to. */
  counted(chain: Chain): Chain;
  /**
   * The same settlement; once the day's budget is spent, it rejects with GasBudgetSpent before anything is sent. What is
   * under way by then is finished, so a day may cost as much more as that.
   */
  guarded(settlement: Settlement): Settlement;
};

const REFRESH_MS = 10_000;
const DAY_MS = 86_400_000;

/** `own`: what this process sent; there is one transaction under way at a time, so a day has some ten thousands at most. */
type Books = { day: string; own: Set<Hex>; own_wei: bigint; recorded: bigint; refreshed_at: number };

export function gasBudget({ budget_eth, clock, recorded }: GasBudgetOptions): GasBudget {
  const budget = parseEther(budget_eth);
  let books = booksOf("");
  let refreshing: Promise<void> | undefined;

  /** The books of the day; with a new one they begin anew. */
  function today(now: number): Books {
    const day = new Date(now).toISOString().slice(0, 10);
    if (books.day !== day) books = booksOf(day);
    return books;
  }

  async function refresh(current: Books, now: number): Promise<void> {
    current.refreshed_at = now;
    const sum = await recorded(current.day, [...current.own]).catch(() => undefined);
    if (sum !== undefined) current.recorded = sum;
  }

  async function refuseIfSpent(): Promise<void> {
    const now = clock.now().getTime();
    const current = today(now);
    if (now - current.refreshed_at >= REFRESH_MS) {
      refreshing ??= refresh(current, now).finally(() => {
        refreshing = undefined;
      });
    }
    await refreshing;
    if (current.own_wei + current.recorded >= budget)
      throw new GasBudgetSpent(new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS));
  }

  return {
    counted: (chain) => ({
      ...chain,
      send: async (call, options) => {
        const receipt = await chain.send(call, options);
        const current = today(clock.now().getTime());
        if (!current.own.has(receipt.transaction)) current.own_wei += receipt.fee_wei;
        current.own.add(receipt.transaction);
        return receipt;
      },
    }),
    guarded: ({ facts, ended, settle }) => ({
      ended,
      facts: async (payment) => {
        await refuseIfSpent();
        return facts(payment);
      },
      settle: async (payment, seen_block) => {
        await refuseIfSpent();
        return settle(payment, seen_block);
      },
    }),
  };
}

const booksOf = (day: string): Books => ({ day, own: new Set(), own_wei: 0n, recorded: 0n, refreshed_at: 0 });
