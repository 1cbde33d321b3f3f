/**
 * The sandbox: a deterministic synthetic dataset of EU trade, to try the service without an import. Every answer
 * from it is marked synthetic.
 *
 * Both ends of a flow derive from one amount, so one country's imports approximate the other's exports.
 * Pseudo-randomness is integer arithmetic on the row's own keys: no state, any order, any number of threads.
 */
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { reporterCodes } from "../domain/trade/reporters.ts";
import type { BuildSpace, BuiltVintage } from "./build-space.ts";
import { coverageOf } from "./coverage.ts";
import {
  type DuckdbLimits,
  explainShortage,
  importMemory,
  literal,
  withDuckdb,
  withInstance,
} from "./duckdb.ts";
import { type Manifest, type PartitionEntry, vintageDigest } from "./manifest.ts";
import { writePartition } from "./partition.ts";
import { type Progress, step } from "./progress.ts";
import {
  chapterPrices,
  chapterWeights,
  type Lead,
  leads,
  otherChapter,
  otherPrice,
  outsideSizes,
  reporterSizes,
  type Shock,
  shocks,
} from "./sandbox-calibration.ts";
import { woodNames } from "./sandbox-codes.ts";

export const SANDBOX = "sandbox";
const SOURCE = "Tallystick sandbox, invented figures";

export type SandboxRequest = {
  /** The released sandbox vintage. */
  replaces: string | null;
  limits: DuckdbLimits;
  seed?: number;
  /** The size of the synthetic economy. Default: SMALL. */
  size?: SandboxSize;
  progress?: Progress;
  signal?: AbortSignal;
};

/** The part of the synthetic economy that is generated. */
export type SandboxSize = {
  /** Chapters, the weightiest first. */
  chapters: number;
  /** Each reporter's and flow's largest partners: in a chapter with its own weight, and in any other. */
  partners: { main: number; other: number };
  /**
   * With few partners, most flows would appear at one end only, and those of the shocks not at all. True includes
   * both ends of flows that are among the largest of either, and of those that shocks name in chapters with their
   * own weight.
   */
  connected: boolean;
  /** Wood products; only wood has figures below chapters. */
  wood: number;
  /** The first year, from January. */
  first_year: number;
};

const FIRST_YEAR = 2005;
const LAST_YEAR = 2025;

/**
 * A first start generates this within seconds: every reporter and chapter, few partners, and six years, because
 * leads and lags need 48 months and the mirror five years.
 */
export const SMALL: SandboxSize = {
  chapters: 97,
  partners: { main: 3, other: 1 },
  connected: true,
  wood: 12,
  first_year: 2020,
};

/** Every month since 2005, with this share of the chapters, partners and wood products: above 0, at most 1. */
export function sizeAt(scale: number): SandboxSize {
  const partners = Math.max(2, Math.round(30 * scale));
  return {
    chapters: Math.max(8, Math.round(chapters.length * scale)),
    partners: { main: partners, other: partners },
    connected: false,
    wood: Math.max(6, Math.round(Object.keys(woodNames).length * scale)),
    first_year: FIRST_YEAR,
  };
}

/** Wood, then the chapters 01 to 99 by weight; 77 is reserved and 98 is national. */
const chapters = Array.from({ length: 99 }, (_, at) => String(at + 1).padStart(2, "0"))
  .filter((chapter) => chapter !== "77" && chapter !== "98")
  .sort((a, b) => weightOf(b) - weightOf(a));

function weightOf(chapter: string): number {
  return chapter === "44" ? Number.POSITIVE_INFINITY : (chapterWeights[chapter] ?? otherChapter);
}

/** SQL's list of the chapters with their own weight. */
const mainChapters = Object.keys(chapterWeights).map(literal).join(", ");

