/** The events of a task, and what they say. Bytes of inputs and results are not in the log, their digests are. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { sxNumber } from "../identity/fields.ts";
import { seedPlace } from "../rng/seeds.ts";
import { kindName } from "./node.ts";

/** Copies that are made of a task at once. */
export const MOST_COPIES = 5;

/** Micro-USDC. */
const micro = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const attempt = z.int().min(1);

/**
 * `rerun`: the service runs it again, always or by a draw. `quorum`: several nodes do it, and results that are the same count.
 * `requester`: the requester accepts or rejects, and says yes by saying nothing for window_s.
 */
export const verifications = ["rerun", "quorum", "requester"] as const;

const oldTerms = z.strictObject({
  max_price_micro: micro.min(1).describe("The most it costs; so much is held for it."),
  limit_s: z.int().min(1).describe("Seconds that a worker has for it."),
  verify: z.enum(["rerun", "requester"]),
  assign: sxNumber.nullable().describe("The passport of the only node that gets it; null: any."),
  min_trust: z.int().min(0).max(100),
  window_s: z.int().min(1),
  deadline_at: time.describe("Nobody begins it then any more."),
});

const terms = oldTerms.extend({
  verify: z.enum(verifications),
  quorum: z
    .strictObject({
      copies: z.int().min(2).max(MOST_COPIES),
      agree: z.int().min(2).max(MOST_COPIES).describe("Results that have to be the same: more than half."),
    })
    .nullable()
    .describe("Of a task that several nodes do, and of its copies."),
});

/** The id of a task, or of a copy: `<id>.<number>`. */
const taskId = z.string().regex(/^[0-9a-f]{32}(?:\.[1-9]\d?)?$/, "is the id of a task, or of a copy of one");

/** What was drawn to decide on an audit: anybody draws it again once the seed is revealed (docs/compute.md). */
const draw = z.strictObject({
  ...seedPlace,
  nonce: z.int().min(0),
  p_micro: z.int().min(0).max(1_000_000).describe("The probability of an audit, in millionths, rounded up."),
  audits: z.boolean(),
});

const receipt = z.strictObject({
  kid: z.string(),
  engine_sha256: sha256.describe("Of the program that made the result, as its worker names it."),
  started_at: time,
  ended_at: time,
  signature: z.string().max(8_192).describe("A compact JWS of EdDSA, or 0x and an EIP-712 signature."),
});

export const exits = ["ok", "limit"] as const;

const verdicts = ["valid", "mismatch", "inconclusive"] as const;
/** `void`: the task does not come to the same twice, so no result of it is wrong. */
export const auditVerdicts = [...verdicts, "void"] as const;

const audited = z.strictObject({
  verdict: z.enum(verdicts),
  expected_sha256: sha256.nullable().describe("The digest of the service's own output."),
  engine_sha256: sha256.nullable().describe("Null where nothing was run."),
  draw: draw.nullable().describe("Null where it was certain."),
  audited_at: time,
});

const submitted = { kind: kindName, submitted_at: time };
const input = {
  input_sha256: sha256.describe("Of the canonical form of input_data (RFC 8785)."),
  input_bytes: z.int().min(0),
};

/** Copies are counted from 1; of the second time that they are made, further. */
const copyNumber = z
  .int()
  .min(1)
  .max(2 * MOST_COPIES);

const firstAcceptors = ["audit", "draw", "requester", "window", "dispute"] as const;
/** Who says that a result is right. */
export const acceptors = [...firstAcceptors, "quorum"] as const;
const accepted = z.strictObject({ by: z.enum(firstAcceptors), draw: draw.nullable(), accepted_at: time });

