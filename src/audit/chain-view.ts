/** What an auditor's own RPC endpoint says of the anchors in a pack: the one part that no file can show. */

import type { Hex } from "../core/model/chain.ts";
import {
  type ContractHead,
  contractHead,
  endorsedSuccessor,
  headCall,
  successorCall,
} from "../domain/anchoring/contract.ts";
import type { AskChain } from "./ask-chain.ts";
import { type FirstAnchor, firstAnchor } from "./first-anchor.ts";
import type { BlockTimes } from "./named-blocks.ts";

/** Whose heads of which log are asked for, and the blocks that proofs in the pack are of. */
export type ChainQuestion = {
  /** The first of a succession, as the auditor names it; the account that anchored the log first when left out. */
  signer?: Hex | undefined;
  /** Who anchored by the pack's word: asked about where the log's first account is another. */
  pack_signer?: Hex | undefined;
  contract: Hex;
  /** Contracts that the pack's anchors are in: of these, those that followed the first one are asked too. */
  contracts: readonly Hex[];
  log_id: Hex;
  blocks: readonly number[];
};

export type ChainView = {
  chain_id: number;
  /** Hashes of the blocks asked for, as the chain has them now. */
  blocks: ReadonlyMap<number, string | undefined>;
  /** The newest block that stays for good. */
  finalized: number;
  /** Who anchored the log first, null where nobody did; left out where the auditor named the signer. */
  first?: FirstAnchor | null;
  /** What the contract, and those that followed it, keep now for the signer and for those that followed it. */
  heads: readonly ContractHead[];
  /** The keys and contracts that followed the signer, each endorsed by the one before. */
  successors: readonly Hex[];
};

type RpcHead = { number: Hex; hash: Hex; timestamp: Hex } | null;

/** Successions longer than this are not followed. */
const SUCCESSORS = 16;

/** Questions in flight at once: a hostile pack may name blocks by the thousand. */
const AT_ONCE = 20;

/** Rejects where the endpoint does not answer, or has no contract there. */
export async function viewChain(ask: AskChain, question: ChainQuestion): Promise<ChainView> {
  const { contract, log_id } = question;
  const callOf =
    (to: Hex): CallContract =>
    async ({ data }) => ({ success: true, data: await ask<Hex>("eth_call", [{ to, data }, "latest"]) });
  const [id, finalized] = await Promise.all([
    ask<Hex>("eth_chainId", []),
    ask<RpcHead>("eth_getBlockByNumber", ["finalized", false]),
  ]);
  const found = await blocksOf(ask, question.blocks);
  const blocks = new Map([...found].map(([number, block]) => [number, block?.hash]));
  const first = question.signer ? undefined : ((await firstAnchor(ask, { contract, log_id })) ?? null);
  const named = question.signer ?? first?.signer;
  const successors = named ? await successorsOf(named, callOf(contract)) : [];
  // Of a contested log the pack is judged by its own account: only the auditor can say which one counts.
  const { pack_signer } = question;
  const isOwn = !pack_signer || pack_signer === named || successors.includes(pack_signer);
  const signers = isOwn || question.signer ? [...(named ? [named] : []), ...successors] : [pack_signer];
  const contracts = [contract, ...successors.filter((one) => question.contracts.includes(one))];
  const heads = await Promise.all(
    contracts
      .map(callOf)
      .flatMap((call) => signers.map(async (one) => contractHead(await call(headCall(one, log_id))))),
  );
  return {
    chain_id: Number(id),
    blocks,
    finalized: Number(finalized?.number ?? 0),
    ...(first !== undefined && { first }),
    heads: heads.filter((head) => head !== undefined),
    successors,
  };
}

async function blocksOf(ask: AskChain, wanted: readonly number[]): Promise<Map<number, RpcHead>> {
  const blocks = new Map<number, RpcHead>();
  const numbers = [...new Set(wanted)];
  for (let from = 0; from < numbers.length; from += AT_ONCE)
    await Promise.all(
      numbers.slice(from, from + AT_ONCE).map(async (number) => {
        blocks.set(number, await ask<RpcHead>("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]));
      }),
    );
  return blocks;
}

export const blockTimesBy =
  (ask: AskChain): BlockTimes =>
  async (numbers) => {
    const newest = await ask<RpcHead>("eth_getBlockByNumber", ["latest", false]);
    const found = await blocksOf(ask, numbers);
    const missing = [...found].find(([number, block]) => !block && number <= Number(newest?.number ?? 0));
    if (!newest || missing) throw new Error(`it does not have block ${missing?.[0] ?? "latest"}`);
    return new Map([...found].map(([number, block]) => [number, Number((block ?? newest).timestamp)]));
  };

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
