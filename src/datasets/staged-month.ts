/**
 * A month of Comext's bulk files, checked and summed to cells, and stored until its year is built. So an
 * interrupted history reads no month twice, and a broken month does not affect others.
 *
 *   <data dir>/vintages/staged/<month>-<archive>-<version>-<file>.duckdb
 *
 * `archive` and `file` are prefixes of the SHA-256 of the source and the file itself; `version` is that of the
 * parsing rules.
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { syncFile } from "../../eventstore/system/sync-file.ts";
import { sha256 } from "../core/model/fields.ts";
import { refuse } from "../core/model/refusal.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { monthText, type Period } from "../domain/trade/units.ts";
import type { BuildSpace } from "./build-space.ts";
import { refuseBeyondExact } from "./consistency.ts";
import { type DuckdbLimits, explainShortage, importMemory, literal, row, withDuckdb } from "./duckdb.ts";
import { comextBulk } from "./layouts/comext-bulk.ts";
import { detectLayout } from "./layouts/detect.ts";
import type { LeftOut } from "./layouts/layout.ts";
import { fileDigest, type Manifest, stagedDir } from "./manifest.ts";
import { checkReporters, foldCells, noneLeftOut, refuseLines, stageDdl, stageFile } from "./stage.ts";
import type { UnpackedFile } from "./unpack.ts";

/** Increase it when the parsing of a bulk file's line changes. */
const VERSION = "v2";
const SHORT = 16;

const facts = z.strictObject({
  input: z.strictObject({ name: z.string(), sha256, bytes: z.int(), rows: z.int() }),
  left_out: z.record(z.string(), z.int()),
  equal_duplicates: z.int(),
});

/** A month in the staging folder. */
export type StagedMonth = { period: Period; path: string; archive: string };

export type MonthRequest = {
  period: Period;
  /** Its reporters, if not all 27. */
  reporters?: readonly ReporterCode[] | undefined;
  limits: DuckdbLimits;
  signal?: AbortSignal | undefined;
};

/** Parses an unpacked month into the folder and removes its text. Refuses any bad line, and lines of another month. */
export async function stageMonth(
  space: BuildSpace,
  file: UnpackedFile,
  request: MonthRequest,
): Promise<StagedMonth & { rows: number }> {
  const { period, limits, signal } = request;
  const layout = detectLayout(file.name, file.header);
  if (layout !== comextBulk)
    refuse("invalid", `${file.name} is ${layout.name}, but a history is read only from ${comextBulk.name}`);
  const dir = join(space.dir, `month-${period}`);
  await mkdir(dir);
  const draft = join(dir, "month.duckdb");
  try {
    await withDuckdb({ limits, signal, dir: join(dir, "spill") }, async (connection) => {
      space.beforeWrite(draft);
      await connection.run(`attach ${literal(join(dir, "stage.duckdb"))} as stage; ${stageDdl}`);
      const { rows, left_out } = await stageFile(connection, layout, file, 0);
      await rm(file.path);
      const input = { name: file.name, sha256: file.sha256, bytes: file.bytes, rows };
      await refuseOtherMonths(connection, input, period);
      const equal_duplicates = await foldCells(connection, [input]);
      await refuseBeyondExact(connection, [input], []);
      await checkReporters(connection, request.reporters);
      await write(connection, draft, { input, left_out, equal_duplicates });
    });
    const digest = await fileDigest(draft);
    const archive = file.sha256.slice(0, SHORT);
    const path = join(
      stagedDir(space.dataDir),
      `${period}-${archive}-${VERSION}-${digest.slice(0, SHORT)}.duckdb`,
    );
    space.beforeWrite(path);
    await syncFile(draft);
    await rename(draft, path);
    await syncFile(stagedDir(space.dataDir));
    return { period, path, archive, rows: file.lines - 1 };
  } catch (error) {
    return explainShortage(error, space.dataDir, importMemory(limits));
  } finally {
    await rm(file.path, { force: true });
    await rm(dir, { recursive: true, force: true });
  }
}

