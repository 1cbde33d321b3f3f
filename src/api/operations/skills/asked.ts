/** The operations that skills may ask: all of them read, and cost a caller of a skill nothing more. */
import { type Fields, faultsOf } from "../../../domain/plans/plan.ts";
import { methodsOfPlans } from "../../../domain/skills/methods.ts";
import { type Skill, skills } from "../../../domain/skills/skills.ts";
import { ownReadings } from "../../../projections/skills/own.ts";
import { tellable } from "../../../projections/skills/tellers.ts";
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
    about: "What skills may ask",
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

/** The fields of what a step may ask by this name; undefined where nothing that reads has it. */
export function fieldsOf(name: string): Fields | undefined {
  if (Object.hasOwn(ownReadings, name)) return ownReadings[name as keyof typeof ownReadings].input.shape;
  if (Object.hasOwn(methodsOfPlans, name))
    return methodsOfPlans[name as keyof typeof methodsOfPlans].input.shape;
  const operation = offered.operations.find((one) => one.name === name);
  return operation && methodOf(operation) === "GET" ? operation.input.shape : undefined;
}

/** What is wrong with skills, a sentence each. */
export const skillFaults = (all: readonly Skill[]): string[] =>
  all.flatMap((skill) =>
    [
      ...faultsOf(skill, fieldsOf),
      ...skill.steps.flatMap(({ id, operation }) =>
        tellable.includes(operation) ? [] : [`${id} asks ${operation}, which no one tells`],
      ),
    ].map((fault) => `${skill.name}: ${fault}`),
  );

const faults = skillFaults(skills);
if (faults.length > 0) throw new Error(faults.join("\n"));
