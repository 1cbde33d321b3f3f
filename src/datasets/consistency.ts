/** Checks a vintage as a whole, so that no sum counts an amount twice, loses one or overflows. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { refuse } from "../core/model/refusal.ts";
import type { Coverage } from "../domain/trade/coverage.ts";
import { firstNested } from "../domain/trade/products.ts";
import { monthText } from "../domain/trade/units.ts";
import { row, rows } from "./duckdb.ts";
import type { PartitionEntry } from "./manifest.ts";
import { placeOf, refuseLines, type Source } from "./stage.ts";

/** Refuses product codes that contain each other: it would be a guess which one is the total. */
export function refuseNested(codes: readonly string[]): void {
  const nested = firstNested(codes);
  if (!nested) return;
  const { outer, inner } = nested;
  refuse(
    "invalid",
    `product ${outer} contains product ${inner}, and a dataset has each amount once: import files of one level only, or start over with --afresh`,
  );
}

/** Each query scans all of them. */
const MOST_SPANS = 20_000;

/** Refuses products with so many different month ranges that each query would take long to check them. */
export function refuseRagged({ spoken }: Pick<Coverage, "spoken">): void {
  if (spoken.length <= MOST_SPANS) return;
  refuse(
    "invalid",
    `the files cover ${spoken.length} different ranges of products, partners and months, at most ${MOST_SPANS} can be stored: import fewer products or partners`,
  );
}

/** Refuses partners that add up to more than their WORLD row, among imported cells; each may be rounded by a euro. */
export async function refuseBeyondWorld(
  connection: DuckDBConnection,
  merged: { cells: string; aggregates: string },
): Promise<void> {
  const key = "reporter, product, flow, period";
  const { stated } = await row<{ stated: boolean }>(
    connection,
    `select count(*) > 0 as stated from (${merged.aggregates}) where partner = 'WORLD'`,
  );
  // Bulk files have no WORLD rows, and summing all their cells takes a twentieth of an import.
  if (!stated) return;
  const [beyond] = await rows<Beyond>(
    connection,
    `select ${key}, world.value_eur as world, sum(cells.value_eur)::bigint as partners
     from (${merged.cells}) cells
       join (select * from (${merged.aggregates}) where partner = 'WORLD') world using (${key})
       semi join stage.incoming using (${key})
     group by all having partners > world + count(*) order by all limit 1`,
  );
  if (!beyond) return;
  const { reporter, product, flow, period, world, partners } = beyond;
  refuse(
    "invalid",
    `${reporter} ${product} ${flow} ${monthText(period)}: the partners add up to ${partners} EUR, more than the WORLD row of ${world}: import the partners and the WORLD rows together, from the same release`,
  );
}

type Beyond = {
  reporter: string;
  product: string;
  flow: string;
  period: number;
  world: number;
  partners: number;
};

/** Masses are DECIMAL(18,3): fifteen digits before the point. */
const MAX_KG = 999_999_999_999_999;

/** Refuses amounts whose sums would be inexact, naming the line with the largest. */
export async function refuseBeyondExact(
  connection: DuckDBConnection,
  files: readonly Source[],
  base: PartitionEntry[],
): Promise<void> {
  const sums = await row<{ eur: number; kg: number }>(
    connection,
    `select coalesce(sum(value_eur), 0)::double as eur, coalesce(sum(quantity_kg::double), 0) as kg
     from stage.cells`,
  );
  for (const { totals } of base) {
    sums.eur += totals.import_eur + totals.export_eur;
    sums.kg += totals.import_kg + totals.export_kg;
  }
  const excess =
    sums.eur > Number.MAX_SAFE_INTEGER ? "value_eur" : sums.kg > MAX_KG ? "quantity_kg" : undefined;
  if (excess === undefined) return;
  const largest = await row<{ place: number }>(
    connection,
    `select place from stage.measures order by ${excess} desc nulls last, place limit 1`,
  );
  const limit = excess === "value_eur" ? `${Number.MAX_SAFE_INTEGER} EUR` : `${MAX_KG} kg`;
  const { file, line } = placeOf(files, largest.place);
  refuseLines(file, [
    {
      line,
      column: "",
      what: `with this amount, the largest, the dataset adds up to more than ${limit}, beyond which sums are not exact: correct the file`,
    },
  ]);
}
