/** The sandbox's planted events, compared with the operations' findings over HTTP. */
import { expect } from "vitest";
import type { z } from "zod";
import type { countryOutput } from "../../src/projections/fusion/answers/country.ts";
import type { capabilitiesOutput } from "../../src/projections/fusion/answers/discovery.ts";
import type { marketOutput } from "../../src/projections/fusion/answers/market.ts";
import type { alertsOutput } from "../../src/projections/trade/answers/alerts.ts";
import type { rerouteOutput } from "../../src/projections/trade/answers/rerouting.ts";

/** Requests GET at a path of the service. */
export type Get = <Answer>(path: string) => Promise<Answer>;

const market = (get: Get, text: string) =>
  get<z.infer<typeof marketOutput>>(`/v1/agent/fusion/market-intel?flow=IMPORT&${text}`);

/**
 * From 2023 on one supplier has most of a country's imports of a chapter, and far more than its size explains;
 * before it had not.
 */
export async function expectDependency(get: Get): Promise<void> {
  const { data, meta } = await market(get, "hs=29&reporter=SK&years=2020-2024");
  expect(data.partners[0]).toMatchObject({ partner: "CN", share: expect.toSatisfy((n) => n > 0.75) });
  expect(data.dependency!.dependent).toBe(true);
  expect(data.dependency!.years.map(({ year, dependent }) => [year, dependent])).toEqual([
    [2022, false],
    [2023, true],
    [2024, true],
  ]);
  expect(data.gravity!.partners[0]).toMatchObject({
    partner: "CN",
    ratio: expect.toSatisfy((n) => n > 5),
  });
  const before = await market(get, "hs=29&reporter=SK&years=2020-2022");
  expect(before.data.partners[0]!.share).toBeLessThan(0.6);
  expect(before.data.dependency!.dependent).toBe(false);
  expect(meta.synthetic).toBe(true);
  const finding = expect.stringMatching(/^chapter 29 from China to Slovakia times \d+ from 2023-01/);
  expect(meta.planted).toContainEqual(finding);
  const country = await get<z.infer<typeof countryOutput>>("/v1/agent/fusion/country?country=SK&year=2024");
  expect(country.data.dependency!.map(({ product }) => product)).toContain("29");
  expect(country.meta.planted).toContainEqual(finding);
}

/** A chapter follows another by three months, only in the planted country. */
export async function expectLead(get: Get): Promise<void> {
  const lead = { first: "29", second: "39", months: 3 };
  const { data, meta } = await market(get, "hs=29&reporter=ES&beside=39,84");
  expect(data.leads![0]).toMatchObject(lead);
  expect(data.leads![0]!.correlation).toBeGreaterThan(0.5);
  expect(meta.synthetic).toBe(true);
  const finding = "imports of chapter 39 by Spain follow its imports of chapter 29 after 3 months";
  expect(meta.planted).toContain(finding);
  const elsewhere = await market(get, "hs=29&reporter=IT&beside=39,84");
  expect(elsewhere.data.leads).not.toContainEqual(expect.objectContaining(lead));
  expect(elsewhere.meta.planted).not.toContain(finding);
}

/** Trade with Russia breaks off and is rerouted by Türkiye; one month of Latvia's is an outlier. */
export async function expectDetourAndShock(get: Get): Promise<void> {
  const detours = await get<z.infer<typeof rerouteOutput>>(
    "/v1/agent/trade/reroute-watch?hs2=27&flow=IMPORT",
  );
  expect(detours.data[0]!.surges).toContainEqual(expect.objectContaining({ country: "TR" }));
  expect(detours.meta.synthetic).toBe(true);
  const { data, meta } = await get<z.infer<typeof alertsOutput>>("/v1/agent/trade/alerts");
  for (const [reporter, product] of [
    ["LV", "27"],
    ["PL", "85"],
    ["FR", "30"],
  ])
    expect(data.alerts).toContainEqual(expect.objectContaining({ reporter, product, significant: true }));
  expect(meta.synthetic).toBe(true);
}

/** Each event is reported next to a method that finds it. */
export async function expectTold(get: Get): Promise<void> {
  const { data, meta } = await get<z.infer<typeof capabilitiesOutput>>("/v1/agent/fusion/capabilities");
  const planted = Object.fromEntries(data.map(({ method, planted }) => [method, planted.join("; ")]));
  expect(planted).toMatchObject({
    rerouting: expect.stringMatching(/from Russia.*from Türkiye/),
    substitution: expect.stringContaining("from Russia"),
    alert: expect.stringContaining("chapter 27 to Latvia times 5 in 2025-10"),
    dependency: expect.stringContaining("chapter 29 from China to Slovakia"),
    gravity: expect.stringContaining("chapter 29 from China to Slovakia"),
    lead_lag: expect.stringContaining("imports of chapter 39 by Spain"),
    growth: "",
  });
  for (const event of meta.planted)
    expect(data.filter(({ planted }) => planted.includes(event))).not.toEqual([]);
}

/**
 * Where Russia had most of an import and fell, the growing suppliers are named; this needs a chapter that the
 * smallest sandboxes lack.
 */
export async function expectSubstitution(get: Get): Promise<void> {
  const { data, meta } = await market(get, "hs=36&reporter=IT&years=2020-2022");
  expect(data.substitution).toMatchObject({ from: 2021, to: 2022, top: { partner: "RU" } });
  expect(data.substitution!.substitutes.length).toBeGreaterThan(0);
  expect(meta.synthetic).toBe(true);
  expect(meta.planted).toContainEqual(expect.stringMatching(/^all goods from Russia times 0.2/));
}