/** Builds the sandbox vintage; `publish` makes it visible. */
export function buildSandbox(space: BuildSpace, request: SandboxRequest): Promise<BuiltVintage> {
  const size = request.size ?? SMALL;
  return buildSynthetic(space, request, {
    dataset: SANDBOX,
    complete_below: ["44"],
    years: Array.from({ length: LAST_YEAR - size.first_year + 1 }, (_, at) => size.first_year + at),
    begin: (connection) => makeLanes(connection, request.seed ?? 1, size),
    write: (connection, year) => writeYear(connection, space, year),
  });
}

/** A synthetic dataset: `begin` prepares the database, `write` generates one year's partition on any connection. */
export type SyntheticDataset = {
  dataset: string;
  complete_below: string[];
  years: readonly number[];
  begin: (connection: DuckDBConnection) => Promise<void>;
  write: (connection: DuckDBConnection, year: number) => Promise<PartitionEntry>;
};

/** The statements of one year rarely use a second core, so two builders share the years. */
const MOST_BUILDERS = 2;
/** The memory below which a builder would spill to disk. */
const BUILDER_MB = 500;

type BuildRequest = Pick<SandboxRequest, "replaces" | "limits" | "progress" | "signal">;

/** Builds a vintage of a synthetic dataset of all chapters. */
export async function buildSynthetic(
  space: BuildSpace,
  request: BuildRequest,
  synthetic: SyntheticDataset,
): Promise<BuiltVintage> {
  const { dataset, complete_below } = synthetic;
  try {
    const partitions = await buildYears(space, request, synthetic);
    const named = { dataset, source: SOURCE, synthetic: true, partitions };
    const manifest: Manifest = {
      format: 2,
      vintage: vintageDigest(named),
      ...named,
      coverage: await withDuckdb({ ...request, dir: join(space.dir, "spill") }, (connection) =>
        coverage(connection, space, partitions, complete_below),
      ),
      inputs: [],
    };
    const new_files = partitions.map(({ file }) => file);
    return { manifest, replaces: request.replaces, new_files };
  } catch (error) {
    return explainShortage(error, space.dataDir, importMemory(request.limits));
  }
}

