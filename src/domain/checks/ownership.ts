/** How a wallet shows that it is the caller's own without paying: a text it signs with personal_sign (ERC-191). */
import { keccak256 } from "viem/utils";
import type { Hex } from "../chain.ts";

/** The longest time that one signature is good for. */
export const LONGEST_PROOF_S = 86_400;

/** Good at one service, until a time: who has read it can show nothing else by it. */
export const ownershipText = (wallet: Hex, service: string, until: string): string =>
  `Show my checks\nwallet: ${wallet}\nservice: ${service}\nuntil: ${until}`;

/** The 32 bytes that personal_sign signs of a text. */
export function textDigest(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak256(
    Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]),
    "bytes",
  );
}
