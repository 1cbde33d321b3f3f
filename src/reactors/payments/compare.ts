/** Whether the chain behind the RPC is the one that the log settled on: nothing may be marked reorged on another. */
import type { App } from "../../app.ts";
import * as confirmation from "../../domain/payments/confirmation.ts";
import type { Chain } from "../../domain/ports.ts";
import { networkOf } from "./search.ts";

/** `foreign`: another history; `behind`: it does not reach the block that was final already. `message` names the remedy. */
export type Comparison = { status: "same" } | { status: "foreign" | "behind"; message: string };

/** Compares the newest confirmed block with the chain; payments must not be taken unless it is the same. Rejects with ChainUnavailable. */
export async function compareChain(app: App): Promise<Comparison> {
  const confirmed = await app.load(confirmation, confirmation.targetOf(networkOf(app.chain)));
  if (!confirmed) return { status: "same" };
  return compareWith(app.chain, confirmed, app.embedded_chain);
}

export async function compareWith(
  chain: Chain,
  { block_number, block_hash }: Pick<confirmation.Confirmed, "block_number" | "block_hash">,
  embedded = false,
): Promise<Comparison> {
  const found = await chain.block(BigInt(block_number));
  if (found?.hash === block_hash) return { status: "same" };
  const remedy = embedded
    ? "the development chain in DATA_DIR/chain was lost or replaced: restore it, or begin with an empty DATA_DIR"
    : "point BASE_RPC_URL at a synchronised node of the network that these payments were settled on";
  const what = found
    ? `the RPC serves another history: block ${block_number} is ${found.hash}, and payments up to ${block_hash} are settled`
    : `the RPC does not know block ${block_number}, up to which payments are settled`;
  return { status: found ? "foreign" : "behind", message: `${what}; ${remedy}` };
}
