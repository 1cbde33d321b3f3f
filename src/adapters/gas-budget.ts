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

export function gasBudget(options: GasBudgetOptions): GasBudget {
  const { budget_eth, purposes_eth = {}, clock, record } = options;
  const apart = Object.keys(purposes_eth) as Purpose[];
  const today = () => dayOf(clock.now().getTime());
  const spending = new Spending(options);
  return {
    spent_today: () => record.spent(today(), { without: apart }),
    budget_wei: budget_eth === undefined ? undefined : parseEther(budget_eth),
    purposes_today: async () => {
      const spent = new Map((await record.byPurpose(today())).map(({ purpose, wei }) => [purpose, wei]));
      return apart.map((purpose) => ({
        purpose,
        spent_wei: spent.get(purpose) ?? 0n,
        budget_wei: parseEther(purposes_eth[purpose]!),
      }));
    },
    counted: (chain) => spending.counted(chain),
    guarded: ({ facts, ended, settle }) => ({
      ended,
      settle,
      facts: async (payment, errand) => {
        // Both start at once, so that a hanging endpoint delays neither.
        const checked = spending.refuse("settlement").then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        const found = await facts(payment, errand);
        if (purposes_eth[found.purpose] !== undefined) await spending.refuse(found.purpose);
        else {
          const refused = await checked;
          if (refused) throw refused.error;
        }
        return found;
      },
    }),
  };
}

/** The budgets against the record of all processes and the calls of this one that wait for their signature. */
class Spending {
  readonly #budget: bigint | undefined;
  readonly #purposes: Partial<Record<Purpose, string>>;
  /** Purposes with a budget of their own. */
  readonly #apart: readonly Purpose[];
  readonly #clock: Clock;
  readonly #record: GasRecord;
  readonly #patience_ms: number;
  readonly #reservations = new Set<Reservation>();
  readonly #recordings = new Map<string, Promise<void>>();
  #reading: BudgetReading = { day: "", wei: 0n, refreshed_at: 0, since_wei: 0n };
  #refreshing: Promise<void> | undefined;
  #settling: Promise<void> | undefined;
  #price: { wei: Promise<bigint>; at: number } | undefined;
  #chain: Pick<Chain, "sender" | "receipt" | "minedCount"> | undefined;

  constructor({ budget_eth, purposes_eth = {}, clock, record, patience_ms = 5_000 }: GasBudgetOptions) {
    this.#budget = budget_eth === undefined ? undefined : parseEther(budget_eth);
    this.#purposes = purposes_eth;
    this.#apart = Object.keys(purposes_eth) as Purpose[];
    this.#clock = clock;
    this.#record = record;
    this.#patience_ms = patience_ms;
  }

  counted(chain: Chain): Chain {
    this.#chain = chain;
    return {
      ...chain,
      send: async (call, options) => {
        const { purpose, gas } = options;
        const reserved = await this.#reserve(chain, purpose, gas);
        const recorded = () => {
          this.#countSigned(reserved);
          options.recorded?.();
        };
        try {
          const receipt = await chain.send(call, { ...options, recorded });
          // If this fails, the transaction stays open and counts by its highest cost.
          await this.#recordMined(receipt, purpose).catch(() => undefined);
          return receipt;
        } finally {
          if (reserved) this.#reservations.delete(reserved);
        }
      },
    };
  }

