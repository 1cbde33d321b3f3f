/** No more ether for gas in a UTC day than is allowed, and a record of what each transaction has cost. */
import { parseEther } from "viem/utils";
import type { Hex, Purpose } from "../core/model/chain.ts";
import {
  type Chain,
  ChainUnavailable,
  GasBudgetSpent,
  TransactionPending,
} from "../core/model/ports/chain.ts";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import type { GasRecord, Sent } from "./gas-record.ts";
import { answeredWithin } from "./json-rpc.ts";

export type GasBudgetOptions = {
  /** Ether a day, as a decimal; undefined where gas is play money, which is recorded all the same. */
  budget_eth: string | undefined;
  /** Purposes with a budget of their own, apart from that of all others: beyond it nothing more is sent for them. */
  purposes_eth?: Partial<Record<Purpose, string>>;
  clock: Clock;
  /** What was sent by all processes. When it rejects, its last answer stands. */
  record: GasRecord;
  /** How long a call waits for receipts of what was sent before: what they cost counts once they are known. */
  patience_ms?: number;
};

export type GasBudget = {
  /** What transactions have cost since midnight UTC, by all processes, as far as it is recorded, without those that have a budget of their own. */
  spent_today(): Promise<bigint>;
  /** What they may cost in a day; undefined where gas is play money. */
  budget_wei: bigint | undefined;
  /** The purposes that have a budget of their own: what was spent of it today, and what there is. */
  purposes_today(): Promise<{ purpose: Purpose; spent_wei: bigint; budget_wei: bigint }[]>;
  /**
   * The same chain; what its sender pays is recorded before an answer is given, whatever a transaction came to. Rejects with
   * GasBudgetSpent, before anything is sent, where the budget of the purpose is spent, which anchors and the like do not ask. What is
   * under way by then is finished, so a day may cost as much more as that.
   */
  counted(chain: Chain): Chain;
  /** The same settlement; it rejects with GasBudgetSpent before a payment is claimed whose budget is spent. */
  guarded(settlement: Settlement): Settlement;
};

const REFRESH_MS = 10_000;

/** Payments that are carried for buyers wait where the budget of all is spent; what else the key sends is bounded by its own schedule. */
const WAITING: ReadonlySet<Purpose> = new Set(["settlement", "refund"]);

/** The words for a budget of its own. */
const CALLED: Partial<Record<Purpose, string>> = {
  "contract settlement": "contract wallets",
  carrying: "carrying without a call",
  "unasked refund": "refunds that nobody asked for",
  withdrawal: "withdrawals",
  attestation: "attestations",
};

/** The UTC day of a Unix time in milliseconds. */
const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

/**
 * `own`: what this process sent; there is one transaction under way at a time, so a day has some ten thousands at most.
 * `unwritten`: what of it the record does not have yet.
 */
type Books = {
  day: string;
  own: Set<Hex>;
  own_wei: bigint;
  unwritten: Map<Hex, Sent>;
  recorded: bigint;
  refreshed_at: number;
};

