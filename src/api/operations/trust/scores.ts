import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { explain } from "../../../domain/trust/explain.ts";
import { FACTOR_DAYS, type Factor, factorNames, factorsOf } from "../../../domain/trust/factors.ts";
import { METHOD } from "../../../domain/trust/rules.ts";
import { levelOf, levels, shareOf } from "../../../domain/trust/score.ts";
import { dateOf } from "../../../projections/trust/days.ts";
import {
  attestorsOf,
  evidenceOf,
  liveAttestations,
  relationsOf,
} from "../../../projections/trust/evidence.ts";
import { EXACT_A_DAY } from "../../../projections/trust/exact.ts";
import {
  atOneMoment,
  beforeOn,
  type ComputedRow,
  type Moment,
  newestScore,
  scoresBetween,
  storedScore,
} from "../../../projections/trust/scores.ts";
import { type Backing, backings, backingsOf } from "../../../projections/trust/signed.ts";
import { workDays } from "../../../projections/trust/work.ts";
import { statusField } from "../../agents/agents.ts";
import { free, json, key, open, operation, pay, subject } from "../../declare/index.ts";
import { findAgent } from "./agents.ts";
import { dayRangeFields, dayRangeOf, MOST_DAYS } from "./day-range.ts";
import { exactAnswer } from "./exact.ts";
import { scoreProofOf } from "./score-proof.ts";

const level = z
  .enum(levels)
  .describe(
    "By points: none < 10 ≤ low < 30 ≤ medium < 60 ≤ high < 85 ≤ very_high; none while the passport is suspended or revoked",
  );

const statusNow = statusField.describe(
  "The passport's status in the log now, even if the score is older: registered, proven, suspended or revoked",
);

/** Points from 0 to 100 with two decimals, rounded down. */
const pointsOf = (micro_points: number) => Math.floor(micro_points / 1e4) / 100;

const asOf = z.object({
  position: z.int().describe("Includes evidence up to here"),
  day: z.string().describe("The UTC day from which the ages of all evidence are counted"),
  computed_event: z
    .string()
    .nullable()
    .describe(
      "The event with the digest of all scores of this computation; null for an exact one, which is in no log",
    ),
  result_sha256: sha256,
  computed_at: time,
});

const asOfShown = ({ as_of_position, day, event_id, result_sha256, computed_at }: ComputedRow) => ({
  ...{ position: as_of_position, day: dateOf(day), computed_event: event_id, result_sha256, computed_at },
});

const date = z.iso.date("is a day, YYYY-MM-DD").optional();

const micro = z.int().describe("Micro-points: 100 points are 100,000,000");
const standing = z
  .enum(backings)
  .describe(
    "Who vouches for it. signature: its event has the agent's or requester's; key: an API key alone; payment: the payer's signed payment; service: a check, a draw, silence or a dispute; unrecorded: the event does not say",
  );
const line = z.object({
  event_id: z.string(),
  kind: z.enum(["task", "spend", "penalty"]),
  points_micro: micro,
  shown_by: standing,
});
const explanation = z
  .object({
    score_micro: micro.describe("The sum of all lines, the seed and the cuts"),
    seeded_micro: micro.describe("Points that the operator gave publicly"),
    seeded_event: z.string().nullable().describe("Its event; null without a seed"),
    base: z.array(line),
    attestations: z.array(
      z.object({
        from: z.string().describe("The attestor's SX#<number>"),
        event_ids: z.array(z.string()),
        shown_by: z.array(standing).describe("Who vouches for each of them, in their order"),
        attestor_points_micro: micro.describe("Its score in the next-to-last round"),
        weights_micro: z.array(z.int()),
        ages_days: z.array(z.int()),
        counted_micro: z.int().describe("The weight left after age and caps, in millionths"),
        points_micro: micro,
      }),
    ),
    penalties: z.array(line),
    cuts: z.array(z.object({ cap: z.enum(["tasks", "spend", "most", "least"]), points_micro: micro })),
    evidence_usdc: z.string().describe("Paid for counted calls, before age and caps"),
    independent_attestors: z.int().describe("Attestors with evidence of their own"),
    reciprocal_share: z
      .number()
      .nullable()
      .describe(
        "Share of the attested points from agents that this agent attests, too; null without attested points",
      ),
    clique: z
      .boolean()
      .describe(
        "At least three attestors, and half of their points or more from agents that this agent attests, too",
      ),
  })
  .nullable();

