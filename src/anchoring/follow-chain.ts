/** Records our anchors on the chain that the log lacks. */

import { compareWith, movedBlocks } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import { unlessRefused } from "../core/background/reactor.ts";
import { networkOf, type Receipt } from "../core/model/chain.ts";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import {
  ANCHOR_ADDRESS,
  anchoredIn,
  anchoredQuery,
  type ContractHead,
  contractHead,
  headCall,
  logIdOf,
} from "../domain/anchoring/contract.ts";
import { hexOf } from "./hex.ts";
import { judgeHead, retractChain } from "./proven-heads.ts";
import { grownTo, LogDiverged, meta, type TickContext } from "./tick.ts";

/**
 * Why a log is not anchored. `behind`: the chain lags; `foreign`: the anchors are on another chain; `unplaced`: the
 * contract is missing; `unproven`: all is anchored, but the RPC endpoint gives no proof.
 */
export type AnchorFailure = "behind" | "foreign" | "unplaced" | "unproven";

/** Ends the current tick of anchoring. */
export class TickEnded extends Error {
  readonly status: AnchorFailure;

  constructor(status: AnchorFailure, message: string) {
    super(message);
    this.status = status;
  }
}

/** Checks that the blocks of our anchors are still in the chain, and which are final. Throws TickEnded. */
export async function followAnchors(
  { app, target, now }: TickContext,
  known: anchors.AnchorState,
): Promise<void> {
  const heads = await app.chain.heads();
  const at = new Date(now).toISOString();
  let final: anchors.StandingAnchor | undefined;
  const unknown = known.anchors.find(({ block_number }) => block_number > heads.latest.number);
  if (unknown)
    throw new TickEnded("behind", `the RPC does not know block ${unknown.block_number}, which has an anchor`);
  const moved = await movedBlocks(app.chain, known.anchors);
  for (const anchor of known.anchors) {
    if (moved.includes(anchor)) {
      if (anchor.final) await endOnOtherHistory(app, anchor);
      await app.decide(anchors, target, anchors.reorg(anchor.transaction, at), { meta });
    } else if (anchor.block_number <= heads.finalized.number) final = anchor;
  }
  if (final) await app.decide(anchors, target, anchors.finalise(final.transaction, at), { meta });
}

/** Throws TickEnded: a final block that vanished is not a reorg. */
async function endOnOtherHistory(app: App, anchor: anchors.Anchor): Promise<void> {
  const compared = await compareWith(app, anchor);
  if (compared.status !== "same") throw new TickEnded(compared.status, compared.reason);
  throw new ChainUnavailable("the chain changed while it was read");
}

const OR_LIE = ", unless the RPC endpoint lies";

/** The contract's head of our log under our key. Throws TickEnded if it is smaller than before. */
export async function headOnChain(
  { app: { chain }, origin }: TickContext,
  { anchors: known }: anchors.AnchorState,
): Promise<ContractHead | undefined> {
  const [answer] = await chain.read([headCall(chain.sender, logIdOf(origin))], { mined: true });
  if (answer!.data === "0x")
    throw new TickEnded(
      "unplaced",
      `the anchoring contract is not at ${ANCHOR_ADDRESS}: put it there with \`tallystick anchor deploy\``,
    );
  const head = contractHead(answer!);
  const own = known.findLast(({ signer }) => signer === chain.sender);
  if (own && Number(head?.size ?? 0n) < own.size)
    throw new TickEnded("behind", `the RPC does not show the anchor of ${own.size} events any more`);
  return head;
}

/**
 * Compares the chain's head with the log, and records a head that another or a dead process sent. False if its
 * block does not exist yet. Throws LogDiverged if the log does not begin with it.
 */
export async function adoptHead(
  work: TickContext,
  known: anchors.AnchorState,
  head: ContractHead | undefined,
): Promise<boolean> {
  const { app, tree, origin } = work;
  if (!head) {
    await retractChain(app);
    return true;
  }
  const { chain } = app;
  const size = Number(head.size);
  const position = await grownTo(work);
  const source = `the chain, under our account ${chain.sender},`;
  await judgeHead(app, { size, root: head.root, source, note: null });
  if (size > position)
    throw new LogDiverged(`${size} events are anchored, and the log has ${position}: it was cut${OR_LIE}`);
  const root = hexOf(await tree.rootAt(size));
  if (root !== head.root)
    throw new LogDiverged(
      `the log is not the anchored one: the root of its first ${size} events is ${root}, and the chain has ${head.root}${OR_LIE}`,
    );
  // A reused key may have a lower head than the key between.
  if (size <= (anchors.newestAnchor(known)?.size ?? 0)) return true;
  const { block_number } = head;
  const range = { from_block: block_number, to_block: block_number };
  const logs = await chain.logs(anchoredQuery(chain.sender, [logIdOf(origin)], range));
  const log = logs.find((one) => anchoredIn(one)?.size === head.size);
  const receipt = log && (await chain.receipt(log.transaction));
  return receipt !== undefined && recordAnchor(work, receipt);
}

/** Appends the anchor stated by the transaction's logs; false if they state none. */
export async function recordAnchor({ app, origin, target }: TickContext, receipt: Receipt): Promise<boolean> {
  const { chain } = app;
  const anchored = receipt.logs
    .map(anchoredIn)
    .find((one) => one?.signer === chain.sender && one.log_id === logIdOf(origin));
  if (!anchored) return false;
  const block = await chain.block(receipt.block_number);
  if (block?.hash !== receipt.block_hash) throw new ChainUnavailable("the chain changed while it was read");
  const facts: anchors.Anchor = {
    size: Number(anchored.size),
    root: anchored.root,
    network: networkOf(chain),
    contract: ANCHOR_ADDRESS,
    signer: chain.sender,
    transaction: receipt.transaction,
    block_number: Number(block.number),
    block_hash: block.hash,
    timestamp: block.timestamp,
    fee_wei: String(receipt.fee_wei),
    anchored_at: app.clock.now().toISOString(),
  };
  await unlessRefused(app.decide(anchors, target, anchors.anchor(facts), { meta }));
  return true;
}
