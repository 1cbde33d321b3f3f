/** Swaps the vintage under load: one of two cubes is three times the other, so a mixed answer shows. */
import { beforeAll, describe, expect, test } from "vitest";
import { CUBE, makeCube, releaseVintage } from "../support/cube.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { type Swapped, swapUnderLoad } from "../support/swaps.ts";

const FACTOR = 3;
const paths = [
  "balance?reporter=DE",
  "timeline?reporters=FR",
  "top-partners?reporter=LV&year=2025",
  "product-detail?reporter=IT&hs2=87",
  "source-concentration?year=2025",
  "alerts?months=3",
];

const SWAPS = scaled(8, 4);
const CONNECTIONS = scaled(4, 2);

describe(`${SWAPS} swaps of the vintage at ${CONNECTIONS} connections`, () => {
  let service: Service;
  let vintages: string[];
  let swapped: Swapped;

  beforeAll(async () => {
    // Cached answers could not be mixed.
    service = await startService({ env: { ANSWER_CACHE_MB: "0" } });
    const { headers } = await service.issue();
    const request = { limits: { threads: 2, memory_mb: 512 }, scale: 0.05, years: { from: 2024, to: 2025 } };
    const made = async (factor: number) => (await makeCube(service.data_dir, { ...request, factor })).vintage;
    vintages = [await made(1), await made(FACTOR)];
    swapped = await swapUnderLoad({
      ask: async (path) => {
        const response = await fetch(`${service.url}/v1/agent/trade/${path}`, { headers });
        return { status: response.status, body: await response.text() };
      },
      paths,
      vintages,
      release: (vintage) => releaseVintage(service.app, service.data_dir, vintage),
      swaps: SWAPS,
      connections: CONNECTIONS,
      stay_ms: 50,
    });
    return () => service.stop();
  });

  test("the second vintage is the first, times three", () => {
    type Years = { year: number; imports_eur: number; exports_eur: number; months: number }[];
    const balance = (at: number) => swapped.alone.get(vintages[at]!)?.get(paths[0]!) as Years;
    expect(balance(0)).toHaveLength(2);
    expect(balance(1)).toMatchObject(
      balance(0).map(({ imports_eur, exports_eur, ...year }) => ({
        year: year.year,
        months: 12,
        imports_eur: FACTOR * imports_eur,
        exports_eur: FACTOR * exports_eur,
      })),
    );
  });

  test("every answer belongs to the one vintage that it names", () => {
    expect(swapped.failed).toEqual([]);
    expect(swapped.mixed).toEqual([]);
    expect([...swapped.answers.keys()]).toEqual(vintages);
    expect([...swapped.answers.values()].every((count) => count > 20)).toBe(true);
  });

  test("replaced vintages are released", async () => {
    expect(service.app.data.vintages.open().map(({ dataset }) => dataset)).toEqual([CUBE]);
    const lease = service.app.data.vintages.lease(CUBE);
    const attached = "select count(*)::int as count from duckdb_databases() where path is not null";
    await expect.poll(() => lease.query(attached)).toEqual([{ count: lease.partitions.length }]);
    lease.release();
  });
});
