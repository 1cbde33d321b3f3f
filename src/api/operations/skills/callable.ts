/** The operations that skills may call. All of them only read, and their cost is included in the skill's price. */
import { type Fields, faultsOf } from "../../../domain/plans/plan.ts";
import { methodsOfPlans } from "../../../domain/skills/methods.ts";
import { type Skill, skills } from "../../../domain/skills/skills.ts";
import { ownReadings } from "../../../projections/skills/own-readings.ts";
import { sectionedNames } from "../../../projections/skills/section-writers.ts";
import { catalogueOf } from "../../declare/catalogue.ts";
import { methodOf } from "../../declare/index.ts";
import { fusionOperations } from "../fusion/fusion.ts";
import { frontRunOperations } from "../reports/front-run.ts";
import { tradeOperations } from "../trade/flows.ts";
import { macroOperations } from "../trade/macro.ts";
import { tradeSignalOperations } from "../trade/signals.ts";
import { tradeAnalyticsOperations } from "../trade/structure.ts";

export const offered = catalogueOf([
  {
    name: "skills",
    about: "Operations that skills may call",
    envelope: "success",
    operations: [
      ...tradeOperations,
      ...tradeSignalOperations,
      ...tradeAnalyticsOperations,
      ...macroOperations,
      ...fusionOperations,
      ...frontRunOperations,
    ],
    problems: {},
  },
]);

/** The input fields of a reading operation; undefined if there is none with this name. */
export function fieldsOf(name: string): Fields | undefined {
  if (Object.hasOwn(ownReadings, name)) return ownReadings[name as keyof typeof ownReadings].input.shape;
  if (Object.hasOwn(methodsOfPlans, name))
    return methodsOfPlans[name as keyof typeof methodsOfPlans].input.shape;
  const operation = offered.operations.find((one) => one.name === name);
  return operation && methodOf(operation) === "GET" ? operation.input.shape : undefined;
}

/** All faults in the declarations of skills, each as a sentence. */
export const skillFaults = (all: readonly Skill[]): string[] =>
  all.flatMap((skill) =>
    [
      ...faultsOf(skill, fieldsOf),
      ...skill.steps.flatMap(({ id, operation }) =>
        sectionedNames.includes(operation) ? [] : [`${id} calls ${operation}, which has no report section`],
      ),
    ].map((fault) => `${skill.name}: ${fault}`),
  );

const faults = skillFaults(skills);
if (faults.length > 0) throw new Error(faults.join("\n"));
