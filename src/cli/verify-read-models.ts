import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import type { Verdict } from "../../eventstore/verify/report.ts";
import type { Area } from "../areas/area.ts";
import { entitiesOf } from "../areas/index.ts";
import type { App } from "../core/app.ts";
import { compareReadModels, type RowDifference } from "../operator/compare-read-models.ts";
import { withProgress } from "./progress-bar.ts";

/** A long row is cut in the report. */
const MOST_LETTERS = 400;

/** Folds the log beside the read models; `owner_url` is the address as the owner of the tables. */
export async function readModelsVerdict(
  { readLog }: Pick<App["store"], "readLog">,
  areas: readonly Area[],
  owner_url: string,
): Promise<Verdict> {
  const pool = openPool(owner_url, { max: 1 });
  const client = await pool.connect();
  try {
    const tell = (stage: string, percent: number, left: string) =>
      process.stderr.write(`${stage}: ${percent} %${left}\n`);
    const compared = await withProgress("read models", tell, (progress) =>
      compareReadModels({
        client,
        schemas: registry(entitiesOf(areas).map(({ events }) => events)),
        projections: areas.flatMap(({ projections }) => projections),
        readLog: (after) => readLog({ after }),
        progress: (position, of) => progress("fold", position, of),
      }),
    );
    const { models, tables, rows, events, different, differences } = compared;
    const detail = `${rows} rows in ${tables} tables of ${models} read models, folded from ${events} events`;
    if (different === 0) return { name: "read models", ok: true, checked: rows, detail };
    const reason = `${different} rows differ from the log: ${reasonOf(differences[0]!)}`;
    const faults = differences.map((one) => ({ place: 0, reason: reasonOf(one) }));
    return { name: "read models", ok: false, checked: rows, reason, faults, fault_count: different, detail };
  } catch (error) {
    const reason = `the log cannot be folded: ${(error as Error).message}`;
    return { name: "read models", ok: false, checked: 0, reason, detail: "" };
  } finally {
    client.release();
    await pool.end();
  }
}

function reasonOf({ table, side, row }: RowDifference): string {
  const text = row.length > MOST_LETTERS ? `${row.slice(0, MOST_LETTERS)}…` : row;
  return `${table} ${side === "stored" ? "has" : "lacks"} ${text}`;
}
