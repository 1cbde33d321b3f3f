/** A chain that mines late, loses, reorganises and goes away; anybody may carry an authorization to it. */
import { createHash } from "node:crypto";
import type { Block, Hex, Log, Receipt } from "../../src/core/model/chain.ts";
import { type Chain, ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import {
  NotSettled,
  type PaymentEnd,
  type Settlement,
  type SignedTransfer,
} from "../../src/core/model/ports/settlement.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import type { VirtualClock } from "./clock.ts";
import { BEGIN_MS } from "./clock.ts";
import type { Host } from "./host.ts";

const BLOCK_MS = 2_000;
/** Blocks above the final one; a reorganisation is never deeper. */
const DEPTH = 6;
const WAIT_MS = 20_000;
const TOKEN = USDC.address.toLowerCase() as Hex;
const USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const MOVED = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

type Transaction = { hash: Hex; signed: SignedTransfer };
type Mined = Transaction & { success: boolean };
type ModelBlock = Block & { transactions: Mined[] };

const hashOf = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;
const wordOf = (hex: string): Hex => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`;

export class ModelChain {
  readonly clock: VirtualClock;
  readonly blocks: ModelBlock[] = [];
  readonly balances = new Map<Hex, bigint>();
  readonly #waiting: Transaction[] = [];
  away_until = 0;
  #forks = 0;
  #sent = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
    for (let n = 0; n <= DEPTH; n++) this.#mine();
  }

  /** Mines until `end_ms`. */
  begin(end_ms: number): void {
    const next = () => {
      this.#mine();
      if (this.clock.now < end_ms) this.clock.at(this.clock.now + BLOCK_MS, next);
    };
    this.clock.at(BLOCK_MS, next);
  }

  #mine(): void {
    const number = BigInt(this.blocks.length);
    const timestamp =
      Math.floor((BEGIN_MS + this.clock.now) / 1_000) - (number < DEPTH ? DEPTH - Number(number) : 0);
    const block: ModelBlock = {
      number,
      timestamp,
      hash: hashOf(`block ${number} of fork ${this.#forks}`),
      transactions: [],
    };
    this.blocks.push(block);
    for (const one of this.#waiting.splice(0)) {
      // A node may forget a transaction, or mine it later.
      if (this.clock.random() < 0.1) this.#waiting.push(one);
      else if (this.clock.random() > 0.02)
        block.transactions.push({ ...one, success: this.#succeeds(one.signed, timestamp, block) });
    }
  }

  #succeeds({ transfer }: SignedTransfer, time: number, block: ModelBlock): boolean {
    const isUsed =
      this.settled(transfer) !== undefined ||
      block.transactions.some((one) => one.success && isSame(one.signed, transfer));
    return !isUsed && BigInt(time) < transfer.valid_before && this.balanceOf(transfer.from) >= transfer.value;
  }

  /** Replaces the last blocks; their transactions wait again, or are lost. */
  reorganise(depth: number): void {
    this.#forks++;
    const gone = this.blocks.splice(this.blocks.length - Math.min(depth, DEPTH - 1));
    for (const { transactions } of gone)
      for (const { hash, signed } of transactions)
        if (this.clock.random() < 0.8) this.#waiting.push({ hash, signed });
    for (const _ of gone) this.#mine();
    this.#mine();
  }

  submit(signed: SignedTransfer): Hex {
    const hash = hashOf(`transaction ${this.#sent++}`);
    this.#waiting.push({ hash, signed });
    return hash;
  }

  balanceOf(payer: Hex): bigint {
    const spent = this.transfers().filter(({ signed }) => signed.transfer.from === payer);
    return spent.reduce((left, { signed }) => left - signed.transfer.value, this.balances.get(payer) ?? 0n);
  }

  transfers(): Mined[] {
    return this.blocks.flatMap(({ transactions }) => transactions.filter(({ success }) => success));
  }

  settled(transfer: SignedTransfer["transfer"]): { block: ModelBlock; mined: Mined } | undefined {
    for (const block of this.blocks) {
      const mined = block.transactions.find((one) => one.success && isSame(one.signed, transfer));
      if (mined) return { block, mined };
    }
    return undefined;
  }

  find(hash: Hex): { block: ModelBlock; mined: Mined } | undefined {
    for (const block of this.blocks) {
      const mined = block.transactions.find((one) => one.hash === hash);
      if (mined) return { block, mined };
    }
    return undefined;
  }

  isWaiting = (hash: Hex): boolean => this.#waiting.some((one) => one.hash === hash);

  get heads() {
    const [latest, finalized] = [this.blocks.at(-1)!, this.blocks.at(-1 - DEPTH)!];
    return { latest, safe: finalized, finalized };
  }
}