export function gasBudget({
  budget_eth,
  purposes_eth = {},
  clock,
  record,
  patience_ms = 5_000,
}: GasBudgetOptions): GasBudget {
  const budget = budget_eth === undefined ? undefined : parseEther(budget_eth);
  let books = booksOf("");
  let refreshing: Promise<void> | undefined;
  let writing = Promise.resolve();
  let receiptOf: Chain["receipt"] = async () => undefined;
  const apart = Object.keys(purposes_eth) as Purpose[];
  /** What calls of this process that are under way may cost, by purpose. */
  const reserved = new Map<Purpose, bigint>();

  /** The books of the day; with a new one they begin anew. */
  function today(now: number): Books {
    const day = dayOf(now);
    if (books.day !== day) books = booksOf(day);
    return books;
  }

  /** Writes down what is not written yet. Where the database is away it counts in this process, and is written with the next. */
  function write(current: Books): Promise<void> {
    writing = writing.then(async () => {
      const sent = [...current.unwritten.values()];
      if (sent.length === 0) return;
      current.unwritten.clear();
      await record.add(sent).catch(() => {
        for (const one of sent)
          if (!current.unwritten.has(one.transaction)) current.unwritten.set(one.transaction, one);
      });
    });
    return writing;
  }

  function note(current: Books, transaction: Hex, purpose: Purpose, fee_wei: bigint | undefined): void {
    if (current.own.has(transaction)) return;
    if (fee_wei !== undefined) {
      current.own.add(transaction);
      if (!apart.includes(purpose)) current.own_wei += fee_wei;
    }
    current.unwritten.set(transaction, { transaction, day: current.day, purpose, fee_wei });
  }

  /** Looks for receipts of what was not mined when its sender stopped waiting, in whatever process. */
  async function settleOpen(current: Books): Promise<void> {
    for (const { transaction, purpose } of await record.open(current.day)) {
      const receipt = await receiptOf(transaction);
      if (receipt) note(current, transaction, purpose, receipt.fee_wei);
    }
    await write(current);
  }

  async function refresh(current: Books, now: number): Promise<void> {
    current.refreshed_at = now;
    await settleOpen(current).catch(() => undefined);
    const sum = await record.spent(current.day, [...current.own], { without: apart }).catch(() => undefined);
    if (sum !== undefined) current.recorded = sum;
  }

  async function refuseIfSpent(): Promise<void> {
    const now = clock.now().getTime();
    const current = today(now);
    // A day that was set back is asked for at once.
    if (now < current.refreshed_at || now - current.refreshed_at >= REFRESH_MS) {
      refreshing ??= refresh(current, now).finally(() => {
        refreshing = undefined;
      });
    }
    if (refreshing)
      await answeredWithin(patience_ms, refreshing).catch((error) => {
        if (!(error instanceof ChainUnavailable)) throw error;
      });
    if (budget !== undefined && current.own_wei + current.recorded >= budget)
      throw new GasBudgetSpent(nextDay(now));
  }

  /**
   * Refuses where a purpose has spent its own budget, else sets `wei` aside for a call of it. What is under way in this process counts by what it may
   * cost, so that many calls at once do not pass together.
   */
  async function takeOfPurpose(purpose: Purpose, most: string, wei: bigint): Promise<void> {
    const now = clock.now().getTime();
    const current = today(now);
    await answeredWithin(patience_ms, settleOpen(current)).catch((error) => {
      if (!(error instanceof ChainUnavailable)) throw error;
    });
    const spent = await record.spent(current.day, [], { only: purpose });
    const set_aside = reserved.get(purpose) ?? 0n;
    if (spent + set_aside >= parseEther(most))
      throw new GasBudgetSpent(nextDay(now), CALLED[purpose] ?? purpose);
    reserved.set(purpose, set_aside + wei);
  }

  /** Refuses a call whose budget is spent; answers how that is given back which was set aside for it. */
  async function reserve(chain: Chain, purpose: Purpose, gas: bigint): Promise<() => void> {
    const most = purposes_eth[purpose];
    if (most === undefined) {
      if (WAITING.has(purpose)) await refuseIfSpent();
      return () => {};
    }
    const wei = gas * (await chain.gasPrice());
    await takeOfPurpose(purpose, most, wei);
    return () => void reserved.set(purpose, reserved.get(purpose)! - wei);
  }

  return {
    spent_today: () => record.spent(dayOf(clock.now().getTime()), [], { without: apart }),
    budget_wei: budget,
    purposes_today: async () => {
      const spent = new Map(
        (await record.byPurpose(dayOf(clock.now().getTime()))).map(({ purpose, wei }) => [purpose, wei]),
      );
      return apart.map((purpose) => ({
        purpose,
        spent_wei: spent.get(purpose) ?? 0n,
        budget_wei: parseEther(purposes_eth[purpose]!),
      }));
    },
    counted: (chain) => {
      receiptOf = chain.receipt;
      return {
        ...chain,
        send: async (call, options) => {
          const { purpose, gas } = options;
          const giveBack = await reserve(chain, purpose, gas);
          try {
            const receipt = await chain.send(call, options);
            const current = today(clock.now().getTime());
            note(current, receipt.transaction, purpose, receipt.fee_wei);
            await write(current);
            return receipt;
          } catch (error) {
            if (error instanceof TransactionPending) {
              const current = today(clock.now().getTime());
              for (const transaction of error.transactions) note(current, transaction, purpose, undefined);
              await write(current);
            }
            throw error;
          } finally {
            giveBack();
          }
        },
      };
    },
    guarded: ({ facts, ended, settle }) => ({
      ended,
      settle,
      facts: async (payment, errand) => {
        // Both begin at once: neither waits for the other while the endpoint hangs.
        const checked = refuseIfSpent().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        const found = await facts(payment, errand);
        const most = purposes_eth[found.purpose];
        if (most !== undefined) await takeOfPurpose(found.purpose, most, 0n);
        const refused = most === undefined && (await checked);
        if (refused) throw refused.error;
        return found;
      },
    }),
  };
}

const nextDay = (now: number) => new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS);

const booksOf = (day: string): Books => ({
  day,
  own: new Set(),
  own_wei: 0n,
  unwritten: new Map(),
  recorded: 0n,
  refreshed_at: 0,
});
