/** The state of a pack's anchors at the auditor's own RPC endpoint, the only part that no file can prove. */

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

/** The signers and log whose heads are requested, and the blocks of the pack's proofs. */
export type ChainQuestion = {
  /** The first key of a succession. Default: the account that anchored the log first. */
  signer?: Hex | undefined;
  /** The account that the pack names; queried if the log's first account is another. */
  pack_signer?: Hex | undefined;
  contract: Hex;
  /** Contracts of the pack's anchors; those that succeeded the first are queried too. */
  contracts: readonly Hex[];
  log_id: Hex;
  blocks: readonly number[];
};

export type ChainView = {
  chain_id: number;
  /** The current hashes of the requested blocks. */
  blocks: ReadonlyMap<number, string | undefined>;
  /** The newest final block. */
  finalized: number;
  /** The account that anchored the log first, or null if none did; absent if the auditor named the signer. */
  first?: FirstAnchor | null;
  /** The current heads in the contract and its successors, for the signer and its successors. */
  heads: readonly ContractHead[];
  /** The signer's successor keys and contracts, each endorsed by its predecessor. */
  successors: readonly Hex[];
};

type RpcHead = { number: Hex; hash: Hex; timestamp: Hex } | null;

/** Longer successions are not followed. */
const SUCCESSORS = 16;

/** Concurrent requests: a hostile pack may name thousands of blocks. */
const AT_ONCE = 20;

/** Rejects if the endpoint does not answer or has no contract there. */
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
  // A contested log is judged by the pack's own account; only the auditor can decide which one counts.
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
