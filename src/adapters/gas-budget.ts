/** No more ether for gas in a UTC day than is allowed. A transaction counts on the day it is signed, by the most it may cost until it is mined. */
import { parseEther } from "viem/utils";
import type { Purpose, Receipt } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable, GasBudgetSpent } from "../core/model/ports/chain.ts";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import type { GasRecord } from "./gas-record.ts";
import { answeredWithin } from "./json-rpc.ts";
import type { Journal } from "./send-queue/gas-account.ts";

export type GasBudgetOptions = {
  /** Ether a day, as a decimal; undefined where gas is play money, which is recorded all the same. */
  budget_eth: string | undefined;
  /** Purposes with a budget of their own, apart from that of all others: beyond it nothing more is sent for them. */
  purposes_eth?: Partial<Record<Purpose, string>>;
  clock: Clock;
  /** The transactions of all processes. While it rejects, the buyers' budget goes by its last answer. */
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
   * The same chain, whose journal has to be `gasJournal` of the same record; the fee is recorded before an answer is given. Rejects
   * with GasBudgetSpent, before anything is sent, where the budget of the purpose is spent, which anchors and the like do not ask.
   */
  counted(chain: Chain): Chain;
  /** The same settlement; it rejects with GasBudgetSpent before a payment is claimed whose budget is spent. */
  guarded(settlement: Settlement): Settlement;
};

const REFRESH_MS = 10_000;

/** Payments that are carried for buyers wait where the budget of all is spent; the key's other transactions are bounded by their own schedule. */
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

/** The most that a call may cost which waits to be signed; from then on its transaction counts in the record. */
type Reservation = { purpose: Purpose; wei: bigint };

/** The record's last answer for the buyers' budget. `is_stale`: this process has changed it since. */
type BudgetReading = { day: string; wei: bigint; refreshed_at: number; is_stale: boolean };

/** Writes each transaction into the record before it is sent, on the day of its signature. */
export const gasJournal =
  (record: GasRecord, clock: Clock): Journal =>
  (signed) =>
    record.signed({ ...signed, day: dayOf(clock.now().getTime()) });

