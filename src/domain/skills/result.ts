/** A skill's answer: a report whose every figure can be verified, and the steps that it consists of. */
import { z } from "zod";
import { origin } from "../reports/fact.ts";
import { report } from "../reports/report.ts";
import { agents } from "./skills.ts";

export const skillResult = z
  .object({
    agent: z.enum(agents),
    version: z.int(),
    report: report.describe("The findings over facts, as a report for `tallystick report verify`"),
    steps: z
      .array(origin.omit({ path: true }).extend({ step: z.string() }))
      .describe("The steps, each with its data vintages and the digest of its answer"),
    passed: z.array(z.object({ step: z.string(), operation: z.string(), why: z.string() })),
  })
  .meta({ id: "SkillResult" });
export type SkillResult = z.infer<typeof skillResult>;

/** Replaces the vintage where an answer was read from the log. */
export const OF_THE_LOG = "log";
