/** The changes between two successive releases of a duties table. */
import type { App } from "../../core/app.ts";
import { Refusal } from "../../core/model/refusal.ts";
import { sandboxOf } from "../../datasets/reference/table.ts";
import { type TaricDuty, taricDuties } from "../../datasets/reference/taric-duties.ts";
import { changesBetween } from "../../domain/customs/duty-changes.ts";

/** The datasets of the table: the published one, and its sandbox. */
export const dutyDatasets = [taricDuties.name, sandboxOf(taricDuties)];

export type DutyRelease = { dataset: string; vintage: string; replaces: string; position: number };

/** The releases of a duties dataset after a position that replaced another one, oldest first. */
export async function dutyReleasesAfter(app: App, dataset: string, after: number): Promise<DutyRelease[]> {
  const sql = `select * from (
      select dataset, vintage, position::float8 as position,
             lag(vintage) over (order by position) as replaces
        from read.reference_releases_v1 where dataset = $1) r
    where replaces is not null and position > $2 order by position`;
  return (await app.pool.query<DutyRelease>(sql, [dataset, after])).rows;
}

/** The codes that a release changed; undefined once one of the compared vintages is deleted. */
export async function changesOf(
  { data }: App,
  { vintage, replaces }: DutyRelease,
): Promise<ReturnType<typeof changesBetween> | undefined> {
  try {
    const [before, after] = await Promise.all([data.reference.read(replaces), data.reference.read(vintage)]);
    return changesBetween(before.rows as readonly TaricDuty[], after.rows as readonly TaricDuty[]);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
