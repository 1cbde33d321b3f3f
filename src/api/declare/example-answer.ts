import { z } from "zod";
import recorded from "./generated/recorded-answers.json" with { type: "json" };
import type { OperationDeclaration } from "./operation.ts";

/**
 * Recorded answers to the documented examples. To record them again, run the catalogue's contract test with
 * `RECORD=1`.
 */
export const recordedAnswers = recorded as Readonly<Record<string, unknown>>;

/** The schema of a JSON answer, or of a stream's lines; undefined for bytes. */
export function answerSchema({
  output,
  envelope,
}: Pick<OperationDeclaration, "output" | "envelope">): z.ZodType | undefined {
  if (output.kind === "stream") return z.union([output.item, output.last]);
  if (output.kind !== "json") return undefined;
  return envelope === "success" ? output.schema.extend({ success: z.literal(true) }) : output.schema;
}
