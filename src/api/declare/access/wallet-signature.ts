import type { App } from "../../../core/app.ts";
import type { Call, CallResult, Hex } from "../../../core/model/chain.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { isAccepted, keySignature, STRANGER_GAS, signatureCall } from "../../../domain/checks/redemption.ts";

export type WalletSignature = { digest: Uint8Array; wallet: Hex; given: Hex };

/**
 * The form that the chain accepts; undefined for a wrong signature. `beforeAsking` may refuse before a contract (ERC-1271) is
 * queried.
 */
export async function walletsOwn(
  app: Pick<App, "chain" | "recover">,
  { digest, wallet, given }: WalletSignature,
  beforeAsking: () => Promise<void> = async () => {},
): Promise<Hex | undefined> {
  const plain = keySignature(digest, wallet, given, app.recover);
  if (plain) return plain;
  await beforeAsking();
  return isAccepted(await askStranger(app, signatureCall(wallet, digest, given))) ? given : undefined;
}

/** A stranger's contract can fail the whole call. That counts as a no, if the node answers other queries. */
export async function askStranger({ chain }: Pick<App, "chain">, call: Call): Promise<CallResult> {
  try {
    return (await chain.read([call], { gas: STRANGER_GAS }))[0]!;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.heads();
    return { success: false, data: "0x" };
  }
}
