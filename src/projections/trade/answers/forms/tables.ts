/** The rows of answers that are no plain list: each table is a schema of a row, and the rows. */
import { z } from "zod";
import { flows } from "../../../../domain/trade/units.ts";
import { concentrationOutput, concentrationResult } from "../concentration.ts";
import type { corridorOutput } from "../corridor.ts";
import { balanceYear, corridorMonth, corridorProduct, direction } from "../corridor-directions.ts";
import { meta } from "../question.ts";
import { type rerouteOutput, rerouteRow } from "../rerouting.ts";
import type { seasonOutput } from "../seasonality.ts";
import { woodOutput } from "../wood.ts";

const woodRow = woodOutput.shape.data.element;
const woodPartner = woodRow.shape.top_partners.element.nullable();

/** A product a row, its three largest partners side by side. */
export const woodTable = {
  row: woodRow
    .omit({ top_partners: true })
    .extend({ first: woodPartner, second: woodPartner, third: woodPartner }),
  rows: ({ data }: z.infer<typeof woodOutput>) =>
    data.map(({ top_partners: [first = null, second = null, third = null], ...row }) => ({
      ...row,
      first,
      second,
      third,
    })),
};

/** A flow and month of the year a row. */
export const seasonTable = {
  row: z.object({
    flow: z.enum(flows),
    month: z.int(),
    factor: z.number().nullable(),
    months_used: z.int(),
    note: z.string().nullable(),
  }),
  rows: ({ data }: Pick<z.infer<typeof seasonOutput>, "data">) =>
    data.flatMap(({ flow, profile, months_used, note }) =>
      Array.from({ length: 12 }, (_, at) => ({
        flow,
        month: at + 1,
        factor: profile?.[at] ?? null,
        months_used,
        note,
      })),
    ),
};

const index = concentrationResult.omit({ top_partners: true, note: true });

/** One of a flow's largest partners a row, with the flow's index; a flow without partners has no row. */
export const concentrationTable = {
  row: concentrationOutput.shape.data.element.shape.top_partners.element.extend(index.shape),
  rows: ({ data }: z.infer<typeof concentrationOutput>) =>
    data.flatMap(({ top_partners, note: _, ...of }) =>
      top_partners.map((partner) => ({ ...partner, ...of })),
    ),
};

/** A product and a country that surged a row: what is told of the product stands in each of its rows. */
export const rerouteTable = {
  row: rerouteRow.omit({ surges: true }).extend({ surge: rerouteRow.shape.surges.element }),
  rows: ({ data }: z.infer<typeof rerouteOutput>) =>
    data.flatMap(({ surges, ...row }) => surges.map((surge) => ({ ...row, surge }))),
};

const { dataset, vintage, synthetic, coverage } = meta.shape;
const products_complete = coverage.shape.products.shape.complete;

/**
 * A line a year (the balance as the reporter sees it), a line a month and direction, a line a product and direction; `line`
 * tells which, and columns that are not about it are null. Databases stand apart, each with its own marks.
 */
export const corridorTable = {
  row: z
    .object({
      line: z.enum(["year", "month", "product"]),
      from: direction.shape.from.nullable(),
      to: direction.shape.to.nullable(),
    })
    .extend(balanceYear.partial().shape)
    .extend(corridorMonth.partial().shape)
    .extend(corridorProduct.partial().shape)
    .extend({ products_complete, dataset, vintage, synthetic }),
  rows: ({ data }: z.infer<typeof corridorOutput>) =>
    data.databases.flatMap(({ about: { dataset, vintage, synthetic, coverage }, balance, directions }) => {
      const marks = { products_complete: coverage.products.complete, dataset, vintage, synthetic };
      return [
        ...balance.map((year) => ({ line: "year", from: null, to: null, ...year, ...marks })),
        ...directions.flatMap(({ from, to, months }) =>
          months.map((month) => ({ line: "month", from, to, ...month, ...marks })),
        ),
        ...directions.flatMap(({ from, to, products_year: year, top_products }) =>
          top_products.map((product) => ({ line: "product", from, to, year, ...product, ...marks })),
        ),
      ];
    }),
};
