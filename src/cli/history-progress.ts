/** A history's progress: a bar on a terminal, otherwise a line per month; and the result at the end. */
import { SingleBar } from "cli-progress";
import { monthText, yearOf } from "../domain/trade/units.ts";
import type { HistoryReport, HistorySummary } from "../operator/history.ts";

const count = (of: number) => of.toLocaleString("en");
const percent = (share: number | undefined) => (share === undefined ? "" : ` ${Math.floor(share * 100)} %`);

/** A time to the minute, as 2026-04-20 14:05 UTC. */
const minuteText = (moment: Date) => `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** A duration in words, rounded up. */
export function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Shows a history's reports: lines to `out`, and a bar with the remaining time on `screen` if it is a terminal. */
export function shownHistory(
  out: (line: string) => void,
  now: () => number = () => performance.now(),
  screen: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
) {
  const bar = screen.isTTY
    ? new SingleBar({
        // The current step comes last, and the bar is short, because a terminal of 80 columns cuts longer lines.
        format: "{bar} {value} of {total} months{left} | {doing}",
        barsize: 24,
        stream: screen,
        barCompleteChar: "█",
        barIncompleteChar: "░",
        hideCursor: true,
        clearOnComplete: true,
        noTTYOutput: false,
      })
    : undefined;
  const begun = now();
  let [todo, done, worked] = [0, 0, 0];
  let doing = "";
  // A month read by an earlier run says nothing about the duration.
  const left = () => {
    if (worked === 0 || done >= todo) return "";
    return `, about ${inWords(((now() - begun) / worked) * (todo - done))} left`;
  };
  const line = (text: string) => {
    // Stopping a missing bar would redraw it.
    bar?.stop();
    out(text);
    if (bar && todo > 0) bar.start(todo, done, { doing, left: left() });
  };
  const place = () => `${done} of ${todo} months${left()}`;

  function tell(report: HistoryReport): void {
    switch (report.kind) {
      case "lost": {
        const [first, last] = [report.months[0]!, report.months.at(-1)!];
        for (const why of report.why) line(`lost: ${why}`);
        line(
          `${report.months.length} released months are lost, ${monthText(first)} to ${monthText(last)}: fetch them again`,
        );
        break;
      }
      case "begun":
        todo = report.asked - report.already;
        if (report.already > 0) line(`${report.already} of ${report.asked} months exist already`);
        else bar?.start(todo, 0, { doing, left: "" });
        break;
      case "doing": {
        const of = report.what === "writing" ? report.of : monthText(report.of);
        doing = `${report.what} ${of}${percent(report.share)}`;
        bar?.update(done, { doing, left: left() });
        break;
      }
      case "fetched": {
        const { path, sha256, bytes, fetched } = report.file;
        line(`${fetched ? "fetched" : "already there"}: ${path}, ${count(bytes)} bytes\nsha256 ${sha256}`);
        break;
      }
      case "waiting":
        line(
          `${monthText(report.period)} is unavailable (${report.why}): retry at ${minuteText(report.again)}, until ${minuteText(report.given_up)}`,
        );
        break;
      case "read":
        done++;
        if (!report.resumed) worked++;
        line(
          `${monthText(report.period)}: ${report.resumed ? "read before" : `${count(report.rows)} lines read`}; ${place()}`,
        );
        break;
      case "missing":
        done++;
        line(`${monthText(report.fault.period)} is missing: ${report.fault.why.message}; ${place()}`);
        break;
      case "released": {
        const { facts, unchanged } = report.released;
        const months = report.months.map((period) => String(period % 100).padStart(2, "0")).join(" ");
        line(
          `${facts.dataset} ${unchanged ? "already current" : "released"}: vintage ${facts.vintage.slice(0, 16)}, ` +
            `${count(facts.rows)} rows, ${facts.periods.from} to ${facts.periods.to}; ${yearOf(report.months[0]!)}: ${months}`,
        );
        break;
      }
    }
  }
  return { tell, end: () => bar?.stop() };
}

/** The result, with a remedy for each missing month. */
export function summaryOf({ asked, already, brought, missing, left }: HistorySummary): string {
  const lines = [
    `${asked} months requested: ${already} existed, ${brought.length} added, ${missing.length + (left?.months.length ?? 0)} missing`,
  ];
  for (const { period, why, remedy } of missing)
    lines.push(`  ${monthText(period)}: ${why.message}\n    ${remedy}`);
  if (left && left.months.length > 0) {
    const [first, last] = [left.months[0]!, left.months.at(-1)!];
    lines.push(
      `  ended before ${monthText(first)}${first === last ? "" : ` to ${monthText(last)}`}: ${left.why.message}`,
      "    run the same command again: it resumes there",
    );
  }
  return lines.join("\n");
}
