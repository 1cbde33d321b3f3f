/** The Settlement port over our own gas key: facts asked together, payments sent together. */
import { LRUCache } from "lru-cache";
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult, Heads, Hex, Receipt } from "../domain/chain.ts";
import { MULTICALL3 } from "../domain/multicall.ts";
import {
  CONTRACT_PAYER_GAS,
  endedQuery,
  factCalls,
  isCancellation,
  paymentFacts,
  type SignedTransfer,
  settledBy,
  stateCalls,
  TRANSFER_GAS,
  transferCall,
} from "../domain/payments/usdc.ts";
import {
  type Chain,
  ChainUnavailable,
  GasKeyEmpty,
  NotSettled,
  type PaymentEnd,
  type Settlement,
  TransactionPending,
} from "../domain/ports.ts";
import { answeredWithin, readable } from "./json-rpc.ts";

const HEIGHT_ABI = parseAbi(["function getBlockNumber() view returns (uint256)"]);

const HEIGHT_CALL: Call = {
  to: MULTICALL3,
  data: encodeFunctionData({ abi: HEIGHT_ABI, functionName: "getBlockNumber" }),
};

/** Of the answers to factCalls, those before the trial. */
const STATES = 2;

/** Blocks in which the end of an authorization is looked for that was presented: two hours on Base. Older ones have been refunded. */
const LOOK_BACK = 3_600n;

const CODE_TTL_MS = 5_000;

/** How long no payment is taken after the gas key was found empty. */
const EMPTY_MS = 30_000;

/** A reorg may bring a payment into an earlier block than the height at which it was looked at. */
const REORG_MARGIN = 16n;

export type Facts = Awaited<ReturnType<Settlement["facts"]>>;

/** An authorization and its signature: what two payments that are called alike have in common. */
const nameOf = ({ transfer, signature }: SignedTransfer) => [...Object.values(transfer), signature].join(" ");

/** How long the endpoint is waited for before a payment is told that nobody can say. */
const PATIENCE_MS = 5_000;

export function chainSettlement(chain: Chain, patience_ms = PATIENCE_MS): Settlement {
  const within = <T>(answer: Promise<T>) => answeredWithin(patience_ms, answer);
  const askCode = gathered(
    (accounts: Hex[]) => chain.hasCode(accounts),
    (account) => account,
  );
  const known = new LRUCache<Hex, boolean>({ max: 10_000, ttl: CODE_TTL_MS });
  /** What was found a moment ago will do: a payer that has become a contract since is noticed when its batch fails. */
  const hasCode = async (payer: Hex): Promise<boolean> => {
    const found = known.get(payer) ?? (await askCode(payer));
    known.set(payer, found, { noUpdateTTL: true });
    return found;
  };
  const plainFacts = gathered((payments: SignedTransfer[]) => readable(readFacts(chain, payments)), nameOf);
  const factsAlone = async (payment: SignedTransfer, gas?: bigint): Promise<Facts> => {
    const [height, ...answers] = await readable(chain.read([HEIGHT_CALL, ...factCalls(payment)], { gas }));
    return { ...paymentFacts(answers), seen_block: heightIn(height) };
  };

  let emptyUntil = 0;

  const facts = async (payment: SignedTransfer): Promise<Facts> => {
    // Each claim that could not be sent would stay in the log.
    if (performance.now() < emptyUntil)
      throw new GasKeyEmpty("the gas key had too little ether a moment ago");
    if (await hasCode(payment.transfer.from)) return factsAlone(payment, CONTRACT_PAYER_GAS);
    const found = await plainFacts(payment);
    const isClear = found.would_settle || found.used || found.balance < payment.transfer.value;
    // A neighbour's trial may have spent what this one needs, or another block have come between its state and its trial.
    return isClear ? found : factsAlone(payment);
  };

  async function carry(payment: SignedTransfer, seen_block: bigint, alone: boolean): Promise<Receipt> {
    const gas = alone ? TRANSFER_GAS + CONTRACT_PAYER_GAS : TRANSFER_GAS;
    const receipt = await chain.send(transferCall(payment), { gas, alone, purpose: "settlement" });
    if (settledBy(receipt, payment.transfer)) return receipt;
    const fate = await within(outcomeOf(chain, facts, payment, seen_block)).catch((error) => {
      throw error instanceof ChainUnavailable ? new TransactionPending([receipt.transaction]) : error;
    });
    if (fate.kind === "settled") return fate.receipt;
    if (fate.kind === "unclear") throw new TransactionPending([receipt.transaction]);
    if (fate.kind === "refused") throw new NotSettled(fate.reason);
    // A neighbour that had no code when it was looked at may have used up the gas of all.
    if (!alone) return carry(payment, seen_block, true);
    throw new NotSettled("the payer's contract refused the transfer when it was carried out");
  }

  const settle = async (payment: SignedTransfer, seen_block: bigint): Promise<Receipt> => {
    try {
      return await carry(payment, seen_block, await within(hasCode(payment.transfer.from)));
    } catch (error) {
      if (error instanceof GasKeyEmpty) emptyUntil = performance.now() + EMPTY_MS;
      throw error;
    }
  };

  /** Payments on their way: whoever asks for one of them meanwhile waits for the same transaction. */
  const under_way = new Map<string, Promise<Receipt>>();
  const settleOnce = (payment: SignedTransfer, seen_block: bigint): Promise<Receipt> => {
    const name = nameOf(payment);
    const settling = under_way.get(name) ?? settle(payment, seen_block).finally(() => under_way.delete(name));
    under_way.set(name, settling);
    return settling;
  };

  return {
    facts: (payment) => within(facts(payment)),
    ended: (payment) => within(recentEnd(chain, payment)),
    settle: settleOnce,
  };
}

