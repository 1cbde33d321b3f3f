import { expect, test } from "vitest";
import { readManifest } from "../../src/datasets/manifest.ts";
import { SMALL, sandboxIn } from "../support/sandbox.ts";
import { makeSandbox, storeOf, tempDir } from "./workshop.ts";

test("the sandbox is deterministic, marked synthetic, and calibrated", async () => {
  const dir = await tempDir();
  const manifest = await readManifest(dir, await sandboxIn(dir));
  const again = await makeSandbox(await tempDir(), SMALL);
  expect(again.manifest.vintage).toBe(manifest.vintage);
  expect(manifest).toMatchObject({ dataset: "sandbox", synthetic: true });
  expect(manifest.coverage.months).toEqual({ from: 200501, to: 202512 });
  expect(manifest.coverage.reporters).toHaveLength(27);

  const store = await storeOf(dir, manifest.vintage);
  const lease = store.lease("sandbox");
  const all = (table: string) =>
    lease.partitions.map(({ database }) => `from ${database}.${table}`).join(" union all ");
  const [shares] = await lease.query<{ without_mass: number; partners: number }>(
    `select avg((quantity_kg is null)::int)::double as without_mass, count(distinct partner) as partners
     from (${all("chapter_partners")}) where hs2 <> '44'`,
  );
  expect(shares!.without_mass).toBeGreaterThan(0.035);
  expect(shares!.without_mass).toBeLessThan(0.045);
  // The last month is ragged: some have delivered it, most have not.
  const delivered = manifest.coverage.reporters.filter(({ to }) => to === 202512).length;
  expect(delivered).toBeGreaterThan(3);
  expect(delivered).toBeLessThan(20);
  const [wood] = await lease.query<{ difference: number }>(
    `select (select sum(value_eur) from (${all("cells")}))::bigint
       - (select sum(value_eur) from (${all("chapter_totals")}) where hs2 = '44')::bigint as difference`,
  );
  expect(wood!.difference).toBe(0);
  // One country's imports approximate the other's exports, within the usual noise.
  const [mirror] = await lease.query<{ ratio: number }>(
    `select median(i.value_eur / e.value_eur) as ratio
     from (${all("chapter_partners")}) i join (${all("chapter_partners")}) e
       on i.flow = 'IMPORT' and e.flow = 'EXPORT' and i.reporter = e.partner and i.partner = e.reporter
       and i.hs2 = e.hs2 and i.period = e.period where i.hs2 <> '44'`,
  );
  expect(mirror!.ratio).toBeGreaterThan(0.9);
  expect(mirror!.ratio).toBeLessThan(1.3);
  lease.release();
});
