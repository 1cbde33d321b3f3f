/** Runs the statements that a service sent to DuckDB directly, on the same files. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal, openDuckdb } from "../src/datasets/duckdb.ts";
import { type Manifest, partitionPath } from "../src/datasets/manifest.ts";
import type { Statement } from "./service-probe.ts";

/** Statements in order; those of one stage ran concurrently. */
export type Plan = string[][];

/** The plan of one question, from the probe's record; partitions are named by their years. */
export function planOf(statements: Statement[]): Plan {
  const plan: Plan = [];
  let ended = 0;
  for (const { sql, began, ...one } of statements.toSorted((a, b) => a.began - b.began)) {
    const named = sql.replaceAll(/\bp\d+_(\d{4})\./g, "y$1.");
    const stage = plan.at(-1);
    if (stage && began < ended) stage.push(named);
    else plan.push([named]);
    ended = stage && began < ended ? Math.min(ended, one.ended) : one.ended;
  }
  return plan;
}

export type Direct = {
  run(plan: Plan): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
};

/** DuckDB with the vintage's files and the service's limits of memory, threads and concurrent statements. */
export async function openDirect(dataDir: string, { partitions }: Manifest): Promise<Direct> {
  const instance = await openDuckdb({ threads: 2, memory_mb: 768 });
  const idle = [await instance.connect(), await instance.connect()];
  for (const entry of partitions)
    await idle[0]!.run(`attach ${literal(partitionPath(dataDir, entry))} as y${entry.year} (read_only)`);
  const waiting: ((connection: DuckDBConnection) => void)[] = [];
  const run = async (sql: string) => {
    const connection = idle.pop() ?? (await new Promise<DuckDBConnection>((turn) => waiting.push(turn)));
    try {
      return await connection.runAndReadAll(sql);
    } finally {
      const next = waiting.shift();
      if (next) next(connection);
      else idle.push(connection);
    }
  };
  return {
    run: async (plan) => {
      for (const stage of plan) await Promise.all(stage.map(run));
    },
    rows: async (sql) => (await run(sql)).getRowObjectsJS(),
    close: () => {
      for (const connection of idle) connection.closeSync();
      instance.closeSync();
    },
  };
}
