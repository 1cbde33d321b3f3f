/** Checks a plan's slots against its operations, before anything runs or is paid. */
import { plainIssue } from "../../core/model/plain-issue.ts";
import { refuseWith } from "../../core/model/refusal.ts";
import { type Fields, mustRun, type Plan } from "./plan.ts";
import type { SlotName, Slots } from "./slots.ts";

const slotOf = (value: unknown): SlotName | undefined =>
  typeof value === "string" && value.startsWith("$slots.")
    ? (value.slice("$slots.".length) as SlotName)
    : undefined;

/** Refuses slots that a step of the plan cannot do without, and does not take: "reporter is one of the 27". */
export function refuseUntaken(
  plan: Plan,
  slots: Slots,
  fieldsOf: (operation: string) => Fields | undefined,
  field: string,
): void {
  for (const step of plan.steps) {
    if (!mustRun(step, slots)) continue;
    const fields = fieldsOf(step.operation) ?? {};
    for (const [name, input] of Object.entries(step.input)) {
      const schema = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const isList = Array.isArray(input);
      const values = [input].flat().flatMap((one) => {
        const slot = slotOf(one);
        const value = slot && slots[slot];
        return value === undefined ? [] : [value];
      });
      if (!schema || values.length === 0) continue;
      const read = schema.safeParse(isList ? values : values[0], { error: plainIssue });
      if (read.success) continue;
      const why = [...new Set(read.error.issues.map(({ message }) => message))].join("; ");
      refuseWith(
        field,
        `${plan.name} cannot answer this for ${values.join(", ")}: ${why}. Name another one, as in “${plan.example}”`,
      );
    }
  }
}