/** The facts of payments as they are now, in one question. Their states stand before all trials: a trial moves money and uses up its nonce for whatever comes after it. */
async function readFacts(chain: Chain, payments: readonly SignedTransfer[]): Promise<Facts[]> {
  const calls = [HEIGHT_CALL, ...payments.flatMap(stateCalls), ...payments.map(transferCall)];
  const [height, ...answers] = await chain.read(calls);
  const seen_block = heightIn(height);
  const trials = answers.slice(STATES * payments.length);
  return payments.map((_, i) => ({
    ...paymentFacts([...answers.slice(STATES * i, STATES * (i + 1)), trials[i]!]),
    seen_block,
  }));
}

const heightIn = (answer: CallResult | undefined) =>
  decodeFunctionResult({ abi: HEIGHT_ABI, functionName: "getBlockNumber", data: answer!.data });

/** The end of an authorization that is used, if it is not long ago. */
async function recentEnd(chain: Chain, payment: SignedTransfer): Promise<PaymentEnd | undefined> {
  const { latest, finalized } = await chain.heads();
  const from = latest.number > LOOK_BACK ? latest.number - LOOK_BACK : 0n;
  return readable(endIn(chain, payment, from, { latest, finalized }));
}

/**
 * What became of a payment that a transaction of ours did not move: its end, or `open` when it would go through,
 * `refused` for now, `unclear` when its nonce is spent and the endpoint does not know yet by what.
 */
export type Outcome =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "refused"; reason: string }
  | { kind: "open" }
  | { kind: "unclear" };

/** A signed authorization is anybody's to carry: one that was used before ours came is settled all the same. */
export async function outcomeOf(
  chain: Chain,
  facts: Settlement["facts"],
  payment: SignedTransfer,
  seen_block: bigint,
): Promise<Outcome> {
  const end = await endingOf(chain, payment, seen_block);
  if (end?.kind === "settled") return end;
  if (end) return end.final ? { kind: "refused", reason: end.reason } : { kind: "unclear" };
  const { used, would_settle, reason } = await facts(payment);
  if (would_settle) return { kind: "open" };
  if (used) return { kind: "unclear" };
  return { kind: "refused", reason: `the chain refuses the transfer: ${reason || "it gives no reason"}` };
}

/** How a payment ended, whoever saw to that; undefined when it has not, up to the newest block. */
export async function endingOf(
  chain: Chain,
  payment: SignedTransfer,
  seen_block: bigint,
): Promise<PaymentEnd | undefined> {
  const from = seen_block > REORG_MARGIN ? seen_block - REORG_MARGIN : 0n;
  return endIn(chain, payment, from, await chain.heads());
}

async function endIn(
  chain: Chain,
  { transfer }: SignedTransfer,
  from: bigint,
  { latest, finalized }: Pick<Heads, "latest" | "finalized">,
): Promise<PaymentEnd | undefined> {
  const [log] = await chain.logs(endedQuery([transfer], from, latest.number));
  if (!log) return undefined;
  const final = log.block_number <= finalized.number;
  if (isCancellation(log)) return { kind: "void", reason: "the payer cancelled the authorization", final };
  const receipt = await chain.receipt(log.transaction);
  if (!receipt) return undefined;
  const reason = "the payer used the authorization's nonce for another transfer";
  return settledBy(receipt, transfer) ? { kind: "settled", receipt } : { kind: "void", reason, final };
}

/** Questions of one kind that are under way at most; what comes meanwhile is asked together. */
const UNDER_WAY = 2;

/**
 * Makes one question of all that are asked in the same moment, or while others are under way; those that `nameOf` calls alike
 * are asked once.
 */
function gathered<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
  nameOf: (question: Question) => unknown,
) {
  type Asker = { resolve(answer: Answer): void; reject(error: unknown): void };
  let waiting = new Map<unknown, { question: Question; askers: Asker[] }>();
  let under_way = 0;
  const askAll = async () => {
    if (waiting.size === 0 || under_way >= UNDER_WAY) return;
    const asked = [...waiting.values()];
    waiting = new Map();
    under_way++;
    try {
      const answers = await ask(asked.map(({ question }) => question));
      asked.forEach(({ askers }, i) => {
        for (const { resolve } of askers) resolve(answers[i]!);
      });
    } catch (error) {
      for (const { askers } of asked) for (const { reject } of askers) reject(error);
    } finally {
      under_way--;
      void askAll();
    }
  };
  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      const name = nameOf(question);
      const alike = waiting.get(name);
      if (alike) alike.askers.push({ resolve, reject });
      else waiting.set(name, { question, askers: [{ resolve, reject }] });
      if (!alike && waiting.size === 1) setImmediate(askAll);
    });
}
