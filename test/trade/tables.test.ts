import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { anyTargetInput } from "../../src/projections/mirror/answers/answer.ts";
import { reconstruct } from "../../src/projections/mirror/answers/reconstruct.ts";
import { topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { fileOf, importFiles, sdmxFixture, storeOf, tempDir } from "../datasets/workshop.ts";

test("chapters of a source without finer codes count once", async () => {
  const dir = await tempDir();
  const text = (await readFile(sdmxFixture, "utf8")).replaceAll("39206290", "39").trimEnd();
  const file = await fileOf(dir, "chapters.csv", text.split("\n"));
  const { manifest } = await importFiles(dir, [file], { reporters: ["DE"] });
  const trade = { vintages: await storeOf(dir, manifest.vintage), allow_synthetic: true };
  const request = { target_country: "CN", direction: "EXPORT", hs: "39", cif_fob: 0 };
  const mirror = await reconstruct(trade, () => undefined, anyTargetInput.parse(request));
  expect(mirror.data.map(({ reported_eur }) => reported_eur)).toEqual([2_000, 0]);
  const dataset = manifest.dataset;
  const { data } = await topProducts(trade, {
    reporter: "DE",
    year: 2024,
    flow: "IMPORT",
    dataset,
    limit: 20,
  });
  expect(data[0]).toMatchObject({ product: "39", value_eur: 9_000 });
});