const isSame = ({ transfer }: SignedTransfer, other: SignedTransfer["transfer"]) =>
  transfer.from === other.from && transfer.nonce === other.nonce;

function receiptOf({ block, mined }: { block: ModelBlock; mined: Mined }): Receipt {
  const { from, to, value, nonce } = mined.signed.transfer;
  const place = {
    transaction: mined.hash,
    block_number: block.number,
    block_hash: block.hash,
    address: TOKEN,
  };
  const logs: Log[] = mined.success
    ? [
        { ...place, index: 0, topics: [USED, wordOf(from), nonce], data: "0x" },
        {
          ...place,
          index: 1,
          topics: [MOVED, wordOf(from), wordOf(to)],
          data: wordOf(`0x${value.toString(16)}`),
        },
      ]
    : [];
  const { transaction, block_number, block_hash } = place;
  return { transaction, block_number, block_hash, success: mined.success, fee_wei: 1n, logs };
}

/** One process's way to the chain. */
export function modelSettlement(
  chain: ModelChain,
  host: Host,
): Settlement & Pick<Chain, "heads" | "block" | "receipt" | "logs"> {
  const { clock } = chain;
  const ask = async <T>(answer: () => T): Promise<T> => {
    await host.io(5, 120);
    if (clock.now < chain.away_until) throw new ChainUnavailable("the chain is away");
    return answer();
  };
  return {
    heads: () => ask(() => chain.heads),
    block: (number) => ask(() => chain.blocks[Number(number)]),
    receipt: (hash) =>
      ask(() => {
        const found = chain.find(hash);
        return found && receiptOf(found);
      }),
    logs: ({ topics: [, payers, nonces], from_block, to_block }) =>
      ask(() =>
        chain.blocks
          .filter(({ number }) => number >= from_block && number <= to_block)
          .flatMap((block) => block.transactions.flatMap((mined) => receiptOf({ block, mined }).logs))
          .filter(
            ({ topics }) =>
              topics[0] === USED && payers!.includes(topics[1]!) && nonces!.includes(topics[2]!),
          ),
      ),
    facts: ({ transfer }) =>
      ask(() => {
        const used = chain.settled(transfer) !== undefined;
        const balance = chain.balanceOf(transfer.from);
        const isLive = BigInt(Math.floor(Date.now() / 1_000)) < transfer.valid_before;
        const would_settle = !used && isLive && balance >= transfer.value;
        return {
          used,
          balance,
          would_settle,
          seen_block: chain.heads.latest.number,
          purpose: "settlement" as const,
        };
      }),
    ended: ({ transfer }) =>
      ask((): PaymentEnd | undefined => {
        const found = chain.settled(transfer);
        return found && { kind: "settled", receipt: receiptOf(found) };
      }),
    async settle(signed) {
      await ask(() => undefined);
      const hash = chain.submit(signed);
      for (const end = clock.now + WAIT_MS; clock.now < end; ) {
        await host.io(200, 600);
        if (clock.now < chain.away_until) continue;
        const done = chain.settled(signed.transfer);
        if (done) return receiptOf(done);
        const own = chain.find(hash);
        if (own && !own.mined.success) throw new NotSettled("the token refuses it");
      }
      throw new TransactionPending([hash]);
    },
  };
}
