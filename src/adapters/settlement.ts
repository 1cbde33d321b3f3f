/** The Settlement port over our own gas key: facts asked together, payments sent together. */
import { LRUCache } from "lru-cache";
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, Hex, Receipt } from "../domain/chain.ts";
import { MULTICALL3 } from "../domain/multicall.ts";
import {
  CONTRACT_PAYER_GAS,
  endedQuery,
  factCalls,
  isCancellation,
  paymentFacts,
  type SignedTransfer,
  settledBy,
  TRANSFER_GAS,
  transferCall,
} from "../domain/payments/usdc.ts";
import {
  type Chain,
  ChainUnavailable,
  GasKeyEmpty,
  NotSettled,
  type Settlement,
  TransactionPending,
} from "../domain/ports.ts";
import { readable } from "./json-rpc.ts";

const HEIGHT_ABI = parseAbi(["function getBlockNumber() view returns (uint256)"]);

const HEIGHT_CALL: Call = {
  to: MULTICALL3,
  data: encodeFunctionData({ abi: HEIGHT_ABI, functionName: "getBlockNumber" }),
};

const FACTS = 3;

const CODE_TTL_MS = 5_000;

/** How long no payment is taken after the gas key was found empty. */
const EMPTY_MS = 30_000;

/** A reorg may bring a payment into an earlier block than the height at which it was looked at. */
const REORG_MARGIN = 16n;

export type Facts = Awaited<ReturnType<Settlement["facts"]>>;

export function chainSettlement(chain: Chain): Settlement {
  const askCode = gathered((accounts: Hex[]) => chain.hasCode(accounts));
  const known = new LRUCache<Hex, boolean>({ max: 10_000, ttl: CODE_TTL_MS });
  /** What was found a moment ago will do: a payer that has become a contract since is noticed when its batch fails. */
  const hasCode = async (payer: Hex): Promise<boolean> => {
    const found = known.get(payer) ?? (await askCode(payer));
    known.set(payer, found, { noUpdateTTL: true });
    return found;
  };
  const plainFacts = gathered((payments: SignedTransfer[]) => readable(readFacts(chain, payments)));

  let emptyUntil = 0;

  const facts = async (payment: SignedTransfer): Promise<Facts> => {
    // Each claim that could not be sent would stay in the log.
    if (Date.now() < emptyUntil) throw new GasKeyEmpty("the gas key had too little ether a moment ago");
    if (!(await hasCode(payment.transfer.from))) return plainFacts(payment);
    const [alone] = await readable(readFacts(chain, [payment], CONTRACT_PAYER_GAS));
    return alone!;
  };

  async function carry(payment: SignedTransfer, seen_block: bigint, alone: boolean): Promise<Receipt> {
    const gas = alone ? TRANSFER_GAS + CONTRACT_PAYER_GAS : TRANSFER_GAS;
    const receipt = await chain.send(transferCall(payment), { gas, alone, purpose: "settlement" });
    if (settledBy(receipt, payment.transfer)) return receipt;
    const fate = await fateOf(chain, facts, payment, seen_block).catch((error) => {
      throw error instanceof ChainUnavailable ? new TransactionPending([receipt.transaction]) : error;
    });
    if (fate.kind === "settled") return fate.receipt;
    if (fate.kind === "unclear") throw new TransactionPending([receipt.transaction]);
    if (fate.kind === "refused") throw new NotSettled(fate.reason);
    // A neighbour that had no code when it was looked at may have used up the gas of all.
    if (!alone) return carry(payment, seen_block, true);
    throw new NotSettled("the payer's contract refused the transfer when it was carried out");
  }

  return {
    facts,
    settle: async (payment, seen_block) => {
      try {
        return await carry(payment, seen_block, await hasCode(payment.transfer.from));
      } catch (error) {
        if (error instanceof GasKeyEmpty) emptyUntil = Date.now() + EMPTY_MS;
        throw error;
      }
    },
  };
}

/** The facts of payments as they are now, in one question; `gas` where code of strangers answers. */
async function readFacts(chain: Chain, payments: readonly SignedTransfer[], gas?: bigint): Promise<Facts[]> {
  const [height, ...answers] = await chain.read([HEIGHT_CALL, ...payments.flatMap(factCalls)], { gas });
  const seen_block = decodeFunctionResult({
    abi: HEIGHT_ABI,
    functionName: "getBlockNumber",
    data: height!.data,
  });
  return payments.map((_, i) => ({
    ...paymentFacts(answers.slice(i * FACTS, (i + 1) * FACTS)),
    seen_block,
  }));
}

/** The end of an authorization, by whomever: it moved its payment, or never will. */
export type End = { kind: "settled"; receipt: Receipt } | { kind: "refused"; reason: string };

/**
 * What became of a payment that a transaction of ours did not move: its end, or `open` when it would go through,
 * `refused` for now, `unclear` when its nonce is spent and the endpoint does not know yet by what.
 */
export type Fate = End | { kind: "open" } | { kind: "unclear" };

/** A signed authorization is anybody's to carry: one that was used before ours came is settled all the same. */
export async function fateOf(
  chain: Chain,
  facts: Settlement["facts"],
  payment: SignedTransfer,
  seen_block: bigint,
): Promise<Fate> {
  const end = await endOf(chain, payment, seen_block);
  if (end) return end;
  const { used, would_settle, reason } = await facts(payment);
  if (would_settle) return { kind: "open" };
  if (used) return { kind: "unclear" };
  return { kind: "refused", reason: `the chain refuses the transfer: ${reason || "it gives no reason"}` };
}

/** How a payment ended, whoever saw to that; undefined when it has not, up to the newest block. */
export async function endOf(
  chain: Chain,
  { transfer }: SignedTransfer,
  seen_block: bigint,
): Promise<End | undefined> {
  const { latest } = await chain.heads();
  const from = seen_block > REORG_MARGIN ? seen_block - REORG_MARGIN : 0n;
  const [log] = await chain.logs(endedQuery([transfer], from, latest.number));
  if (!log) return undefined;
  if (isCancellation(log)) return { kind: "refused", reason: "the payer cancelled the authorization" };
  const receipt = await chain.receipt(log.transaction);
  if (!receipt) return undefined;
  return settledBy(receipt, transfer)
    ? { kind: "settled", receipt }
    : { kind: "refused", reason: "the payer used the authorization's nonce for another transfer" };
}

/** Questions of one kind that are under way at most; what comes meanwhile is asked together. */
const UNDER_WAY = 2;

/** Makes one question of all that are asked in the same moment, or while others are under way. */
function gathered<Question, Answer>(ask: (questions: Question[]) => Promise<Answer[]>) {
  type Asker = { question: Question; resolve(answer: Answer): void; reject(error: unknown): void };
  let askers: Asker[] = [];
  let under_way = 0;
  const askAll = async () => {
    if (askers.length === 0 || under_way >= UNDER_WAY) return;
    const asked = askers;
    askers = [];
    under_way++;
    try {
      const answers = await ask(asked.map(({ question }) => question));
      asked.forEach(({ resolve }, i) => {
        resolve(answers[i]!);
      });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      under_way--;
      void askAll();
    }
  };
  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      askers.push({ question, resolve, reject });
      if (askers.length === 1) setImmediate(askAll);
    });
}
