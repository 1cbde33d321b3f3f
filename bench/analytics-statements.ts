/** Each question's statements on a vintage's tables without roll-ups, for DuckDB alone, and the resulting answer. */
import type { Lease, VintageStore } from "../src/datasets/vintage-store.ts";
import { fromTables, type Name, questions } from "../test/support/from-tables.ts";
import { type Plan, planOf } from "./analytics-direct.ts";
import type { Statement } from "./service-probe.ts";

const names: Record<string, Name> = {
  "top-partners": "topPartners",
  "top-products": "topProducts",
  "product-detail": "detail",
  "price-per-tonne": "prices",
  seasonality: "season",
  "flow-pulse": "pulse",
  "reroute-watch": "reroute",
  "source-concentration": "sources",
};

const numbers = ["year", "limit", "months"];

/** The statements of a path of bench/analytics-questions.ts, and the body of their answer. */
export async function fromTablesOf(
  vintages: VintageStore,
  path: string,
): Promise<{ plan: Plan; fields: Record<string, string>; body: string }> {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const fields = Object.fromEntries(searchParams);
  const operation = pathname.split("/").at(-1)!;
  const input = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      numbers.includes(name) ? Number(value) : name === "reporters" ? value.split(",") : value,
    ]),
  );
  const statements: Statement[] = [];
  const tables = fromTables(vintages);
  const recorded = (lease: Lease): Lease => ({
    ...lease,
    query: async (sql, ...rest) => {
      const began = performance.now();
      try {
        return await lease.query(sql, ...rest);
      } finally {
        statements.push({ sql, began, ended: performance.now() });
      }
    },
  });
  const trade = {
    vintages: { ...tables, lease: (dataset: string) => recorded(tables.lease(dataset)) },
    allow_synthetic: true,
  };
  const answer = await questions[names[operation] ?? (operation as Name)](input)(trade);
  return { plan: planOf(statements), fields, body: JSON.stringify(answer) };
}
