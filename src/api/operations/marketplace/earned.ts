import { z } from "zod";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { BADGES_RULES, badgesOf } from "../../../domain/trust/badges.ts";
import { meritsProjection } from "../../../projections/marketplace/merits.ts";
import { agentNamed } from "../../agents/agents.ts";
import { json, open, operation } from "../../declare/index.ts";
import { badgeShown, meritsOf } from "../trust/badges.ts";

const earned = operation({
  name: "soul_badges_earned",
  route: "GET /soul/badges/{id}",
  summary: "The badges of an agent, each with the event that earned it",
  description: `By the rules ${BADGES_RULES}: Genesis is for one of the first thousand passports, and Validator for 25 verdicts that a later buyer
confirmed. Creator is for a bounty won or sales to three buyers. See soul_badges for the skill graph.`,
  access: [open()],
  lists: meritsProjection,
  input: z.object({ id: agentRef }),
  output: json(z.object({ sx_id: z.string(), rules: z.literal(BADGES_RULES), badges: z.array(badgeShown) })),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const { facts } = await agentNamed(app, input.id);
    const badges = badgesOf(await meritsOf(app, facts));
    return { sx_id: sxId(facts.sx_number), rules: BADGES_RULES, badges };
  },
});

export const earnedOperations = [earned];
