/**
 * The one queue of a gas key in a process. One transaction of the process is under way at a time, carrying all that waited when it was
 * signed, by the first nonce that is free; those of other processes may stand beside it. A transaction that is not mined in time
 * is replaced by one of the same nonce and calls that pays more, so that at most one of them is mined. A call that can be
 * renewed is as new in each replacement as it can be.
 */
import type { PrivateKeyAccount } from "viem";
import { keccak256 } from "viem/utils";
import type { Call, Hex, Purpose, Receipt, SendOptions } from "../core/model/chain.ts";
import { ChainUnavailable, GasKeyEmpty, TransactionPending } from "../core/model/ports/chain.ts";
import type { Ask } from "./json-rpc.ts";
import { aggregateCall } from "./multicall.ts";
import { alone, type Nonces } from "./nonces.ts";

export type SendLimits = {
  /** The most gas of one transaction; Base takes none above 2^24 (EIP-7825). */
  transaction_gas: bigint;
  /** The most to pay for a unit of gas, replacements included. */
  max_fee_wei: bigint;
  /** The longest pause between two looks for the receipt. */
  poll_ms: number;
  /** A transaction not mined after this is replaced by one that pays more. */
  stuck_ms: number;
  /** How long the nonce must be seen used, by none of ours, before the calls are sent anew. */
  foreign_ms: number;
  /** How long a transaction is not mined before a gap of nonces is looked for below it: whoever took one may yet send. */
  gap_ms: number;
  /** How long a call waits to be signed: then nothing was sent, and nothing will be. */
  unsent_ms: number;
  /** How long a sender waits for its call to be mined. */
  wait_ms: number;
};

const DEFAULTS: SendLimits = {
  transaction_gas: 16_000_000n,
  max_fee_wei: 5_000_000_000n,
  poll_ms: 500,
  stuck_ms: 8_000,
  foreign_ms: 2_000,
  gap_ms: 2_000,
  unsent_ms: 10_000,
  wait_ms: 20_000,
};

/** Multicall3's own gas: the transaction's base, and for each call its data and bookkeeping. */
const BASE_GAS = 60_000n;
const GAS_EACH = 15_000n;
const FIRST_POLL_MS = 4;
/** Processes that died leave no wider gap of nonces below a transaction: an endpoint lied, or the chain went far back. */
const WIDEST_GAP = 64;
/** So many times as long as a transaction of one's own is waited for, one of another process is. */
const LONG_STUCK = 3;

type Rider = Call & {
  gas: bigint;
  purpose: Purpose;
  alone: boolean;
  renew: SendOptions["renew"];
  confirm: SendOptions["confirm"];
  recorded: SendOptions["recorded"];
  /** The transactions that carry it, once one is signed. */
  signed?: readonly Hex[] | undefined;
  /** It was told that nothing was sent, so nothing may be. */
  given_up?: true;
  /** What went wrong last. */
  trouble?: unknown;
  resolve: (receipt: Receipt) => void;
  reject: (error: Error) => void;
};

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/**
 * A nonce and the transactions signed for it; `raw` is the newest, taken by a node at `sent_at`. `contested`: the node knows
 * another of this nonce; `foreign_since`: when the nonce was first seen used by none of ours; `looked_at`: when a gap
 * below it was last looked for, or when it was first sent; `far`: that gap was too wide.
 */
type Flight = {
  nonce: number;
  attempts: Hex[];
  raw: Hex;
  fees: Fees;
  signed_at: number;
  sent_at?: number;
  contested?: boolean;
  foreign_since?: number;
  looked_at?: number | undefined;
  far?: boolean;
};
type Unsigned = Pick<Flight, "nonce" | "attempts" | "fees" | "looked_at">;

type Context = {
  ask: Ask;
  receipt: (transaction: Hex) => Promise<Receipt | undefined>;
  account: PrivateKeyAccount;
  chain_id: number;
  limits?: Partial<SendLimits> | undefined;
  /** The key's nonces among processes; where it is left out, nobody else sends by the key. */
  nonces?: Nonces | undefined;
  /** Writes each transaction down before it is sent. Where it rejects, that one is not sent. */
  journal?: Journal | undefined;
};

