/** The same rows in Postgres, with an index per access path, and some questions in handwritten SQL. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { literal, openDuckdb } from "../src/datasets/duckdb.ts";
import { type Manifest, partitionPath } from "../src/datasets/manifest.ts";
import { reporterCodes } from "../src/domain/trade/reporters.ts";
import { addMonths, monthsBetween } from "../src/domain/trade/units.ts";

const settings = {
  shared_buffers: "'4GB'",
  work_mem: "'128MB'",
  maintenance_work_mem: "'2GB'",
  effective_cache_size: "'12GB'",
  max_parallel_workers_per_gather: "2",
  random_page_cost: "1.1",
  // JIT compilation costs more than it gains in most of these.
  jit: "off",
  // Loading writes no WAL, because the same transaction creates the tables.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "'8GB'",
};

const columns = {
  chapter_partners:
    "reporter text, hs2 text, flow text, period int, partner text, value_eur int8, quantity_kg float8",
  chapter_totals: "reporter text, hs2 text, flow text, period int, value_eur int8, quantity_kg float8",
  deliveries: 'reporter text, flow text, period int, "rows" int8, world_rows int8',
};

/** One per access path, including the summed columns, for index-only scans. */
const indexes = [
  "chapter_partners (reporter, hs2, period) include (flow, partner, value_eur, quantity_kg)",
  "chapter_partners (reporter, period) include (hs2, flow, partner, value_eur, quantity_kg)",
  "chapter_partners (period, flow) include (reporter, hs2, partner, value_eur)",
  "chapter_partners (reporter, partner, period) include (hs2, flow, value_eur, quantity_kg)",
  "chapter_partners (partner)",
  "chapter_totals (reporter, hs2, period) include (flow, value_eur, quantity_kg)",
  "chapter_totals (reporter, period) include (hs2, flow, value_eur, quantity_kg)",
  "chapter_totals (hs2, period) include (reporter, flow, value_eur, quantity_kg)",
  "chapter_totals (period) include (reporter, hs2, flow, value_eur, quantity_kg)",
  "chapter_totals (reporter, flow)",
];

export type Postgres = {
  /** Seconds to load and to index the rows. */
  load_s: number;
  index_s: number;
  bytes: number;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** Its address, for clients in other processes. */
  url: string;
  close(): Promise<void>;
};

/** A separate cluster in `dir` with both roll-ups of the vintage, loaded by COPY in order. */
export async function openPostgres(dir: string, dataDir: string, manifest: Manifest): Promise<Postgres> {
  const server = await embeddedPostgres({ dir: join(dir, "postgres"), settings });
  const pool = new pg.Pool({ connectionString: server.ownerUrl, max: 8 });
  const seconds = async (work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    return (performance.now() - begun) / 1000;
  };
  const load_s = await seconds(() => load(pool, dir, dataDir, manifest));
  const index_s = await seconds(async () => {
    for (const index of indexes) await pool.query(`create index on ${index}`);
    await pool.query("vacuum analyze");
  });
  const size = await pool.query("select pg_database_size(current_database())::float8 as bytes");
  return {
    load_s,
    index_s,
    bytes: size.rows[0].bytes,
    rows: async (sql) => (await pool.query(sql)).rows,
    url: server.ownerUrl,
    close: async () => {
      await pool.end();
      await server.leave();
    },
  };
}

async function load(pool: pg.Pool, dir: string, dataDir: string, { partitions }: Manifest) {
  const instance = await openDuckdb({ threads: 2, memory_mb: 768 });
  const connection = await instance.connect();
  const client = await pool.connect();
  const file = join(dir, "rows.csv");
  await client.query("begin");
  for (const [table, ddl] of Object.entries(columns)) {
    await client.query(`create table ${table} (${ddl})`);
    for (const entry of partitions) {
      await connection.run(`attach ${literal(partitionPath(dataDir, entry))} as year (read_only)`);
      await connection.run(`copy (from year.${table}) to ${literal(file)} (header false)`);
      await connection.run("detach year");
      await client.query(`copy ${table} from ${literal(file)} (format csv, freeze)`);
    }
  }
  await client.query("commit");
  client.release();
  connection.closeSync();
  instance.closeSync();
  await rm(file);
}

