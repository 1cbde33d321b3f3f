/** The log has only digests of inputs and results. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { acted } from "../identity/act.ts";
import { sxNumber } from "../identity/fields.ts";
import { seedLocation } from "../rng/seeds.ts";
import { kindName } from "./node.ts";

export const MOST_COPIES = 5;

/** Micro-USDC. */
const micro = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const attempt = z.int().min(1);

/**
 * `rerun`: the service runs the task again, always or by a draw. `quorum`: several nodes do it, and equal results
 * count. `requester`: the requester accepts or rejects; silence for window_s accepts.
 */
export const verifications = ["rerun", "quorum", "requester"] as const;

const oldTerms = z.strictObject({
  max_price_micro: micro.min(1).describe("The highest price; this amount is held."),
  limit_s: z.int().min(1).describe("The worker's time limit in seconds."),
  verify: z.enum(["rerun", "requester"]),
  assign: sxNumber.nullable().describe("The only node's passport; null: any node."),
  min_trust: z.int().min(0).max(100),
  window_s: z.int().min(1),
  deadline_at: time.describe("The latest time at which a node may begin the task."),
});

const terms = oldTerms.extend({
  verify: z.enum(verifications),
  quorum: z
    .strictObject({
      copies: z.int().min(2).max(MOST_COPIES),
      agree: z.int().min(2).max(MOST_COPIES).describe("Needed number of equal results: more than half."),
    })
    .nullable()
    .describe("Only for a quorum task and its copies."),
});

/** The id of a task, or of a copy: `<id>.<number>`. */
const taskId = z.string().regex(/^[0-9a-f]{32}(?:\.[1-9]\d?)?$/, "is the id of a task, or of a copy of one");

/** A draw decides on an audit; anybody can repeat it once the seed is revealed (docs/compute.md). */
const draw = z.strictObject({
  ...seedLocation,
  nonce: z.int().min(0),
  p_micro: z.int().min(0).max(1_000_000).describe("The probability of an audit, in millionths, rounded up."),
  audits: z.boolean(),
});

const receipt = z.strictObject({
  kid: z.string(),
  engine_sha256: sha256.describe("SHA-256 of the program, by the worker's statement."),
  started_at: time,
  ended_at: time,
  signature: z.string().max(8_192).describe("A compact JWS of EdDSA, or 0x and an EIP-712 signature."),
});

export const exits = ["ok", "limit"] as const;

const verdicts = ["valid", "mismatch", "inconclusive"] as const;
/** `void`: the task is not deterministic, so no result of it is wrong. */
export const auditVerdicts = [...verdicts, "void"] as const;

const audited = z.strictObject({
  verdict: z.enum(verdicts),
  expected_sha256: sha256.nullable().describe("The digest of the service's own output."),
  engine_sha256: sha256.nullable().describe("Null where nothing was run."),
  draw: draw.nullable().describe("Null where the check was certain, without a draw."),
  audited_at: time,
});

const submitted = { kind: kindName, submitted_at: time };
const input = {
  input_sha256: sha256.describe("SHA-256 of the canonical form of input_data (RFC 8785)."),
  input_bytes: z.int().min(0),
};

/** Copies count from 1; the second round continues the numbers. */
const copyNumber = z
  .int()
  .min(1)
  .max(2 * MOST_COPIES);

const firstAcceptors = ["audit", "draw", "requester", "window", "dispute"] as const;
export const acceptors = [...firstAcceptors, "quorum"] as const;
const accepted = z.strictObject({ by: z.enum(firstAcceptors), draw: draw.nullable(), accepted_at: time });

const rejected = z.strictObject({ reason_sha256: sha256.nullable(), rejected_at: time });

