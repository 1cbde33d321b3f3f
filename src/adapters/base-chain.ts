/** The Chain port over any JSON-RPC endpoint. */
import type { RpcBlock, RpcLog, RpcTransactionReceipt } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type {
  Block,
  Call,
  Heads,
  Hex,
  Log,
  LogQuery,
  ReadOptions,
  Receipt,
  Trial,
} from "../core/model/chain.ts";
import { type Chain, ChainUnavailable, GasKeyEmpty } from "../core/model/ports/chain.ts";
import { codeSizesCall, haveCode, MOST_ACCOUNTS } from "./code-sizes.ts";
import { type JsonRpcOptions, jsonRpc, readable } from "./json-rpc.ts";
import { aggregateCall, aggregateResults } from "./multicall.ts";
import type { Nonces } from "./nonces.ts";
import type { Journal } from "./send-queue/gas-account.ts";
import type { SendLimits } from "./send-queue/limits.ts";
import { sendQueue } from "./send-queue/queue.ts";
import { stateProof } from "./state-proof.ts";

export type BaseChainOptions = JsonRpcOptions & {
  chain_id: number;
  /** The private key that pays for gas. Its account may send only through this queue. */
  gas_key: Hex;
  /** Blocks per eth_getLogs request; providers limit this. */
  log_span?: bigint;
  sending?: Partial<SendLimits>;
  /** Shares the nonces among the processes that send by this key. */
  nonces?: Nonces;
  /** Records each transaction before it is sent. Default: nothing is recorded. */
  journal?: Journal;
};

export type BaseChain = Chain & {
  /** Ends the queue: waiting calls are rejected, sent transactions stay with the chain. */
  close(): void;
};

const READ_CALLS = 150;

/** A node may learn late that a block is final. */
const SAME_HEADS_MS = 60_000;

