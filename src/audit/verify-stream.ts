/** Verifies one stream of the service's own log from its rows, as an auditor verifies its export. */
import { PassThrough } from "node:stream";
import type pg from "pg";
import { exportStream } from "../../eventstore/files/export.ts";
import { verifyExport } from "../../eventstore/verify/verify-export.ts";

/** `first_bad`: the lowest version with a fault, and the fault; null if there is none. */
export type StreamReport = {
  events: number;
  head: { version: number; event_hash: string } | null;
  first_bad: { version: number; reason: string } | null;
};

/** `had`: the known number of events, which alone reveals a truncated end. Throws if reading fails. */
export async function verifyStream(
  pool: pg.Pool,
  { had, ...stream }: { log_id: number; tenant: string; stream_id: string; had: number },
): Promise<StreamReport> {
  const bytes = new PassThrough();
  const exported = exportStream(pool, stream, bytes).then(
    () => true,
    (error: Error) => {
      bytes.destroy();
      if (error instanceof RangeError) return false;
      throw error;
    },
  );
  const [isThere, report] = await Promise.all([exported, verifyExport(bytes)]);
  const events = isThere ? report.events : 0;
  const bad = report.verdicts
    .filter(({ ok, judged }) => isThere && !ok && judged !== false)
    .toSorted((a, b) => (a.first_bad ?? 0) - (b.first_bad ?? 0))[0];
  const cut = { version: events + 1, reason: `the stream had ${had} events, and ${events} are left` };
  return {
    events,
    head: isThere && report.head ? { version: report.head.position, event_hash: report.head.hash } : null,
    first_bad: bad
      ? { version: bad.first_bad ?? 0, reason: bad.reason ?? bad.detail }
      : events < had
        ? cut
        : null,
  };
}
