/** The segments of a log that are sealed: full runs of its events, each a file that proves itself. */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256 } from "../../core/model/fields.ts";
import { objectName } from "../../core/model/objects.ts";
import { refuse } from "../../core/model/refusal.ts";

/** Events of a segment: a whole subtree of the log's tree. */
export const SEGMENT_EVENTS = 2 ** 20;

export const events = {
  LogSegmentSealed: {
    means:
      "A full run of the log's events was written to a file of its own, which can be checked without the service.",
    1: z.strictObject({
      from: z.int().positive().describe("Position of the segment's first event."),
      to: z.int().positive().describe("Position of the segment's last event."),
      sha256: sha256.describe("SHA-256 of the file."),
      bytes: z.int().positive(),
      rows: z.int().positive().describe("Number of the segment's events, a power of two."),
      prev_log_hash: sha256.describe("The log hash at the position before the first event."),
      log_hash: sha256.describe("The log hash at the last event."),
      subtree_root: sha256.describe("The node of the log's tree over exactly these events."),
    }),
    public: true,
  },
};

export type SealedSegment = DataOf<typeof events, "LogSegmentSealed">;
export type SegmentEvent = EventOf<typeof events>;

/** The position up to which the log is sealed. */
export type SegmentsState = { to: number; log_hash: string | undefined };

/** Segments belong to the operator, under the log's origin. */
export const targetOf = (origin: string) => ({ tenant: "operator", id: origin });

export const prefix = "segments-";

export const streamOf = (origin: string) => prefix + origin;

/** The object that a segment's file is: its owner is the log, by the epoch of its origin. */
export const objectOf = (origin: string, digest: string) =>
  objectName("segment", origin.slice(origin.lastIndexOf("/") + 1), digest);

export const initialState = (): SegmentsState => ({ to: 0, log_hash: undefined });

export function evolve(_: SegmentsState, { data }: SegmentEvent): SegmentsState {
  return { to: data.to, log_hash: data.log_hash };
}

/** Seals the next segment; a lower one is sealed already. */
export const seal =
  (facts: SealedSegment) =>
  (state: SegmentsState): SegmentEvent[] => {
    const { from, to, rows, prev_log_hash } = facts;
    if (to <= state.to) return [];
    if (from !== state.to + 1)
      refuse("conflict", `the log is sealed up to ${state.to}, and this segment begins at ${from}`);
    if (to - from + 1 !== rows || Math.log2(rows) % 1 !== 0 || (from - 1) % rows !== 0)
      refuse("invalid", `the events ${from} to ${to} are not a whole subtree`);
    if (state.log_hash !== undefined && prev_log_hash !== state.log_hash)
      refuse("conflict", `the segment up to ${state.to} ends with another log hash`);
    return [{ type: "LogSegmentSealed", data: facts }];
  };
