/** Runs tasks in this process, for cases that need no executor process. */
import { runSql } from "../../src/adapters/execution/sql.ts";
import type { ExecutionResult } from "../../src/core/model/ports/executor.ts";
import { readKind } from "../../src/domain/compute/kinds.ts";

/** The result of a query over these tables. */
export const sqlInProcess = (query: string, tables: object = {}): Promise<ExecutionResult> =>
  runSql(readKind("sql", { query, tables }));