/** The years' partitions, in order. After a failure no builder begins another year. */
async function buildYears(
  space: BuildSpace,
  request: BuildRequest,
  { years, begin, write }: SyntheticDataset,
): Promise<PartitionEntry[]> {
  const { threads, memory_mb } = request.limits;
  const builders = Math.max(
    1,
    Math.min(MOST_BUILDERS, threads, years.length, Math.floor(memory_mb / BUILDER_MB)),
  );
  const waiting = [...years];
  const built = new Map<number, PartitionEntry>();
  const build = async (connection: DuckDBConnection) => {
    try {
      for (let year = waiting.shift(); year !== undefined; year = waiting.shift()) {
        step(request, "write", built.size, years.length);
        built.set(year, await write(connection, year));
      }
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  await withInstance({ ...request, dir: join(space.dir, "spill") }, async (connect) => {
    await connect(async (connection) => {
      await begin(connection);
      // Every builder is a thread of its own.
      await connection.run(`set threads = ${Math.max(1, threads - builders + 1)}`);
    });
    const ends = await Promise.allSettled(Array.from({ length: builders }, () => connect(build)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  });
  step(request, "write", years.length, years.length);
  return years.map((year) => built.get(year)!);
}

async function coverage(
  connection: DuckDBConnection,
  space: BuildSpace,
  partitions: PartitionEntry[],
  complete_below: string[],
) {
  const databases: string[] = [];
  for (const { year, file } of partitions) {
    await connection.run(`attach ${literal(join(space.dir, file))} as y${year} (read_only)`);
    databases.push(`y${year}`);
  }
  return coverageOf(connection, databases, { national: true, complete_below, every_month: true });
}

/** Derives an integer below 2^31 from another: two rounds of Lehmer's generator, exact in 64 bits. */
export const macros = `
  create macro mix(x) as (x::bigint % 2147483646 + 1) * 48271 % 2147483647 * 69621 % 2147483647;
  create macro draw(a, b) as mix(mix(a) + mix(b + 7919));
  create macro unit(x) as x / 2147483647.0;
  create macro bell(x) as unit(mix(x)) + unit(mix(x + 104729)) + unit(mix(x + 1299709)) - 1.5;`;

/** SQL for a table of these lines. */
export const values = (lines: string[]) => `(values ${lines.join(", ")})`;

/**
 * `lanes`: a reporter's trade in a chapter with a partner: monthly euros, frequency and price. `wood`: the codes of
 * chapter 44 and their shares.
 */
async function makeLanes(connection: DuckDBConnection, seed: number, size: SandboxSize): Promise<void> {
  const { partners, connected } = size;
  const most = `if(hs2 in (${mainChapters}), ${partners.main}, ${partners.other})`;
  const countries = [
    ...reporterCodes.map((code) => ({ code, sells: reporterSizes[code], buys: reporterSizes[code] })),
    ...Object.entries(outsideSizes).map(([code, sizes]) => ({ code, ...sizes })),
  ];
  await connection.run(`${macros}
    create table countries as
      select code, code in (${reporterCodes.map((code) => `'${code}'`).join(", ")}) as reports, n, sells, buys
      from ${values(countries.map(({ code, sells, buys }, n) => `('${code}', ${n}::bigint, ${sells}::double, ${buys}::double)`))}
        as c(code, n, sells, buys);
    create table chapters as select hs2, hs2::bigint as h, weight, price
      from ${values(
        chapters
          .slice(0, size.chapters)
          .map(
            (hs2) =>
              `('${hs2}', ${chapterWeights[hs2] ?? otherChapter}::double, ${chapterPrices[hs2] ?? otherPrice}::double)`,
          ),
      )} as c(hs2, weight, price);
    create table pairs as
      select s.code as seller, b.code as buyer, s.reports as seller_reports, b.reports as buyer_reports, hs2, h,
        draw(${seed} + h * 1009, s.n * 97 + b.n) as id,
        105 * weight * pow(s.sells, 0.9) * pow(b.buys, 0.85) * if(s.reports and b.reports, 1.6, 1)
          * exp(1.5 * bell(draw(${seed} + h, s.n))) * exp(2.2 * bell(draw(h * 31 + s.n, b.n + ${seed}))) as size,
        price * exp(0.5 * bell(draw(h, s.n * 13 + ${seed}))) as price
      from chapters, countries s, countries b where s.code <> b.code and (s.reports or b.reports);
    create table lanes as
      select * exclude (place), row_number() over (order by reporter, hs2, flow, partner) as lane,
        -- Small flows do not trade every month.
        least(0.995, 0.05 + 0.13 * ln(1 + size / 48000)) as density
      from (
        select *, row_number() over (partition by reporter, hs2, flow order by size desc, partner) as place from (
          select buyer as reporter, seller as partner, 'IMPORT' as flow, 1 as side, 1.06 as margin,
            hs2, h, id, size, price from pairs where buyer_reports
          union all
          select seller, buyer, 'EXPORT', 2, 1.0, hs2, h, id, size, price from pairs where seller_reports
        )
      )
      ${connected ? `qualify min(place) over (partition by hs2, ${SELLER}, ${BUYER}) <= ${most} or ${NAMED_BY_SHOCKS}` : `where place <= ${most}`};
    create table wood as select code, n, exp(2.4 * bell(draw(n * 131, ${seed}))) as weight
      from ${values(
        Object.keys(woodNames)
          .slice(0, size.wood)
          .map((code, n) => `('${code}', ${n}::bigint)`),
      )} as w(code, n);
    update wood set weight = weight / (select sum(weight) from wood)`);
}

/** The movement of the whole economy: growth, and the falls of 2009 and 2020. */
export const levelOf = (year: number) =>
  1.032 ** (year - 2015) * (year === 2009 ? 0.82 : year === 2020 ? 0.92 : 1);

/** SQL for seller and buyer in a reporter's flow with a partner. */
const SELLER = "if(flow = 'EXPORT', reporter, partner)";
const BUYER = "if(flow = 'IMPORT', reporter, partner)";

/** SQL that is true for an event's flows. */
const isPartOf = ({ seller, buyer, hs2 }: Shock) =>
  [
    ...(seller ? [`${SELLER} = '${seller}'`] : []),
    ...(buyer ? [`${BUYER} = '${buyer}'`] : []),
    ...(hs2 ? [`hs2 = '${hs2}'`] : []),
  ].join(" and ");

/** SQL for the factor of a flow's events. */
export const shockOf = shocks
  .map(
    (shock) => `if(period between ${shock.from} and ${shock.to} and ${isPartOf(shock)}, ${shock.factor}, 1)`,
  )
  .join(" * ");

/** SQL for the factor of a flow's leads; the months of a year are `m`. */
const swingOf = (year: number) =>
  leads.map((lead, n) => `if(${isLedBy(lead)}, ${swing(lead, n, year)}, 1)`).join(" * ");

const isLedBy = ({ buyer, first, second }: Lead) =>
  `${BUYER} = '${buyer}' and hs2 in ('${first}', '${second}')`;

/** The first series has a number per month; the second repeats that of some months before. */
const swing = ({ second, months }: Lead, n: number, year: number) =>
  `exp(0.5 * bell(draw(${n + 1}, ${year * 12} + m - if(hs2 = '${second}', ${months}, 0))))`;

/** SQL that is true for any event's flows, in chapters with their own weight. */
const NAMED_BY_SHOCKS = `(hs2 in (${mainChapters}) and (${shocks.map(isPartOf).join(" or ")}))`;

async function writeYear(
  connection: DuckDBConnection,
  space: BuildSpace,
  year: number,
): Promise<PartitionEntry> {
  // In the very last month, two of three reporters have sent only a part.
  const arrived =
    year === LAST_YEAR ? "(m < 12 or hash_of_reporter % 3 = 0 or unit(mix(u + 3)) < 0.06)" : "true";
  await connection.run(`
    create temp table drawn as
      select reporter, hs2, flow, ${year * 100} + m as period, partner, lane, u, h, price,
        margin * size * ${levelOf(year)} * ${shockOf} * ${swingOf(year)}
          * (1 + 0.18 * sin((m + h % 12) * 0.5235987755982988) + 0.05 * sin(m * 1.0471975511965976))
          * exp(0.35 * bell(draw(id, ${year * 12} + m)) + 0.10 * bell(u)) as amount
      from (
        select *, draw(lane, ${year * 12} + m) as u, ascii(reporter) * 7 + ascii(reporter[2]) * 3 as hash_of_reporter
        from lanes, range(1, 13) months(m)
      ) where unit(u) < density and ${arrived}`);
  const entry = await writePartition(connection, space, year, {
    cells: cellsOf(
      `select reporter, hs2, flow, period, partner, code as product, draw(u, n) as k, price * exp(bell(n * 17)) as price,
         amount * weight * exp(1.2 * bell(draw(lane, n))) as amount
       from drawn, wood where hs2 = '44' and unit(draw(lane * 61 + n, period)) < 0.25 + 2.5 * weight`,
      "product,",
    ),
    aggregates: `select * from (${cellsOf("select *, u as k, hs2 as product from drawn", "product,")}) where false`,
    chapters: cellsOf("select *, mix(u + 11) as k from drawn where hs2 <> '44'", ""),
    spoken: "select reporter, flow, period, '' as product, null::varchar as partner from drawn",
  });
  await connection.run("drop table drawn");
  return entry;
}

/** Whole euros and kilograms from amounts: one cell in 25 has no mass. */
export const cellsOf = (drawn: string, product: string) => `
  select reporter, hs2, flow, period, partner, ${product} greatest(1, round(amount))::bigint as value_eur,
    if(k % 25 = 0, null, greatest(1, round(amount / (price * exp(0.3 * bell(k))))))::decimal(18, 3) as quantity_kg
  from (${drawn})`;
