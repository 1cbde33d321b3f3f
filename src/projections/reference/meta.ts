/** The meta of each reference table that an answer uses. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import type { ReferenceStore } from "../../datasets/reference/store.ts";
import type { Reference, ReferenceTable } from "../../datasets/reference/table.ts";
import { tradeProblems } from "../../domain/trade/problems.ts";

export const referenceMeta = z
  .object({
    dataset: z.string(),
    vintage: z.string().describe("SHA-256 that names the table's vintage; the log has its release"),
    synthetic: z.boolean().describe("true: synthetic figures of the sandbox, for trying the service out"),
    source: z.string(),
    as_of: z.string().nullable().describe("The last day, month or year in the table; null: it has none"),
  })
  .meta({ id: "ReferenceTable" });

export const aboutReference = ({
  dataset,
  vintage,
  synthetic,
  source,
  as_of,
}: Reference<object>): z.infer<typeof referenceMeta> => ({ dataset, vintage, synthetic, source, as_of });

/** The meta of an answer over several tables: their names and vintages joined, and whether any of them is synthetic. */
export const joined = z.object({
  dataset: z.string().describe("The tables' datasets, joined by +"),
  vintage: z.string().describe("The datasets' vintages in the same order, joined by +"),
  synthetic: z.boolean().describe("true: at least one of the tables is synthetic; `tables` shows which"),
  source: z.string(),
});

export const joinedOf = (tables: readonly z.infer<typeof referenceMeta>[]): z.infer<typeof joined> => ({
  dataset: tables.map(({ dataset }) => dataset).join("+"),
  vintage: tables.map(({ vintage }) => vintage).join("+"),
  synthetic: tables.some(({ synthetic }) => synthetic),
  source: [...new Set(tables.map(({ source }) => source))].join("; "),
});

/** Refuses where none of the tables is loaded, because there is no data. */
export function someOf(reference: ReferenceStore, tables: readonly ReferenceTable<object>[]): void {
  if (tables.some((table) => reference.find(table))) return;
  const names = tables.map(({ name }) => name).join(", ");
  refuse(tradeProblems["dataset-missing"], `none of these tables is loaded (yet): ${names}`, {
    retry_after_s: 5,
  });
}