const scoreProof = z
  .object({
    root: sha256.describe("`result_root` of the event `as_of.computed_event`"),
    index: z.int().describe("The leaf's index, from 0"),
    size: z.int().describe("Leaves of the tree"),
    lines: z
      .string()
      .describe("The leaf: lines `<number> <micro-points>`, ascending; an agent without a line has 0"),
    path: z.array(z.string()).describe("RFC 9162, 2.1.3.2: hashes in hex, the lowest first"),
  })
  .nullable()
  .describe("Null without `proof=true`, without any score, and for computations before roots were recorded");

const each = <Value extends z.ZodType>(value: Value) =>
  z.object(
    Object.fromEntries(factorNames.map((name) => [name, value])) as Record<
      (typeof factorNames)[number],
      Value
    >,
  );

/** The factors of a score: work up to the end of `day`, attestors up to `position`. */
async function factorsShown(
  { pool }: App,
  sx: number,
  { day, position, attested }: { day: number; position: number; attested: number },
) {
  const [work, attestors] = await Promise.all([
    workDays(pool, { sx, from: day - FACTOR_DAYS, to: day }),
    attestorsOf(pool, { sx, position }),
  ]);
  const factors = factorsOf({ day, work, attested: { points: attested, attestors } });
  const shown = <Value>(of: (factor: Factor) => Value) =>
    Object.fromEntries(factorNames.map((name) => [name, of(factors[name])])) as Record<
      (typeof factorNames)[number],
      Value
    >;
  return {
    factors: shown(({ value }) => (value === null ? null : value / 1e6)),
    samples: shown(({ n }) => n),
  };
}

export const trust = operation({
  name: "soul_trust",
  route: "GET /soul/{id}/trust",
  summary: "How much you can trust an agent, and why",
  description: `The score 0 to 1 of the method ${METHOD}, from the last computation at or before \`as_of_position\`, or the newest. The log has each computation's digest, and anybody
can recompute it from an export: docs/trust-score.md. \`exact=true\`, with a key, computes at that exact position: ${EXACT_A_DAY} a key and UTC day, one at a time. \`explain=true\` explains the score line by line, each line with its events. Factors are measured separately and do not affect the score; a factor without samples is null.`,
  access: [open()],
  input: z.object({
    id: agentRef,
    as_of_position: z.coerce
      .number()
      .int("is a position of the log")
      .min(1, "is at least 1")
      .max(Number.MAX_SAFE_INTEGER, "is a position of the log")
      .optional()
      .describe("The score as of this log position; the last computation of each day is stored"),
    explain: z
      .enum(["true", "false"], "is true or false")
      .default("false")
      .describe("true: explain the score"),
    proof: z
      .enum(["true", "false"], "is true or false")
      .default("false")
      .describe("true: the Merkle path to the root in the computation's event"),
    exact: z
      .enum(["true", "false"], "is true or false")
      .default("false")
      .describe("true: compute at as_of_position now; needs a key"),
    day: date.describe("With exact: the UTC day that ages count to, not before the position's day"),
  }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      status: statusNow,
      trust_score: z.number().describe("0 to 1, six decimals, floored"),
      trust_level: level,
      factors: each(z.number().nullable()),
      samples: each(z.int().describe("Number of events behind this factor")),
      method: z.literal(METHOD),
      as_of: asOf.nullable().describe("Null before the first computation: then every score is 0"),
      explanation,
      proof: scoreProof,
    }),
  ),
  refuses: [404],
  example: { id: "SX#1", explain: "true", proof: "true" },
  handle: async ({ input, app, caller }) => {
    const isExact = input.exact === "true";
    const stored = (["explain", "proof"] as const).find((name) => input[name] === "true");
    const odd = isExact ? stored : input.day !== undefined && "day";
    if (odd)
      return refuseField(odd, isExact ? "selects a stored computation: omit exact" : "needs exact=true");
    const agent = await findAgent(app, input.id);
    const { facts } = agent;
    const status = agents.statusOf(agent);
    const sx = facts.sx_number;
    if (isExact) {
      const query = { sx, position: input.as_of_position, day: input.day };
      const { score, attested, result_sha256, position, day } = await exactAnswer(app, caller, query);
      const computed_at = app.clock.now().toISOString();
      return {
        agent_id: facts.agent_id,
        sx_id: sxId(sx),
        status,
        trust_score: shareOf(score),
        trust_level: levelOf(score, status),
        ...(await factorsShown(app, sx, { day, position, attested })),
        method: METHOD,
        as_of: { position, day: dateOf(day), computed_event: null, result_sha256, computed_at },
        ...{ explanation: null, proof: null },
      };
    }
    const wants = { explain: input.explain === "true", prove: input.proof === "true" };
    const { computed, own, explanation, proof } =
      wants.explain || wants.prove
        ? await explained(app, sx, input.as_of_position, wants)
        : { explanation: null, proof: null, ...(await scoreAt(app, sx, input.as_of_position)) };
    if (!computed && input.as_of_position !== undefined)
      return refuse("not_found", "no computation at or before this position is stored; use a later one");
    const { day = 0, as_of_position: position = 0 } = computed ?? {};
    return {
      agent_id: facts.agent_id,
      sx_id: sxId(sx),
      status,
      trust_score: shareOf(own?.score ?? 0),
      trust_level: levelOf(own?.score ?? 0, status),
      ...(await factorsShown(app, sx, { day, position, attested: own?.attested ?? 0 })),
      method: METHOD,
      as_of: computed ? asOfShown(computed) : null,
      explanation,
      proof,
    };
  },
});

