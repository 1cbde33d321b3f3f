/** Products: `classifications` finds the nomenclature by words, by code, or by chapter. */
import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import {
  type CnProduct,
  cnNomenclature,
  hsNomenclature,
  hsSections,
} from "../../../datasets/reference/cn-nomenclature.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { codePrefix, words } from "../../../domain/customs/inputs.ts";
import { findProducts, searchable } from "../../../domain/customs/search.ts";
import { dataset, limit } from "../../../domain/trade/inputs.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import { aboutReference, referenceMeta } from "../../reference/meta.ts";
import {
  isCovered,
  meta,
  namesOf,
  onDataset,
  type TradeData,
  yearsOrAll,
} from "../../trade/answers/question.ts";
import { finerTotalsIn, inReporters, totalsIn } from "../../trade/answers/tables.ts";
import { cursor, pageMeta, pageOf } from "./page.ts";
import { customsQuestion, LATVIA } from "./question.ts";

export const classificationsInput = z.object({
  q: words.optional(),
  code: codePrefix.optional(),
  limit: limit.describe("Codes per page, 1 to 100"),
  cursor: cursor.optional(),
  dataset: dataset.optional().describe("Dataset for `has_data`; omitted = the default of customs questions"),
});

const levels = { 2: "chapter", 4: "heading", 6: "subheading", 8: "cn8" } as const;
const named = z.object({ code: z.string(), name: z.string().nullable() });

/** A code with its parents. */
export const classification = z.object({
  code: z.string(),
  level: z.enum(["chapter", "heading", "subheading", "cn8"]).describe("Level of the code"),
  name: z.string().describe("The code's name in the nomenclature"),
  parents: z.array(named).describe("The code's parents, chapter first; name is null if the table has none"),
  section: named.nullable().describe("Section of the Harmonized System; null: no HS table is loaded"),
  has_data: z
    .boolean()
    .nullable()
    .describe("true: Latvia traded under this code; null: no dataset is loaded"),
});

export const classificationsOutput = z.object({
  data: z.array(classification),
  meta: referenceMeta.extend({
    ...pageMeta,
    data: z
      .object({
        dataset: z.string(),
        vintage: z.string(),
        synthetic: z.boolean(),
        real_data: meta.shape.real_data,
      })
      .nullable()
      .describe("The dataset behind `has_data`; null: none is loaded"),
    hint: z
      .string()
      .nullable()
      .describe("Another word to try, or why these codes were found; null: names have the words"),
    order: z.string().describe("The order of the list"),
  }),
});

const searchables = perVintage((rows: readonly CnProduct[]) => rows.map(searchable));
const byCode = perVintage((rows: readonly CnProduct[]) => new Map(rows.map((row) => [row.code, row])));
const sectionNames = perVintage(
  (rows: readonly { section: string; name: string }[]) =>
    new Map(rows.map(({ section, name }) => [section, name])),
);
const chapterSections = perVintage(
  (rows: readonly { code: string; section: string | null }[]) =>
    new Map(
      rows
        .filter(({ code }) => code.length === productLevels.hs2)
        .map(({ code, section }) => [code, section]),
    ),
);

/** The codes whose names have the words, the codes below a code, or the chapters. */
export async function classifications(
  trade: TradeData,
  reference: ReferenceStore,
  input: z.output<typeof classificationsInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof classificationsOutput>> {
  const nomenclature = reference.get(cnNomenclature);
  const products = byCode(nomenclature);
  const { q, code = "" } = input;
  const isAsked = (of: string) =>
    of.startsWith(code) && (q !== undefined || code !== "" || of.length === productLevels.hs2);
  const found = q === undefined ? undefined : findProducts(q, searchables(nomenclature));
  const codes = found?.codes ?? [...products.keys()];
  const { shown, about } = pageOf(codes.filter(isAsked), nomenclature, input);
  const traded = await tradedAmong(trade, shown, input.dataset, signal);
  const nameOf = (of: string) => products.get(of)?.name ?? namesOf(trade)(of);
  return {
    data: shown.map((of) => ({
      code: of,
      level: levels[of.length as keyof typeof levels],
      name: products.get(of)!.name,
      parents: [2, 4, 6]
        .filter((digits) => digits < of.length)
        .map((digits) => ({ code: of.slice(0, digits), name: nameOf(of.slice(0, digits)) })),
      section: sectionOf(reference, of),
      has_data: traded?.products.some((product) => product.startsWith(of)) ?? null,
    })),
    meta: {
      ...aboutReference(nomenclature),
      ...about,
      hint: found?.hint ?? null,
      data: traded?.from ?? null,
      order:
        q === undefined
          ? "by code"
          : "first codes that the trade calls by the words, if no name of theirs has them; then names with the words outside of exclusions, whole words before beginnings, names that begin with the words, the code that the trade calls by them, shorter names, coarser codes",
    },
  };
}

function sectionOf(reference: ReferenceStore, code: string): z.infer<typeof named> | null {
  const [chapters, sections] = [reference.find(hsNomenclature), reference.find(hsSections)];
  const section = chapters && chapterSections(chapters).get(code.slice(0, productLevels.hs2));
  return section ? { code: section, name: (sections && sectionNames(sections).get(section)) ?? null } : null;
}

/** The products that Latvia ever traded in the chapters of these codes; null where no dataset covers them. */
async function tradedAmong(
  trade: TradeData,
  codes: string[],
  dataset: string | undefined,
  signal: AbortSignal | undefined,
) {
  const question = customsQuestion({ dataset });
  if (dataset === undefined && !isCovered(trade, question)) return null;
  return onDataset(trade, question, async (lease) => {
    const { dataset: name, vintage, synthetic } = lease.manifest;
    const products = codes.length === 0 ? [] : await productsIn(lease, codes, signal);
    const { real_data } = lease;
    const from = { dataset: name, vintage, synthetic, ...(real_data && { real_data: [...real_data] }) };
    return { from, products };
  });
}

async function productsIn(lease: Lease, codes: string[], signal: AbortSignal | undefined): Promise<string[]> {
  const slice = { years: yearsOrAll(lease, undefined) };
  const chapters = [...new Set(codes.map((code) => code.slice(0, productLevels.hs2)))].map(literal);
  const where = `where ${inReporters([LATVIA])} and hs2 in (${chapters.join(", ")})`;
  const found = await lease.query<{ product: string }>(
    `select distinct product from ${finerTotalsIn(lease, slice, productLevels.hs4)} ${where}
     union select distinct hs2 from ${totalsIn(lease, slice)} ${where}`,
    undefined,
    signal,
  );
  return found.map(({ product }) => product);
}
