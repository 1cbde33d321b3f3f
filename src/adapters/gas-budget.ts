/**
 * Limits the ether for gas per UTC day. A transaction counts on the day of its signature, by its highest cost until
 * it is mined.
 */
import { parseEther } from "viem/utils";
import type { Purpose, Receipt } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable, GasBudgetSpent } from "../core/model/ports/chain.ts";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import type { GasRecord } from "./gas-record.ts";
import { answeredWithin } from "./json-rpc.ts";
import type { Journal } from "./send-queue/gas-account.ts";

export type GasBudgetOptions = {
  /** Decimal ether per day. Undefined where gas has no value; it is recorded all the same. */
  budget_eth: string | undefined;
  /** Purposes with a separate budget; nothing is sent for them beyond it. */
  purposes_eth?: Partial<Record<Purpose, string>>;
  clock: Clock;
  /** Records the transactions of all processes. While it rejects, its last answer decides the buyers' budget. */
  record: GasRecord;
  /** How long a call waits for receipts of earlier transactions, whose cost counts once it is known. */
  patience_ms?: number;
};

export type GasBudget = {
  /** Recorded cost since midnight UTC, over all processes, without purposes that have a separate budget. */
  spent_today(): Promise<bigint>;
  /** The day's limit; undefined where gas has no value. */
  budget_wei: bigint | undefined;
  /** Purposes with a separate budget: spent today, and the limit. */
  purposes_today(): Promise<{ purpose: Purpose; spent_wei: bigint; budget_wei: bigint }[]>;
  /**
   * The same chain, recording fees before it answers. Its journal must be `gasJournal` of the same record. Rejects
   * with GasBudgetSpent before sending, where the purpose's budget is spent; anchors and the like have none.
   */
  counted(chain: Chain): Chain;
  /** The same settlement. It rejects with GasBudgetSpent before it claims a payment whose budget is spent. */
  guarded(settlement: Settlement): Settlement;
};

const REFRESH_MS = 10_000;

/**
 * Buyers' payments wait when the common budget is spent; the key's other transactions are limited by their
 * schedule.
 */
const WAITING: ReadonlySet<Purpose> = new Set(["settlement", "refund"]);

const CALLED: Partial<Record<Purpose, string>> = {
  "contract settlement": "contract wallets",
  carrying: "carrying without a call",
  "unasked refund": "unrequested refunds",
  withdrawal: "withdrawals",
  "channel deposit": "channels' deposits and refunds",
  "channel claim": "claims of channels",
  attestation: "attestations",
};

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

/** The highest cost of a call that waits for its signature; then its transaction counts in the record. */
type Reservation = { purpose: Purpose; wei: bigint };

/** The record's last answer for the buyers' budget, and the highest cost that this process signed since. */
type BudgetReading = { day: string; wei: bigint; refreshed_at: number; since_wei: bigint };

/** A reading serves until this process has signed for a sixteenth of the rest, so that sixteen processes keep to it. */
const SHARE_OF_REST = 16n;