const scoreAt = ({ pool }: App, sx: number, position: number | undefined) =>
  position === undefined ? newestScore(pool, sx) : storedScore(pool, sx, position);

/** Reads one snapshot, because separate reads could belong to different computations. */
const explained = (
  app: App,
  sx: number,
  as_of_position: number | undefined,
  { explain, prove }: { explain: boolean; prove: boolean },
) =>
  atOneMoment(app.pool, async (moment) => {
    const stored = await storedScore(moment, sx, as_of_position);
    return {
      ...stored,
      explanation: stored && explain ? await explanationOf(moment, sx, stored.computed) : null,
      proof: stored && prove ? await scoreProofOf(app, moment, sx, stored.computed) : null,
    };
  });

async function explanationOf(moment: Moment, sx: number, { as_of_position: position, day }: ComputedRow) {
  const of = await evidenceOf(moment, { sx, position, day }, (agents) => beforeOn(moment, day, agents));
  const { independent, mutual } = await relationsOf(moment, sx, position, day);
  const parts = explain({ day, ...of });
  const attested = parts.attestations.reduce((sum, { points }) => sum + points, 0);
  const returned = parts.attestations.reduce(
    (sum, { from, points }) => (mutual.has(from) ? sum + points : sum),
    0,
  );
  const shown = await backingsOf(moment, [
    ...[...parts.base, ...parts.penalties].map(({ event_id }) => event_id),
    ...parts.attestations.flatMap(({ event_ids }) => event_ids),
  ]);
  const shownBy = (event_id: string): Backing => shown.get(event_id) ?? "unrecorded";
  const lines = (of: typeof parts.base) =>
    of.map(({ points, ...rest }) => ({
      ...rest,
      points_micro: points,
      shown_by: rest.kind === "penalty" ? ("service" as const) : shownBy(rest.event_id),
    }));
  const usdc = of.evidence.reduce((sum, { kind, points }) => (kind === "spend" ? sum + points : sum), 0);
  return {
    score_micro: parts.score,
    seeded_micro: parts.seeded,
    seeded_event: of.seed_event,
    base: lines(parts.base),
    attestations: parts.attestations.map(({ from, points, attestor_points, ...rest }) => ({
      from: sxId(from),
      ...rest,
      shown_by: rest.event_ids.map(shownBy),
      attestor_points_micro: attestor_points,
      points_micro: points,
    })),
    penalties: lines(parts.penalties),
    cuts: parts.cuts.map(({ cap, points }) => ({ cap, points_micro: points })),
    evidence_usdc: (usdc / 1e6).toFixed(6),
    independent_attestors: independent,
    reciprocal_share: attested === 0 ? null : Math.floor((returned * 1e6) / attested) / 1e6,
    clique: parts.attestations.length >= 3 && 2 * returned >= attested && attested > 0,
  };
}

