import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { BADGES_RULES, badgesOf, type Merits } from "../../../domain/trust/badges.ts";
import { explain } from "../../../domain/trust/explain.ts";
import { METHOD } from "../../../domain/trust/rules.ts";
import { skillsOf } from "../../../domain/trust/skills.ts";
import { meritsIn, meritsProjection } from "../../../projections/marketplace/merits.ts";
import { evidenceOf, skillAttestations } from "../../../projections/trust/evidence.ts";
import { atOneMoment, beforeOn, storedScore } from "../../../projections/trust/scores.ts";
import { statusField } from "../../agents/agents.ts";
import { json, operation, pay } from "../../declare/index.ts";
import { findAgent } from "./agents.ts";

export const badgeShown = z.object({
  kind: z.enum(["Genesis", "Validator", "Creator"]),
  earned_at: time,
  event_id: z.string().describe("The event that earned it"),
  rule: z.string(),
});

const badges = operation({
  name: "soul_badges",
  route: "GET /v1/agent/soul/badges/{agent_id}",
  summary: "An agent's badges and attested skills",
  description: `Badges by the rules ${BADGES_RULES}, each with the event that earned it. The skill graph has each skill's points from live attestations in the newest computation of
${METHOD}, the number of attestors, and the first day. An attestor's points are split over its skills by remaining weight.`,
  again_to: "anybody",
  access: [pay("0.05")],
  input: z.object({ agent_id: agentRef }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      status: statusField,
      rules: z.literal(BADGES_RULES),
      badges: z.array(badgeShown),
      skills: z.array(
        z.object({
          skill: z.string(),
          points_micro: z.int().describe("Micro-points: 100 points are 100,000,000"),
          attestors: z.int(),
          newest: time,
        }),
      ),
      as_of_position: z
        .int()
        .nullable()
        .describe("Position of the computation of the skills; null before the first, and without skills"),
    }),
  ),
  refuses: [404],
  example: { agent_id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await findAgent(app, input.agent_id);
    const { facts } = agent;
    const { agent_id, sx_number } = facts;
    const { as_of_position, skills } = await skillsNow(app, sx_number);
    return {
      agent_id,
      sx_id: sxId(sx_number),
      status: agents.statusOf(agent),
      rules: BADGES_RULES,
      badges: badgesOf(await meritsOf(app, facts)),
      skills,
      as_of_position,
    };
  },
});

/** The facts for badges: the agent's number from its first event, and counts of the marketplace. */
export async function meritsOf(
  app: App,
  { agent_id, sx_number, registered_at }: agents.AgentFacts,
): Promise<Merits> {
  const { tenant, id } = agents.targetOf(agent_id);
  const [first] = await app.store.readStream({ tenant, stream_id: agents.streamOf(id), limit: 1 });
  if (!first) return refuse("not_found", "there is no such agent");
  const passport_number = { count: sx_number, event_id: first.event_id, at: registered_at };
  await app.caughtUp(meritsProjection);
  return { passport_number, ...(await meritsIn(app.pool, sx_number)) };
}

/** Reads one snapshot, because the next computation replaces the attestors' scores. */
const skillsNow = ({ pool }: App, sx: number) =>
  atOneMoment(pool, async (moment) => {
    const stored = await storedScore(moment, sx);
    if (!stored) return { as_of_position: null, skills: [] };
    const { as_of_position: position, day } = stored.computed;
    const of = await evidenceOf(moment, { sx, position, day }, (all) => beforeOn(moment, day, all));
    const words = await skillAttestations(moment, sx, position);
    const skills = skillsOf(words, explain({ day, ...of }).attestations, day);
    return {
      as_of_position: position,
      skills: skills.map(({ points, ...rest }) => ({ ...rest, points_micro: points })),
    };
  });

export const badgeOperations = [badges];
