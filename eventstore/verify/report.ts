import type { SealCounts } from "./sealed.ts";

/** `checked` counts lines or events; `first_bad` is the lowest place with a fault. */
export type Verdict = {
  name: string;
  ok: boolean;
  checked: number;
  first_bad?: number;
  reason?: string;
  /** Only the first hundred, by place. */
  faults?: readonly Fault[];
  fault_count?: number;
  /** Includes what stays unproven. */
  detail: string;
};

/** `place` as in docs/event-log.md, or the size of a tree head. */
export type Fault = { place: number; reason: string };

/** `head`: note it for the next verification. */
export type VerifyReport = {
  ok: boolean;
  /** A limit, printed after the word "verified": "without a witness". */
  caveat?: string;
  verdicts: Verdict[];
  /** Null without a header: nothing was verified. */
  origin: string | null;
  /** The last place that a signature, an anchor or a noted head proves; 0 for none. */
  proven: number;
  head: { position: number; hash: string } | null;
  events: number;
  streams: number;
  sealed: SealCounts;
};

export function formatVerdicts(report: VerifyReport): string {
  const width = Math.max(...report.verdicts.map((verdict) => verdict.name.length));
  const lines = report.verdicts.flatMap((verdict) => {
    const mark = verdict.ok ? "ok  " : "FAIL";
    const reason = verdict.reason === undefined ? "" : `${verdict.reason}; `;
    return [`${mark} ${verdict.name.padEnd(width)}  ${reason}${verdict.detail}`, ...furtherFaults(verdict)];
  });
  lines.push(
    `${report.events} events in ${report.streams} streams: ${report.ok ? verifiedBut(report.caveat) : "NOT verified"}`,
  );
  const { values, erased } = report.sealed;
  if (values > 0) lines.push(`sealed ${values}${erased === null ? "" : `, erased ${erased}`}`);
  if (report.head) lines.push(`head ${report.head.position}:${report.head.hash}`);
  return `${lines.map(printable).join("\n")}\n`;
}

const verifiedBut = (caveat: string | undefined) => (caveat ? `verified, ${caveat}` : "verified");

function furtherFaults({ faults = [], fault_count = 0 }: Verdict): string[] {
  const lines = faults
    .slice(1)
    .map(({ place, reason }) => `       ${place > 0 ? `at ${place}: ` : ""}${reason}`);
  const more = fault_count - faults.length;
  return more > 0 ? [...lines, `       and ${more} more`] : lines;
}

/** Hostile text must not control the terminal. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}
