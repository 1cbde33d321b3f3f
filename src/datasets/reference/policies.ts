/** Trade policies by their first day: a duty, quota or ban on a product from an origin. */
import { z } from "zod";
import { countryNames } from "../../domain/plans/country-names.ts";
import { isReporter } from "../../domain/trade/reporters.ts";
import { isNoValue } from "../no-value.ts";
import { headerCells, readCsv } from "./csv.ts";
import { Faults } from "./faults.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  date: z.iso.date(),
  /** 2, 4 or 6 digits of the Harmonized System. */
  hs: z.string().regex(/^(?!00)\d{2}(\d{2}){0,2}$/),
  /** A country by its 2-letter code; null means all. */
  origin: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable(),
  measure: z.string().min(1).max(200),
  source: z.string().min(1).max(500),
});
export type Policy = z.infer<typeof row>;

const PLAIN = ["date", "hs", "origin", "measure", "source"] as const;

/** An own list: one policy per line, with an empty origin for all countries. */
function readPlain(file: TextFile): Policy[] {
  const faults = new Faults(file);
  const policies = readCsv(file, PLAIN).flatMap(({ line, cells }) => {
    const read = row.safeParse({ ...cells, origin: cells.origin === "" ? null : cells.origin });
    if (read.success) return read.data;
    const column = String(read.error.issues[0]?.path[0] ?? "date") as (typeof PLAIN)[number];
    faults.add(line, column, cells[column], wanted[column]);
    return [];
  });
  faults.refuseAny();
  return policies;
}

const wanted: Record<(typeof PLAIN)[number], string> = {
  date: "a day such as 2024-01-31",
  hs: "an HS code of 2, 4 or 6 digits",
  origin: "a 2-letter code, or empty",
  measure: "text of 1 to 200 characters",
  source: "text of 1 to 500 characters",
};

const GTA = [
  "intervention.id",
  "state.act.id",
  "intervention.type",
  "date.implemented",
  "implementing.jurisdiction",
  "affected.product",
  "affected.jurisdiction",
] as const;

/** With more products or origins than this, policies are listed by chapter and for all countries. */
const MOST_APART = 10;

/**
 * Global Trade Alert's interventions in the columns of its R library (`master`): those implemented by one of the
 * 27, from their first day in force. Interventions without such a day or without products are left out.
 */
function readAlerts(file: TextFile): Policy[] {
  const faults = new Faults(file);
  const found = new Map<string, Policy>();
  for (const { line, cells } of readCsv(file, GTA, { extra_columns: true })) {
    const date = cells["date.implemented"].trim();
    if (isNoValue(date) || cells["affected.product"].trim() === "") continue;
    if (!row.shape.date.safeParse(date).success) faults.add(line, "date.implemented", date, wanted.date);
    if (!listOf(cells["implementing.jurisdiction"]).some(isMember)) continue;
    const codes = listOf(cells["affected.product"]).map((code) => code.padStart(6, "0"));
    if (codes.some((hs) => !row.shape.hs.safeParse(hs).success))
      faults.add(line, "affected.product", cells["affected.product"], "HS codes of six digits");
    const products = codes.length > MOST_APART ? codes.map((code) => code.slice(0, 2)) : codes;
    const named = listOf(cells["affected.jurisdiction"]).flatMap((name) => codeOf(name) ?? []);
    const origins = named.length === 0 || named.length > MOST_APART ? [null] : named;
    const source = `Global Trade Alert, state act ${cells["state.act.id"]}, intervention ${cells["intervention.id"]}`;
    for (const hs of new Set(products))
      for (const origin of origins) {
        const policy = { date, hs, origin, measure: cells["intervention.type"].trim(), source };
        found.set(keyOf(policy), policy);
      }
  }
  faults.refuseAny();
  return [...found.values()];
}

const listOf = (text: string) =>
  text
    .split(/[,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** A country by any of its names; undefined for none. */
const codeOf = (name: string) =>
  countryNames().find(({ pattern }) => name.match(pattern())?.[0] === name)?.code;
const isMember = (name: string) => name === "European Union" || isReporter(codeOf(name) ?? "");

const keyOf = ({ date, hs, origin, measure, source }: Policy) =>
  [date, hs, origin ?? "", measure, source].join(" ");

/** Synthetic: some begin after the sandbox's events, others without one, and some are only announced. */
const sandbox = (): Policy[] => {
  const invented = (date: string, hs: string, origin: string | null, measure: string): Policy => ({
    date,
    hs,
    origin,
    measure,
    source: "Invented for the sandbox",
  });
  return [
    invented("2022-07-04", "27", "TR", "Import licence"),
    invented("2022-07-18", "44", "KZ", "Anti-dumping duty"),
    invented("2023-10-02", "84", "US", "Tariff quota"),
    invented("2024-03-11", "85", "CN", "Countervailing duty"),
    invented("2025-02-03", "30", "IN", "Import licence"),
    invented("2025-06-02", "27", null, "Origin marking"),
    invented("2025-12-15", "30", "FR", "Export levy"),
    invented("2026-03-02", "44", "UA", "Tariff quota"),
    invented("2026-06-01", "87", "CN", "Countervailing duty"),
    invented("2026-09-07", "27", "US", "Import licence"),
  ];
};

export const policies: ReferenceTable<Policy> = {
  name: "policies",
  source: "Trade policies by the day on which they begin",
  row,
  key: keyOf,
  as_of: (rows) => rows.reduce<string | null>((last, { date }) => (last && last > date ? last : date), null),
  layouts: [
    {
      name: "Policies (date, hs, origin, measure, source)",
      matches: (header) => headerCells(header).join() === PLAIN.join(),
      read: readPlain,
    },
    {
      name: "Global Trade Alert, interventions",
      matches: (header) => {
        const cells = headerCells(header);
        return GTA.every((column) => cells.includes(column));
      },
      read: readAlerts,
    },
  ],
  sandbox,
};
