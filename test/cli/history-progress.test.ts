/**
 * A history's progress report: lines for a later reader, a bar with the remaining time on a terminal, and the
 * summary.
 */
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { inWords, shownHistory, summaryOf } from "../../src/cli/history-progress.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import type { HistoryReport, HistorySummary } from "../../src/operator/history.ts";

const MINUTE = 60_000;

/** A screen of usual width, on which lines are cut and not wrapped. */
class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  #written = "";

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#written += chunk;
    done();
  }

  /** The drawn bars, as far as visible. */
  bars(): string[] {
    return stripVTControlCharacters(this.#written)
      .split(/(?=(?<![█░])[█░])/)
      .map((bar) => bar.slice(0, this.columns));
  }
}

/** A history with scripted reports at given times. */
function terminal({ screen = Object.assign(new Screen(), { isTTY: false }) }: { screen?: Writable } = {}) {
  let at = 0;
  const lines: string[] = [];
  const shown = shownHistory(
    (line) => void lines.push(line),
    () => at,
    screen,
  );
  onTestFinished(() => shown.end());
  return {
    lines,
    tell: (...all: HistoryReport[]) => all.forEach(shown.tell),
    pass: (ms: number) => void (at += ms),
    end: shown.end,
  };
}

const read = (period: number, more: { rows?: number; resumed?: boolean } = {}): HistoryReport => ({
  ...{ kind: "read", period, rows: 1_234_567, resumed: false, ...more },
});
const why = new Refusal("unavailable", "the server does not answer");

describe("a duration", () => {
  test.each([
    [0, "0 s"],
    [1, "1 s"],
    [119_000, "119 s"],
    [119_001, "2 min"],
    [120_001, "3 min"],
    [119 * MINUTE, "119 min"],
    [119 * MINUTE + 1, "2 h 0 min"],
    [200 * MINUTE, "3 h 20 min"],
  ])("of %d ms is %s", (ms, words) => {
    expect(inWords(ms)).toBe(words);
  });
});

describe("lines", () => {
  test("report each month's number, and the remaining time by months read in this run", () => {
    const { lines, tell, pass } = terminal();
    tell({ kind: "begun", asked: 12, already: 2 });
    tell(read(202001, { resumed: true }));
    pass(3 * MINUTE);
    tell(read(202002));
    pass(MINUTE);
    tell(read(202003));
    tell({ kind: "missing", fault: { period: 202004, why, remedy: "wait" } });
    expect(lines).toEqual([
      "2 of 12 months exist already",
      // A month read before took no time, so there is no estimate yet.
      "2020-01: read before; 1 of 10 months",
      "2020-02: 1,234,567 lines read; 2 of 10 months, about 24 min left",
      "2020-03: 1,234,567 lines read; 3 of 10 months, about 14 min left",
      "2020-04 is missing: the server does not answer; 4 of 10 months, about 12 min left",
    ]);
  });

  test("report until when a busy server is waited for", () => {
    const { lines, tell } = terminal();
    const [again, given_up] = [new Date("2026-04-20T14:05:59Z"), new Date("2026-04-20T20:00:00Z")];
    tell({ kind: "waiting", period: 202001, why: "the server answered 503", again, given_up });
    expect(lines).toEqual([
      "2020-01 is unavailable (the server answered 503): retry at 2026-04-20 14:05 UTC, until 2026-04-20 20:00 UTC",
    ]);
  });

  test("report lost data, and the months to import again", () => {
    const { lines, tell } = terminal();
    tell({ kind: "lost", months: [202311, 202312], why: ["2023.duckdb is gone"] });
    tell({ kind: "begun", asked: 4, already: 2 });
    expect(lines).toEqual([
      "lost: 2023.duckdb is gone",
      "2 released months are lost, 2023-11 to 2023-12: fetch them again",
      "2 of 4 months exist already",
    ]);
  });

  test("omit the remaining time after the last month", () => {
    const { lines, tell, pass } = terminal();
    tell({ kind: "begun", asked: 1, already: 0 });
    pass(MINUTE);
    tell(read(202001));
    expect(lines).toEqual(["2020-01: 1,234,567 lines read; 1 of 1 months"]);
  });

  test("name files with their digests and vintages with their months", () => {
    const { lines, tell } = terminal();
    const file = { path: "a.7z", sha256: "ab".repeat(32), bytes: 12_345, fetched: true };
    tell({ kind: "fetched", period: 202001, file });
    tell({ kind: "fetched", period: 202001, file: { ...file, fetched: false } });
    const facts = { dataset: "comext-bulk", vintage: "cd".repeat(32), rows: 9_876 };
    const released = { facts: { ...facts, periods: { from: 201901, to: 202002 } }, unchanged: false };
    const both = { kind: "released", months: [202001, 202002], released } as HistoryReport & {
      kind: "released";
    };
    tell(both, { ...both, released: { ...both.released, unchanged: true } });
    const digest = `sha256 ${"ab".repeat(32)}`;
    const rest = `vintage ${"cd".repeat(8)}, 9,876 rows, 201901 to 202002; 2020: 01 02`;
    expect(lines).toEqual([
      `fetched: a.7z, 12,345 bytes\n${digest}`,
      `already there: a.7z, 12,345 bytes\n${digest}`,
      `comext-bulk released: ${rest}`,
      `comext-bulk already current: ${rest}`,
    ]);
  });
});

