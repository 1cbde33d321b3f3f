import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import type { CodeBasis } from "../../../domain/trade/code-basis.ts";
import { readYears } from "../../../domain/trade/inputs.ts";
import type { Procedure } from "../../../domain/trade/procedures.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import type { Flow, Years } from "../../../domain/trade/units.ts";
import { formula, meta, metaOf } from "./question.ts";

export const productMeta = meta
  .extend({
    reporter: reporterCode,
    product: z.string().describe("The requested code"),
    years: z.object({ from: z.int(), to: z.int() }),
    formula,
  })
  .meta({ id: "ProductMeta" });

type ProductInput = {
  reporter: ReporterCode;
  hs: string;
  years?: string | undefined;
  flow?: Flow | undefined;
  basis?: CodeBasis | undefined;
  procedure?: Procedure | undefined;
  dataset?: string | undefined;
};

export const productQuestion = (input: ProductInput) => ({
  hs: input.hs,
  reporters: [input.reporter],
  flow: input.flow,
  years: input.years === undefined ? undefined : readYears(input.years),
  basis: input.basis,
  procedure: input.procedure,
  dataset: input.dataset,
});

export const aboutProduct = (
  lease: Lease,
  { reporters, ...question }: ReturnType<typeof productQuestion>,
  years: Years,
) => ({
  ...metaOf(lease, { ...question, reporters, years }),
  reporter: reporters[0]!,
  product: question.hs,
  years,
});
