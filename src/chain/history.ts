/**
 * Whether the chain behind the RPC is the one that the log knows, and which blocks of it have moved. Whoever believes the
 * chain asks here first: nothing may be marked, sent or kept on another history.
 */

import type { App } from "../core/app.ts";
import { forEach } from "../core/coordination/concurrency.ts";
import { type Block, type Hex, networkOf } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import * as following from "../domain/checks/following.ts";
import * as confirmation from "../domain/payments/confirmation.ts";

/** `foreign`: another history; `behind`: it does not reach the block that was final already. `reason` names the remedy. */
export type Comparison = { status: "same" } | { status: "foreign" | "behind"; reason: string };

/** A block by which a chain is known. */
export type KnownBlock = { block_number: number; block_hash: Hex };

/** What each area has found to be final: any of them tells this chain from another. */
const FINAL: readonly ((app: App) => Promise<KnownBlock | undefined>)[] = [
  (app) => app.load(confirmation, confirmation.targetOf(networkOf(app.chain))),
  (app) => app.load(following, following.targetOf(networkOf(app.chain))),
  async (app) => {
    const { origin } = await app.store.identity();
    const state = await app.load(anchors, anchors.targetOf(origin));
    const network = networkOf(app.chain);
    return state.anchors.findLast((anchor) => anchor.final && anchor.network === network);
  },
];

/**
 * Compares what the log holds for final with the chain: one block that is not there makes it another chain, whatever the others say.
 * A log that holds none knows no other chain. Rejects with ChainUnavailable.
 */
export async function compareChain(app: App): Promise<Comparison> {
  const known = (await Promise.all(FINAL.map((find) => find(app)))).filter((block) => block !== undefined);
  const compared = await Promise.all(known.map((block) => compareWith(app, block)));
  const other = (status: Comparison["status"]) => compared.find((one) => one.status === status);
  return other("foreign") ?? other("behind") ?? { status: "same" };
}

/** Compares one block that was final with the chain. Rejects with ChainUnavailable. */
export async function compareWith(
  { chain, embedded_chain }: Pick<App, "chain" | "embedded_chain">,
  { block_number, block_hash }: KnownBlock,
): Promise<Comparison> {
  const found = await chain.block(BigInt(block_number));
  if (found?.hash === block_hash) return { status: "same" };
  const remedy = embedded_chain
    ? "the development chain in DATA_DIR/chain was lost or replaced: restore it, or begin with an empty DATA_DIR"
    : "point BASE_RPC_URL at a synchronised node of the network that the log was made with";
  const what = found
    ? `the RPC serves another history: block ${block_number} is ${found.hash}, and the log knows it as ${block_hash}`
    : `the RPC does not know block ${block_number}, which the log knows as ${block_hash}`;
  return { status: found ? "foreign" : "behind", reason: `${what}; ${remedy}` };
}

/** Which of these blocks are not in the chain any more. One that the node does not know at all is its lag, not a reorg: that rejects with ChainUnavailable. */
export async function movedBlocks<Known extends KnownBlock>(
  chain: Chain,
  blocks: readonly Known[],
): Promise<Known[]> {
  const moved = await forEach(blocks, async (block) => {
    const found = await chain.block(BigInt(block.block_number));
    if (!found) throw new ChainUnavailable(`the node does not know block ${block.block_number} any more`);
    return found.hash === block.block_hash ? [] : [block];
  });
  return moved.flat();
}

/** Blocks that were found in the chain which ended in `head`. */
export type ChainMemory = { head?: Block; standing: Set<Hex> };

export const noChainMemory = (): ChainMemory => ({ standing: new Set() });

/** Whether what was found in a chain that ended in this block is to be found there still. */
export const stillStands = async (chain: Chain, head: Block | undefined): Promise<boolean> =>
  head !== undefined && (await chain.block(head.number))?.hash === head.hash;

/** The same as `movedBlocks`, but those that were found below a block that still stands are not asked for again. */
export async function newlyMoved<Known extends KnownBlock>(
  chain: Chain,
  blocks: readonly Known[],
  latest: Block,
  memory: ChainMemory,
): Promise<Known[]> {
  const known = (await stillStands(chain, memory.head)) ? memory.standing : new Set<Hex>();
  const moved = await movedBlocks(
    chain,
    blocks.filter(({ block_hash }) => !known.has(block_hash)),
  );
  memory.head = latest;
  memory.standing = new Set(
    blocks.filter((block) => !moved.includes(block)).map(({ block_hash }) => block_hash),
  );
  return moved;
}

/** Blocks that a reorg may bring a transaction down from where it was first seen, and that one node may be behind another. */
export const REORG_MARGIN = 16;

/** The block to look from for what was first seen in another, with room for a reorg. */
export const fromBlock = (block_number: number): bigint => BigInt(Math.max(0, block_number - REORG_MARGIN));
