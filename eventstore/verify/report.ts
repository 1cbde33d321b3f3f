import type { SealCounts } from "./sealed.ts";

/** `checked` counts lines or events; `first_bad` is the lowest place with a fault. */
export type Verdict = {
  name: string;
  ok: boolean;
  /** Only false: no fault of its own, but others leave nothing to judge. */
  judged?: false;
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

/** `holder`: where the events were read, for the last line. */
export function formatVerdicts(report: VerifyReport, holder: "file" | "database" = "file"): string {
  const width = Math.max(...report.verdicts.map((verdict) => verdict.name.length));
  const lines = report.verdicts.flatMap((verdict) => {
    const mark = verdict.ok ? "ok  " : verdict.judged === false ? "?   " : "FAIL";
    const reason = verdict.reason === undefined ? "" : `${verdict.reason}; `;
    return [`${mark} ${verdict.name.padEnd(width)}  ${reason}${verdict.detail}`, ...furtherFaults(verdict)];
  });
  const { events, streams } = report;
  lines.push(
    `${events} events in ${streams} streams: ${report.ok ? verifiedTo(report, holder) : "NOT verified"}`,
  );
  const { values, erased } = report.sealed;
  if (values > 0) lines.push(`sealed ${values}${erased === null ? "" : `, erased ${erased}`}`);
  if (report.head) lines.push(`head ${report.head.position}:${report.head.hash}`);
  return `${lines.map(printable).join("\n")}\n`;
}

function verifiedTo({ proven, events, head, caveat }: VerifyReport, holder: string): string {
  const but = caveat ? `, ${caveat}` : "";
  const beyond = Math.max(0, (head?.position ?? 0) - proven);
  const rest = beyond === 1 ? "rests" : "rest";
  if (beyond === 0) return `verified${but}`;
  if (beyond >= events)
    return `verified; ${events === 1 ? "this event rests" : "all events rest"} on the ${holder} alone${but}`;
  const later = `${beyond.toLocaleString("en")} later ${beyond === 1 ? "event" : "events"}`;
  return `verified to ${proven}; ${later} ${rest} on the ${holder} alone${but}`;
}

const ONE_FOR_EACH_EVENT: ReadonlySet<string> = new Set(["chain", "order"]);

function furtherFaults({ name, faults = [], fault_count = 0 }: Verdict): string[] {
  const lines = faults
    .slice(1)
    .filter(({ place }, n) => !ONE_FOR_EACH_EVENT.has(name) || place !== faults[n]!.place)
    .map(({ place, reason }) => `       ${place > 0 ? `at ${place}: ` : ""}${reason}`);
  const more = fault_count - faults.length;
  return more > 0 ? [...lines, `       and ${more} more`] : lines;
}

/** Hostile text must not control the terminal. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}
