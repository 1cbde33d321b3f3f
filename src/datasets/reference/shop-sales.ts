/**
 * The shop's sales from before its orders were in the log: base units by product and month, as its operator exports
 * them.
 */
import { z } from "zod";
import { slug } from "../../domain/commerce/product.ts";
import { MOST_STOCK } from "../../domain/commerce/stock.ts";
import { headerCells, readCsv } from "./csv.ts";
import { Faults } from "./faults.ts";
import { swing } from "./invented.ts";
import { latest } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const MONTH = /^(19|20)\d\d-(0[1-9]|1[0-2])$/;

const row = z.strictObject({
  product_slug: slug,
  month: z.string().regex(MONTH),
  /** In the unit of the product's stock. */
  quantity: z.int().min(0).max(MOST_STOCK),
});
export type ShopSale = z.infer<typeof row>;

const COLUMNS = ["product_slug", "month", "quantity"] as const;

const whole = {
  wanted: `a whole number of base units from 0 to ${MOST_STOCK}`,
  fits: (value: number) => Number.isInteger(value) && value >= 0 && value <= MOST_STOCK,
};

function read(file: TextFile): ShopSale[] {
  const faults = new Faults(file);
  const rows = readCsv(file, COLUMNS).map(({ line, cells: { product_slug, month, quantity } }) => {
    if (!slug.safeParse(product_slug).success)
      faults.add(line, "product_slug", product_slug, "a slug such as granulas-premium");
    if (!MONTH.test(month)) faults.add(line, "month", month, "a month such as 2024-01");
    return { product_slug, month, quantity: faults.number(line, "quantity", quantity, whole) };
  });
  faults.refuseAny();
  return rows;
}

/** A product's synthetic months: a growing level, a season around its peak, noise, and empty months. */
type SyntheticProduct = {
  product_slug: string;
  level: number;
  growth: number;
  season: number;
  peak: number;
  chance: number;
  empty: number;
};

const INVENTED: readonly SyntheticProduct[] = [
  {
    product_slug: "granulas-premium",
    level: 900,
    growth: 0.04,
    season: 0.55,
    peak: 10,
    chance: 0.14,
    empty: 0,
  },
  {
    product_slug: "briketes-ozols",
    level: 420,
    growth: 0.01,
    season: 0.45,
    peak: 11,
    chance: 0.18,
    empty: 0,
  },
  {
    product_slug: "saplaksnis-berzs",
    level: 11,
    growth: 0.03,
    season: 0.15,
    peak: 5,
    chance: 0.35,
    empty: 0,
  },
  {
    product_slug: "finieris-ozols",
    level: 2.4,
    growth: 0,
    season: 0,
    peak: 1,
    chance: 0.6,
    empty: 0.55,
  },
];

/** Twelve years, so that a sandbox has past years at any start; unfinished months are never read. */
const YEARS = { from: 2023, to: 2034 } as const;

function sandbox(): ShopSale[] {
  const months = Array.from({ length: (YEARS.to - YEARS.from + 1) * 12 }, (_, at) => at);
  return INVENTED.flatMap(({ product_slug, level, growth, season, peak, chance, empty }) =>
    months.map((at) => {
      const month = `${YEARS.from + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`;
      const turn = (2 * Math.PI * ((at % 12) + 1 - peak)) / 12;
      const mean = level * (1 + (growth * at) / 12) * (1 + season * Math.cos(turn));
      const isEmpty = (swing(`shop ${product_slug} any ${month}`) + 1) / 2 < empty;
      const quantity = Math.round(mean * (1 + chance * swing(`shop ${product_slug} ${month}`)));
      return { product_slug, month, quantity: isEmpty ? 0 : quantity };
    }),
  );
}

export const shopSales: ReferenceTable<ShopSale> = {
  name: "shop-sales",
  source: "Sales before the log, as the shop's operator imported them",
  row,
  key: ({ product_slug, month }) => `${product_slug} ${month}`,
  as_of: (rows) => latest(rows.map(({ month }) => month)),
  layouts: [
    {
      name: "a CSV of sales with the header product_slug,month,quantity",
      matches: (header) => {
        const cells = headerCells(header);
        return cells.length === COLUMNS.length && COLUMNS.every((column, at) => cells[at] === column);
      },
      read,
    },
  ],
  sandbox,
};