export function baseChain(options: BaseChainOptions): BaseChain {
  const { gas_key, log_span = 2_000n, sending, nonces, journal } = options;
  const ask = jsonRpc(options);
  const account = privateKeyToAccount(gas_key);

  const blockAt = async (tag: string): Promise<Block | undefined> => {
    const block = await ask<RpcBlock | null>("eth_getBlockByNumber", [tag, false]);
    if (!block?.hash || block.number === null) return undefined;
    return { number: BigInt(block.number), hash: block.hash, timestamp: Number(block.timestamp) };
  };
  const head = async (tag: string): Promise<Block> => {
    const block = await blockAt(tag);
    if (!block) throw new ChainUnavailable(`the RPC endpoint knows no ${tag} block`);
    return block;
  };
  const receipt = async (transaction: Hex): Promise<Receipt | undefined> => {
    const found = await ask<RpcTransactionReceipt | null>("eth_getTransactionReceipt", [transaction]);
    return found ? receiptOf(found) : undefined;
  };
  const readSome = async (calls: readonly Call[], { gas, mined = false }: ReadOptions) => {
    const call = gas === undefined ? aggregateCall(calls) : { ...aggregateCall(calls), gas: quantity(gas) };
    // The pending block has the current time and includes the transactions in flight.
    const answer = await ask<Hex>("eth_call", [call, mined ? "latest" : "pending"]);
    if (answer === "0x") throw new ChainUnavailable("this chain has no Multicall3");
    return aggregateResults(answer);
  };
  const askForCode = async (accounts: readonly Hex[]) => {
    const found = haveCode(await ask<Hex>("eth_call", [codeSizesCall(accounts), "pending"]));
    if (found.length !== accounts.length)
      throw new ChainUnavailable("the RPC endpoint does not tell accounts with code from others");
    return found;
  };
  const trial = async ({ to, data }: Call, gas: bigint): Promise<Trial> => {
    const { maxFeePerGas, maxPriorityFeePerGas } = await queue.fees();
    const fees = {
      maxFeePerGas: quantity(maxFeePerGas),
      maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    };
    const sent = { from: account.address, to, data, gas: quantity(gas), ...fees };
    try {
      return { success: true, gas: BigInt(await ask<Hex>("eth_estimateGas", [sent, "pending"])) };
    } catch (error) {
      return failureOf(error);
    }
  };
  /** The last heads; `isAgain`: the newest block was the same as before, as on a chain without traffic. */
  let last: { heads: Heads; isAgain: boolean; until: number } | undefined;
  const heads = async (): Promise<Heads> => {
    const newest = head("latest");
    // The other heads follow from the newest one, so they need no request while it is the same.
    if (last?.isAgain && performance.now() < last.until && (await newest).hash === last.heads.latest.hash)
      return last.heads;
    const [latest, safe, finalized] = await Promise.all([newest, head("safe"), head("finalized")]);
    const isAgain = last?.heads.latest.hash === latest.hash;
    last = { heads: { latest, safe, finalized }, isAgain, until: performance.now() + SAME_HEADS_MS };
    return last.heads;
  };
  const read = async (calls: readonly Call[], options: ReadOptions = {}) =>
    (await Promise.all(pieces(calls, READ_CALLS).map((some) => readSome(some, options)))).flat();
  const hasCode = async (accounts: readonly Hex[]) =>
    (await Promise.all(pieces(accounts, MOST_ACCOUNTS).map(askForCode))).flat();
  const logs = async ({ address, topics, from_block, to_block }: LogQuery) => {
    const found: Log[] = [];
    for (let from = from_block; from <= to_block; from += log_span) {
      const last = from + log_span - 1n;
      const range = { fromBlock: quantity(from), toBlock: quantity(last < to_block ? last : to_block) };
      found.push(...(await ask<RpcLog[]>("eth_getLogs", [{ address, topics, ...range }])).map(logOf));
    }
    return found;
  };
  const { chain_id } = options;
  const queue = sendQueue({ ask, receipt, account, chain_id, limits: sending, nonces, journal });

  return {
    chain_id,
    sender: lower(account.address),
    heads: () => readable(heads()),
    block: (number) => readable(blockAt(quantity(number))),
    read: (calls, options) => readable(read(calls, options)),
    hasCode: (accounts) => readable(hasCode(accounts)),
    trial: (call, gas) => readable(trial(call, gas)),
    code: (account) => readable(ask<Hex>("eth_getCode", [account, "latest"]).then(lower)),
    gasPrice: async () => (await readable(queue.fees())).maxFeePerGas,
    balance: (account) => readable(ask<Hex>("eth_getBalance", [account, "latest"]).then(BigInt)),
    send: queue.send,
    queued: queue.queued,
    highestNonce: queue.highestNonce,
    minedCount: (block = "latest") => readable(queue.minedCount(block)),
    receipt: (transaction) => readable(receipt(transaction)),
    logs: (query) => readable(logs(query)),
    stateProof: (account, slots) => readable(stateProof(ask, account, slots)),
    signedTransaction: async (transaction) =>
      (await readable(ask<Hex | null>("eth_getRawTransactionByHash", [transaction]))) ?? undefined,
    close: queue.close,
  };
}

/** Classifies a failed estimate by the error texts of geth, reth and anvil. Every other failure is the endpoint's. */
function failureOf(error: unknown): Trial {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    messages.push(at.message);
    const { data } = at as { data?: unknown };
    if (typeof data === "string" && /^0x[0-9a-f]*$/i.test(data))
      return { success: false, data: lower(data as Hex) };
  }
  const said = messages.join("\n");
  if (/insufficient funds/i.test(said))
    throw new GasKeyEmpty("the gas key has too little ether for this call");
  if (/revert|out of gas|gas required exceeds|invalid opcode|invalid FE|EVM error/i.test(said))
    return { success: false, data: "0x" };
  throw error;
}

function pieces<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;

const lower = (hex: Hex) => hex.toLowerCase() as Hex;

function logOf(log: RpcLog): Log {
  // Only logs of mined transactions are requested, so these fields are set.
  const { transactionHash, blockNumber, blockHash, logIndex } = log;
  return {
    address: lower(log.address),
    topics: log.topics.map(lower),
    data: lower(log.data),
    transaction: transactionHash!,
    block_number: BigInt(blockNumber!),
    block_hash: blockHash!,
    index: Number(logIndex),
  };
}

/** On Base a transaction also pays an L1 data fee, which the receipt states. */
function receiptOf(receipt: RpcTransactionReceipt & { l1Fee?: Hex }): Receipt {
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  return {
    transaction: receipt.transactionHash,
    success: receipt.status === "0x1",
    block_number: BigInt(receipt.blockNumber),
    block_hash: receipt.blockHash,
    fee_wei: fee + BigInt(receipt.l1Fee ?? 0),
    logs: receipt.logs.map(logOf),
  };
}
