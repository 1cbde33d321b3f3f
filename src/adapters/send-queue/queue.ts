/**
 * A gas key's only queue in a process. One transaction is in flight at a time, with all calls that waited at its
 * signature and the first free nonce; other processes may have theirs in flight too. A transaction that is not
 * mined in time is replaced by one with the same nonce and calls and a higher fee, so at most one is mined. A
 * renewable call is renewed in each replacement.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PrivateKeyAccount } from "viem";
import type { Call, Hex, Receipt, SendOptions } from "../../core/model/chain.ts";
import { ChainUnavailable, TransactionPending } from "../../core/model/ports/chain.ts";
import type { Ask } from "../json-rpc.ts";
import { alone, type Nonces } from "../nonces.ts";
import { Carriage } from "./carriage.ts";
import { FeeMarket, type Fees } from "./fees.ts";
import { GasAccount, type Journal } from "./gas-account.ts";
import { DEFAULT_LIMITS, type SendLimits } from "./limits.ts";
import { NonceGaps } from "./nonce-gaps.ts";
import { gasOf, type Rider, WaitingCalls } from "./waiting-calls.ts";

type Context = {
  ask: Ask;
  receipt: (transaction: Hex) => Promise<Receipt | undefined>;
  account: PrivateKeyAccount;
  chain_id: number;
  limits?: Partial<SendLimits> | undefined;
  /** Shares the key's nonces among processes. Default: this process is the only sender. */
  nonces?: Nonces | undefined;
  /** Records each transaction before it is sent. */
  journal?: Journal | undefined;
};

export type SendQueue = {
  send(call: Call, options: SendOptions): Promise<Receipt>;
  /** The current fees for a signature. */
  fees(): Promise<Fees>;
  queued(): number;
  /** The highest nonce signed for within a day by any process; -1 if none. */
  highestNonce(): Promise<number>;
  /** The account's transaction count at this block. */
  minedCount(block: "latest" | "finalized"): Promise<number>;
  close(): void;
};

/** The first call starts it. Errors are those of `Chain.send`. */
export function sendQueue(context: Context): SendQueue {
  const { ask, receipt, account, chain_id, nonces = alone() } = context;
  const limits = { ...DEFAULT_LIMITS, ...context.limits };
  const gas = new GasAccount(ask, account, chain_id, context.journal);
  const fees = new FeeMarket(ask, limits.max_fee_wei);
  const gaps = new NonceGaps({ gas, fees, nonces, limits });
  const waiting = new WaitingCalls(limits.transaction_gas);
  let isRunning = false;
  let isClosed = false;
  const parts = { gas, fees, gaps, nonces, receipt, limits, isClosed: () => isClosed };

  async function run(): Promise<void> {
    isRunning = true;
    // Calls of one tick share a transaction.
    await nextTurn();
    while (waiting.count > 0) {
      const riders = waiting.takeNext();
      // A call that cannot be encoded must not end the queue.
      await new Carriage(parts, riders).run().catch((error) => {
        for (const rider of riders) rider.reject(error);
      });
    }
    isRunning = false;
  }

  return {
    send(call, options) {
      if (isClosed) return Promise.reject(new ChainUnavailable("the queue is closed"));
      if (gasOf([options]) > limits.transaction_gas)
        return Promise.reject(new RangeError(`${options.gas} gas does not fit into a transaction`));
      const receipt = ride(call, options, waiting, limits);
      if (!isRunning) void run();
      return receipt;
    },
    fees: () => fees.current(),
    queued: () => waiting.count,
    highestNonce: nonces.highest,
    minedCount: (block) => gas.nextNonce(block),
    close() {
      isClosed = true;
      for (const { reject } of waiting.takeAll()) reject(new ChainUnavailable("the queue is closed"));
    },
  };
}

function ride(call: Call, options: SendOptions, waiting: WaitingCalls, limits: SendLimits): Promise<Receipt> {
  const { gas, purpose, alone = false, renew, confirm, recorded } = options;
  return new Promise<Receipt>((resolve, reject) => {
    const rider: Rider = { ...call, gas, purpose, alone, renew, confirm, recorded, resolve, reject };
    const release = limited(rider, waiting, limits);
    rider.resolve = (receipt) => {
      release();
      resolve(receipt);
    };
    rider.reject = (error) => {
      release();
      reject(error);
    };
    waiting.add(rider);
  });
}

/**
 * Rejects by its own timers, so that a hanging endpoint blocks no caller. A signed nonce is still brought to an
 * end.
 */
function limited(rider: Rider, waiting: WaitingCalls, { unsent_ms, wait_ms }: SendLimits): () => void {
  const giveUp = () => {
    if (rider.signed) return;
    rider.given_up = true;
    waiting.drop(rider);
    const why = rider.trouble === undefined ? "an earlier transaction is stuck" : "the endpoint fails";
    rider.reject(new ChainUnavailable(`nothing was sent: ${why}`, { cause: rider.trouble }));
  };
  const tellPending = () =>
    rider.signed ? rider.reject(new TransactionPending([...rider.signed])) : giveUp();
  const timers = [setTimeout(giveUp, unsent_ms), setTimeout(tellPending, wait_ms)];
  return () => timers.forEach(clearTimeout);
}