export function gasBudget({
  budget_eth,
  purposes_eth = {},
  clock,
  record,
  patience_ms = 5_000,
}: GasBudgetOptions): GasBudget {
  const budget = budget_eth === undefined ? undefined : parseEther(budget_eth);
  const apart = Object.keys(purposes_eth) as Purpose[];
  const reservations = new Set<Reservation>();
  let known: BudgetReading = { day: "", wei: 0n, refreshed_at: 0, is_stale: true };
  let refreshing: Promise<void> | undefined;
  let settling: Promise<void> | undefined;
  let price: { wei: Promise<bigint>; at: number } | undefined;
  let counts: Pick<Chain, "sender" | "receipt" | "minedCount"> | undefined;

  const patiently = (work: Promise<void>) =>
    answeredWithin(patience_ms, work).catch((error) => {
      if (!(error instanceof ChainUnavailable)) throw error;
    });

  /** Looks for the ends of all transactions that are open, by whatever process and of whatever day. */
  async function settleOpen(): Promise<void> {
    const open = await record.open();
    if (open.length === 0 || !counts) return;
    const { sender, receipt, minedCount } = counts;
    // Read before the receipts: a lower nonce without a receipt was replaced finally.
    const final_count = await minedCount("finalized").catch(() => 0);
    for (const { transaction, sender: by, nonce } of open) {
      const mined = await receipt(transaction);
      const isReplaced = !mined && by === sender && nonce !== null && nonce < final_count;
      if (mined) await recordMined(mined, "settlement");
      if (isReplaced) await record.replaced([transaction]);
      known.is_stale ||= mined !== undefined || isReplaced;
    }
  }

  function settled(): Promise<void> {
    settling ??= settleOpen().finally(() => {
      settling = undefined;
    });
    return settling;
  }

  const recordMined = ({ transaction, fee_wei }: Receipt, purpose: Purpose) =>
    record.mined({ transaction, fee_wei, day: dayOf(clock.now().getTime()), purpose });

  async function refresh(now: number): Promise<void> {
    const day = dayOf(now);
    await settled().catch(() => undefined);
    // The sum lacks transactions signed from here on.
    known = { ...known, refreshed_at: now, is_stale: false };
    const wei = await record.committed(day, { without: apart }).catch(() => undefined);
    if (wei !== undefined) known = { ...known, day, wei };
  }

  function refreshed(now: number): Promise<void> {
    refreshing ??= refresh(now).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refuseIfSpent(before: readonly Reservation[]): Promise<void> {
    const now = clock.now().getTime();
    const day = dayOf(now);
    if (known.day !== day) known = { day, wei: 0n, refreshed_at: 0, is_stale: true };
    // A day that was set back is asked for at once.
    const isDue = known.is_stale || now < known.refreshed_at || now - known.refreshed_at >= REFRESH_MS;
    // A refresh under way may have made its sum before this process signed something.
    const begun = refreshing?.then(() => (known.is_stale ? refreshed(now) : undefined));
    await patiently(begun ?? (isDue ? refreshed(now) : Promise.resolve()));
    const waiting = sumOf(before.filter(({ purpose }) => !apart.includes(purpose)));
    if (budget !== undefined && known.wei + waiting >= budget) throw new GasBudgetSpent(nextDay(now));
  }

  async function refuseIfPurposeSpent(purpose: Purpose, most: string, before: readonly Reservation[]) {
    const now = clock.now().getTime();
    await patiently(settled());
    const committed = await record.committed(dayOf(now), { only: purpose });
    const waiting = sumOf(before.filter((one) => one.purpose === purpose));
    if (committed + waiting >= parseEther(most))
      throw new GasBudgetSpent(nextDay(now), CALLED[purpose] ?? purpose);
  }

  /** Refuses where the budget of a purpose is spent by others than `own`. */
  async function refuse(purpose: Purpose, own?: Reservation): Promise<void> {
    const before = [...reservations].filter((one) => one !== own);
    const most = purposes_eth[purpose];
    if (most !== undefined) await refuseIfPurposeSpent(purpose, most, before);
    else if (WAITING.has(purpose)) await refuseIfSpent(before);
  }

  /** One request for calls that come together, so that they also travel together. */
  function priceNow(chain: Chain): Promise<bigint> {
    const at = performance.now();
    if (price && at - price.at <= REFRESH_MS) return price.wei;
    const wei = chain.gasPrice();
    price = { wei, at };
    wei.catch(() => {
      price = undefined;
    });
    return wei;
  }

  /** Refuses a call whose budget is spent; answers how its reservation ends. */
  async function reserve(chain: Chain, purpose: Purpose, gas: bigint): Promise<() => void> {
    if (purposes_eth[purpose] === undefined && !WAITING.has(purpose)) {
      // Transactions of earlier days find their end with whatever is sent next.
      await patiently(settled()).catch(() => undefined);
      return () => {};
    }
    const one = { purpose, wei: gas * (await priceNow(chain)) };
    // Made before the sum is, so that calls that come together see each other; each sees those before it alone.
    reservations.add(one);
    const giveBack = () => void reservations.delete(one);
    await refuse(purpose, one).catch((error) => {
      giveBack();
      throw error;
    });
    return giveBack;
  }

  return {
    spent_today: () => record.spent(dayOf(clock.now().getTime()), { without: apart }),
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
      counts = chain;
      return {
        ...chain,
        send: async (call, options) => {
          const { purpose, gas } = options;
          const giveBack = await reserve(chain, purpose, gas);
          const recorded = () => {
            known.is_stale = true;
            giveBack();
            options.recorded?.();
          };
          try {
            const receipt = await chain.send(call, { ...options, recorded });
            // Where this fails the transaction stays open, and counts by the most that it may cost.
            await recordMined(receipt, purpose).catch(() => undefined);
            known.is_stale = true;
            return receipt;
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
        const checked = refuse("settlement").then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        const found = await facts(payment, errand);
        if (purposes_eth[found.purpose] !== undefined) await refuse(found.purpose);
        else {
          const refused = await checked;
          if (refused) throw refused.error;
        }
        return found;
      },
    }),
  };
}

const sumOf = (reservations: readonly Reservation[]) => reservations.reduce((sum, { wei }) => sum + wei, 0n);

const nextDay = (now: number) => new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS);
