/** Two releases of the duties: the codes that changed are told once. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changesBetween } from "../../src/domain/customs/duty-changes.ts";
import { importReference } from "../../src/operator/reference.ts";
import { noticesAfter } from "../../src/projections/notices/notices.ts";
import { referenceProjection } from "../../src/projections/reference/releases.ts";
import { dutiesReactor } from "../../src/reactors/customs/compare-duties.ts";
import { folded } from "../notices/notices-setup.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const HEADER =
  "Goods code,Add code,Order No.,Start date,End date,RED_IND,Origin,Measure type,Legal base,Duty,Origin code,Meas. type code,Goods nomenclature code";
const line = (code: string, duty: string, origin = "1011") =>
  `${code} 80,,,01-01-2025,,,ERGA OMNES,Third country duty,R1/25,${duty},${origin},103,${code}`;

async function imported(name: string, lines: string[]): Promise<void> {
  const path = join(service.data_dir, name);
  await writeFile(path, [HEADER, ...lines].join("\n"));
  await importReference(service.app, service.data_dir, [path], { afresh: true });
}

async function compared(): Promise<string> {
  const { position } = await service.app.store.head();
  expect(await service.app.runner.reached(referenceProjection, position, LIMIT_MS)).toBe(true);
  return (await turn(service.app, dutiesReactor, { patient: true })).status;
}

async function told(): Promise<Record<string, unknown>[]> {
  const { app } = service;
  await folded(app);
  const { epoch } = await app.store.identity();
  const filter = { tenant: "anybody", kinds: ["duty"], products: [] };
  const notices = await noticesAfter(app.pool, epoch, filter, { after: 0, limit: 100 });
  return notices.map(({ facts }) => facts);
}

test("a release that changes duties records each code's old and new duties, and a repeat records nothing", async () => {
  await imported("one.csv", [line("4407110000", "2.500 %"), line("4407120000", "0.000 %")]);
  expect(await compared()).toBe("done");
  expect(await told()).toEqual([]);
  await imported("two.csv", [
    line("4407110000", "3.700 %"),
    line("4407120000", "0.000 %"),
    line("8703210000", "10.000 %"),
  ]);
  expect(await compared()).toBe("done");
  expect(await compared()).toBe("done");
  expect(await told()).toMatchObject([
    {
      goods_code: "4407110000",
      added: [{ duty: "3.700 %", measure_code: "103", origin_code: "1011" }],
      ended: [{ duty: "2.500 %" }],
      dataset: "taric-duties",
      synthetic: false,
    },
    { goods_code: "8703210000", added: [{ duty: "10.000 %" }], ended: [] },
  ]);
});

test("two states of the table are compared by code, and equal lines are not a change", () => {
  const row = {
    ...{ goods_code: "4407110000", suffix: "80", measure_code: "103", origin_code: "1011", duty: "1.000 %" },
    ...{ start: "2025-01-01", end: null, additional_code: null, order_no: null },
  };
  expect(changesBetween([row], [{ ...row }])).toEqual([]);
  expect(changesBetween([row], [{ ...row, suffix: "10" }])).toMatchObject([
    { goods_code: row.goods_code, added: [{ suffix: "10" }], ended: [{ suffix: "80" }] },
  ]);
  expect(changesBetween([row], [])).toMatchObject([{ added: [], ended: [{ duty: "1.000 %" }] }]);
});
