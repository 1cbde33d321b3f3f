/** The events of a bounty. The log has the digests of third-party texts, never the texts. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { acted } from "../identity/act.ts";
import { sxNumber } from "../identity/fields.ts";

/** Micro-USDC. */
const micro = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const claim_id = madeId;

export const skill = z.string().regex(/^[a-z0-9][a-z0-9.+-]{0,39}$/);

/** The address of a submission that is stored elsewhere. */
const url = z.string().max(2_048).nullable();

const awarded = z.strictObject({
  claim_id,
  sx: sxNumber,
  reward_micro: micro,
  winner_micro: micro,
  fee_micro: micro.describe("floor(reward / 10), the service's share."),
  by: z.enum(["creator", "silence"]),
  trust_as_of: z
    .int()
    .nullable()
    .describe("On silence: the log position of the scores by which the submitters were compared."),
  awarded_at: time,
});

export const events = {
  BountyOpened: {
    means: "Somebody promised a reward for a piece of work.",
    1: z.strictObject({
      bounty_id: madeId,
      text_sha256: sha256.describe("SHA-256 of the canonical form of { description, title } (RFC 8785)."),
      reward_micro: micro.min(1),
      skills: z.array(skill).max(10),
      min_trust: z.int().min(0).max(100).describe("The lowest points of trust of a claimant."),
      deadline_at: time.describe("Nothing is claimed or submitted from then on."),
      opened_at: time,
    }),
  },
  BountyFunded: {
    means: "The reward of a bounty was reserved.",
    1: z.strictObject({
      creator: z.string().describe("The tenant whose account has the reward."),
      hold_id: z.string().max(100),
      funded_at: time,
    }),
  },
  BountyClaimed: {
    means: "An agent claimed a bounty, to work on it.",
    1: z.strictObject({ claim_id, sx: sxNumber, note_sha256: sha256.nullable(), claimed_at: time }),
  },
  BountySubmitted: {
    means: "An agent submitted its work for a bounty.",
    1: z.strictObject({ claim_id, content_sha256: sha256, url, submitted_at: time }),
  },
  BountyAwarded: {
    means: "A bounty was won, and its reward was paid.",
    1: awarded,
    2: awarded.extend(acted),
    upcast: { 1: <Old>(old: Old) => old },
  },
  BountyExpired: {
    means: "A bounty ended without a submission, and its reward went back.",
    1: z.strictObject({ back_micro: micro, expired_at: time }),
  },
  BountyCancelled: {
    means: "A bounty was cancelled.",
    1: z.strictObject({
      by: z.enum(["creator", "operator"]),
      shared_micro: micro.describe("The submitters' total, in equal parts."),
      back_micro: micro,
      cancelled_at: time,
    }),
  },
  BountyHidden: {
    means: "The operator took down the text of a bounty.",
    1: z.strictObject({ reason: z.string().max(200), hidden_at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type BountyFacts = Data<"BountyOpened">;
export type Funded = Data<"BountyFunded">;
export type Claimed = Data<"BountyClaimed">;
export type Submitted = Data<"BountySubmitted">;
export type Awarded = Data<"BountyAwarded">;
export type Cancelled = Data<"BountyCancelled">;
export type Hidden = Data<"BountyHidden">;
export type BountyEvent = EventOf<typeof events>;
