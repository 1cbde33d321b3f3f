import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as datasets from "../../src/domain/trade/dataset.ts";
import { type DatasetEvent, events, type ReleaseFacts, release } from "../../src/domain/trade/dataset.ts";
import { specificationOf } from "../support/specification.ts";

const facts: ReleaseFacts = {
  dataset: "sandbox",
  source: "invented",
  synthetic: true,
  vintage: "a".repeat(64),
  periods: { from: 202401, to: 202412 },
  rows: 10,
  control_totals: { import_eur: 5, export_eur: 6, import_kg: 1.5, export_kg: 2 },
  partitions: [{ year: 2024, content_sha256: "c".repeat(64), rows: 10 }],
  inputs: [],
  replaces: null,
  released_at: "2026-01-02T03:04:05.000Z",
};
const next: ReleaseFacts = { ...facts, vintage: "b".repeat(64), replaces: facts.vintage };
const releasedAs = (data: ReleaseFacts): DatasetEvent => ({ type: "DatasetReleased", data });

const given = specificationOf(datasets);

describe("a dataset", () => {
  test("is released", () =>
    given([])
      .when(release(facts))
      .then([releasedAs(facts)]));

  test("ignores a repeated release", () =>
    given([releasedAs(facts)])
      .when(release(facts))
      .thenNothingHappened());

  test("moves on to a vintage built upon the current one", () =>
    given([releasedAs(facts)])
      .when(release(next))
      .then([releasedAs(next)]));

  test("may return to an earlier vintage", () => {
    const back = { ...facts, replaces: next.vintage };
    return given([releasedAs(facts), releasedAs(next)])
      .when(release(back))
      .then([releasedAs(back)]);
  });

  test("refuses a vintage that was not built upon the current one", () =>
    given([releasedAs(facts), releasedAs(next)])
      .when(release({ ...facts, vintage: "d".repeat(64), replaces: facts.vintage }))
      .thenThrows(Refusal, (refusal) => refusal.code === "conflict"));

  test("has an event that fits its schema exactly", () => {
    const schema = events.DatasetReleased[1];
    expect(schema.parse(facts)).toEqual(facts);
    expect(schema.safeParse({ ...facts, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ ...facts, vintage: "short" }).success).toBe(false);
  });
});
