/** Duties at the border: `tariff-lookup`, every duty that applies to a code, with Latvia's trade in it. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { type TaricDuty, taricDuties } from "../../../datasets/reference/taric-duties.ts";
import {
  bearingOn,
  type DutyGroup,
  dutyGroupOf,
  dutyGroups,
  meantBy,
  ratesOf,
} from "../../../domain/customs/duties.ts";
import { code } from "../../../domain/customs/inputs.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import { dataset, limit } from "../../../domain/trade/inputs.ts";
import type { Flow } from "../../../domain/trade/units.ts";
import { aboutReference, referenceMeta } from "../../reference/meta.ts";
import {
  isCovered,
  meta,
  monthsOf,
  namesOf,
  onDataset,
  type TradeData,
  yearOrLast,
} from "../../trade/answers/question.ts";
import { flowSums, inReporters, totalsIn } from "../../trade/answers/tables.ts";
import { cursor, pageMeta, pageOf } from "./page.ts";
import { aboutCustoms, customsQuestion, LATVIA } from "./question.ts";

export const tariffInput = z.object({
  code,
  limit: limit.describe("Goods codes per page, 1 to 100"),
  cursor: cursor.optional(),
  dataset: dataset.optional(),
});

const rates = z
  .object({
    min_pct: z
      .number()
      .nullable()
      .describe("Lowest duty that is a plain percentage, in percent; null: none is"),
    max_pct: z.number().nullable(),
    not_ad_valorem: z.int().describe("Number of specific, compound or conditional duties"),
  })
  .nullable()
  .describe("Third-country duties; null: none was found, which is not a duty of zero");

const dutyLine = z.object({
  group: z
    .enum(dutyGroups)
    .describe("third_country: for all origins; preference: for some origins; other: any other duty"),
  measure_code: z.string().describe("TARIC measure type, such as 103"),
  measure_type: z.string(),
  origin: z.string().describe("Country or group of origin, in the words of TARIC"),
  origin_code: z
    .string()
    .describe("Two letters: a country; a number: a group of countries; 1011: all countries"),
  duty: z.string().describe("The duty in the words of TARIC"),
  ad_valorem_pct: z.number().nullable().describe("The duty in percent; null: not a plain percentage"),
  start: z.string(),
  end: z.string().nullable().describe("The last day, YYYY-MM-DD; null: no end is set"),
  additional_code: z.string().nullable(),
  order_no: z.string().nullable().describe("Order number of the quota; null: no quota"),
  legal_base: z.string().nullable(),
});

/** The duties on one goods code of ten digits, third-country duty first, then preferences by origin. */
const goods = z.object({
  goods_code: z.string(),
  suffix: z.string().describe("Product line suffix; 80: goods can be declared under the code"),
  inherited: z.boolean().describe("true: a parent of the requested code, whose duties apply to it"),
  name: z.string().nullable(),
  duties: z.array(dutyLine),
});

const amount = z.number().nullable();

export const tariffOutput = z.object({
  data: z.object({
    code: z.string(),
    name: z.string().nullable(),
    third_country: rates,
    all_origins: rates.describe("Third-country duties and preferences; null: none was found"),
    goods: z.array(goods),
    trade: z
      .object({
        year: z.int().describe("The last complete year"),
        imports_eur: z.int().nullable().describe("Imports in EUR; 0 = no trade, null = not delivered"),
        imports_kg: amount.describe("Reported mass of the imports in kg; null = none"),
        exports_eur: z.int().nullable(),
        exports_kg: amount,
        about: meta,
      })
      .nullable()
      .describe("Latvia's trade under the code; null: no dataset is loaded"),
  }),
  meta: referenceMeta.extend({
    ...pageMeta,
    note: z.string().nullable(),
    formula: z.string(),
  }),
});