  /** Refuses when others than `own` have spent the budget of a purpose. */
  async refuse(purpose: Purpose, own?: Reservation): Promise<void> {
    const before = [...this.#reservations].filter((one) => one !== own);
    const most = this.#purposes[purpose];
    if (most !== undefined) await this.#refuseIfPurposeSpent(purpose, most, before);
    else if (WAITING.has(purpose)) await this.#refuseIfSpent(before);
  }

  async #refuseIfSpent(before: readonly Reservation[]): Promise<void> {
    const now = this.#clock.now().getTime();
    const day = dayOf(now);
    if (this.#reading.day !== day) this.#reading = { day, wei: 0n, refreshed_at: 0, since_wei: 0n };
    const budget = this.#budget;
    const waiting = sumOf(before.filter(({ purpose }) => !this.#apart.includes(purpose)));
    const isShort = () =>
      budget !== undefined &&
      (this.#reading.since_wei + waiting) * SHARE_OF_REST > budget - this.#reading.wei;
    // A clock that was set back to another day forces a refresh.
    const { refreshed_at } = this.#reading;
    const isOld = now < refreshed_at || now - refreshed_at >= REFRESH_MS;
    // A refresh in flight may have summed before this process signed.
    const begun = this.#refreshing?.then(() => (isShort() ? this.#refreshed(now) : undefined));
    await this.#patiently(begun ?? (isOld || isShort() ? this.#refreshed(now) : Promise.resolve()));
    if (budget !== undefined && this.#reading.wei + this.#reading.since_wei + waiting >= budget)
      throw new GasBudgetSpent(nextDay(now));
  }

  async #refuseIfPurposeSpent(purpose: Purpose, most: string, before: readonly Reservation[]): Promise<void> {
    const now = this.#clock.now().getTime();
    await this.#patiently(this.#settled());
    const committed = await this.#record.committed(dayOf(now), { only: purpose });
    const waiting = sumOf(before.filter((one) => one.purpose === purpose));
    if (committed + waiting >= parseEther(most))
      throw new GasBudgetSpent(nextDay(now), CALLED[purpose] ?? purpose);
  }

  /** Reserves the highest cost of a call that waits for a budget, or refuses it. */
  async #reserve(chain: Chain, purpose: Purpose, gas: bigint): Promise<Reservation | undefined> {
    if (this.#purposes[purpose] === undefined && !WAITING.has(purpose)) {
      // Every send also looks up the results of earlier days' transactions.
      await this.#patiently(this.#settled()).catch(() => undefined);
      return undefined;
    }
    const own = { purpose, wei: gas * (await this.#priceNow(chain)) };
    // Reserved before the sum is read, so that simultaneous calls see each other; each sees those before it.
    this.#reservations.add(own);
    await this.refuse(purpose, own).catch((error) => {
      this.#reservations.delete(own);
      throw error;
    });
    return own;
  }

  /** The record has the transaction of a call now, in place of its reservation. */
  #countSigned(reserved: Reservation | undefined): void {
    if (!reserved) this.#reading.refreshed_at = 0;
    else if (this.#reservations.delete(reserved) && !this.#apart.includes(reserved.purpose))
      this.#reading.since_wei += reserved.wei;
  }

  /** Simultaneous calls share one request, so that they can share a transaction. */
  #priceNow(chain: Chain): Promise<bigint> {
    const at = performance.now();
    if (this.#price && at - this.#price.at <= REFRESH_MS) return this.#price.wei;
    const wei = chain.gasPrice();
    this.#price = { wei, at };
    wei.catch(() => {
      this.#price = undefined;
    });
    return wei;
  }

  #refreshed(now: number): Promise<void> {
    this.#refreshing ??= this.#refresh(now).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(now: number): Promise<void> {
    const day = dayOf(now);
    await this.#settled().catch(() => undefined);
    // The sum lacks transactions signed from here on.
    const before = this.#reading.since_wei;
    this.#reading.refreshed_at = now;
    const wei = await this.#record.committed(day, { without: [...this.#apart] }).catch(() => undefined);
    if (wei !== undefined)
      this.#reading = { ...this.#reading, day, wei, since_wei: this.#reading.since_wei - before };
  }

  #settled(): Promise<void> {
    this.#settling ??= this.#settleOpen().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  /** Looks up the result of every open transaction, of any process and day. */
  async #settleOpen(): Promise<void> {
    const open = await this.#record.open();
    if (open.length === 0 || !this.#chain) return;
    const { sender, receipt, minedCount } = this.#chain;
    // Read before the receipts: a lower nonce without a receipt was replaced finally.
    const final_count = await minedCount("finalized").catch(() => 0);
    for (const { transaction, sender: by, nonce } of open) {
      const mined = await receipt(transaction);
      const isReplaced = !mined && by === sender && nonce !== null && nonce < final_count;
      if (mined) await this.#recordMined(mined, "settlement");
      if (isReplaced) await this.#record.replaced([transaction]);
    }
  }

  /** Calls that share a transaction record its fee once. */
  #recordMined({ transaction, fee_wei }: Receipt, purpose: Purpose): Promise<void> {
    const day = dayOf(this.#clock.now().getTime());
    const recording =
      this.#recordings.get(transaction) ??
      this.#record
        .mined({ transaction, fee_wei, day, purpose })
        .finally(() => this.#recordings.delete(transaction));
    this.#recordings.set(transaction, recording);
    return recording;
  }

  async #patiently(work: Promise<void>): Promise<void> {
    try {
      await answeredWithin(this.#patience_ms, work);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
  }
}

const sumOf = (reservations: readonly Reservation[]) => reservations.reduce((sum, { wei }) => sum + wei, 0n);

const nextDay = (now: number) => new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS);
