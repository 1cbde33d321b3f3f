/**
 * A synthetic trade cube of real size: 27 reporters, 240 partners, 97 chapters, two flows, 252 months, with some 68
 * million cells. It is a normal vintage from the same build path, and deterministic.
 */
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type App, operatorMeta } from "../../src/core/app.ts";
import { type BuildSpace, publish, takeBuildSpace } from "../../src/datasets/build-space.ts";
import { coverageOf } from "../../src/datasets/coverage.ts";
import { type DuckdbLimits, literal, openDuckdb } from "../../src/datasets/duckdb.ts";
import {
  type Manifest,
  type PartitionEntry,
  readManifest,
  releaseFacts,
  vintageDigest,
} from "../../src/datasets/manifest.ts";
import { writePartition } from "../../src/datasets/partition.ts";
import { cellsOf, levelOf, macros, shockOf, values } from "../../src/datasets/sandbox.ts";
import {
  chapterPrices,
  chapterWeights,
  otherChapter,
  otherPrice,
  outsideSizes,
  reporterSizes,
} from "../../src/datasets/sandbox-calibration.ts";
import * as dataset from "../../src/domain/trade/dataset.ts";
import { isReporter, reporterCodes, unknownPartner } from "../../src/domain/trade/reporters.ts";
import { OPERATOR } from "../../src/operator/releases.ts";

export const CUBE = "generated-cube";

export type CubeRequest = {
  limits: DuckdbLimits;
  /** Share of the 240 partners (the largest first, twelve at least); all else stays. */
  scale?: number;
  /** The factor of every value and mass: cubes of two factors differ in nothing else. */
  factor?: number;
  years?: { from: number; to: number };
  onYear?: (year: number) => void;
};

const PARTNERS = 240;

const chapters = Array.from({ length: 99 }, (_, at) => String(at + 1).padStart(2, "0")).filter(
  (chapter) => chapter !== "77" && chapter !== "98",
);

/** Relative size of a partner: synthetic, like the sandbox's; unknown ones are small. */
function sizeOf(code: string): number {
  if (isReporter(code)) return reporterSizes[code];
  const outside = outsideSizes[code];
  return outside ? (outside.sells + outside.buys) / 2 : 1;
}

/** The largest partners first, of all valid codes. */
export function partnersOf(scale: number): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.filter((code) => unknownPartner(code) === undefined);
  const sorted = known.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (a < b ? -1 : 1));
  return sorted.slice(0, Math.max(12, Math.round(PARTNERS * scale)));
}

/** Builds the cube and publishes it in the folder, without releasing it. */
export async function makeCube(dataDir: string, request: CubeRequest): Promise<Manifest> {
  const space = await takeBuildSpace(dataDir);
  try {
    const instance = await openDuckdb(request.limits, join(space.dir, "spill"));
    const connection = await instance.connect();
    try {
      const manifest = await build(connection, space, request);
      const new_files = manifest.partitions.map(({ file }) => file);
      await publish(space, { manifest, replaces: null, new_files });
      return manifest;
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } finally {
    await space.release();
  }
}

async function build(
  connection: DuckDBConnection,
  space: BuildSpace,
  { scale = 1, factor = 1, years = { from: 2005, to: 2025 }, onYear }: CubeRequest,
): Promise<Manifest> {
  await makeLanes(connection, scale);
  const partitions: PartitionEntry[] = [];
  const databases: string[] = [];
  for (let year = years.from; year <= years.to; year++) {
    onYear?.(year);
    const entry = await writeYear(connection, space, year, factor);
    await connection.run(`attach ${literal(join(space.dir, entry.file))} as y${year} (read_only)`);
    partitions.push(entry);
    databases.push(`y${year}`);
  }
  const source = `A generated cube, invented figures × ${factor}`;
  const named = { dataset: CUBE, source, synthetic: true, partitions };
  const coverage = await coverageOf(connection, databases, {
    national: true,
    complete_below: [],
    every_month: true,
  });
  for (const name of databases) await connection.run(`detach ${name}`);
  return { format: 2, vintage: vintageDigest(named), ...named, coverage, inputs: [] };
}

/** The share of a lane's months that have trade, from the largest lane (0) to the smallest (1): 21.5 % on average. */
const density = (rank: string) => `0.995 * exp(-4.57 * ${rank})`;

/** `lanes`: a reporter's trade in a chapter with a partner: monthly euros, frequency and price. */
async function makeLanes(connection: DuckDBConnection, scale: number): Promise<void> {
  const country = (code: string, n: number) => `('${code}', ${n}::bigint, ${sizeOf(code)}::double)`;
  const chapter = (hs2: string) =>
    `('${hs2}', ${Number(hs2)}::bigint, ${chapterWeights[hs2] ?? otherChapter}::double, ${chapterPrices[hs2] ?? otherPrice}::double)`;
  await connection.run(`${macros}
    create temp table lanes as
      select *, ${density("percent_rank() over (order by size desc, reporter, hs2, flow, partner)")} as density
      from (
        select r.code as reporter, hs2, h, flow, p.code as partner,
          draw(h * 1009 + side, r.n * 997 + p.n) as lane,
          60 * weight * pow(r.size, 0.9) * pow(p.size, 0.85) * exp(2.5 * bell(lane)) as size,
          price * exp(0.5 * bell(mix(lane))) as price
        from ${values(reporterCodes.map(country))} as r(code, n, size),
          ${values(partnersOf(scale).map(country))} as p(code, n, size),
          ${values(chapters.map(chapter))} as c(hs2, h, weight, price),
          (values ('IMPORT', 0), ('EXPORT', 500)) as f(flow, side)
        where r.code <> p.code
      )`);
}

async function writeYear(
  connection: DuckDBConnection,
  space: BuildSpace,
  year: number,
  factor: number,
): Promise<PartitionEntry> {
  await connection.run(`
    create temp table drawn as
      select reporter, hs2, flow, ${year * 100} + m as period, partner, mix(u) as k, price,
        size * ${levelOf(year)} * ${shockOf} * exp(0.35 * bell(u))
          * (1 + 0.18 * sin((m + h % 12) * 0.5235987755982988)) as amount
      from (select *, draw(lane, ${year * 12} + m) as u from lanes, range(1, 13) months(m))
      where unit(u) < density;
    create temp table scaled as
      select * replace (value_eur * ${factor} as value_eur, quantity_kg * ${factor} as quantity_kg)
      from (${cellsOf("from drawn", "")});
    drop table drawn`);
  const none = "select *, hs2 as product from scaled where false";
  const entry = await writePartition(connection, space, year, {
    cells: none,
    aggregates: none,
    chapters: "from scaled",
    spoken: `select r.code as reporter, flow, ${year * 100} + m as period, '' as product, null::varchar as partner
      from ${values(reporterCodes.map((code) => `('${code}')`))} as r(code),
        (values ('IMPORT'), ('EXPORT')) as f(flow), range(1, 13) months(m)`,
  });
  await connection.run("drop table scaled");
  return entry;
}

/** Releases a vintage in the app's data folder, instead of the current one. */
export async function releaseVintage(app: App, dataDir: string, vintage: string): Promise<void> {
  const manifest = await readManifest(dataDir, vintage);
  const target = { tenant: OPERATOR, id: manifest.dataset };
  const current = await app.load(dataset, target);
  const facts = releaseFacts(manifest, current?.vintage ?? null, app.clock.now());
  await app.decide(dataset, target, dataset.release(facts), { meta: operatorMeta("cube") });
}