const flowSums = `
  (sum(value_eur) filter (where flow = 'IMPORT'))::int8 as imports_eur,
  (sum(value_eur) filter (where flow = 'EXPORT'))::int8 as exports_eur,
  sum(quantity_kg) filter (where flow = 'IMPORT') as imports_kg,
  sum(quantity_kg) filter (where flow = 'EXPORT') as exports_kg`;
const sums = `sum(value_eur)::int8 as value_eur, sum(quantity_kg) as quantity_kg, ${flowSums}`;

type Fields = Record<string, string | undefined>;

const filter = (conditions: (string | undefined | false)[]) =>
  `where ${conditions.filter(Boolean).join(" and ") || "true"}`;
const equal = (column: string, value: string | undefined) => value && `${column} = ${literal(value)}`;
const within = (year: number | string, before = 0) =>
  `period between ${Number(year) - before}01 and ${year}12`;

const monthly = (label: string, where: string) =>
  `select ${label} as reporter, period, ${flowSums} from chapter_totals ${where} group by 1, 2`;
const ranked = (where: string, limit: string, code = "partner", table = "chapter_partners") =>
  `select ${code} as code, ${sums}, count(*) over () as "of" from ${table} ${where} group by 1
   order by value_eur desc, code limit ${limit}`;
/** The cube's last year, and the default year of questions. */
const LAST_YEAR = 2025;

