/**
 * Compares the RPC endpoint's chain with the log's, and finds moved blocks. Check it before trusting the chain:
 * nothing may be marked, sent or stored on another history.
 */

import type { App } from "../core/app.ts";
import { forEach } from "../core/coordination/concurrency.ts";
import { type Block, type Hex, networkOf } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import * as following from "../domain/checks/following.ts";
import * as confirmation from "../domain/payments/confirmation.ts";

/** `foreign`: another history; `behind`: it does not reach a known final block. `reason` names the remedy. */
export type Comparison = { status: "same" } | { status: "foreign" | "behind"; reason: string };

/** A block that identifies a chain. */
export type KnownBlock = { block_number: number; block_hash: Hex };

/** The final blocks of each area; any of them identifies the chain. */
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
 * Compares the log's final blocks with the chain: one missing block makes it another chain. A log without final
 * blocks matches any chain. Rejects with ChainUnavailable.
 */
export async function compareChain(app: App): Promise<Comparison> {
  const known = (await Promise.all(FINAL.map((find) => find(app)))).filter((block) => block !== undefined);
  const compared = await Promise.all(known.map((block) => compareWith(app, block)));
  const other = (status: Comparison["status"]) => compared.find((one) => one.status === status);
  return other("foreign") ?? other("behind") ?? { status: "same" };
}

/** Compares one final block with the chain. Rejects with ChainUnavailable. */
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

/**
 * The blocks that are no longer in the chain. A block that the node does not know at all is lag and no reorg: that
 * rejects with ChainUnavailable.
 */
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

/** Blocks found in the chain that ended in `head`. */
export type ChainMemory = { head?: Block; standing: Set<Hex> };

export const noChainMemory = (): ChainMemory => ({ standing: new Set() });

/** True if this head is still in the chain, and so everything found below it. */
export const isHeadCurrent = async (chain: Chain, head: Block | undefined): Promise<boolean> =>
  head !== undefined && (await chain.block(head.number))?.hash === head.hash;

/** Like `movedBlocks`, but skips blocks found below a head that is still in the chain. */
export async function newlyMovedBlocks<Known extends KnownBlock>(
  chain: Chain,
  blocks: readonly Known[],
  latest: Block,
  memory: ChainMemory,
): Promise<Known[]> {
  const known = (await isHeadCurrent(chain, memory.head)) ? memory.standing : new Set<Hex>();
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

/** How many blocks a reorg may move a transaction down, and one node may lag behind another. */
export const REORG_MARGIN = 16;

/** The first block to search for a transaction first seen in another block, with room for a reorg. */
export const fromBlock = (block_number: number): bigint => BigInt(Math.max(0, block_number - REORG_MARGIN));