export const trustHistory = operation({
  name: "soul_trust_history",
  route: "GET /soul/{id}/trust/history",
  summary: "An agent's trust score, day by day",
  description: `The last computation of each day from \`from\` to \`to\`, at most ${MOST_DAYS} days, each with the event of its digest. Days without a computation are left out.`,
  access: [subject("read"), key("read")],
  lists: "none",
  input: z.object({ id: agentRef, ...dayRangeFields }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      method: z.literal(METHOD),
      points: z.array(
        z.object({
          day: z.string(),
          trust_score: z.number().describe("0 to 1"),
          as_of_position: z.int(),
          computed_event: z.string(),
        }),
      ),
    }),
  ),
  refuses: [404],
  example: { id: "SX#1", step: "day" },
  handle: async ({ input, app }) => {
    const { facts } = await findAgent(app, input.id);
    const { from, to } = dayRangeOf(input, app.clock.now());
    const all = await scoresBetween(app.pool, facts.sx_number, { from, to });
    const week = (day: number) => Math.floor((day - from) / 7);
    const scored =
      input.step === "day"
        ? all
        : all.filter(({ day }, at) => !all[at + 1] || week(all[at + 1]!.day) !== week(day));
    return {
      agent_id: facts.agent_id,
      sx_id: sxId(facts.sx_number),
      method: METHOD,
      points: scored.map(({ day, score, as_of_position, event_id }) => ({
        day: dateOf(day),
        trust_score: shareOf(score),
        as_of_position,
        computed_event: event_id,
      })),
    };
  },
});

const verify = operation({
  name: "soul_verify",
  route: "GET /v1/agent/soul/verify/{agent_id}",
  redirects: ["GET /api/soul/verify/{agent_id}", "GET /soul/{agent_id}/verify-chain"],
  summary: "An agent's passport, its status and trust score",
  description: `The passport's status, its score (0 to 100) by the method ${METHOD}, its level and its number of live attestations. The event with the computation's digest is named. Ten calls a UTC day are free for each address. soul_trust explains it.`,
  again_to: "anybody",
  access: [free(10, "day"), pay("0.01")],
  input: z.object({ agent_id: agentRef }),
  output: json(
    z.object({
      agent_id: z.string(),
      status: statusNow,
      trust_score: z.number().describe("0 to 100, two decimals, floored"),
      trust_level: level,
      attestation_count: z.int().describe("Live attestations of any weight"),
      last_updated: time
        .nullable()
        .describe("When the score was computed; null before the first computation"),
      chain: z.string().describe("CAIP-2, the log's chain"),
      passport: z.object({ sx_id: z.string(), hash: sha256.describe("SHA-256 of the passport, hex") }),
      method: z.literal(METHOD),
      as_of_position: z.int().nullable(),
      computed_event: z.string().nullable(),
    }),
  ),
  refuses: [404],
  example: { agent_id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await findAgent(app, input.agent_id);
    const { facts } = agent;
    const status = agents.statusOf(agent);
    const [stored, live] = await Promise.all([
      newestScore(app.pool, facts.sx_number),
      liveAttestations(app.pool, facts.sx_number),
    ]);
    const { computed, own } = stored ?? {};
    const score = own?.score ?? 0;
    return {
      agent_id: facts.agent_id,
      status,
      trust_score: pointsOf(score),
      trust_level: levelOf(score, status),
      attestation_count: live,
      last_updated: computed?.computed_at ?? null,
      chain: networkOf(app.chain),
      passport: { sx_id: sxId(facts.sx_number), hash: facts.passport_hash },
      method: METHOD,
      as_of_position: computed?.as_of_position ?? null,
      computed_event: computed?.event_id ?? null,
    };
  },
});

export const scoreOperations = [trust, trustHistory, verify];
