/** The data of customs questions: Latvia's trade, from a dataset that covers all products down to CN8. */

import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import type { CodeBasis } from "../../../domain/trade/code-basis.ts";
import { readYears } from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import type { Procedure } from "../../../domain/trade/procedures.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import type { Flow, Years } from "../../../domain/trade/units.ts";
import {
  formula,
  isCovered,
  meta,
  metaOf,
  onDataset,
  type Question,
  refuseWhileAwaited,
  type TradeData,
} from "../../trade/answers/question.ts";

/** The country whose customs these are. */
export const LATVIA = "LV";

/** `meta` of a customs answer. */
export const customsMeta = meta.extend({ formula }).meta({ id: "CustomsMeta" });

export type CustomsInput = {
  code?: string | undefined;
  direction?: Flow | undefined;
  year?: number | undefined;
  years?: string | undefined;
  basis?: CodeBasis | undefined;
  procedure?: Procedure | undefined;
  dataset?: string | undefined;
};

export type CustomsQuestion = ReturnType<typeof customsQuestion>;

/** The question of Latvia's trade in all products, or in those under `code`. */
export const customsQuestion = ({
  code,
  direction,
  year,
  years,
  basis,
  procedure,
  dataset,
}: CustomsInput) => ({
  hs: code,
  digits: productLevels.cn8,
  reporters: [LATVIA] as const,
  flow: direction,
  years: years === undefined ? oneYear(year) : readYears(years),
  basis,
  procedure,
  dataset,
  fields: {
    hs: code === undefined ? "dataset" : "code",
    reporter: "dataset",
    flow: "direction",
    years: year === undefined ? "years" : "year",
  } as const,
});

/** As onDataset; `unavailable` while no dataset has Latvia's trade down to CN8. */
export function onLatvia<T>(
  trade: TradeData,
  question: CustomsQuestion & Pick<Question, "compares" | "crossing">,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const isAnswered = question.dataset !== undefined || isCovered(trade, question);
  const { digits, reporters } = question;
  if (!isAnswered && !isCovered(trade, { digits, reporters })) {
    refuseWhileAwaited(trade);
    refuse(tradeProblems["dataset-missing"], "no dataset with Latvia's CN8 trade is loaded (yet)", {
      retry_after_s: 5,
    });
  }
  return onDataset(trade, question, work);
}

const oneYear = (year: number | undefined): Years | undefined =>
  year === undefined ? undefined : { from: year, to: year };

/** `meta` of its answer about these years. */
export const aboutCustoms = (lease: Lease, question: CustomsQuestion, years: Years) =>
  metaOf(lease, { ...question, years });

/** The years an answer is about. */
export const span = z.object({ from: z.int(), to: z.int() });
