/** Stores reports for as long as the vintages that they can be verified at. */
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
