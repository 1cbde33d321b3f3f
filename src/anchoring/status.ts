/** How far the log is proven: signed, anchored, or neither. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import type { Heads, Hex } from "../core/model/chain.ts";
import type { Chain } from "../core/model/ports/chain.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { ANCHOR_ADDRESS, contractHead, headCall, logIdOf } from "../domain/anchoring/contract.ts";
import { headsOf } from "./heads.ts";

export type AnchorStatus = {
  origin: string;
  events: number;
  /** `cosigned_by`: the names of the cosigning witnesses. */
  checkpoint: { size: number; root: Hex; signed_at: string; cosigned_by: string[] } | null;
  /** The newest anchor in the chain, as the log last recorded it; a `mined` one may still be removed. */
  anchor: (anchors.Anchor & { firmness: "mined" | "final" }) | null;
  /** A later transaction that is not in the chain yet. */
  pending: anchors.PendingAnchor | null;
  /** Events beyond the newest final anchor: nothing on the chain commits to them for good. */
  unproven_events: number;
  /** Why the log differs from its signed or anchored heads, as a sentence; null if no contradiction is known. */
  contradiction: string | null;
};

/** Reads the log and not the chain. `look` searches for a contradiction. Default: the tree's. */
export async function anchorStatus(
  app: App,
  look: () => Promise<string | null> = () => app.accepting.contradiction(),
): Promise<AnchorStatus> {
  const { origin, state } = await headsOf(app);
  const { position: events } = await app.store.head(MAIN_LOG);
  const newest = anchors.newestAnchor(state);
  return {
    origin,
    events,
    checkpoint: signed(state),
    anchor: newest ? placed(newest) : null,
    pending: state.pending ?? null,
    unproven_events: Math.max(0, events - (state.anchors.find(({ final }) => final)?.size ?? 0)),
    contradiction: await look(),
  };
}

function signed(state: anchors.AnchorState): AnchorStatus["checkpoint"] {
  if (!state.checkpoint) return null;
  const { size, root, signed_at } = state.checkpoint;
  const cosigned_by = anchors.standingCosignatures(state).map(({ witness }) => witness);
  return { size, root, signed_at, cosigned_by };
}

const placed = ({ final, ...anchor }: anchors.StandingAnchor) => ({
  ...anchor,
  firmness: final ? ("final" as const) : ("mined" as const),
});

/** A block's finality: only in the newest blocks, posted to L1 (`safe`), or final. */
export type Firmness = "unsafe" | "safe" | "finalized";

/** The chain's current state. Numbers are block numbers; `balance_wei` is the signer's, in decimal digits. */
export type ChainStatus = {
  network: string;
  signer: Hex;
  balance_wei: string;
  contract: Hex;
  /** The contract exists. */
  placed: boolean;
  latest: number;
  safe: number;
  finalized: number;
  /** The contract's head of the log under the signer's key. */
  head: { size: number; root: Hex; block_number: number; firmness: Firmness } | null;
};

/** Rejects with ChainUnavailable. */
export async function chainStatus(chain: Chain, origin: string): Promise<ChainStatus> {
  const { sender: signer } = chain;
  const [heads, balance, [answer]] = await Promise.all([
    chain.heads(),
    chain.balance(signer),
    chain.read([headCall(signer, logIdOf(origin))], { mined: true }),
  ]);
  const placed = answer!.data !== "0x";
  const head = placed ? contractHead(answer!) : undefined;
  return {
    network: `eip155:${chain.chain_id}`,
    signer,
    balance_wei: String(balance),
    contract: ANCHOR_ADDRESS,
    placed,
    latest: Number(heads.latest.number),
    safe: Number(heads.safe.number),
    finalized: Number(heads.finalized.number),
    head: head
      ? {
          size: Number(head.size),
          root: head.root,
          block_number: Number(head.block_number),
          firmness: firmnessOf(head.block_number, heads),
        }
      : null,
  };
}

function firmnessOf(block_number: bigint, { safe, finalized }: Heads): Firmness {
  if (block_number <= finalized.number) return "finalized";
  return block_number <= safe.number ? "safe" : "unsafe";
}