export const events = {
  TaskSubmitted: {
    means: "Somebody asked for a task to be computed, and set money aside for it.",
    1: z.strictObject({ task_id: madeId, terms: oldTerms, ...submitted, ...input }),
    2: z.strictObject({
      task_id: taskId,
      terms,
      copy_of: madeId.nullable().describe("The task that it is a copy of; null: it is none."),
      ...submitted,
      ...input,
    }),
    upcast: {
      1: (old: object & { terms?: unknown }) => ({
        ...old,
        copy_of: null,
        terms: { ...(old.terms as object), quorum: null },
      }),
    },
  },
  TaskLeased: {
    means: "A node took a task.",
    1: z.strictObject({
      attempt,
      sx: sxNumber,
      lease_sha256: sha256.describe("Of the lease's secret name."),
      price_micro: micro.describe("ceil(hourly rate · limit_s / 3600), fixed now."),
      leased_at: time,
      limit_at: time,
    }),
  },
  TaskLeaseExpired: {
    means: "A node did not finish a task, and others may take it.",
    1: z.strictObject({
      attempt,
      reason: z.enum(["silence", "limit", "failed"]).describe("failed: the worker said that it could not."),
      last_heartbeat_at: time.nullable(),
      ready_at: time.describe("Others may begin it from then on."),
      expired_at: time,
    }),
  },
  TaskResultSubmitted: {
    means: "A node handed in the result of a task.",
    1: z.strictObject({
      attempt,
      output_sha256: sha256.describe("Of the canonical form of the result (RFC 8785)."),
      output_bytes: z.int().min(0),
      exit: z
        .enum(exits)
        .describe("limit: the program came to its own end by a limit that is part of the task."),
      used_ms: z.int().min(0).nullable(),
      receipt: receipt.nullable(),
      seed: z
        .strictObject(seedPlace)
        .nullable()
        .describe(
          "The seed in use at this event: whether the result is checked is drawn from it. Null: no draw.",
        ),
      submitted_at: time,
    }),
  },
  TaskAudited: {
    means: "The service computed a task itself, and compared the results.",
    1: audited,
    2: audited.extend({
      verdict: z
        .enum(auditVerdicts)
        .describe("void: the service came to two results itself; the worker is paid, and gets no points."),
      on_silence: z
        .enum(["accepts", "refunds"])
        .nullable()
        .describe(
          "Effect of the requester's silence after an inconclusive check. Null: there was a verdict.",
        ),
    }),
    upcast: {
      1: (old: { verdict?: unknown }) => ({
        ...(old as object),
        on_silence: old.verdict === "inconclusive" ? "accepts" : null,
      }),
    },
  },
  TaskCopied: {
    means: "A task was given to several nodes, so that their results can be compared.",
    1: z
      .strictObject({
        first: copyNumber,
        last: copyNumber,
        copied_at: time,
      })
      .describe("Copies of these numbers are tasks of their own from now on, each for another node."),
  },
  TaskCompared: {
    means: "A node's result was compared with what the others came to.",
    1: z.strictObject({
      verdict: z.enum(["agreed", "differed"]),
      canonical_sha256: sha256.describe("What enough copies came to."),
      compared_at: time,
    }),
  },
  TaskJudged: {
    means: "It was settled which result of a task is the right one.",
    1: z.strictObject({
      verdict: z.enum(["agreed", "none", "cancelled"]),
      canonical_sha256: sha256.nullable(),
      copy: copyNumber.nullable().describe("One that came to it."),
      agreed: z.int().min(0).describe("How many did; 1 where the draw said that no more are needed."),
      draw: draw.nullable(),
      judged_at: time,
    }),
  },
  TaskAccepted: {
    means: "The result of a task was accepted.",
    1: accepted,
    2: accepted.extend({ by: z.enum(acceptors) }),
    upcast: { 1: <Old>(old: Old) => old },
  },
  TaskRejected: {
    means: "The result of a task was rejected by whoever had asked for it.",
    1: z.strictObject({ reason_sha256: sha256.nullable(), rejected_at: time }),
  },
  TaskDisputed: {
    means: "A node disputed that its result was rejected.",
    1: z.strictObject({
      bond_micro: micro.describe("Of the worker."),
      requester_bond_micro: micro.describe("The same, or less where the requester had less."),
      disputed_at: time,
    }),
  },
  TaskDisputeDecided: {
    means: "A dispute over a task was decided.",
    1: z.strictObject({
      by: z.enum(["rerun", "operator", "time"]),
      verdict: z
        .enum(["worker", "requester", "none"])
        .describe("Whose side is right; none: nobody's bond is lost."),
      reason: z.string().max(200),
      decided_at: time,
    }),
  },
  TaskSettled: {
    means: "A task was paid: the node has its money.",
    1: z.strictObject({
      sx: sxNumber,
      price_micro: micro,
      provider_micro: micro,
      fee_micro: micro.describe("floor(price / 10), which the service keeps."),
      back_micro: micro.describe("The rest of what was held, which goes back."),
      settled_at: time,
    }),
  },
  TaskRefunded: {
    means: "The money that was set aside for a task went back.",
    1: z.strictObject({ back_micro: micro, why: z.string().max(100), refunded_at: time }),
  },
  TaskCancelled: {
    means: "A task was called off by whoever had asked for it.",
    1: z.strictObject({ cancelled_at: time }),
  },
  TaskExpired: { means: "Nobody finished a task in time.", 1: z.strictObject({ expired_at: time }) },
  TaskDeadLettered: {
    means: "A task failed so often that nobody gets it any more.",
    1: z.strictObject({ attempts: attempt, at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type TaskFacts = Data<"TaskSubmitted">;
export type Terms = z.infer<typeof terms>;
export type Leased = Data<"TaskLeased">;
export type Result = Data<"TaskResultSubmitted">;
export type Receipt = z.infer<typeof receipt>;
export type Draw = z.infer<typeof draw>;
export type Audited = Data<"TaskAudited">;
export type Compared = Data<"TaskCompared">;
export type Judged = Data<"TaskJudged">;
export type Accepted = Data<"TaskAccepted">;
export type Rejected = Data<"TaskRejected">;
export type Disputed = Data<"TaskDisputed">;
export type DisputeDecided = Data<"TaskDisputeDecided">;
export type Settled = Data<"TaskSettled">;
export type TaskEvent = EventOf<typeof events>;
