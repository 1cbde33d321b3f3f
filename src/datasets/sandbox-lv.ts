/**
 * The sandbox from the view of Latvia's customs: Latvia's sandbox rows with each chapter split into CN8 codes.
 * Every month, partner and chapter adds up to the same euros and kilograms in both. Wood is unchanged. The two
 * datasets have the same trade and are never added: an answer uses a single dataset.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { BuildSpace, BuiltVintage } from "./build-space.ts";
import { literal } from "./duckdb.ts";
import { missing, type PartitionEntry, partitionPath, readManifest, verifyPartition } from "./manifest.ts";
import { writePartition } from "./partition.ts";
import { buildSynthetic, macros, type SandboxRequest, values } from "./sandbox.ts";
import { sandboxCodes, sandboxResidues } from "./sandbox-codes.ts";

export const SANDBOX_LV = "sandbox-lv";
const REPORTER = "LV";

export type SandboxLvRequest = Pick<SandboxRequest, "replaces" | "limits" | "progress" | "signal"> & {
  /** The sandbox vintage that is split. */
  basis: string;
};

/** Builds Latvia's CN8 vintage from a published sandbox vintage; `publish` makes it visible. */
export async function buildSandboxLv(space: BuildSpace, request: SandboxLvRequest): Promise<BuiltVintage> {
  const { partitions } = await readManifest(space.dataDir, request.basis);
  return buildSynthetic(space, request, {
    dataset: SANDBOX_LV,
    complete_below: [""],
    years: partitions.map(({ year }) => year),
    begin: async (connection) => {
      await connection.run(`${macros} create table cn8 as
        select code, left(code, 2) as hs2, n, exp(2.4 * bell(draw(n * 131, 7))) * if(code like '%X', 0.1, 1) as weight
        from ${values([...Object.keys(sandboxCodes), ...sandboxResidues].map((code, n) => `('${code}', ${n}::bigint)`))} as c(code, n)`);
      for (const entry of partitions) await attach(connection, space, request.basis, entry);
    },
    write: (connection, year) => writeYear(connection, space, year),
  });
}

async function attach(
  connection: DuckDBConnection,
  space: BuildSpace,
  vintage: string,
  entry: PartitionEntry,
) {
  await verifyPartition(space.dataDir, vintage, entry);
  await connection
    .run(`attach ${literal(partitionPath(space.dataDir, entry))} as basis_${entry.year} (read_only)`)
    .catch((error) => missing(vintage, String(error)));
}

function writeYear(connection: DuckDBConnection, space: BuildSpace, year: number): Promise<PartitionEntry> {
  const own = (table: string) => `from basis_${year}.${table} where reporter = ${literal(REPORTER)}`;
  return writePartition(connection, space, year, {
    cells: `(${splitSql(`select * ${own("chapter_partners")} and hs2 <> '44'`)}) union all by name (${own("cells")})`,
    aggregates: own("aggregates"),
    spoken: own("spoken"),
  });
}

const ROW = "partition by flow, period, partner, hs2";
/** SQL for the cumulative amount up to this code, by running sums of integer shares. */
const upTo = (amount: string, share: string) =>
  `(${amount} * sum(${share}) over (${ROW} order by code rows unbounded preceding) // sum(${share}) over (${ROW}))::bigint`;
/** SQL for a running amount's increase at this code. */
const grown = (running: string) => `${running} - lag(${running}, 1, 0) over (${ROW} order by code)`;

/**
 * Splits chapters' rows into their codes, whose parts add up exactly. Few codes are traded with a partner in a
 * month; the one with the largest share always is.
 */
const splitSql = (chapters: string) => `
  with lanes as (
    select * exclude (value_eur, quantity_kg), value_eur::hugeint as eur, quantity_kg::hugeint as kg,
      draw(hs2::bigint * 2 + (flow = 'IMPORT')::bigint, ascii(partner) * 97 + ascii(partner[2])) as lane
    from (${chapters})
  ), shared as (
    select *, draw(lane * 61 + n, period) as u,
      greatest(1, round(1e6 * weight * exp(1.2 * bell(draw(lane, n))) * exp(0.3 * bell(u))))::hugeint as share
    from lanes join cn8 using (hs2)
    qualify unit(u) < 0.25 + weight / sum(weight) over (${ROW})
      or row_number() over (${ROW} order by share desc, code) = 1
  ), valued as (
    select *, ${grown("eur_to")} as value_eur from (select *, ${upTo("eur", "share")} as eur_to from shared)
  ), weighed as (
    select *, greatest(1, round(value_eur * exp(0.8 * bell(n * 17 + 5)) * exp(0.2 * bell(draw(u, n)))))::hugeint as heavy
    from valued where value_eur > 0
  )
  select reporter, hs2, flow, period, partner, code as product, value_eur,
    nullif(${grown("kg_to")}, 0)::decimal(18, 3) as quantity_kg
  from (select *, ${upTo("kg", "heavy")} as kg_to from weighed)`;