/** Records each transaction before it is sent, on the day of its signature. */
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
  const recordings = new Map<string, Promise<void>>();
  let known: BudgetReading = { day: "", wei: 0n, refreshed_at: 0, since_wei: 0n };
  let refreshing: Promise<void> | undefined;
  let settling: Promise<void> | undefined;
  let price: { wei: Promise<bigint>; at: number } | undefined;
  let counts: Pick<Chain, "sender" | "receipt" | "minedCount"> | undefined;

  const patiently = (work: Promise<void>) =>
    answeredWithin(patience_ms, work).catch((error) => {
      if (!(error instanceof ChainUnavailable)) throw error;
    });

  /** Looks up the result of every open transaction, of any process and day. */
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
    }
  }

  function settled(): Promise<void> {
    settling ??= settleOpen().finally(() => {
      settling = undefined;
    });
    return settling;
  }

  /** Calls that share a transaction record its fee once. */
  function recordMined({ transaction, fee_wei }: Receipt, purpose: Purpose): Promise<void> {
    const recording =
      recordings.get(transaction) ??
      record
        .mined({ transaction, fee_wei, day: dayOf(clock.now().getTime()), purpose })
        .finally(() => recordings.delete(transaction));
    recordings.set(transaction, recording);
    return recording;
  }

  async function refresh(now: number): Promise<void> {
    const day = dayOf(now);
    await settled().catch(() => undefined);
    // The sum lacks transactions signed from here on.
    const before = known.since_wei;
    known.refreshed_at = now;
    const wei = await record.committed(day, { without: apart }).catch(() => undefined);
    if (wei !== undefined) known = { ...known, day, wei, since_wei: known.since_wei - before };
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
    if (known.day !== day) known = { day, wei: 0n, refreshed_at: 0, since_wei: 0n };
    const waiting = sumOf(before.filter(({ purpose }) => !apart.includes(purpose)));
    const isShort = () =>
      budget !== undefined && (known.since_wei + waiting) * SHARE_OF_REST > budget - known.wei;
    // A clock that was set back to another day forces a refresh.
    const isOld = now < known.refreshed_at || now - known.refreshed_at >= REFRESH_MS;
    // A refresh in flight may have summed before this process signed.
    const begun = refreshing?.then(() => (isShort() ? refreshed(now) : undefined));
    await patiently(begun ?? (isOld || isShort() ? refreshed(now) : Promise.resolve()));
    if (budget !== undefined && known.wei + known.since_wei + waiting >= budget)
      throw new GasBudgetSpent(nextDay(now));
  }

  async function refuseIfPurposeSpent(purpose: Purpose, most: string, before: readonly Reservation[]) {
    const now = clock.now().getTime();
    await patiently(settled());
    const committed = await record.committed(dayOf(now), { only: purpose });
    const waiting = sumOf(before.filter((one) => one.purpose === purpose));
    if (committed + waiting >= parseEther(most))
      throw new GasBudgetSpent(nextDay(now), CALLED[purpose] ?? purpose);
  }

  /** Refuses when others than `own` have spent the budget of a purpose. */
  async function refuse(purpose: Purpose, own?: Reservation): Promise<void> {
    const before = [...reservations].filter((one) => one !== own);
    const most = purposes_eth[purpose];
    if (most !== undefined) await refuseIfPurposeSpent(purpose, most, before);
    else if (WAITING.has(purpose)) await refuseIfSpent(before);
  }

  /** Simultaneous calls share one request, so that they can share a transaction. */
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

  /** Reserves the highest cost of a call that waits for a budget, or refuses it. */
  async function reserve(chain: Chain, purpose: Purpose, gas: bigint): Promise<Reservation | undefined> {
    if (purposes_eth[purpose] === undefined && !WAITING.has(purpose)) {
      // Every send also looks up the results of earlier days' transactions.
      await patiently(settled()).catch(() => undefined);
      return undefined;
    }
    const one = { purpose, wei: gas * (await priceNow(chain)) };
    // Reserved before the sum is read, so that simultaneous calls see each other; each sees those before it.
    reservations.add(one);
    await refuse(purpose, one).catch((error) => {
      reservations.delete(one);
      throw error;
    });
    return one;
  }

  /** The record has the transaction of a call now, in place of its reservation. */
  function countSigned(reserved: Reservation | undefined): void {
    if (!reserved) known.refreshed_at = 0;
    else if (reservations.delete(reserved) && !apart.includes(reserved.purpose))
      known.since_wei += reserved.wei;
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
          const reserved = await reserve(chain, purpose, gas);
          const recorded = () => {
            countSigned(reserved);
            options.recorded?.();
          };
          try {
            const receipt = await chain.send(call, { ...options, recorded });
            // If this fails, the transaction stays open and counts by its highest cost.
            await recordMined(receipt, purpose).catch(() => undefined);
            return receipt;
          } finally {
            if (reserved) reservations.delete(reserved);
          }
        },
      };
    },
    guarded: ({ facts, ended, settle }) => ({
      ended,
      settle,
      facts: async (payment, errand) => {
        // Both start at once, so that a hanging endpoint delays neither.
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
