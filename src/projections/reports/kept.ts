/** How long reports are kept: as long as the vintages are that they can be asked again at. */
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import * as report from "../../domain/reports/report.ts";

/** It has no table of its own: it says of the objects for how long they lie. */
export const keptReportsProjection = projection({
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

/** Where a report lies. Equal reports of several tenants are the same bytes. */
export const objectOf = ({ report_id, sha256 }: { report_id: string; sha256: string }) =>
  objectName("report", report_id, sha256);