describe("a bar", () => {
  test("shows months and remaining time on a terminal of 80 columns, and as much of the current step as fits", () => {
    const screen = new Screen();
    const { tell, pass, end } = terminal({ screen });
    tell({ kind: "begun", asked: 252, already: 0 });
    expect(screen.bars().at(-1)).toMatch(/^░{24} 0 of 252 months \| $/);
    tell({ kind: "doing", what: "fetching", of: 200501, share: 0.999 });
    pass(5 * MINUTE);
    tell(read(200501));
    tell({ kind: "doing", what: "writing", of: 2005 });
    // The end draws it once more, unchanged.
    end();
    const bar = `${"░".repeat(24)} 1 of 252 months, about 20 h 55 min left`;
    expect(screen.bars().slice(-2)).toEqual([`${bar} | fetching 2005`, `${bar} | writing 2005`]);
  });

  test("is filled by finished work, without months imported before", () => {
    const screen = new Screen();
    const { lines, tell, pass } = terminal({ screen });
    tell({ kind: "begun", asked: 6, already: 4 });
    pass(MINUTE);
    tell(read(202001));
    expect(lines[0]).toBe("4 of 6 months exist already");
    expect(screen.bars().at(-1)).toMatch(/^█{12}░{12} 1 of 2 months, about 60 s left \| $/);
  });

  test("is not drawn without a terminal", () => {
    const screen = Object.assign(new Screen(), { isTTY: false });
    const { tell, end } = terminal({ screen });
    tell({ kind: "begun", asked: 2, already: 0 }, read(202001));
    end();
    expect(screen.bars().join("")).toBe("");
  });
});

describe("the summary", () => {
  const summary = (more: Partial<HistorySummary>): string =>
    summaryOf({ asked: 3, already: 1, brought: [202002, 202003], missing: [], left: undefined, ...more });

  test("reports the number of imported months", () => {
    expect(summary({})).toBe("3 months requested: 1 existed, 2 added, 0 missing");
    expect(summary({ left: { months: [], why } })).toBe(summary({}));
  });

  test("names each missing month with reason and remedy, and the months that were not reached", () => {
    const missing = [{ period: 202002, why, remedy: "run it again tomorrow" }];
    expect(summary({ brought: [], missing, left: { months: [202003], why } })).toBe(
      [
        "3 months requested: 1 existed, 0 added, 2 missing",
        "  2020-02: the server does not answer",
        "    run it again tomorrow",
        "  ended before 2020-03: the server does not answer",
        "    run the same command again: it resumes there",
      ].join("\n"),
    );
    expect(summary({ brought: [], left: { months: [202002, 202003], why } })).toContain(
      "\n  ended before 2020-02 to 2020-03: ",
    );
  });
});