export const events = {
  TaskSubmitted: {
    means: "A requester submitted a task, and its price is held.",
    1: z.strictObject({ task_id: madeId, terms: oldTerms, ...submitted, ...input }),
    2: z.strictObject({
      task_id: taskId,
      terms,
      copy_of: madeId.nullable().describe("The original of a copy; null: no copy."),
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
    means: "A node leased a task.",
    1: z.strictObject({
      attempt,
      sx: sxNumber,
      lease_sha256: sha256.describe("SHA-256 of the secret `lease_id`."),
      price_micro: micro.describe("ceil(hourly rate · limit_s / 3600), fixed now."),
      leased_at: time,
      limit_at: time,
    }),
  },
  TaskLeaseExpired: {
    means: "A lease ended without a result; the task is available again.",
    1: z.strictObject({
      attempt,
      reason: z.enum(["silence", "limit", "failed"]).describe("failed: the worker reported a failure."),
      last_heartbeat_at: time.nullable(),
      ready_at: time.describe("Other nodes may begin the task from this time on."),
      expired_at: time,
    }),
  },
  TaskResultSubmitted: {
    means: "A node submitted a result.",
    1: z.strictObject({
      attempt,
      output_sha256: sha256.describe("SHA-256 of the canonical form of the result (RFC 8785)."),
      output_bytes: z.int().min(0),
      exit: z.enum(exits).describe("limit: the program ended by a limit of the task."),
      used_ms: z.int().min(0).nullable(),
      receipt: receipt.nullable(),
      seed: z
        .strictObject(seedLocation)
        .nullable()
        .describe("The active seed at this event, for the draw about a check. Null: no draw."),
      submitted_at: time,
    }),
  },
  TaskAudited: {
    means: "The service re-ran a task and compared the results.",
    1: audited,
    2: audited.extend({
      verdict: z
        .enum(auditVerdicts)
        .describe("void: the service's own two runs differ; the worker is paid, without points."),
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
    means: "A task was split into copies for several nodes.",
    1: z
      .strictObject({
        first: copyNumber,
        last: copyNumber,
        copied_at: time,
      })
      .describe("Copies of these numbers are separate tasks from now on, each for another node."),
  },
  TaskCompared: {
    means: "A copy's result was compared with the others.",
    1: z.strictObject({
      verdict: z.enum(["agreed", "differed"]),
      canonical_sha256: sha256.describe("The result of enough copies."),
      compared_at: time,
    }),
  },
  TaskJudged: {
    means: "The right result of a quorum task was decided.",
    1: z.strictObject({
      verdict: z.enum(["agreed", "none", "cancelled"]),
      canonical_sha256: sha256.nullable(),
      copy: copyNumber.nullable().describe("A copy that returned the right result."),
      agreed: z.int().min(0).describe("Number of agreeing copies; 1 if a draw required no more."),
      draw: draw.nullable(),
      judged_at: time,
    }),
  },
  TaskAccepted: {
    means: "The result of a task was accepted.",
    1: accepted,
    2: accepted.extend({ by: z.enum(acceptors) }),
    3: accepted.extend({ by: z.enum(acceptors), ...acted }),
    upcast: { 1: <Old>(old: Old) => old, 2: <Old>(old: Old) => old },
  },
  TaskRejected: {
    means: "The requester rejected a result.",
    1: rejected,
    2: rejected.extend(acted),
    upcast: { 1: <Old>(old: Old) => old },
  },
  TaskDisputed: {
    means: "A node disputed the rejection of its result.",
    1: z.strictObject({
      bond_micro: micro.describe("The worker's bond."),
      requester_bond_micro: micro.describe("The same amount, or less if the requester's balance was lower."),
      disputed_at: time,
    }),
  },
  TaskDisputeDecided: {
    means: "A dispute over a task was decided.",
    1: z.strictObject({
      by: z.enum(["rerun", "operator", "time"]),
      verdict: z.enum(["worker", "requester", "none"]).describe("The winner; none: both bonds are returned."),
      reason: z.string().max(200),
      decided_at: time,
    }),
  },
  TaskSettled: {
    means: "A task was settled: its node is paid.",
    1: z.strictObject({
      sx: sxNumber,
      price_micro: micro,
      provider_micro: micro,
      fee_micro: micro.describe("floor(price / 10), the service's fee."),
      back_micro: micro.describe("The rest of the hold, which is released."),
      settled_at: time,
    }),
  },
  TaskRefunded: {
    means: "A task was refunded.",
    1: z.strictObject({ back_micro: micro, why: z.string().max(100), refunded_at: time }),
  },
  TaskCancelled: {
    means: "The requester cancelled a task.",
    1: z.strictObject({ cancelled_at: time }),
  },
  TaskExpired: { means: "A task passed its deadline.", 1: z.strictObject({ expired_at: time }) },
  TaskDeadLettered: {
    means: "A task failed too often and is closed.",
    1: z.strictObject({ attempts: attempt, at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type TaskFacts = Data<"TaskSubmitted">;
export type LeaseData = Data<"TaskLeased">;
export type Result = Data<"TaskResultSubmitted">;
export type Receipt = z.infer<typeof receipt>;
export type Draw = z.infer<typeof draw>;
export type AuditData = Data<"TaskAudited">;
export type ComparisonData = Data<"TaskCompared">;
export type JudgmentData = Data<"TaskJudged">;
export type AcceptanceData = Data<"TaskAccepted">;
export type RejectionData = Data<"TaskRejected">;
export type DisputeData = Data<"TaskDisputed">;
export type DecisionData = Data<"TaskDisputeDecided">;
export type SettlementData = Data<"TaskSettled">;
export type TaskEvent = EventOf<typeof events>;
