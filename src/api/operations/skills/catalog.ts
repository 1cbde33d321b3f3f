import { z } from "zod";
import { intentSlots } from "../../../domain/fusion/intent-slots.ts";
import { slotNames } from "../../../domain/plans/slots.ts";
import { type SkillScope, skillScopes, skills } from "../../../domain/skills/skills.ts";
import { priceText } from "../../declare/access/way.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import { offered } from "./callable.ts";
import { agentField } from "./fields.ts";

/** The price of calling an operation directly; null if only skills can call it. */
const priceOf = (name: string): string | null => {
  const found = offered.operations.find((one) => one.name === name);
  return found ? priceText(found) : null;
};

const catalog = operation({
  name: "skills_catalog",
  route: "GET /v1/agent/skills/catalog",
  summary: "The eight skills: required task slots, steps and price",
  description: "Each skill is a plan over read operations, run together for one price.",
  again_to: "anybody",
  access: [key("read"), pay("0.001")],
  input: z.object({
    scope: z
      .enum(skillScopes, `scope is ${skillScopes.join(" or ")}`)
      .optional()
      .describe("Only skills of this scope; skill_sensitive: those that read your own money"),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          agent: agentField,
          version: z.int(),
          scope: z.enum(skillScopes).describe("The key scope to run it"),
          summary: z.string(),
          keywords: z.object({ en: z.array(z.string()), lv: z.array(z.string()) }),
          slots: z.array(z.object({ slot: z.enum(slotNames), required: z.boolean(), about: z.string() })),
          steps: z.array(
            z.object({
              step: z.string(),
              operation: z.string(),
              optional: z.boolean(),
              price: z
                .string()
                .nullable()
                .describe("The price of a direct call; null if only skills can call it"),
            }),
          ),
          absent: z.array(z.object({ of: z.string(), why: z.string() })),
          price_usdc: z.string(),
          example: z.string(),
        }),
      ),
      meta: z.object({ count: z.int() }),
    }),
  ),
  example: { scope: "skill" },
  handle: async ({ input: { scope } }) => catalogs[scope ?? "all"],
});

function catalogOf(scope?: SkillScope) {
  const data = skills
    .filter((one) => scope === undefined || one.scope === scope)
    .map(({ name, version, scope, summary, keywords, slots, steps, absent = [], example }) => ({
      agent: name,
      version,
      scope,
      summary,
      keywords,
      slots: (["required", "optional"] as const).flatMap((kind) =>
        slots[kind].map((slot) => ({ slot, required: kind === "required", about: intentSlots[slot] })),
      ),
      steps: steps.map(({ id, operation, optional = false }) => ({
        step: id,
        operation,
        optional,
        price: priceOf(operation),
      })),
      absent,
      price_usdc: "0.50",
      example,
    }));
  return Object.freeze({ data, meta: { count: data.length } });
}

/** Skills never change while the process runs, so these answers are built once. */
const catalogs = {
  all: catalogOf(),
  skill: catalogOf("skill"),
  skill_sensitive: catalogOf("skill_sensitive"),
};

export const catalogOperations = [catalog];
