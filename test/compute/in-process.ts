/** Tasks that are run in this process by what a process of the executor runs: for cases that the process itself adds nothing to. */
import { runSql } from "../../src/adapters/execution/sql.ts";
import type { ExecutionResult } from "../../src/core/model/ports/executor.ts";
import { readKind } from "../../src/domain/compute/kinds.ts";

/** What a query over these tables comes to. */
export const sqlInProcess = (query: string, tables: object = {}): Promise<ExecutionResult> =>
  runSql(readKind("sql", { query, tables }));
