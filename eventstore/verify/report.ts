/** One question about the log and its answer. `checked` counts lines or events; `first_bad` is a position (a version in the export of one stream). */
export type Verdict = {
  name: string;
  ok: boolean;
  checked: number;
  first_bad?: number;
  /** What was found at `first_bad`. */
  reason?: string;
  /** How far the verdict reaches, and what it leaves unproven. */
  detail: string;
};

/** What a verification found. `head` is the last event read: the value to hold on to for the next verification. */
export type VerifyReport = {
  /** True when every verdict is. */
  ok: boolean;
  verdicts: Verdict[];
  head: { position: number; hash: string } | null;
  events: number;
  streams: number;
};

/** The report for people: a line a verdict, and the head to keep. */
export function formatVerdicts(report: VerifyReport): string {
  const width = Math.max(...report.verdicts.map((verdict) => verdict.name.length));
  const lines = report.verdicts.map((verdict) => {
    const mark = verdict.ok ? "ok  " : "FAIL";
    const reason = verdict.reason === undefined ? "" : `${verdict.reason}; `;
    return `${mark} ${verdict.name.padEnd(width)}  ${reason}${verdict.detail}`;
  });
  lines.push(
    `${report.events} events in ${report.streams} streams: ${report.ok ? "verified" : "NOT verified"}`,
  );
  if (report.head) lines.push(`head ${report.head.position}:${report.head.hash}`);
  return `${lines.map(printable).join("\n")}\n`;
}

/** A line that cannot steer the terminal, whatever a hostile export or service put into it. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}
