/** Signatures of wallets that are not deployed yet. Source: ERC-6492. */
import { decodeAbiParameters, parseAbiParameters } from "viem/utils";
import type { Call, Hex } from "../../core/model/chain.ts";

/** The last 32 bytes of a wrapped signature. */
const MAGIC = "6492".repeat(16);

const WRAPPED = parseAbiParameters("address factory, bytes deployment, bytes signature");

/** The factory's call that deploys the wallet, and the wallet's own signature; undefined for any other signature. */
export function unwrapped(given: Hex): { deployment: Call; signature: Hex } | undefined {
  if (!given.endsWith(MAGIC)) return undefined;
  try {
    const [factory, data, signature] = decodeAbiParameters(WRAPPED, given.slice(0, -MAGIC.length) as Hex);
    return { deployment: { to: factory.toLowerCase() as Hex, data }, signature };
  } catch {
    return undefined;
  }
}
