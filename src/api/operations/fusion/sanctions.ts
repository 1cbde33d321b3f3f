import { sanctionsTables } from "../../../datasets/reference/tables.ts";
import { sanctionsTable } from "../../../projections/fusion/answers/forms.ts";
import {
  sanctionsCheck,
  sanctionsInput,
  sanctionsOutput,
} from "../../../projections/fusion/answers/sanctions.ts";
import { referenceProjection, releaseTimes } from "../../../projections/reference/releases.ts";
import { dataOf } from "../../../projections/trade/answers/data.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";

const sanctionsOperation = operation({
  name: "fusion_sanctions_check",
  route: "POST /v1/agent/fusion/sanctions-check",
  effect: reads,
  summary: "Screen a name against sanctions lists, with the matched words",
  description: `Finds similar names in the loaded lists (OFAC, EU, UN), also misspelt or in another script or word order.
Each hit has its list, state, entry and match. No match does not clear a name.`,
  access: [key("read"), pay("0.25")],
  input: sanctionsInput,
  output: json(sanctionsOutput, { table: sanctionsTable }),
  secrets: ["name", "born"],
  // This read model has the release times of reference data.
  lists: referenceProjection,
  example: { name: "Timofey Zubarev", type: "person", born: 1969 },
  vintage: ({ reference }) => reference.vintages(sanctionsTables),
  handle: ({ input, app, data, signal }) =>
    sanctionsCheck(data.reference, input, {
      now: app.clock.now(),
      releasedAt: (vintages) => releaseTimes(app.pool, vintages),
      trade: dataOf(data),
      signal,
    }),
});

export const sanctionsOperations = [sanctionsOperation];
