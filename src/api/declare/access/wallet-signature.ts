import type { App } from "../../../core/app.ts";
import type { Block, Call, CallResult, Hex } from "../../../core/model/chain.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { unwrapped } from "../../../domain/access/undeployed-wallet.ts";
import { isAccepted, keySignature, STRANGER_GAS, signatureCall } from "../../../domain/checks/redemption.ts";
import type { Scheme } from "../../../domain/identity/act.ts";

export type WalletSignature = { digest: Uint8Array; wallet: Hex; given: Hex };

/**
 * `signature`: the form that the chain accepts. `block`: the newest block if a contract checked the signature; null
 * for a plain key.
 */
export type AcceptedSignature = { scheme: Exclude<Scheme, "jwt">; signature: Hex; block: Block | null };

/**
 * Checks a wallet's signature; undefined if it is wrong. `beforeAsking` may refuse before a contract wallet
 * (ERC-1271) is queried.
 */
export async function walletsOwn(
  app: Pick<App, "chain" | "recover">,
  { digest, wallet, given }: WalletSignature,
  beforeAsking: () => Promise<void> = async () => {},
): Promise<AcceptedSignature | undefined> {
  const plain = keySignature(digest, wallet, given, app.recover);
  if (plain) return { scheme: "eip191", signature: plain, block: null };
  await beforeAsking();
  const { latest: block } = await app.chain.heads();
  const undeployed = unwrapped(given);
  // One simulated call deploys the wallet and checks the signature there. The chain stores nothing of it.
  const calls = undeployed
    ? [undeployed.deployment, signatureCall(wallet, digest, undeployed.signature)]
    : [signatureCall(wallet, digest, given)];
  if (!(await isAcceptedBy(app, calls))) return undefined;
  return { scheme: undeployed ? "erc6492" : "erc1271", signature: given, block };
}

/** True if the last call's result accepts the signature. */
const isAcceptedBy = async (app: Pick<App, "chain">, calls: readonly Call[]): Promise<boolean> =>
  isAccepted((await askStrangers(app, calls)).at(-1));

/**
 * Queries a stranger's contract, which can make the whole query fail. A failure counts as "no" if the node answers
 * other queries.
 */
export async function askStranger(app: Pick<App, "chain">, call: Call): Promise<CallResult> {
  return (await askStrangers(app, [call]))[0]!;
}

async function askStrangers({ chain }: Pick<App, "chain">, calls: readonly Call[]): Promise<CallResult[]> {
  try {
    return await chain.read(calls, { gas: calls.length === 1 ? STRANGER_GAS : DEPLOYMENT_GAS });
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.heads();
    return calls.map(() => ({ success: false, data: "0x" }));
  }
}

/** The factory writes the wallet's code, so this costs more gas than a mere check of the signature. */
const DEPLOYMENT_GAS = 3_000_000n;
