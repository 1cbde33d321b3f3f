/** A wallet's own signature: a key's, or that of a wallet which is a contract (ERC-1271). */
import type { App } from "../../../core/app.ts";
import type { Call, CallResult, Hex } from "../../../core/model/chain.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { isAccepted, keySignature, STRANGER_GAS, signatureCall } from "../../../domain/checks/redemption.ts";

export type WalletSignature = { digest: Uint8Array; wallet: Hex; given: Hex };

/**
 * The signature as the chain takes it; undefined where it is not the wallet's. `beforeAsking` is called before the wallet's
 * code is asked at the chain, and may refuse.
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

/** Asks what runs code of strangers, which can break the very call that asks it: then it has said no, if the node answers others. */
export async function askStranger({ chain }: Pick<App, "chain">, call: Call): Promise<CallResult> {
  try {
    return (await chain.read([call], { gas: STRANGER_GAS }))[0]!;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.heads();
    return { success: false, data: "0x" };
  }
}
