/** What an auditor's own RPC endpoint says of the anchors in a pack: the one part that no file can show. */
import {
  endorsedSuccessor,
  headCall,
  type KeptHead,
  keptHead,
  successorCall,
} from "../domain/anchoring/contract.ts";
import type { Hex } from "../domain/ports.ts";

/** One question to the endpoint (JSON-RPC); rejects when it does not answer in time. */
export type AskChain = <T>(method: string, params: readonly unknown[]) => Promise<T>;

/** Whose head of which log is asked for, and the blocks that proofs in the pack are of. */
export type ChainQuestion = {
  signer: Hex;
  contract: Hex;
  log_id: Hex;
  blocks: readonly number[];
  /** The signer whose successors are asked for. */
  named: Hex | undefined;
};

export type ChainView = {
  chain_id: number;
  /** Hashes of the blocks asked for, as the chain has them now. */
  blocks: ReadonlyMap<number, string | undefined>;
  /** The newest block that stays for good. */
  finalized: number;
  /** What the contract keeps now. */
  head: KeptHead | undefined;
  /** The keys and contracts that followed the named signer, each endorsed by the one before. */
  successors: readonly Hex[];
};

type RpcHead = { number: Hex; hash: Hex } | null;

/** Successions longer than this are not followed. */
const SUCCESSORS = 16;

/** Rejects where the endpoint does not answer, or has no contract there. */
export async function viewChain(ask: AskChain, question: ChainQuestion): Promise<ChainView> {
  const { signer, contract, log_id, named } = question;
  const call = async ({ data }: { data: Hex }, to: Hex) => {
    const answer = await ask<Hex>("eth_call", [{ to, data }, "latest"]);
    return { success: true, data: answer };
  };
  const [id, finalized, head, blocks] = await Promise.all([
    ask<Hex>("eth_chainId", []),
    ask<RpcHead>("eth_getBlockByNumber", ["finalized", false]),
    call(headCall(signer, log_id), contract),
    Promise.all(
      question.blocks.map(async (number) => {
        const block = await ask<RpcHead>("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
        return [number, block?.hash] as const;
      }),
    ),
  ]);
  return {
    chain_id: Number(id),
    blocks: new Map(blocks),
    finalized: Number(finalized?.number ?? 0),
    head: keptHead(head),
    successors: named ? await successorsOf(named, (data) => call(data, contract)) : [],
  };
}

type CallContract = (call: { data: Hex }) => Promise<{ success: boolean; data: Hex }>;

async function successorsOf(signer: Hex, call: CallContract): Promise<Hex[]> {
  const found: Hex[] = [];
  for (let last = signer; found.length < SUCCESSORS; last = found.at(-1)!) {
    const next = endorsedSuccessor(await call(successorCall(last)));
    if (!next || found.includes(next)) break;
    found.push(next);
  }
  return found;
}
