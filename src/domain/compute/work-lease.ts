/**
 * A lease on a task for a worker. Only the newest lease's worker may report a result, and the log has only the digest
 * of a lease's secret. Leases between processes are in src/core/coordination/lease.ts.
 */
import { createHash } from "node:crypto";

/** The lease ends after this many seconds without a heartbeat. */
export const SILENT_S = 90;

/** `attempt` counts from 1. The lease ends at `limit_at`, even with heartbeats. */
export type WorkLease = { attempt: number; lease_sha256: string; leased_at: string; limit_at: string };

export const leaseDigest = (lease_id: string): string => createHash("sha256").update(lease_id).digest("hex");

export function leaseEndsAt(
  { leased_at, limit_at }: Pick<WorkLease, "leased_at" | "limit_at">,
  heard_at: string | null,
  silent_s = SILENT_S,
): string {
  const last = heard_at !== null && heard_at > leased_at ? heard_at : leased_at;
  const silent_at = new Date(Date.parse(last) + silent_s * 1_000).toISOString();
  return silent_at < limit_at ? silent_at : limit_at;
}

export const isCurrent = (lease: WorkLease | null, lease_sha256: string): boolean =>
  lease?.lease_sha256 === lease_sha256;
