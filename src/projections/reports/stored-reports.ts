/** Stores reports for as long as the vintages that they can be verified at. */
import type pg from "pg";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import * as report from "../../domain/reports/report.ts";

/** Has no table of its own: it sets how long objects are stored. */
export const storedReportsProjection = projection({
  name: "kept_reports",
  version: 1,
  ddl: "",
  of: [report],
  async fold(events, tx) {
    const text = `update objects.small set keep_until = greatest(keep_until,
        to_timestamp($2::bigint / 1000000) + interval '${report.KEEP_DAYS} days') where name = $1`;
    for (const { data, recorded_at_us } of events)
      await tx.query({ name: "reports_keep", text, values: [objectOf(data), String(recorded_at_us)] });
  },
});

/** The object of a report. Equal reports of several tenants are the same bytes. */
export const objectOf = ({ report_id, sha256 }: { report_id: string; sha256: string }) =>
  objectName("report", report_id, sha256);

export type OwnReport = { report_id: string; position: number };

/** A tenant's stored reports, newest first. */
export async function reportsOf(
  pool: pg.Pool,
  tenant: string,
  { before, limit, now }: { before: number; limit: number; now: Date },
): Promise<OwnReport[]> {
  const since_us = (now.getTime() - report.KEEP_DAYS * 86_400_000) * 1_000;
  const text = `select substr(stream_id, $2) as report_id, position::float8 as position from eventstore.events
    where log_id = $1 and tenant = $3 and stream_id >= $4 and stream_id < $5 and version = 1
      and recorded_at_us >= $6 and position < $7 order by position desc limit $8`;
  const { prefix } = report;
  // The character after the prefix's last bounds the names that begin with it.
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const values = [MAIN_LOG, prefix.length + 1, tenant, prefix, end, since_us, before, limit];
  return (await pool.query<OwnReport>(text, values)).rows;
}
