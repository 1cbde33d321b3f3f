/** Sorting and digesting a year in any number of parts gives the same year. */
import { expect, test } from "vitest";
import { takeBuildSpace } from "../../src/datasets/build-space.ts";
import { openDuckdb, rows } from "../../src/datasets/duckdb.ts";
import { writePartition } from "../../src/datasets/partition.ts";
import { spansOf } from "../../src/datasets/spans.ts";
import { limits, tempDir } from "./workshop.ts";

test("adjacent groups are combined up to the limit", () => {
  const groups = [3, 2, 5, 9, 1, 1, 4].map((lines, n) => ({ n, lines }));
  const sizes = (most: number) => spansOf(groups, most).map((span) => span.map(({ lines }) => lines));
  expect(sizes(5)).toEqual([[3, 2], [5], [9], [1, 1], [4]]);
  expect(sizes(0)).toEqual([[3], [2], [5], [9], [1], [1], [4]]);
  expect(sizes(100)).toEqual([[3, 2, 5, 9, 1, 1, 4]]);
  expect(spansOf([], 5)).toEqual([]);
});

const REPORTERS = ["AT", "BE", "DE", "FR", "LV"];

/** A year of some thousand unordered cells of five reporters; the test reads it in stored order. */
async function written(rows_at_once: number | undefined) {
  const dir = await tempDir();
  const space = await takeBuildSpace(dir, {});
  const instance = await openDuckdb(limits);
  const connection = await instance.connect();
  try {
    await connection.run(`create temp table drawn as
      select ['${REPORTERS.join("','")}'][n % 5 + 1] as reporter, substr(product, 1, 2) as hs2,
        if(n % 3 = 0, 'IMPORT', 'EXPORT') as flow, 202401 + n % 2 as period,
        ['US', 'CN', 'XI', 'WORLD'][n % 4 + 1] as partner, product, n as value_eur, n::decimal(18, 3) / 8 as quantity_kg
      from (select n, lpad(((n * 7919) % 9907 * 1000 + n % 10)::varchar, 8, '1') as product from range(1, 4001) r(n))
      order by hash(n)`);
    const of = (isWorld: boolean) => `select * from drawn where (partner = 'WORLD') = ${isWorld}`;
    const entry = await writePartition(connection, space, 2024, {
      ...{ cells: of(false), aggregates: of(true), ...(rows_at_once !== undefined && { rows_at_once }) },
      spoken: "select distinct reporter, flow, period, '' as product, null::varchar as partner from drawn",
    });
    await connection.run(`attach '${space.dir}/${entry.file}' as made (read_only)`);
    const cells = await rows(connection, "select * from made.cells order by rowid");
    return { entry: { content: entry.content_sha256, totals: entry.totals, rows: entry.rows }, cells };
  } finally {
    connection.closeSync();
    instance.closeSync();
    await space.release();
  }
}

test("a year sorts the same in one part, in three and in one per reporter", async () => {
  const whole = await written(undefined);
  expect(whole.cells).toHaveLength(3_000);
  for (const rows_at_once of [1, 1_300, 1_000_000])
    expect(await written(rows_at_once), String(rows_at_once)).toEqual(whole);
});
