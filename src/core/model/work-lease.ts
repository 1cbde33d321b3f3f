/**
 * Work lent to a worker: who holds the newest lease of it may say what came of it, and nobody else. A lease is known by a secret of which
 * the log has the digest alone. (That one process does something alone is another thing: src/core/coordination/lease.ts.)
 */
import { createHash } from "node:crypto";

/** Seconds for which a lease holds after its worker was heard last. */
export const SILENT_S = 90;

/** `attempt`: counted from 1. `limit_at`: it ends then, however often its worker is heard. */
export type WorkLease = { attempt: number; lease_sha256: string; leased_at: string; limit_at: string };

export const leaseDigest = (lease_id: string): string => createHash("sha256").update(lease_id).digest("hex");

/** When a lease ends whose worker was heard last at `heard_at`, and may be silent for `silent_s`. */
export function leaseEndsAt(
  { leased_at, limit_at }: Pick<WorkLease, "leased_at" | "limit_at">,
  heard_at: string | null,
  silent_s = SILENT_S,
): string {
  const last = heard_at !== null && heard_at > leased_at ? heard_at : leased_at;
  const silent_at = new Date(Date.parse(last) + silent_s * 1_000).toISOString();
  return silent_at < limit_at ? silent_at : limit_at;
}

/** Whether a digest names the lease that holds. */
export const isCurrent = (lease: WorkLease | null, lease_sha256: string): boolean =>
  lease?.lease_sha256 === lease_sha256;
