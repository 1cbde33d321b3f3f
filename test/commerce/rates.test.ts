/** The rate of an order's payment: a recent one; before the table opens, callers get a retry. */
import { expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { type EcbRates, ecbRates } from "../../src/datasets/reference/ecb-rates.ts";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { type Reference, sandboxOf } from "../../src/datasets/reference/table.ts";
import { payableRate } from "../../src/projections/commerce/rates.ts";

const options = { data_dir: "/nowhere", allow_synthetic: true };
const now = new Date("2026-03-10T12:00:00Z");

const tableOf = (date: string, synthetic = false) =>
  ({
    dataset: synthetic ? sandboxOf(ecbRates) : ecbRates.name,
    vintage: "v".repeat(64),
    source: "ECB",
    synthetic,
    rows: [{ date, rates: { USD: 1.1 } }] as EcbRates[],
  }) as unknown as Reference<object>;

const toldOf = (reference: ReferenceStore, is_play = false): unknown => {
  try {
    return payableRate(reference, { now, is_play });
  } catch (error) {
    if (error instanceof Refusal) return error.type.slug;
    throw error;
  }
};

test("a table that is still opening is awaited, and one that nobody imported is missing", () => {
  expect(toldOf(new ReferenceStore(options, [], "unknown"))).toBe("dataset-missing");
  expect(toldOf(new ReferenceStore(options, [], new Set([ecbRates.name])))).toBe("dataset-missing");
  expect(toldOf(new ReferenceStore(options))).toBe("rate-missing");
});

test("a rate is at most five days old, and only play money uses invented ones", () => {
  const open = (...args: Parameters<typeof tableOf>) => new ReferenceStore(options, [tableOf(...args)]);
  expect(toldOf(open("2026-03-06"))).toMatchObject({ rate: "1.1", as_of: "2026-03-06" });
  expect(toldOf(open("2026-03-03"))).toBe("rate-missing");
  expect(toldOf(open("2026-03-06", true))).toBe("rate-missing");
  expect(toldOf(open("2026-03-06", true), true)).toMatchObject({ as_of: "2026-03-06" });
});
