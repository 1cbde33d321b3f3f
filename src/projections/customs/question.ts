/** How every customs question begins: Latvia's trade, from a dataset that tells all products apart to CN8. */
import { z } from "zod";
import type { Lease } from "../../datasets/vintage-store.ts";
import { readYears } from "../../domain/trade/inputs.ts";
import { productLevels } from "../../domain/trade/products.ts";
import type { Flow, Years } from "../../domain/trade/units.ts";
import { formula, meta, metaOf } from "../trade/question.ts";

/** The country whose customs these are. */
export const LATVIA = "LV";

/** `meta` of a customs answer. */
export const customsMeta = meta.extend({ formula });

export type CustomsInput = {
  code?: string | undefined;
  direction?: Flow | undefined;
  year?: number | undefined;
  years?: string | undefined;
  dataset?: string | undefined;
};

/** The question of Latvia's trade in all products, or in those under `code`. */
export const customsQuestion = ({ code, direction, year, years, dataset }: CustomsInput) => ({
  hs: code,
  digits: productLevels.cn8,
  reporters: [LATVIA] as const,
  flow: direction,
  years: years === undefined ? oneYear(year) : readYears(years),
  dataset,
  fields: {
    hs: "code",
    reporter: "dataset",
    flow: "direction",
    years: year === undefined ? "years" : "year",
  } as const,
});

const oneYear = (year: number | undefined): Years | undefined =>
  year === undefined ? undefined : { from: year, to: year };

/** `meta` of its answer about these years. */
export const aboutCustoms = (lease: Lease, question: ReturnType<typeof customsQuestion>, years: Years) =>
  metaOf(lease, { ...question, years });

/** The years an answer is about. */
export const span = z.object({ from: z.int(), to: z.int() });
