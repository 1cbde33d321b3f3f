/** Answers from roll-ups equal those from the tables, byte for byte. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";
import { yearOf } from "../../src/domain/trade/units.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { limits } from "../datasets/workshop.ts";
import { fromTables, names } from "../support/from-tables.ts";
import { sandboxIn } from "../support/sandbox.ts";
import { drawing, drawnBulk, drawnQuestion, drawnWorld, toldBy } from "./random-datasets.ts";

let vintages: VintageStore;
let rolledUp: TradeData;
let plain: TradeData;
let statements: string[];

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const made = [await sandboxIn(dir), await drawnBulk(dir), await drawnWorld(dir)];
  vintages = openVintages({ ...limits, dataDir: dir });
  for (const vintage of made) await vintages.serve(vintage);
  statements = [];
  const listened: TradeData["vintages"] = {
    open: () => vintages.open(),
    awaited: () => vintages.awaited(),
    lease: (dataset) => {
      const lease = vintages.lease(dataset);
      return {
        ...lease,
        query: (sql, ...rest) => {
          statements.push(sql);
          return lease.query(sql, ...rest);
        },
      };
    },
  };
  rolledUp = { vintages: listened, allow_synthetic: true };
  plain = { vintages: fromTables(vintages), allow_synthetic: true };
  return async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});

const DRAWN = 12;

describe.each(["comext-bulk", "comext-ds-045409", "sandbox"])("%s", (dataset) => {
  test.each(names)("%s is answered from roll-ups as from the tables", async (name) => {
    const { months } = vintages.open().find((one) => one.dataset === dataset)!.coverage;
    const draw = drawing(names.indexOf(name) + 1);
    for (let times = 0; times < DRAWN; times++) {
      const { input, ask } = drawnQuestion(name, draw, dataset, [yearOf(months.from), yearOf(months.to)]);
      expect(await toldBy(ask, rolledUp), JSON.stringify(input)).toBe(await toldBy(ask, plain));
    }
  });
});

/** Questions that roll-ups answer without SQL, and their inputs. */
const SILENT = names.filter((name) => name !== "corridor");

test.each(SILENT)("%s queries no table for all products or a chapter", async (name) => {
  const draw = drawing(5);
  let answered = 0;
  for (let times = 0; times < 40; times++) {
    const { input, ask } = drawnQuestion(name, draw, "comext-bulk", [2021, 2024]);
    const counts = name === "overview" || name === "countries";
    if (counts && "hs" in input) continue;
    if ((name === "topProducts" && "hs" in input) || (name === "reroute" && input.month !== "2023-07"))
      continue;
    if (name === "reroute" && "reporter" in input) continue;
    statements.length = 0;
    const text = await toldBy(ask, rolledUp);
    if (text.startsWith("refused")) continue;
    // Roll-ups end at chapters, and the suppressed codes of a chapter lie below it.
    const others = statements.filter((sql) => !sql.includes("contains(product, 'X')"));
    expect(others, JSON.stringify(input)).toEqual([]);
    answered++;
  }
  expect(answered).toBeGreaterThan(0);
});
