import { z } from "zod";
import { idFrom } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { reportProblems } from "../../../domain/reports/problems.ts";
import type { Report } from "../../../domain/reports/report.ts";
import * as reports from "../../../domain/reports/report.ts";
import { objectOf } from "../../../projections/reports/stored-reports.ts";
import { operation, owner } from "../../declare/index.ts";
import { aboutReport, reportOutput } from "./write-report.ts";

const storedReport = operation({
  name: "report",
  route: "GET /v1/agent/reports/{report_id}",
  summary: "A stored report of yours, in any of its forms",
  description: `Free to its owner for ${reports.KEEP_DAYS} days: the tenant of the key, or the wallet that paid. Its bytes never change. After ${reports.KEEP_DAYS} days only its digests remain in the log.`,
  access: [owner("read")],
  input: z.object({
    report_id: idFrom("report_id", "the report's call").describe("The report_id of its answer"),
  }),
  output: reportOutput,
  refuses: [404, 410],
  example: { report_id: "00".repeat(16) },
  example_from: { report_id: ["sovereign_brief"] },
  async handle({ input: { report_id }, app, caller, unit }) {
    const found = await app.load(reports, { tenant: caller.tenant, id: report_id });
    if (!found) return refuse("not_found", `you have no report ${report_id}`);
    const bytes = await app.objects.get(objectOf(found));
    if (!bytes)
      return refuse(
        reportProblems["report-past-keeping"],
        `the report was deleted; its digest ${found.sha256} remains in the log: request it again`,
      );
    const stream = { tenant: caller.tenant, stream_id: reports.streamOf(report_id) };
    const [event] = await app.store.readStream({ ...stream, limit: 1 });
    if (event) unit.names({ event_id: event.event_id, position: event.position });
    const data = JSON.parse(bytes.toString()) as Report;
    return { data, meta: aboutReport(data) };
  },
});

export const storedReportOperations = [storedReport];