/** Otherwise a file under a month's name would replace another month. */
async function refuseOtherMonths(
  connection: DuckDBConnection,
  input: { name: string; rows: number },
  period: Period,
): Promise<void> {
  const other = await row<{ place: number | null }>(
    connection,
    `select min(place) as place from stage.measures where period <> ${period}`,
  );
  if (other.place === null) return;
  const found = await row<{ period: Period }>(
    connection,
    `select period from stage.readings where rowid = ${other.place}`,
  );
  refuseLines(input, [
    {
      line: other.place + 2,
      column: "PERIOD",
      what: `PERIOD "${found.period}": the file was fetched as that of ${monthText(period)}: check the address`,
    },
  ]);
}

async function write(connection: DuckDBConnection, path: string, said: z.infer<typeof facts>): Promise<void> {
  await connection.run(`attach ${literal(path)} as month`);
  await connection.run(
    `create table month.cells as select reporter, flow, period, partner, product, value_eur::bigint as value_eur,
       quantity_kg::decimal(18, 3) as quantity_kg, first, quantity_su::decimal(18, 3) as quantity_su,
       unit_eur::bigint as unit_eur, procedure from stage.cells`,
  );
  for (const table of ["procedures", "units"])
    await connection.run(`create table month.${table} as from stage.${table}`);
  await connection.run(`create table month.facts as select ${literal(JSON.stringify(said))} as facts`);
  await connection.run("checkpoint month; detach month");
}

/**
 * The intact staged months of a data folder; of two for one month, the later name. Other versions and damaged files
 * are deleted.
 */
export async function stagedMonths(dataDir: string): Promise<Map<Period, StagedMonth>> {
  const found = new Map<Period, StagedMonth>();
  const names = await readdir(stagedDir(dataDir)).catch(() => []);
  for (const name of names.toSorted()) {
    const said = /^(\d{6})-([0-9a-f]{16})-(v\d+)-([0-9a-f]{16})\.duckdb$/.exec(name);
    if (!said) continue;
    const [, period, archive, version, digest] = said as unknown as [string, string, string, string, string];
    const path = join(stagedDir(dataDir), name);
    if (version === VERSION && (await fileDigest(path)).startsWith(digest))
      found.set(Number(period), { period: Number(period), path, archive });
    else await rm(path);
  }
  return found;
}

/** True if the month was parsed from this archive. */
export const isOf = (staged: StagedMonth, archiveSha256: string): boolean =>
  archiveSha256.startsWith(staged.archive);

/** Provides staged months in an import's tables: `stage.cells`, `stage.measures` and `stage.incoming`. */
export async function openStaged(connection: DuckDBConnection, months: readonly StagedMonth[]) {
  const inputs: Manifest["inputs"] = [];
  const left_out = noneLeftOut();
  let equal_duplicates = 0;
  let before = 0;
  const cells: string[] = [];
  await connection.run("attach ':memory:' as stage");
  for (const { period, path } of months) {
    await connection.run(`attach ${literal(path)} as month_${period} (read_only)`);
    const said = await row<{ facts: string }>(connection, `select facts from month_${period}.facts`);
    const month = facts.parse(JSON.parse(said.facts));
    for (const [reason, count] of Object.entries(month.left_out)) left_out[reason as keyof LeftOut] += count;
    equal_duplicates += month.equal_duplicates;
    inputs.push(month.input);
    cells.push(`select * replace (first + ${before} as first) from month_${period}.cells`);
    before += month.input.rows;
  }
  const all = (table: string) =>
    months.map(({ period }) => `from month_${period}.${table}`).join(" union all ");
  await connection.run(
    `create view stage.procedures as ${all("procedures")};
     create view stage.units as ${all("units")};
     create view stage.cells as ${cells.join(" union all ")};
     create view stage.measures as select first as place, * exclude (first) from stage.cells;
     create view stage.incoming as
       select reporter, substr(product, 1, 2) as hs2, flow, period, partner, product, value_eur,
         nullif(quantity_kg, 0) as quantity_kg, length(partner) > 2 as is_aggregate, quantity_su, unit_eur, procedure
       from stage.cells`,
  );
  return { layout: comextBulk, inputs, left_out, rates: [], equal_duplicates };
}

/** Deletes months whose year is built. */
export async function dropStaged(months: Iterable<StagedMonth>): Promise<void> {
  for (const { path } of months) await rm(path, { force: true });
}
