/** Callers of checks and their permissions, shared by the operations of checks. */
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as checks from "../../../domain/checks/check.ts";
import { checksProjection, findCheck } from "../../../projections/checks/checks.ts";
import { type WalletSignature, walletsOwn } from "../../declare/access/wallet-signature.ts";
import type { Caller } from "../../declare/caller.ts";

/** The wallet that a caller proved. A payment proves its wallet; a key proves none. */
export const walletOf = (caller: Caller): Hex | undefined =>
  caller.kind === "payer" || caller.kind === "delegate" ? caller.wallet : undefined;

type CheckId = { tenant: string; id: string; followed: boolean };

/** The stream of a check, which anybody with its id may read. The list may not show a new check yet. */
export async function targetOf(app: App, caller: Caller, id: string): Promise<CheckId> {
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

/**
 * Checks a wallet's own signature, and returns it in the form that the chain accepts. Refuses any other signature,
 * and names `field`.
 */
export async function signedBy(app: App, { field, ...signature }: OwnSignature): Promise<Hex> {
  const own = await walletsOwn(app, signature);
  if (own) return own.signature;
  const message = `is not a signature by ${signature.wallet} of ${field.of}`;
  return refuse("invalid", "the wallet did not sign this", { errors: [{ path: field.path, message }] });
}