/** A question's statements, each paired with DuckDB's. */
export const inPostgres: Record<string, (fields: Fields, sent: string[]) => string[]> = {
  overview: () => [
    // Each partner is the smallest after the previous one, so the index finds it without reading the rows between.
    `with recursive distinct_partners as (
       select min(partner) as partner from chapter_partners
       union all
       select (select min(partner) from chapter_partners where partner > one.partner)
       from distinct_partners one where one.partner is not null
     )
     select sum("rows")::int8 as records, count(distinct reporter) as reporters,
       (select count(partner) from distinct_partners) as partners from deliveries`,
    `select ${flowSums} from chapter_totals ${filter([within(LAST_YEAR)])}`,
  ],
  countries: () => {
    const has = (flow: string) =>
      `exists (select from chapter_totals where reporter = delivered.reporter and flow = '${flow}')`;
    return [
      `select reporter, records, ${has("IMPORT")} as imports, ${has("EXPORT")} as exports
       from (select reporter, sum("rows")::int8 as records from deliveries group by 1) delivered`,
    ];
  },
  "timeline, one": ({ reporters }) => [monthly("reporter", filter([equal("reporter", reporters)]))],
  "top-products": ({ reporter, year, limit }) => {
    const where = filter([equal("reporter", reporter), within(year!)]);
    return [ranked(where, limit!, "hs2", "chapter_totals"), `select ${sums} from chapter_totals ${where}`];
  },
  balance: ({ reporter }) => [monthly("reporter", filter([equal("reporter", reporter)]))],
  concentration: ({ reporter, year }) => {
    const where = filter([equal("reporter", reporter), within(year!)]);
    return [
      `select flow, partner, sum(value_eur)::int8 as value_eur from chapter_partners ${where}
       group by 1, 2 order by value_eur desc, partner`,
      `select flow, sum(value_eur)::int8 as value_eur from chapter_totals ${where} group by 1`,
    ];
  },
  corridor: ({ reporter, partner, years }) => {
    const [from, to] = years!.split("-") as [string, string];
    const pair = `((reporter = '${reporter}' and partner = '${partner}') or (reporter = '${partner}' and partner = '${reporter}'))`;
    return [
      `select reporter, flow, period, sum(value_eur)::int8 as value_eur, sum(quantity_kg) as quantity_kg
       from chapter_partners ${filter([pair, `period between ${from}01 and ${to}12`])} group by 1, 2, 3 order by 1, 2, 3`,
      `select reporter, flow, hs2 as product, sum(value_eur)::int8 as value_eur,
         coalesce(sum(value_eur) filter (where quantity_kg > 0), 0)::int8 as priced_eur,
         coalesce(sum(quantity_kg) filter (where quantity_kg > 0), 0) as priced_kg
       from chapter_partners ${filter([pair, within(to)])} group by 1, 2, 3 order by value_eur desc, product`,
    ];
  },
  "flow-pulse": ({ months = "6" }) => {
    const first = addMonths(addMonths(LAST_MONTH, 1 - Number(months)), -12);
    return [
      testedSql(undefined, Number(months)),
      `select reporter, flow, period, sum(value_eur)::int8 as value from chapter_totals
       ${filter([`period >= ${first}`])} group by 1, 2, 3`,
    ];
  },
  "reroute-watch": ({ flow }) => {
    const members = reporterCodes.map(literal).join(", ");
    return [
      `with sums as materialized (
         select flow, hs2 as product, partner,
           coalesce(sum(value_eur) filter (where period < 202203), 0)::int8 as before_eur,
           coalesce(sum(value_eur) filter (where period >= 202203), 0)::int8 as after_eur
         from chapter_partners ${filter(["period between 202103 and 202302", equal("flow", flow)])} group by 1, 2, 3
       )
       select sums.* from sums join (
         select flow, product from sums where partner = 'RU' and before_eur - after_eur >= 0.5 * before_eur
       ) collapsed using (flow, product)
       where partner = 'RU' or (after_eur - before_eur >= 10000000 and partner not in (${members}))
       order by flow, product, partner`,
    ];
  },
  "timeline, all 27": ({ flow }) => [monthly("'EU27'", filter([equal("flow", flow)]))],
  "top-partners": ({ reporter, year, limit }) => {
    const where = filter([equal("reporter", reporter), within(year!)]);
    return [ranked(where, limit!), `select ${sums} from chapter_totals ${where}`];
  },
  heatmap: ({ year, hs2, flow }) => [
    `select reporter, period / 100 as year, ${flowSums}, sum(quantity_kg) as quantity_kg from chapter_totals
     ${filter([within(year!, 1), equal("hs2", hs2), equal("flow", flow)])} group by 1, 2`,
  ],
  "product-detail": ({ reporter, hs2 }) => {
    const where = filter([equal("reporter", reporter), equal("hs2", hs2)]);
    return [monthly("reporter", where), ranked(where, "20"), `select ${sums} from chapter_totals ${where}`];
  },
  "price-per-tonne": ({ reporter, hs2 }) => [
    `select flow, period, coalesce(sum(value_eur) filter (where quantity_kg > 0), 0)::int8 as value_eur,
       coalesce(sum(quantity_kg) filter (where quantity_kg > 0), 0) as quantity_kg,
       coalesce(sum(value_eur) filter (where quantity_kg is null or quantity_kg <= 0), 0)::int8 as excluded_value_eur
     from chapter_partners ${filter([equal("reporter", reporter), equal("hs2", hs2)])} group by 1, 2`,
  ],
  seasonality: ({ reporter, hs2 }) => [
    monthly("reporter", filter([equal("reporter", reporter), equal("hs2", hs2)])),
  ],
  alerts: ({ flow, months = "6" }, sent) => alertsSql(equal("flow", flow), Number(months), sent.at(-1)!),
  "source-concentration": ({ year, flow = "IMPORT", limit = "20" }) => {
    const where = filter([within(year!), equal("flow", flow)]);
    return [
      `with partners as (
         select reporter, hs2 as product, partner, sum(value_eur)::float8 as value from chapter_partners ${where}
         group by 1, 2, 3
       ), placed as (
         select *, row_number() over (partition by reporter, product order by value desc, partner) as place from partners
       ), listed as (
         select reporter, product, max(value) as top, count(*) as partners, sum(value) as listed_eur,
           json_agg(json_build_object('partner', partner, 'value', value) order by place) filter (where place <= 2) as listed
         from placed group by 1, 2
       ), totals as (
         select reporter, hs2 as product, sum(value_eur)::float8 as total_eur from chapter_totals ${where} group by 1, 2
       )
       select reporter, product, listed, partners, listed_eur, total_eur, count(*) over () as "of"
       from listed join totals using (reporter, product)
       where total_eur >= 12000000 and top >= 0.5 * total_eur order by top desc, reporter, product limit ${limit}`,
    ];
  },
};

