/** Who asks for a check, and what each may: shared by the operations of checks. */
import type { App } from "../../../app.ts";
import type { Call, CallResult, Hex } from "../../../domain/chain.ts";
import * as checks from "../../../domain/checks/check.ts";
import { isAccepted, keySignature, STRANGER_GAS, signatureCall } from "../../../domain/checks/redemption.ts";
import { ChainUnavailable } from "../../../domain/ports.ts";
import { refuse } from "../../../domain/refusal.ts";
import { checksProjection, findCheck } from "../../../projections/checks/checks.ts";
import type { Caller } from "../../caller.ts";

/** Whoever pays shows a wallet by that; a key shows none. */
export const walletOf = (caller: Caller): Hex | undefined =>
  caller.kind === "payer" ? caller.wallet : undefined;

/** A test key moves no money of a real chain, and what it says there would bind wallets that are not its own. */
export function refuseTestKey({ embedded_chain }: App, caller: Caller): void {
  if (caller.kind === "key" && caller.space === "test" && !embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; use a live key, or pay");
}

type Named = { tenant: string; id: string; followed: boolean };

/** Where the stream of a check lies: whoever has its id may ask, whosever it is. One just made may not be listed yet. */
export async function targetOf(app: App, caller: Caller, id: string): Promise<Named> {
  const listed = await findCheck(app.pool, id);
  if (listed) return { ...listed, id };
  const { tenant } = caller;
  if (await app.load(checks, { tenant, id })) return { tenant, id, followed: true };
  const isCurrent = await app.caughtUp(checksProjection);
  const found = await findCheck(app.pool, id);
  if (found) return { ...found, id };
  return isCurrent
    ? refuse("not_found", "there is no such check")
    : refuse("unavailable", "the list of checks is behind; ask again shortly", { retry_after_s: 1 });
}

type OwnSignature = { digest: Uint8Array; wallet: Hex; given: Hex; field: { path: string; of: string } };

/** A wallet's own signature of a digest as the chain takes it, a key's or by its contract's word; refuses any other of `field`. */
export async function walletsOwn(app: App, { digest, wallet, given, field }: OwnSignature): Promise<Hex> {
  const plain = keySignature(digest, wallet, given, app.recover);
  if (plain) return plain;
  if (isAccepted(await askStranger(app, signatureCall(wallet, digest, given)))) return given;
  const message = `is no signature by ${wallet} of ${field.of}`;
  return refuse("invalid", "the signature is not the wallet's", { errors: [{ path: field.path, message }] });
}

/** Asks what runs code of strangers, which can break the very call that asks it: then it has said no, if the node answers others. */
export async function askStranger({ chain }: App, call: Call): Promise<CallResult> {
  try {
    return (await chain.read([call], { gas: STRANGER_GAS }))[0]!;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.heads();
    return { success: false, data: "0x" };
  }
}
