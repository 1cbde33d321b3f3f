/**
 * Import duties of the European Union from the TARIC database, published monthly: the file "Duties Import 01-99" of
 * DG TAXUD (CIRCABC), as CSV or as the workbook itself. Lines without a duty (controls, prohibitions) are left out.
 */
import { z } from "zod";
import { isNoValue } from "../no-value.ts";
import { sandboxCodes, woodNames } from "../sandbox-codes.ts";
import { refuseLines } from "../stage.ts";
import { headerCells, readCsv } from "./csv.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const day = z.iso.date();
const text = z.string().max(5_000);

const taricDuty = z.strictObject({
  goods_code: z.string().regex(/^\d{10}$/),
  /** Product line suffix: 80 can be declared. */
  suffix: z.string().regex(/^\d{2}$/),
  /** The company or case of anti-dumping and similar duties. */
  additional_code: text.nullable(),
  /** A quota's order number. */
  order_no: text.nullable(),
  origin: text.min(1),
  /** 1011 is erga omnes; other numbers are groups of countries, two letters one country. */
  origin_code: z.string().regex(/^([A-Z]{2}|[0-9A-Z]{4})$/),
  measure_type: text.min(1),
  measure_code: z.string().regex(/^\d{3}$/),
  /** As published. */
  duty: text.min(1),
  /** Per cent of the customs value; null for a specific, compound or conditional duty. */
  ad_valorem_pct: z.number().min(0).nullable(),
  start: day,
  /** null while in force. */
  end: day.nullable(),
  legal_base: text.nullable(),
});
/** A duty on a goods code (or all below it) for an origin, from a day on. */
export type TaricDuty = z.infer<typeof taricDuty>;

const COLUMNS = [
  "Goods code",
  "Add code",
  "Order No.",
  "Start date",
  "End date",
  "Origin",
  "Measure type",
  "Legal base",
  "Duty",
  "Origin code",
  "Meas. type code",
] as const;
const DELIMITERS = [",", ";", "\t"];

const keyOf = (row: TaricDuty) =>
  [
    row.goods_code,
    row.suffix,
    row.measure_code,
    row.origin_code,
    row.start,
    row.end,
    row.additional_code,
    row.order_no,
    row.duty,
    row.legal_base,
  ].join(" ");

export const taricDuties: ReferenceTable<TaricDuty> = {
  name: "taric-duties",
  source: "European Commission, DG TAXUD, TARIC: Duties Import 01-99",
  row: taricDuty,
  key: keyOf,
  as_of: (rows) =>
    rows.reduce<string | null>((last, { start }) => (last && last > start ? last : start), null),
  layouts: [
    {
      name: "TARIC Duties Import 01-99",
      matches: (header) => delimiterOf(header) !== undefined,
      read: readDuties,
    },
  ],
  sandbox,
};

const isHeader = (cells: string[]) => COLUMNS.every((column) => cells.includes(column));
const delimiterOf = (header: string) =>
  DELIMITERS.find((delimiter) => isHeader(headerCells(header, delimiter)));

function readDuties(file: TextFile): TaricDuty[] {
  const [header = ""] = file.text.split(/\r?\n/, 1);
  const delimiter = delimiterOf(header)!;
  // Some published headers begin with a space.
  const trimmed = headerCells(header, delimiter).join(delimiter);
  const lines = readCsv({ ...file, text: trimmed + file.text.slice(header.length) }, COLUMNS, {
    delimiter,
    extra_columns: true,
  });
  const rows = new Map<string, TaricDuty>();
  for (const { line, cells } of lines) {
    const of = (column: (typeof COLUMNS)[number]) => cells[column].trim();
    const duty = of("Duty").replaceAll(/\s+/g, " ");
    if (isNoValue(duty)) continue;
    const [goods_code = "", suffix = "80"] = of("Goods code").split(/\s+/);
    const read = taricDuty.safeParse({
      goods_code,
      suffix,
      additional_code: of("Add code") || null,
      order_no: of("Order No.") || null,
      origin: of("Origin"),
      origin_code: of("Origin code"),
      measure_type: of("Measure type"),
      measure_code: of("Meas. type code"),
      duty,
      ad_valorem_pct: adValorem(duty),
      start: dayOf(of("Start date")),
      end: of("End date") === "" ? null : dayOf(of("End date")),
      legal_base: of("Legal base") || null,
    });
    if (!read.success) {
      const { path, message } = read.error.issues[0]!;
      const column = columnOf[String(path[0])] ?? "Goods code";
      return refuseLines(file, [
        { line, column, what: `${column} ${JSON.stringify(of(column))}: ${message}` },
      ]);
    }
    // A measure has an equal line for each of its footnotes.
    rows.set(keyOf(read.data), read.data);
  }
  return [...rows.values()];
}