/** Every reporter of the cube has delivered every month, so all of them are tested. */
const LAST_MONTH = LAST_YEAR * 100 + 12;

function testedSql(inFlow: string | undefined, months: number): string {
  const from = addMonths(LAST_MONTH, 1 - months);
  const first = addMonths(from, -12);
  const where = filter([inFlow, `period >= ${first}`]);
  return `with sums as materialized (
       select reporter, flow, hs2 as product, period, sum(value_eur)::float8 as value from chapter_totals ${where}
       group by 1, 2, 3, 4
     ), grid as (
       select reporter, flow, product, period, coalesce(value, 0) as value
       from (select distinct reporter, flow, product from sums) series
         cross join unnest(array[${monthsBetween(first, LAST_MONTH).join(", ")}]) as calendar(period)
         left join sums using (reporter, flow, product, period)
     ), moving as (
       select *, avg(value) over before as base_eur, stddev_samp(value) over before as sd from grid
       window before as (partition by reporter, flow, product order by period rows between 12 preceding and 1 preceding)
     ), tested as materialized (
       select reporter, flow, product, period, value as value_eur, base_eur,
         greatest(sd, 0.05 * base_eur) as deviation_eur, (value - base_eur) / greatest(sd, 0.05 * base_eur) as z
       from moving where period >= ${from} and base_eur >= 1000000
     )
     select counted.tested, found.* from (select count(*) as tested from tested) counted
       left join (select * from tested where abs(z) >= 2.2) found on true
     order by abs(z) desc, reporter, flow, product, period`;
}

function alertsSql(inFlow: string | undefined, months: number, scores: string): string[] {
  const to = LAST_MONTH;
  const from = addMonths(to, 1 - months);
  const first = addMonths(from, -12);
  const where = filter([inFlow, `period >= ${first}`]);
  const [, since, series] = /period >= (\d+) and .* in \((\(.*\))\)/s.exec(scores)!;
  return [
    testedSql(inFlow, months),
    `select *, ${months} as months from (
       select reporter, flow, hs2 as product,
         coalesce(sum(value_eur) filter (where period >= ${from}), 0)::int8 as value_eur,
         coalesce(sum(value_eur) filter (where period <= ${to - 100} and period >= ${from - 100}), 0)::int8 as year_before_eur
       from chapter_totals ${where} group by 1, 2, 3
     ) compared order by abs(value_eur - year_before_eur) desc, reporter, flow, product limit 20`,
    `select reporter, flow, hs2 as product, period, sum(value_eur)::int8 as value from chapter_totals
     where period >= ${since} and (reporter, flow, hs2) in (${series}) group by 1, 2, 3, 4`,
  ];
}

/** The first difference of two answers, in any row order; undefined if none. */
export function difference(
  one: Record<string, unknown>[],
  other: Record<string, unknown>[],
): string | undefined {
  if (one.length !== other.length) return `${one.length} rows beside ${other.length}`;
  const [left, right] = [sorted(one), sorted(other)];
  for (const [at, { row }] of left.entries()) {
    for (const [column, value] of Object.entries(row)) {
      const found = right[at]!.row[column];
      if (!isSame(value, found)) return `${column}: ${JSON.stringify(value)} beside ${JSON.stringify(found)}`;
    }
  }
  return undefined;
}

/** Converts numbers of any type. */
const plain = (value: unknown) =>
  typeof value === "bigint" || (typeof value === "string" && /^-?\d+$/.test(value)) ? Number(value) : value;

function sorted(rows: Record<string, unknown>[]) {
  const rounded = (value: unknown) => (typeof value === "number" ? Number(value.toPrecision(6)) : value);
  return rows
    .map((given) => {
      const columns = Object.keys(given).sort();
      const row = Object.fromEntries(columns.map((column) => [column, plain(given[column])]));
      return { row, key: JSON.stringify(columns.map((column) => rounded(row[column]))) };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number" && typeof other === "number")
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one));
  return JSON.stringify(one) === JSON.stringify(other);
}
