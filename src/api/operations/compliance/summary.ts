/** What anybody may ask of an agent's class. */
import { z } from "zod";
import { classified } from "../../../domain/compliance/classify.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { json, operation, pay } from "../../declare/index.ts";
import { positionNow, purposedOf } from "./record.ts";
import { asOf, ruled, rulesFor, rulesShown } from "./rules.ts";

const summary = operation({
  name: "soul_compliance",
  route: "GET /v1/agent/soul/compliance/{agent_id}",
  summary: "In which class of the AI Act an agent falls, by its own purpose",
  description:
    "Its purpose as its owner describes it, classified as compliance_check does; null and UNDETERMINED where none is said.",
  again_to: "anybody",
  access: [pay("0.10")],
  input: z.object({ agent_id: agentRef, as_of: asOf }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      ...classified.shape,
      shown_by: z.string().nullable().describe("The event that has the purpose, sealed"),
      as_of_position: z.int(),
      ...ruled,
    }),
  ),
  refuses: [404],
  example: { agent_id: "SX#1" },
  handle: async ({ input, app, subjects }) => {
    const rules = rulesFor(app, input.as_of);
    const position = await positionNow(app);
    const { record, classified: found } = await purposedOf(
      { app, subjects },
      input.agent_id,
      position,
      rules,
    );
    return {
      agent_id: record.agent_id,
      sx_id: sxId(record.sx_number),
      ...(found ?? NOTHING_SAID),
      shown_by: found && record.description ? record.description.event.event_id : null,
      as_of_position: position,
      ...rulesShown(rules),
    };
  },
});

const NOTHING_SAID: z.infer<typeof classified> = {
  ...{ risk_level: "UNDETERMINED", reasoning: [], annex_iii_matches: [], art_5: [], art_50: [] },
  ...{
    derogation: null,
    questions: ["What is the agent for? Its owner says so by soul_describe."],
    applies_from: null,
  },
};

export const summaryOperations = [summary];
