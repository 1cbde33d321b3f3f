import { z } from "zod";
import { countryCode, limit as limitOf } from "../../core/model/fields.ts";
import type { CodeBasis } from "./code-basis.ts";
import { procedures } from "./procedures.ts";
import { productLevels } from "./products.ts";
import { isReporter, reporterCodes, unknownPartner, unknownReporter } from "./reporters.ts";
import { flows, type Period, type Years } from "./units.ts";

const reporterCode = z
  .string()
  .max(60, "a reporter is a 2-letter code such as DE")
  .superRefine((code, context) => {
    if (!isReporter(code)) context.addIssue({ code: "custom", message: unknownReporter(code) });
  })
  .pipe(z.enum(reporterCodes));

export const reporter = reporterCode.describe("The reporting country: one of the 27 ISO codes; Greece is GR");

export const reportersField = z
  .array(reporterCode)
  .min(1, "name at least one reporter, or leave the parameter out for the sum of the 27")
  .max(27, "there are 27 reporters")
  .refine((codes) => new Set(codes).size === codes.length, "the list has a reporter twice")
  .describe("Comma-separated reporter codes, one series for each; omitted = the sum of the 27");

export const flow = z
  .enum(flows, "flow is IMPORT or EXPORT")
  .describe("IMPORT or EXPORT; omitted = both, shown apart");

const FIRST_YEAR = 1988;
const LAST_YEAR = 2099;

export const year = z
  .int("year is a whole number such as 2024")
  .min(FIRST_YEAR, `year is ${FIRST_YEAR} at the earliest`)
  .max(LAST_YEAR, `year is ${LAST_YEAR} at the latest`)
  .describe("Calendar year; omitted = the last year that every reporter has delivered in full");

export const years = z
  .string()
  .regex(/^\d{4}(-\d{4})?$/, { error: "years is YYYY-YYYY or YYYY, such as 2020-2024", abort: true })
  .refine(
    (text) => readYears(text).from <= readYears(text).to,
    "the first year of the range comes after the last",
  )
  .describe("Range of calendar years, YYYY-YYYY or YYYY; omitted = all");

/** The product of an operation. Callers may also call the field `hs2`, which the input reader takes for it. */
export const productCode = z
  .string('hs is text, such as "44"')
  .regex(/^\d{2}(\d{2}){0,4}$/, {
    error: "hs is a product code of 2, 4, 6, 8 or 10 digits, such as 44 or 39206290",
    abort: true,
  })
  .refine((code) => !code.startsWith("00"), "hs begins with a chapter from 01 to 99")
  // TARIC's ten digits separate duties; trade statistics end at CN8.
  .transform((code) => code.slice(0, productLevels.cn8))
  .meta({ alias: "hs2" });

export const hs = productCode.describe(
  "HS or CN code of 2, 4, 6 or 8 digits; omitted = all products. A longer code is cut to the dataset's 6 or 8 digits: `meta.hs` shows the code used. `hs2` is an alias",
);

/** The product of an operation that needs one. */
export const requiredHs = productCode.describe(
  "The product: an HS or CN code of 2, 4, 6 or 8 digits; `meta.hs` shows the code used; `hs2` is an alias",
);

/** One of several products, by its chapter. */
export const chapter = z
  .string()
  .regex(/^(0[1-9]|[1-9]\d)$/, "is an HS chapter from 01 to 99, such as 44")
  .describe("HS chapter, 2 digits from 01 to 99");

export const limit = limitOf("How many lines to rank, 1 to 100");

export const partner = countryCode
  .superRefine((code, context) => {
    const message = unknownPartner(code);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .describe("The other country, any 2-letter code of the statistics; Greece is GR");

export const recentMonths = z
  .int("months is a whole number")
  .min(1, "months is at least 1")
  .max(24, "months is at most 24")
  .default(6)
  .describe("Number of months, 1 to 24, counted back from the dataset's last");

/** The basis of a product's codes over the years. */
export const basis = z
  .string()
  .regex(
    /^(reported|compared|family|(19|20)\d{2})$/,
    "basis is reported, compared, family, or a year such as 2022",
  )
  .transform((text): CodeBasis => (/^\d/.test(text) ? Number(text) : (text as Exclude<CodeBasis, number>)))
  .describe(
    "reported: the code alone; family: all codes that changed into each other; compared: the family where the years cross a change; a year: its code's family. Omitted = compared for comparisons, else reported",
  );

export const procedure = z
  .enum(procedures, "procedure is normal, inward, outward or other")
  .describe(
    "Statistical procedure: normal, inward or outward processing, or other (unrecorded); omitted = all together",
  );

export const dataset = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "dataset is a name that trade/overview lists, such as sandbox")
  .describe("Omitted = the real dataset that covers the question, else the sandbox");

export function readYears(text: string): Years {
  const [from = "", to = from] = text.split("-");
  return { from: Number(from), to: Number(to) };
}

/** 202203 for "2022-03". */
export const readMonth = (text: string): Period => Number(text.replace("-", ""));
