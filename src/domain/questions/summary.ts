/** How a question was read, as callers see it before they pay and in refusals. */
import { z } from "zod";
import { type SlotName, slotNames } from "../plans/slots.ts";
import { partnerName } from "../trade/reporters.ts";
import { flows } from "../trade/units.ts";
import type { Understood } from "./read.ts";

const named = z.object({ code: z.string(), name: z.string() });

export const readingSummary = z
  .object({
    intent: z.string().nullable().describe("The intent by name; null: none fits, or none was requested"),
    product: named.nullable().describe("The product and its code in the nomenclature"),
    country: named.nullable().describe("The country whose statistics were requested"),
    partner: named.nullable(),
    flow: z.enum(flows).nullable().describe("null: both directions"),
    years: z.string().nullable().describe("YYYY, YYYY-YYYY, YYYY- or -YYYY; null: not stated"),
    month: z.string().nullable().describe("YYYY-MM"),
    ambiguous: z
      .array(z.object({ text: z.string(), readings: z.array(named) }))
      .describe("Words with two likely meanings"),
    not_found: z.array(z.string()).describe("Names of countries or products that are unknown"),
    unused: z.array(z.enum(slotNames)).describe("Slots that the intent does not take"),
  })
  .meta({ id: "QuestionReading" });

export type ReadingSummary = z.infer<typeof readingSummary>;

const country = (code: string | undefined) => (code === undefined ? null : { code, name: partnerName(code) });

export const summaryOf = (
  { intent, product, partner, flow, years, month, ambiguous, not_found, ...read }: Understood,
  unused: SlotName[] = [],
): ReadingSummary => ({
  intent: intent?.name ?? null,
  product: product ? { code: product.code, name: product.name } : null,
  country: country(read.country),
  partner: country(partner),
  flow: flow ?? null,
  years: years ?? null,
  month: month ?? null,
  ambiguous: ambiguous.map(({ text, readings }) => ({
    text,
    readings: readings.map(({ code, name }) => ({ code, name })),
  })),
  not_found,
  unused,
});
