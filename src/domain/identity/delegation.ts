/** What a principal signs to let another agent act for it. */
import { createHash } from "node:crypto";
import { type Scope, scope } from "../access/key.ts";
import { lowerId, sxId } from "./fields.ts";

/** A year. */
export const LONGEST_DELEGATION_S = 31_536_000;

/** What may be delegated: what an agent's own key may do. */
export const delegable = scope.extract(["read", "order", "node"]);

/**
 * SHA-256 of JCS { agent_id, expires_in_s, scopes, to }: what the challenge of purpose `delegate` is about. The members are ASCII and
 * stand in order, so this is their canonical form.
 */
export function delegationDigest(of: {
  agent_id: string;
  to: number;
  scopes: readonly Scope[];
  expires_in_s: number;
}): string {
  const { expires_in_s, scopes } = of;
  const canonical = JSON.stringify({ agent_id: lowerId(of.agent_id), expires_in_s, scopes, to: sxId(of.to) });
  return createHash("sha256").update(canonical).digest("hex");
}
