/** The operator's seeds, and the result of each computation of all scores, are public. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { sxNumber } from "../identity/fields.ts";
import { TABLE_SHA256 } from "./decay.ts";
import { METHOD } from "./rules.ts";

export const events = {
  TrustSeeded: {
    means: "The operator gave an agent seed points.",
    1: z
      .strictObject({
        sx_number: sxNumber,
        points_micro: z
          .int()
          .min(0)
          .max(100_000_000)
          .describe("Micro-points, which do not decay; 0 takes the seed back."),
        reason: z.string().min(1).max(200),
        seeded_at: time,
      })
      .describe("By the operator. The newest for a passport number counts."),
    public: true,
  },
  TrustComputed: {
    means: "All trust scores were computed from the log; a digest fixes them.",
    1: z.strictObject({
      method: z.literal(METHOD),
      as_of_position: z.int().nonnegative().describe("The computation includes the log's events up to here."),
      day: z.int().nonnegative().describe("UTC days since 1970-01-01."),
      agents: z.int().nonnegative().describe("How many scores are not 0."),
      edges: z.int().nonnegative().describe("How many pairs of attestor and subject count."),
      rounds: z.int().min(1).max(64),
      table_sha256: z.literal(TABLE_SHA256),
      result_sha256: sha256.describe(
        "SHA-256 of the lines `<sx_number> <micro-points>\\n`: docs/trust-score.md.",
      ),
      result_root: sha256
        .optional()
        .describe("Root of the Merkle tree over these lines, 64 a leaf (RFC 9162): docs/trust-score.md."),
      computed_at: time,
    }),
    public: true,
  },
};

export type Seed = DataOf<typeof events, "TrustSeeded">;
export type Computed = DataOf<typeof events, "TrustComputed">;
export type TrustEvent = EventOf<typeof events>;

/** The newest event. */
export type TrustState = TrustEvent | undefined;

/** There is one stream, with this name. */
export const prefix = "trust";

export const streamOf = (id: string) => prefix + id;

export const target = { tenant: "operator", id: "" };

/** Snapshots spare a read of the whole stream, which grows by one computation a minute. */
export const fold_version = 1;

export const initialState = (): TrustState => undefined;

export const evolve = (_: TrustState, event: TrustEvent): TrustState => event;

export const seed =
  (data: Seed) =>
  (_: TrustState): TrustEvent[] => [{ type: "TrustSeeded", data }];

/** Repeatable: the same computation is recorded once. */
export const compute =
  (data: Computed) =>
  (newest: TrustState): TrustEvent[] =>
    newest?.type === "TrustComputed" &&
    newest.data.day === data.day &&
    newest.data.as_of_position === data.as_of_position
      ? []
      : [{ type: "TrustComputed", data }];
