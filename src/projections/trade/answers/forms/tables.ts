/** A table is the schema of a row, and the rows, for answers that are not a plain list. */
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

/** One row per product, with its three largest partners. */
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

/** One row per flow and calendar month. */
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

/** One row per flow and partner, with the flow's index; a flow without partners has no row. */
export const concentrationTable = {
  row: concentrationOutput.shape.data.element.shape.top_partners.element.extend(index.shape),
  rows: ({ data }: z.infer<typeof concentrationOutput>) =>
    data.flatMap(({ top_partners, note: _, ...of }) =>
      top_partners.map((partner) => ({ ...partner, ...of })),
    ),
};

/** One row per product and surging country; each repeats the product's figures. */
export const rerouteTable = {
  row: rerouteRow.omit({ surges: true }).extend({ surge: rerouteRow.shape.surges.element }),
  rows: ({ data }: z.infer<typeof rerouteOutput>) =>
    data.flatMap(({ surges, ...row }) => surges.map((surge) => ({ ...row, surge }))),
};

const { dataset, vintage, synthetic, coverage } = meta.shape;
const products_complete = coverage.shape.products.shape.complete;

/**
 * Rows by year (the reporter's balance), by month and direction, by product and direction; `line` is the kind, and its
 * foreign columns are null. Each database has its own rows.
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