/** Duties by goods code and suffix, in their order. */
function byGoods(rows: readonly TaricDuty[]): TaricDuty[][] {
  const groups = new Map<string, TaricDuty[]>();
  for (const row of rows) {
    const key = `${row.goods_code} ${row.suffix}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

/** Every duty that applies to a code, listed and never averaged, and Latvia's trade under it. */
export async function tariffLookup(
  trade: TradeData,
  reference: ReferenceStore,
  input: z.output<typeof tariffInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof tariffOutput>> {
  const table = reference.get(taricDuties);
  const all = bearingOn(table.rows, input.code);
  if (all.length === 0)
    refuseWith(
      "code",
      `the table has no duty for ${input.code}, which is not a duty of zero; customs/classifications finds codes`,
    );
  const { shown, about } = pageOf(byGoods(all), table, input);
  const ratesIn = (rows: TaricDuty[]) => ratesOf(rows.map(({ ad_valorem_pct }) => ad_valorem_pct)) ?? null;
  const nameOf = namesOf(trade);
  return {
    data: {
      code: input.code,
      name: nameOf(input.code),
      third_country: ratesIn(all.filter((row) => dutyGroupOf(row.measure_code) === "third_country")),
      all_origins: ratesIn(all.filter((row) => dutyGroupOf(row.measure_code) !== "other")),
      goods: shown.map((rows) => goodsOf(rows, input.code, nameOf)),
      trade: await tradeIn(trade, input, signal),
    },
    meta: {
      ...aboutReference(table),
      ...about,
      note: table.synthetic
        ? "these duties are synthetic, for trying the service out; no customs office uses them"
        : null,
      formula:
        "all duties on goods codes that begin with the code, and those of headings that contain it, as published and with their dates; lowest and highest over plain percentages, nothing averaged",
    },
  };
}

const order = (row: TaricDuty) => dutyGroups.indexOf(dutyGroupOf(row.measure_code));

function goodsOf(
  rows: TaricDuty[],
  code: string,
  nameOf: (code: string) => string | null,
): z.infer<typeof goods> {
  const { goods_code, suffix } = rows[0]!;
  const meant = meantBy(goods_code);
  return {
    goods_code,
    suffix,
    inherited: !goods_code.startsWith(code),
    name: nameOf(meant.slice(0, 8)),
    duties: rows
      .toSorted(
        (a, b) =>
          order(a) - order(b) || (a.origin_code < b.origin_code ? -1 : a.origin_code > b.origin_code ? 1 : 0),
      )
      .map(({ goods_code: _, suffix: __, ...duty }) => ({
        group: dutyGroupOf(duty.measure_code) as DutyGroup,
        ...duty,
      })),
  };
}

type FlowTotals = Record<"imports_eur" | "imports_kg" | "exports_eur" | "exports_kg", number | null>;

/** Latvia's trade in the code in the last complete year, with the dataset that it comes from. */
async function tradeIn(
  trade: TradeData,
  input: z.output<typeof tariffInput>,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof tariffOutput>["data"]["trade"]> {
  const question = { ...customsQuestion(input), untraded: "zero" } as const;
  if (input.dataset === undefined && !isCovered(trade, question)) return null;
  return onDataset(trade, question, async (lease) => {
    const year = yearOrLast(lease, question);
    const years = { from: year, to: year };
    const [sums] = await lease.query<FlowTotals>(
      `select ${flowSums} from ${totalsIn(lease, { hs: input.code, years })} where ${inReporters([LATVIA])}`,
      undefined,
      signal,
    );
    const { imports_eur, exports_eur, ...masses } = sums!;
    const known = completenessOf(lease.manifest.coverage, input.code);
    const months = monthsOf(lease, years);
    // In a known month, no row means no trade.
    const absent = (flow: Flow) => (months.some((period) => known(LATVIA, flow, period)) ? 0 : null);
    return {
      year,
      imports_eur: imports_eur ?? absent("IMPORT"),
      exports_eur: exports_eur ?? absent("EXPORT"),
      ...masses,
      about: aboutCustoms(lease, question, years),
    };
  });
}
