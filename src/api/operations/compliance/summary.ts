/** The class of an agent under the AI Act, readable by any caller. */
import { z } from "zod";
import { classification } from "../../../domain/compliance/classify.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { json, operation, pay } from "../../declare/index.ts";
import { classifiedAgent, positionNow } from "./record.ts";
import { asOf, editionAnswer, editionFields, rulesFor } from "./rules.ts";

const summary = operation({
  name: "soul_compliance",
  route: "GET /v1/agent/soul/compliance/{agent_id}",
  summary: "The class of an agent under the AI Act, by its described purpose",
  description:
    "compliance_check of the purpose that its owner described. Without a purpose the class is UNDETERMINED and shown_by null.",
  again_to: "anybody",
  access: [pay("0.10")],
  input: z.object({ agent_id: agentRef, as_of: asOf }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      ...classification.shape,
      shown_by: z.string().nullable().describe("The event with the sealed purpose"),
      as_of_position: z.int(),
      ...editionFields,
    }),
  ),
  refuses: [404],
  example: { agent_id: "SX#1" },
  handle: async ({ input, app, subjects }) => {
    const rules = rulesFor(app, input.as_of);
    const position = await positionNow(app);
    const { record, classified } = await classifiedAgent({ app, subjects }, input.agent_id, position, rules);
    return {
      agent_id: record.agent_id,
      sx_id: sxId(record.sx_number),
      ...(classified ?? NO_PURPOSE),
      shown_by: classified && record.description ? record.description.event.event_id : null,
      as_of_position: position,
      ...editionAnswer(rules),
    };
  },
});

const NO_PURPOSE: z.infer<typeof classification> = {
  ...{ risk_level: "UNDETERMINED", reasoning: [], annex_iii_matches: [], art_5: [], art_50: [] },
  ...{
    derogation: null,
    questions: ["What is the agent for? Its owner states it by soul_describe."],
    applies_from: null,
  },
};

export const summaryOperations = [summary];
