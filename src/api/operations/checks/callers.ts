/** Who asks for a check, and what each may: shared by the operations of checks. */
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as checks from "../../../domain/checks/check.ts";
import { checksProjection, findCheck } from "../../../projections/checks/checks.ts";
import { type WalletSignature, walletsOwn } from "../../declare/access/wallet-signature.ts";
import type { Caller } from "../../declare/caller.ts";

/** Whoever pays shows a wallet by that; a key shows none. */
export const walletOf = (caller: Caller): Hex | undefined =>
  caller.kind === "payer" || caller.kind === "delegate" ? caller.wallet : undefined;

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
    : refuse("unavailable", "the list of checks is lagging; retry shortly", { retry_after_s: 1 });
}

type OwnSignature = WalletSignature & { field: { path: string; of: string } };

/** A wallet's own signature as the chain takes it; refuses any other of `field`. */
export async function signedBy(app: App, { field, ...signature }: OwnSignature): Promise<Hex> {
  const own = await walletsOwn(app, signature);
  if (own) return own;
  const message = `is no signature by ${signature.wallet} of ${field.of}`;
  return refuse("invalid", "the wallet did not sign this", { errors: [{ path: field.path, message }] });
}
