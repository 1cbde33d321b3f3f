/** `reroute-watch` over a small dataset with figures that can be computed by hand. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rerouteInput, rerouteOutput, rerouteWatch } from "../../src/projections/trade/answers/rerouting.ts";
import { bulkFixture, fileOf, importFiles, limits, refusalOf } from "../datasets/workshop.ts";

/** Millions of EUR a month before and after March 2022, of DE's imports, by product and partner. */
const flows: Record<string, [before: number, after: number]> = {
  "39161000 RU": [10, 2], // 120 → 24: a drop of 96, collapse 0.8
  "39161000 TR": [4, 9], // 48 → 108: 2.25 times, 60 more
  "39161000 KZ": [0, 1], // 0 → 12: new, 12 more
  "39161000 CN": [50, 60], // only 1.2 times
  "39161000 FR": [1, 50], // no third country
  "44071110 RU": [10, 6], // a drop of only 40 %
  "44071110 TR": [1, 9],
  "27090090 RU": [30, 3], // collapsed, but no country surged
  "27090090 US": [20, 25],
};

let trade: TradeData;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const line = (
    reporter: string,
    partner: string,
    product: string,
    flow: number,
    period: number,
    eur: number,
  ) =>
    [
      reporter,
      partner,
      "E",
      product,
      58310,
      2221,
      2221,
      220,
      211210,
      "07",
      flow,
      1,
      "NO_SU",
      period,
      eur,
      eur,
      1000,
      0,
    ].join(",");
  const files = monthsBetween(202103, 202302).map((period) => {
    const lines = Object.entries(flows).flatMap(([key, amounts]) => {
      const [product, partner] = key.split(" ") as [string, string];
      const millions = amounts[period < 202203 ? 0 : 1];
      // France trades as Germany does, but has not delivered June 2022.
      const reporters = period === 202206 ? ["DE"] : ["DE", "FR"];
      return millions === 0
        ? []
        : reporters
            .filter((reporter) => reporter !== partner)
            .map((reporter) => line(reporter, partner, product, 1, period, millions * 1e6));
    });
    const exports = line("DE", "RU", "39161000", 2, period, 1e6);
    const others = period === 202206 ? [] : [line("FR", "RU", "39161000", 2, period, 1e6)];
    return fileOf(dir, `full_v2_${period}.csv`, [header, ...lines, exports, ...others]);
  });
  // The month that France has not delivered.
  const built = await importFiles(dir, await Promise.all(files), { reporters: ["DE", "FR"] });
  const vintages = await openVintages({ ...limits, dataDir: dir });
  await vintages.serve(built.manifest.vintage);
  trade = { vintages, allow_synthetic: false };
  return async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});

const ask = async (input: object) => {
  const answer = await rerouteWatch(trade, rerouteInput.parse(input));
  expect(rerouteOutput.parse(answer)).toEqual(answer);
  return answer;
};

test("one product shows the signal: 96 million lost, 60 + 12 million more from Türkiye and Kazakhstan", async () => {
  const { data, meta } = await ask({ flow: "IMPORT" });
  expect(data).toEqual([
    {
      rank: 1,
      product: "39",
      name: "Plastics",
      flow: "IMPORT",
      direct: { country: "RU", name: "Russia", before_eur: 120e6, after_eur: 24e6 },
      drop_eur: 96e6,
      collapse: 0.8,
      surges: [
        { country: "TR", name: "Türkiye", before_eur: 48e6, after_eur: 108e6, ratio: 2.25, excess_eur: 60e6 },
        { country: "KZ", name: "Kazakhstan", before_eur: 0, after_eur: 12e6, ratio: null, excess_eur: 12e6 },
      ],
      offset: 0.75,
      at_most_eur: 72e6,
    },
  ]);
  expect(meta).toMatchObject({
    origin: "RU",
    reporter: "EU27",
    before: { from: "2021-03", to: "2022-02" },
    after: { from: "2022-03", to: "2023-02" },
    synthetic: false,
    count: 1,
    ranked_of: 1,
    note: expect.stringMatching(/does not imply evasion/),
  });
  // A reporter without all months is in none of the sums.
  expect(meta.left_out).toContain("FR");
  expect(meta.left_out).not.toContain("DE");
});

test("one reporter's product is judged in both flows, and a reporter with a missing month has no signal", async () => {
  const one = await ask({ reporter: "DE", hs: "39161000" });
  expect(one.data.map(({ product, flow, offset }) => [product, flow, offset])).toEqual([
    ["39161000", "IMPORT", 0.75],
  ]);
  const holed = await ask({ reporter: "FR", flow: "IMPORT" });
  expect([holed.data, holed.meta.left_out]).toEqual([[], ["FR"]]);
});

test("a break without twelve months on both sides is refused with the possible months", async () => {
  const refusal = await refusalOf(ask({ month: "2022-04" }));
  expect(refusal).toMatchObject({
    code: "invalid",
    errors: [{ path: "month", message: expect.stringMatching(/2022-03 to 2022-03/) }],
  });
  for (const month of ["2019-03", "2021-12"])
    expect(await refusalOf(ask({ month }))).toMatchObject({ code: "invalid", errors: [{ path: "month" }] });
});
