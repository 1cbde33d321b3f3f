/** The Settlement port over our own gas key: facts asked together, payments sent together. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import {
  CONTRACT_PAYER_GAS,
  factCalls,
  paymentFacts,
  type SignedTransfer,
  settledBy,
  TRANSFER_GAS,
  transferCall,
  usedQuery,
} from "../domain/payments/usdc.ts";
import {
  type Call,
  type Chain,
  NotSettled,
  type Receipt,
  type Settlement,
  TransactionPending,
} from "../domain/ports.ts";
import { MULTICALL3 } from "./multicall.ts";

const HEIGHT_ABI = parseAbi(["function getBlockNumber() view returns (uint256)"]);

const HEIGHT_CALL: Call = {
  to: MULTICALL3,
  data: encodeFunctionData({ abi: HEIGHT_ABI, functionName: "getBlockNumber" }),
};

const FACTS = 3;

/** A reorg may bring a payment into an earlier block than the height at which it was looked at. */
const REORG_MARGIN = 16n;

type Facts = Awaited<ReturnType<Settlement["facts"]>>;
type Asker = { payment: SignedTransfer; resolve(facts: Facts): void; reject(error: unknown): void };

export function chainSettlement(chain: Chain): Settlement {
  let askers: Asker[] = [];

  /** What is asked in one moment is asked in one request; accounts with code by themselves, within their gas. */
  async function askTogether(): Promise<void> {
    await new Promise((wake) => setImmediate(wake));
    const asked = askers;
    askers = [];
    try {
      const haveCode = await chain.hasCode(asked.map(({ payment }) => payment.transfer.from));
      const plain = asked.filter((_, i) => !haveCode[i]);
      const contracts = asked.filter((_, i) => haveCode[i]);
      await Promise.all([
        plain.length > 0 && tell(plain),
        ...contracts.map((one) => tell([one], CONTRACT_PAYER_GAS).catch(one.reject)),
      ]);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  async function tell(group: Asker[], gas?: bigint): Promise<void> {
    const answers = await chain.read(
      [HEIGHT_CALL, ...group.flatMap(({ payment }) => factCalls(payment))],
      gas,
    );
    const seen_block = decodeFunctionResult({
      abi: HEIGHT_ABI,
      functionName: "getBlockNumber",
      data: answers[0]!.data,
    });
    group.forEach(({ resolve, reject }, i) => {
      const from = 1 + i * FACTS;
      try {
        resolve({ ...paymentFacts(answers.slice(from, from + FACTS)), seen_block });
      } catch (error) {
        reject(error);
      }
    });
  }

  return {
    facts: (payment) =>
      new Promise((resolve, reject) => {
        askers.push({ payment, resolve, reject });
        if (askers.length === 1) void askTogether();
      }),
    settle: async (payment, seen_block) => {
      const [alone] = await chain.hasCode([payment.transfer.from]);
      const gas = alone ? TRANSFER_GAS + CONTRACT_PAYER_GAS : TRANSFER_GAS;
      const receipt = await chain.send(transferCall(payment), { gas, alone });
      if (settledBy(receipt, payment.transfer)) return receipt;
      // A signed authorization is anybody's to carry; one that was used before ours came is settled all the same.
      const elsewhere = await settledElsewhere(chain, payment, seen_block).catch(() => {
        throw new TransactionPending([receipt.transaction]);
      });
      if (elsewhere) return elsewhere;
      throw new NotSettled("the transfer was refused by the chain: its balance or its authorization is gone");
    },
  };
}

/** The transaction that moved a payment, whoever sent it; undefined when none has, up to the newest block. */
export async function settledElsewhere(
  chain: Chain,
  { transfer }: SignedTransfer,
  from_block: bigint,
): Promise<Receipt | undefined> {
  const { latest } = await chain.heads();
  const from = from_block > REORG_MARGIN ? from_block - REORG_MARGIN : 0n;
  for (const { transaction } of await chain.logs(usedQuery([transfer], from, latest.number))) {
    const receipt = await chain.receipt(transaction);
    if (receipt && settledBy(receipt, transfer)) return receipt;
  }
  return undefined;
}
