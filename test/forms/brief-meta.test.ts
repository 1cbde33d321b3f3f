/** A brief `meta` has what names the data and what limits the figures, and nothing that can outweigh them. */
import { expect, test } from "vitest";
import { asWanted } from "../../src/api/declare/brief-meta.ts";
import { catalogue } from "../support/catalogue.ts";

const meta = {
  dataset: "sandbox",
  vintage: "00",
  count: 1,
  source: "a sentence",
  formula: "another",
  coverage: { products: { complete: true, count: 97, codes: [] } },
  incomplete: [],
  rests_on: "00",
};
const brief = (more: object = {}) => asWanted({ data: [1], meta: { ...meta, ...more } }, { meta: "brief" });

test("brief omits the long members, and keeps those that limit the figures", () => {
  const short = { dataset: "sandbox", vintage: "00", count: 1, rests_on: "00" };
  expect(brief()).toEqual({ data: [1], meta: short });
  const partial = { products: { complete: false, count: 2, codes: ["27", "44"] } };
  const incomplete = [{ reporter: "LV", delivered_to: "2024-06" }];
  expect(brief({ coverage: partial, incomplete })).toEqual({
    data: [1],
    meta: { ...short, coverage: partial, incomplete },
  });
});

test("full keeps every member", () => {
  const answer = { data: [1], meta };
  expect(asWanted(answer, {})).toBe(answer);
});

test("each operation whose meta has coverage takes brief, and its schema fits both forms", () => {
  const taking = catalogue.filter(({ input }) => "meta" in input.shape);
  expect(taking.map(({ name }) => name)).toContain("trade_top_partners");
  for (const { name, output } of catalogue) {
    const schema = output.kind === "json" ? (output.schema as { shape?: { meta?: { shape?: object } } }) : {};
    const shape = schema.shape?.meta?.shape;
    const isLong = shape !== undefined && "coverage" in shape;
    expect([name, taking.some((one) => one.name === name)]).toEqual([name, isLong]);
  }
});
