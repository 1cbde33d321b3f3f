/** Latvia at CN8 in the sandbox: the sandbox's own trade in finer detail, as customs questions need it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Lease } from "../../src/datasets/vintage-store.ts";
import { makeSandboxLv, tempDir } from "../datasets/workshop.ts";
import { openLatvia } from "./latvia.ts";

let latvia: Awaited<ReturnType<typeof openLatvia>>;
let lease: Lease;
beforeAll(async () => {
  latvia = await openLatvia();
  lease = latvia.trade.vintages.lease("sandbox-lv");
});
afterAll(async () => {
  lease.release();
  await latvia.close();
});

const all = (of: Lease, table: string, where = "true") =>
  of.partitions
    .map(({ database }) => `select * from ${database}.${table} where ${where}`)
    .join(" union all ");

test("every chapter, partner, month and flow has the same euros and kilograms in both sandbox datasets", async () => {
  const basis = latvia.trade.vintages.lease("sandbox");
  const [difference] = await basis.query<{ differing: number; rows: number }>(
    `select count(*) filter (a.value_eur is distinct from b.value_eur
         or coalesce(a.quantity_kg, 0) <> coalesce(b.quantity_kg, 0)) as differing, count(*) as rows
     from (${all(basis, "chapter_partners", "reporter = 'LV'")}) a
       full join (${all(lease, "chapter_partners")}) b using (reporter, hs2, flow, period, partner)`,
  );
  const [wood] = await basis.query<{ rows: number }>(
    `select count(*) as rows from (
       ((${all(basis, "cells", "reporter = 'LV'")}) except (${all(lease, "cells")}))
       union all ((${all(lease, "cells", "hs2 = '44'")}) except (${all(basis, "cells")})))`,
  );
  basis.release();
  expect(difference!.rows).toBeGreaterThan(5_000);
  expect([difference!.differing, wood!.rows]).toEqual([0, 0]);
});

test("Latvia's sandbox dataset is at CN8, complete below every code, and the same in every build", async () => {
  const { manifest } = lease;
  const [found] = await lease.query<{ codes: number; finest: boolean; without_mass: number; least: number }>(
    `select count(distinct product) as codes, bool_and(length(product) = 8) as finest, min(value_eur) as least,
       avg((quantity_kg is null)::int)::double as without_mass from (${all(lease, "cells", "hs2 <> '44'")})`,
  );
  expect(found).toMatchObject({ finest: true });
  expect(found!.codes).toBeGreaterThan(20);
  expect(found!.least).toBeGreaterThanOrEqual(1);
  expect(found!.without_mass).toBeGreaterThan(0.03);
  expect(found!.without_mass).toBeLessThan(0.12);
  expect(manifest).toMatchObject({
    dataset: "sandbox-lv",
    synthetic: true,
    coverage: { months: { from: 200501 }, products: { national: true, complete_below: [""] } },
  });
  expect(manifest.coverage.reporters.map(({ reporter }) => reporter)).toEqual(["LV"]);
  const again = await makeSandboxLv(latvia.dir, latvia.basis);
  expect(again.manifest.vintage).toBe(manifest.vintage);
  await expect(makeSandboxLv(await tempDir(), latvia.basis)).rejects.toThrow(/not usable/);
});
