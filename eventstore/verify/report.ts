import type { SealCounts } from "./sealed.ts";

/** One question about the log and its answer. `checked` counts lines or events; `first_bad` is the lowest place with a fault. */
export type Verdict = {
  name: string;
  ok: boolean;
  checked: number;
  first_bad?: number;
  /** What was found at `first_bad`. */
  reason?: string;
  /** The first hundred faults that were found, the lowest place first, and how many there are. */
  faults?: readonly Fault[];
  fault_count?: number;
  /** How far the verdict reaches, and what it leaves unproven. */
  detail: string;
};

/** `place` as in docs/event-log.md: counted as events are read, or the size of a tree head. */
export type Fault = { place: number; reason: string };

/** What a verification found. `head` is the last event read: the value to hold on to for the next verification. */
export type VerifyReport = {
  /** True when every verdict is. */
  ok: boolean;
  verdicts: Verdict[];
  /** The log's origin as its header says it; null where there is no header, so that nothing was verified. */
  origin: string | null;
  /** Up to which place a signature, an anchor or a head that was held proves the events; 0 for none. */
  proven: number;
  head: { position: number; hash: string } | null;
  events: number;
  streams: number;
  sealed: SealCounts;
};

/** The report for people: a line a verdict, and the head to keep. */
export function formatVerdicts(report: VerifyReport): string {
  const width = Math.max(...report.verdicts.map((verdict) => verdict.name.length));
  const lines = report.verdicts.flatMap((verdict) => {
    const mark = verdict.ok ? "ok  " : "FAIL";
    const reason = verdict.reason === undefined ? "" : `${verdict.reason}; `;
    return [`${mark} ${verdict.name.padEnd(width)}  ${reason}${verdict.detail}`, ...furtherFaults(verdict)];
  });
  lines.push(
    `${report.events} events in ${report.streams} streams: ${report.ok ? "verified" : "NOT verified"}`,
  );
  const { values, erased } = report.sealed;
  if (values > 0) lines.push(`sealed ${values}${erased === null ? "" : `, erased ${erased}`}`);
  if (report.head) lines.push(`head ${report.head.position}:${report.head.hash}`);
  return `${lines.map(printable).join("\n")}\n`;
}

/** What stands beside the first one, indented below the verdict. */
function furtherFaults({ faults = [], fault_count = 0 }: Verdict): string[] {
  const lines = faults.slice(1).map(({ place, reason }) => `       at ${place}: ${reason}`);
  const more = fault_count - faults.length;
  return more > 0 ? [...lines, `       and ${more} more`] : lines;
}

/** A line that cannot steer the terminal, whatever a hostile export or service put into it. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}