/** A transaction that is about to be sent. `most_wei`: what it costs at most, but for a rollup's fee for its place on L1. */
export type SignedTransaction = {
  sender: Hex;
  transaction: Hex;
  nonce: number;
  purpose: Purpose;
  most_wei: bigint;
};
export type Journal = (signed: SignedTransaction) => Promise<void>;

export type SendQueue = {
  send(call: Call, options: SendOptions): Promise<Receipt>;
  /** The prices by which a transaction would be signed now. */
  fees(): Promise<Fees>;
  /** How many calls wait to be sent. */
  queued(): number;
  /** The highest nonce that was signed for within a day, in whatever process; -1: none. */
  highestNonce(): Promise<number>;
  /** How many transactions of the account this block knows. */
  minedCount(block: "latest" | "finalized"): Promise<number>;
  close(): void;
};

/** Starts with the first call. Errors are those of `Chain.send`. */
export function sendQueue(context: Context): SendQueue {
  const { ask, receipt, account, chain_id, nonces = alone(), journal = async () => {} } = context;
  const limits = { ...DEFAULTS, ...context.limits };
  let waiting: Rider[] = [];
  let running = false;
  let tookOneAlone = false;
  /** The purpose of the calls that travelled together last. */
  let lastPurpose: Purpose | undefined;
  /** The nonce that all others wait for, since when, and what was last paid to have it used up. */
  let awaited: { nonce: number; since: number; fees?: Fees } | undefined;
  let closed = false;

  async function run(): Promise<void> {
    running = true;
    // What is asked for in the same moment travels together.
    await new Promise((wake) => setImmediate(wake));
    while (waiting.length > 0) {
      const riders = takeRiders();
      // A call that cannot be encoded must not end the queue.
      await carry(riders).catch((error) => {
        for (const rider of riders) rider.reject(error);
      });
    }
    running = false;
  }

  /** The first call alone if it must be, or as many of the others as fit into a transaction: those of one purpose, whose budget pays it. */
  function takeRiders(): Rider[] {
    // Those that travel alone come one at a time: many of them, which strangers could send, do not keep the others waiting.
    const isTheirTurn = !tookOneAlone || waiting.every(({ alone }) => alone);
    tookOneAlone = waiting[0]!.alone && isTheirTurn;
    if (tookOneAlone) return waiting.splice(0, 1);
    let gas = BASE_GAS;
    const riders = new Set<Rider>();
    // Purposes take turns, so that many calls of one do not keep those of another waiting.
    const together = waiting.filter(({ alone }) => !alone);
    const next = together.find(({ purpose }) => purpose !== lastPurpose) ?? together[0];
    lastPurpose = next?.purpose;
    for (const rider of together) {
      if (rider.purpose !== lastPurpose || gas + rider.gas + GAS_EACH > limits.transaction_gas) continue;
      gas += rider.gas + GAS_EACH;
      riders.add(rider);
    }
    waiting = waiting.filter((rider) => !riders.has(rider));
    return [...riders];
  }

  /** Sees riders through to a receipt. Those who waited long enough are told so, and their nonce is seen through all the same. */
  async function carry(riders: Rider[]): Promise<void> {
    const [first] = riders as [Rider];
    const renew = first.alone ? first.renew : undefined;
    let call: Call = first;
    let gas = 0n;
    const signed: Hex[] = [];
    let flight: Flight | undefined;
    const begin = async (): Promise<Flight | undefined> => {
      const [known, fees] = await Promise.all([nextNonce(), currentFees()]);
      // What may be carried once alone needs a nonce that all processes know of; the chain sees to it that the others are.
      const nonce = await nonces.take(known).catch((error) => {
        if (first.alone) throw error;
        return known;
      });
      const isAllowed = await isConfirmed(first);
      const aboard = riders.filter(({ given_up }) => !given_up);
      if (aboard.length === 0 || !isAllowed) {
        await nonces.giveBack(nonce);
        return undefined;
      }
      for (const rider of aboard) rider.signed = signed;
      if (!first.alone) call = aggregateCall(aboard);
      gas = aboard.reduce((sum, rider) => sum + rider.gas + GAS_EACH, BASE_GAS);
      return sign({ nonce, attempts: [], fees }).catch(async (error) => {
        // Nothing was sent by this nonce, and before the first signature nothing at all.
        if (signed.length === 0) for (const rider of aboard) rider.signed = undefined;
        await nonces.giveBack(nonce);
        throw error;
      });
    };
    const sign = async ({ nonce, attempts, fees, looked_at }: Unsigned): Promise<Flight> => {
      const terms = { type: "eip1559", chainId: chain_id, nonce, gas, ...fees } as const;
      const { to, data } = call;
      const raw = (await account.signTransaction({ ...terms, to, data })) as Hex;
      const hash = keccak256(raw);
      await write({ transaction: hash, nonce, purpose: first.purpose, most_wei: gas * fees.maxFeePerGas });
      for (const rider of riders) rider.recorded?.();
      signed.push(hash);
      return { nonce, attempts: [...attempts, hash], fees, raw, signed_at: performance.now(), looked_at };
    };
    const renewCall = async () => {
      // Where there is nothing newer, the nonce is seen through with what there is.
      const renewed = await renew?.().catch(() => undefined);
      if (!renewed) return;
      call = renewed;
      gas = BASE_GAS + renewed.gas + GAS_EACH;
    };
    const reject = (error: Error) => {
      for (const rider of riders) rider.reject(error);
    };

    for (let pause = FIRST_POLL_MS; !closed; pause = Math.min(pause * 1.5, limits.poll_ms)) {
      try {
        flight ??= await begin();
        if (!flight) return;
        const isToSend = flight.sent_at === undefined;
        const refused = isToSend ? await broadcast(flight).catch((error: Error) => error) : undefined;
        // Sent again, it may be mined by now, whatever is said to that.
        const mined = await minedOf(flight.attempts);
        if (mined) {
          for (const rider of riders) rider.resolve(mined);
          return;
        }
        // One that nodes go on refusing, as where it offers too little by now, is stuck as well.
        if (refused && (refused instanceof GasKeyEmpty || !isStuckSince(flight.signed_at))) throw refused;
        const next = await afterWaiting(flight);
        // One that was left may yet be mined: what may be carried once is not sent anew beside it.
        if (next === "left" && first.alone) return reject(new TransactionPending(signed));
        if (next === "overtaken" && renew) return reject(new ChainUnavailable(OVERTAKEN));
        if (next === "raise") await renewCall();
        if (next === "raise") flight = await sign({ ...flight, fees: await higherFees(flight.fees) });
        else flight = next === "left" || next === "overtaken" ? undefined : next;
      } catch (error) {
        for (const rider of riders) rider.trouble = error;
        // Sent again, it may be in a pool already.
        if (error instanceof GasKeyEmpty && signed.length === 1 && flight!.looked_at === undefined) {
          await nonces.giveBack(flight!.nonce);
          return reject(error);
        }
      }
      if (riders.every(({ given_up }) => given_up)) return;
      await new Promise((wake) => setTimeout(wake, pause));
    }
    reject(signed.length > 0 ? new TransactionPending(signed) : new ChainUnavailable("the queue was closed"));
  }

  const write = (signed: Omit<SignedTransaction, "sender">) =>
    journal({ ...signed, sender: account.address.toLowerCase() as Hex });

  async function nextNonce(tag: "latest" | "pending" | "finalized" = "latest"): Promise<number> {
    return Number(await ask<Hex>("eth_getTransactionCount", [account.address, tag]));
  }

  /** Whoever waits for its turn may have lost the right to send by then; whatever comes of it, it is told. */
  async function isConfirmed({ alone, confirm, reject }: Rider): Promise<boolean> {
    if (!alone || !confirm) return true;
    return confirm().then(
      () => true,
      (error) => {
        reject(error);
        return false;
      },
    );
  }

  async function broadcast(flight: Flight): Promise<void> {
    try {
      await ask("eth_sendRawTransaction", [flight.raw]);
    } catch (error) {
      const { message } = error as Error;
      if (INSUFFICIENT.test(message)) throw new GasKeyEmpty(`the gas key has too little ether: ${message}`);
      if (CONTESTED.test(message)) flight.contested = true;
      else if (!KNOWN.test(message)) throw error;
    }
    flight.sent_at = performance.now();
    flight.looked_at ??= flight.sent_at;
  }

  const isStuckSince = (at: number) => performance.now() - at > limits.stuck_ms;

  /** The flight as it goes on, or `raise` when it is stuck; it can go on no more when its nonce went to another, or lies far too high and is left. */
  async function afterWaiting(flight: Flight): Promise<Flight | "raise" | "overtaken" | "left"> {
    const now = performance.now();
    const isStuck = isStuckSince(flight.sent_at ?? flight.signed_at);
    const isLookDue = now - (flight.looked_at ?? flight.signed_at) > limits.gap_ms;
    if (!isStuck && !flight.contested && !isLookDue) return flight;
    const next = await nextNonce();
    if (isLookDue) {
      flight.looked_at = now;
      if (next < flight.nonce) {
        await useUp(next, now);
        if (!(await fillGapBelow(flight))) return "left";
      }
    }
    // That a receipt is not there yet says nothing of another that took the nonce.
    if (!isStuck && !flight.contested) return flight;
    if (next > flight.nonce) {
      const foreign_since = flight.foreign_since ?? now;
      return now - foreign_since > limits.foreign_ms ? "overtaken" : { ...flight, foreign_since };
    }
    // What a reorg took back is not foreign any more.
    flight.foreign_since = undefined;
    if (!isStuck) return flight;
    // At the highest fee, or behind others, the same bytes are sent again: a node may have forgotten them.
    const isRaised = next === flight.nonce && flight.fees.maxFeePerGas < limits.max_fee_wei;
    return isRaised ? "raise" : { ...flight, sent_at: undefined };
  }

  /**
   * Whoever took a nonce below sees to it, unless it died before it sent; a reorg or a lying endpoint may have left a gap too. What
   * stands above it keeps its place, and transactions that do nothing go below it: whoever waits for a nonce to be used up may rely on all
   * below it. Answers false where the gap is too wide, twice in a row: what stands so high is not waited for, and the nonces from the gap on
   * are free.
   */
  async function fillGapBelow(flight: Flight): Promise<boolean> {
    const end = performance.now() + limits.gap_ms;
    let filled = -1;
    // A node counts what waits in its pool up to the first gap.
    for (let gap = await nextNonce("pending"); gap < flight.nonce; gap = await nextNonce("pending")) {
      const was_far = flight.far;
      flight.far = flight.nonce - gap > WIDEST_GAP;
      if (flight.far && !was_far) return true;
      if (flight.far) {
        await nonces.leave(flight.nonce, gap);
        return false;
      }
      if (gap === filled || performance.now() > end) return true;
      filled = gap;
      await doNothing(gap, await currentFees());
    }
    flight.far = false;
    return true;
  }

  /** What a dead process sent may pay too little by now, and nobody would raise it: after a long while it is replaced by what does nothing and pays more. */
  async function useUp(nonce: number, now: number): Promise<void> {
    if (awaited?.nonce !== nonce) awaited = { nonce, since: now };
    if (now - awaited.since < LONG_STUCK * limits.stuck_ms) return;
    const fees = awaited.fees ? await higherFees(awaited.fees) : await currentFees();
    awaited = { nonce, since: now - (LONG_STUCK - 1) * limits.stuck_ms, fees };
    await doNothing(nonce, fees);
  }

  /** A transaction that does nothing. Where another is there already that pays as much, that one stays. */
  async function doNothing(nonce: number, fees: Fees): Promise<void> {
    const gas = 21_000n;
    const terms = { type: "eip1559", chainId: chain_id, nonce, gas, ...fees } as const;
    const raw = await account.signTransaction({ ...terms, to: account.address });
    const most_wei = gas * fees.maxFeePerGas;
    await write({ transaction: keccak256(raw), nonce, purpose: "empty transaction", most_wei });
    await ask("eth_sendRawTransaction", [raw]).catch((error: Error) => {
      if (!CONTESTED.test(error.message) && !KNOWN.test(error.message)) throw error;
    });
  }

  /** Newest first: it is the likeliest. */
  async function minedOf(attempts: readonly Hex[]): Promise<Receipt | undefined> {
    for (const hash of attempts.toReversed()) {
      const mined = await receipt(hash);
      if (mined) return mined;
    }
    return undefined;
  }

  /** Room for the base fee to double before the transaction is mined. */
  async function currentFees(): Promise<Fees> {
    const [block, tip] = await Promise.all([
      ask<{ baseFeePerGas?: Hex }>("eth_getBlockByNumber", ["latest", false]),
      ask<Hex>("eth_maxPriorityFeePerGas", []),
    ]);
    return capped(2n * BigInt(block.baseFeePerGas ?? 0) + BigInt(tip), BigInt(tip));
  }

  /** Nodes take a replacement when both its fees are higher by a tenth. */
  async function higherFees(paid: Fees): Promise<Fees> {
    const current = await currentFees();
    const more = (fee: bigint) => (fee * 9n) / 8n + 1n;
    return capped(
      greatest(more(paid.maxFeePerGas), current.maxFeePerGas),
      greatest(more(paid.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
    );
  }

  const capped = (fee: bigint, tip: bigint): Fees => ({
    maxFeePerGas: least(fee, limits.max_fee_wei),
    maxPriorityFeePerGas: least(tip, limits.max_fee_wei),
  });

  /** Timers of its own, so that an endpoint that hangs holds nobody. A nonce that was signed for is seen through all the same. */
  function limited(rider: Rider): () => void {
    const giveUp = () => {
      if (rider.signed) return;
      rider.given_up = true;
      waiting = waiting.filter((other) => other !== rider);
      const why = rider.trouble === undefined ? "an earlier transaction is stuck" : "the endpoint fails";
      rider.reject(new ChainUnavailable(`nothing was sent: ${why}`, { cause: rider.trouble }));
    };
    const tellPending = () =>
      rider.signed ? rider.reject(new TransactionPending([...rider.signed])) : giveUp();
    const timers = [setTimeout(giveUp, limits.unsent_ms), setTimeout(tellPending, limits.wait_ms)];
    return () => timers.forEach(clearTimeout);
  }

  return {
    send: (call, { gas, purpose, alone = false, renew, confirm, recorded }) => {
      if (closed) return Promise.reject(new ChainUnavailable("the queue is closed"));
      if (BASE_GAS + gas + GAS_EACH > limits.transaction_gas)
        return Promise.reject(new RangeError(`${gas} gas does not fit into a transaction`));
      return new Promise<Receipt>((resolve, reject) => {
        const rider: Rider = { ...call, gas, purpose, alone, renew, confirm, recorded, resolve, reject };
        const release = limited(rider);
        rider.resolve = (receipt) => {
          release();
          resolve(receipt);
        };
        rider.reject = (error) => {
          release();
          reject(error);
        };
        waiting.push(rider);
        if (!running) void run();
      });
    },
    fees: currentFees,
    queued: () => waiting.length,
    highestNonce: nonces.highest,
    minedCount: nextNonce,
    close: () => {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new ChainUnavailable("the queue is closed"));
    },
  };
}

/** What geth, reth and anvil say when a transaction cannot be paid for, has a rival of its nonce, or is there already. */
const INSUFFICIENT = /insufficient funds/i;
const CONTESTED = /nonce too low|underpriced/i;
const KNOWN = /already known|already imported/i;

const OVERTAKEN = "another transaction of the gas key took the nonce";

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const greatest = (a: bigint, b: bigint) => (a > b ? a : b);