const columnOf: Record<string, (typeof COLUMNS)[number]> = {
  goods_code: "Goods code",
  suffix: "Goods code",
  additional_code: "Add code",
  order_no: "Order No.",
  origin: "Origin",
  origin_code: "Origin code",
  measure_type: "Measure type",
  measure_code: "Meas. type code",
  duty: "Duty",
  start: "Start date",
  end: "End date",
  legal_base: "Legal base",
};

/** 3.3 for "3.300 %"; null for anything but a plain percentage. */
const adValorem = (duty: string): number | null => {
  const plain = /^(\d{1,4}(?:\.\d{1,6})?) ?%$/.exec(duty)?.[1];
  return plain === undefined ? null : Number(plain);
};

/** An ISO day from DD-MM-YYYY, DD/MM/YYYY or ISO; other text is unchanged, to be refused. */
const dayOf = (given: string) =>
  given.replace(/^(\d{2})[-/.](\d{2})[-/.](\d{4})$/, "$3-$2-$1").replace(/T00:00.*$/, "");

/**
 * Synthetic: a duty for every code of the sandbox, lower ones for a few origins, and some that are not a plain
 * percentage.
 */
function sandbox(): TaricDuty[] {
  const line = (goods_code: string, duty: string, of: Partial<TaricDuty> = {}): TaricDuty => ({
    goods_code,
    suffix: "80",
    additional_code: null,
    order_no: null,
    origin: "ERGA OMNES",
    origin_code: "1011",
    measure_type: "Third country duty",
    measure_code: "103",
    duty,
    ad_valorem_pct: adValorem(duty),
    start: "2025-01-01",
    end: null,
    legal_base: null,
    ...of,
  });
  const preference = { measure_type: "Tariff preference", measure_code: "142" };
  const quota = {
    measure_type: "Preferential tariff quota",
    measure_code: "143",
    order_no: "099999",
    end: "2025-12-31",
  };
  const percent = (tenths: number) => `${(tenths / 10).toFixed(3)} %`;
  const headings = Object.entries(headingDuties).map(([heading, duty]) => line(`${heading}000000`, duty));
  const lines = Object.keys({ ...woodNames, ...sandboxCodes }).flatMap((code) => {
    if (code.slice(0, 4) in headingDuties) return [];
    const drawn = (Number(code) * 48_271) % 2_147_483_647;
    // A third of the codes are duty-free, a tenth have a specific part, and a few have two rates.
    const tenths = drawn % 3 === 0 ? 0 : 5 * (1 + (drawn % 29));
    const compound = drawn % 10 === 1 ? ` + ${10 + (drawn % 80)}.000 EUR DTN` : "";
    const general =
      drawn % 11 === 2
        ? [line(`${code}10`, percent(tenths)), line(`${code}90`, percent(tenths + 15))]
        : [line(`${code}00`, percent(tenths) + compound)];
    if (tenths === 0) return general;
    return [
      ...general,
      line(`${code}00`, percent(0), { ...preference, origin: "Switzerland", origin_code: "CH" }),
      line(`${code}00`, percent(Math.floor(tenths / 2)), {
        ...preference,
        origin: "GSP (general arrangement)",
        origin_code: "2020",
      }),
      ...(drawn % 7 === 3
        ? [line(`${code}00`, percent(0), { ...quota, origin: "Ukraine", origin_code: "UA" })]
        : []),
    ];
  });
  return [...headings, ...lines];
}

/** Headings of the sandbox with one duty for all codes below. */
const headingDuties: Record<string, string> = { "4403": "0.000 %", "4407": "2.500 %", "8703": "10.000 %" };
