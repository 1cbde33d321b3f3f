/** Fields and helpers that answers about the log share. */

import { z } from "zod";
import { formatVerifierKey, verifierKey } from "../../../anchoring/note.ts";
import type { App } from "../../../core/app.ts";
import { limit, sha256 } from "../../../core/model/fields.ts";
import { MOST_RECENT } from "../../../projections/anchoring/streams.ts";

export const proof = z.array(sha256).describe("Sibling hashes in hex, in RFC 9162's order");
/** A time in UTC to the microsecond, like the log's own. */
export const preciseTime = z.iso.datetime({ precision: 6 });
export const firmness = z
  .enum(["mined", "final", "reorged"])
  .describe("mined: the chain may still revert it; reorged: the chain reverted it");
export const stream = z
  .string()
  .describe("The stream's id if its type is public; else a keyed hash of it, equal for equal streams");

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Microseconds since 1970 as ISO 8601. */
export const isoTime = (us: number) =>
  `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, "0")}Z`;

/** The verifier key for the checkpoints of this origin. */
export const logKey = ({ signer }: App, origin: string) =>
  formatVerifierKey(verifierKey(origin, "ed25519", signer.public_key));

export const next = z.int().nullable().describe("`before` of the next page; null on the last");

export const newest = limit("How many, newest first", { most: MOST_RECENT, usual: 50 });

export const page = (of: string) => ({
  before: z
    .int("is a whole number")
    .min(1, "is at least 1")
    .max(Number.MAX_SAFE_INTEGER, "is below 2^53")
    .describe(`Only below this ${of}: the \`next\` of the page before`)
    .optional(),
  limit: newest,
});

/**
 * A page of rows. The query reads one row more than the limit to learn if there are more; the last row's position
 * starts the next page.
 */
export function pageOf<Row>(rows: Row[], limit: number, placeOf: (row: Row) => number) {
  const shown = rows.slice(0, limit);
  return { shown, next: rows.length > limit ? placeOf(shown.at(-1)!) : null };
}
