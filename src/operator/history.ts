/**
 * Imports the whole history of Comext unattended: each month is fetched, read and checked separately, and released
 * by year. Progress is in the log, `vintages/staged` and the download folder, so a new run continues where the last
 * one stopped.
 */
import type { App } from "../core/app.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { type BuildSpace, takeStagingSpace } from "../datasets/build-space.ts";
import { diskNeed, type Free, refuseShortOfDisk } from "../datasets/disk-need.ts";
import {
  type DownloadedFile,
  finishedFile,
  removeDownload,
  ServerAway,
  ServerBusy,
  sleepFor,
} from "../datasets/download.ts";
import { explainShortage } from "../datasets/duckdb.ts";
import { archivePath, type ComextRequest, fetchComext, monthsAsked, sizesOf } from "../datasets/fetch.ts";
import { examineVintage, type LostFiles } from "../datasets/manifest.ts";
import { OtherReporters } from "../datasets/stage.ts";
import { dropStaged, isOf, type StagedMonth, stagedMonths, stageMonth } from "../datasets/staged-month.ts";
import type { UnpackedFile } from "../datasets/unpack.ts";
import { unpack } from "../datasets/unpack.ts";
import * as dataset from "../domain/trade/dataset.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { monthsBetween, monthText, type Period, yearOf } from "../domain/trade/units.ts";
import { ahead, each } from "./prefetch.ts";
import { type BuildOptions, importStaged, OPERATOR, type VintageRelease } from "./releases.ts";

const DATASET = "comext-bulk";
/** Archives fetched before the current month is done. */
const FETCHED_AHEAD = 2;
/** After this many failed months in a row, the server is at fault and not the month. */
const SERVER_FAULTS = 3;
/** A busy server is retried after a minute, then after doubled pauses, up to this total. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;
const PATIENCE_MS = 6 * 3_600_000;

export type HistoryRequest = Omit<BuildOptions, "progress"> &
  Pick<ComextRequest, "from" | "to" | "dir" | "url" | "again" | "now" | "pause"> & {
    reporters?: ReporterCode[];
    /** Stop at the first broken or missing month. */
    stop?: boolean;
    /** Delete an archive once its month is imported. */
    discard?: boolean;
    /** Free space, and the time in Unix milliseconds; tests replace both. */
    free?: Free;
    time?: () => number;
    tell: (report: HistoryReport) => void;
  };

/** Progress reports. */
export type HistoryReport =
  /** Released months whose files are missing or damaged, and why. */
  | { kind: "lost"; months: Period[]; why: string[] }
  | { kind: "begun"; asked: number; already: number }
  | { kind: "doing"; what: "fetching" | "reading" | "writing"; of: number; share?: number }
  | { kind: "fetched"; period: Period; file: DownloadedFile }
  /** The next retry of a busy server, and the end of retries. */
  | { kind: "waiting"; period: Period; why: string; again: Date; given_up: Date }
  /** A month was read; `resumed`: by an earlier run. */
  | { kind: "read"; period: Period; rows: number; resumed: boolean }
  | { kind: "missing"; fault: MonthFault }
  | { kind: "released"; months: Period[]; released: VintageRelease };

/** A month that was not imported, the reason and the remedy. */
export type MonthFault = { period: Period; why: Refusal; remedy: string };

export type HistorySummary = {
  asked: number;
  already: number;
  brought: Period[];
  missing: MonthFault[];
  /** Months that were not reached, and why the run ended. */
  left: { months: Period[]; why: Refusal } | undefined;
};

/** A month in progress. */
type MonthTask = { period: Period } & (
  | { at: "fetched"; file: DownloadedFile }
  | { at: "unpacked"; text: UnpackedFile }
  | { at: "staged"; staged: StagedMonth }
  | { at: "unchanged" }
  | { at: "fault"; why: Refusal; fetching: boolean }
);

/**
 * Imports missing months. Refuses before any download if the disk is too small. An unavailable server ends the run
 * with the complete releases; a broken month is reported and skipped.
 */
export async function importHistory(app: App, request: HistoryRequest): Promise<HistorySummary> {
  const months = monthsAsked(request);
  await app.accepting.check();
  const space = await takeStagingSpace(request.data_dir, { wait_ms: 5_000, signal: request.signal });
  try {
    return await new History(app, request, space).bring(months);
  } finally {
    await space.release();
  }
}

class History {
  readonly #app: App;
  readonly #request: HistoryRequest;
  readonly #space: BuildSpace;
  readonly #brought: Period[] = [];
  readonly #missing: MonthFault[] = [];
  /** The archives of released months, by digest. */
  #inLog = new Map<Period, string>();
  /** The missing or damaged part of the current vintage. */
  #lost: LostFiles | undefined;
  #kept = new Map<Period, StagedMonth>();
  /** The read months of the current year. */
  #year: StagedMonth[] = [];
  #serverFaults = 0;
  /** Since when the server has answered for no month. */
  #busySince: number | undefined;
  /** Why no further requests are sent. */
  #away: ServerAway | undefined;

  constructor(app: App, request: HistoryRequest, space: BuildSpace) {
    this.#app = app;
    this.#request = request;
    this.#space = space;
  }

  async bring(months: readonly Period[]): Promise<HistorySummary> {
    const { again, discard, tell, data_dir } = this.#request;
    const { archives, lost } = await monthsIn(this.#app, data_dir);
    this.#inLog = archives;
    if (lost) {
      refuseBesideLost(lost, this.#request);
      this.#lost = lost;
      tell({ kind: "lost", months: lost.months, why: [...lost.parts.values()] });
    }
    this.#kept = await stagedMonths(data_dir);
    for (const staged of this.#kept.values()) {
      if (!isOf(staged, this.#inLog.get(staged.period) ?? "")) continue;
      await dropStaged([staged]);
      this.#kept.delete(staged.period);
    }
    const todo = months.filter((period) => again || !this.#inLog.has(period));
    const already = months.length - todo.length;
    // With `again` they are downloaded anew, and a new download may be here.
    if (discard && !again) await this.#discardLeftovers(months);
    tell({ kind: "begun", asked: months.length, already });
    await this.#refuseShortOfDisk(todo);
    const left = await this.#each(todo);
    await this.#release();
    const [brought, missing] = [this.#brought, this.#missing];
    return { asked: months.length, already, brought, missing, left };
  }

  /** A run killed after a release could not delete its archives. */
  async #discardLeftovers(months: readonly Period[]): Promise<void> {
    for (const period of months) {
      const file = await finishedFile(archivePath(this.#request.dir, period));
      if (file && file.sha256 === this.#inLog.get(period)) await this.#discard(period);
    }
  }

  async #discard(period: Period): Promise<void> {
    if (this.#request.discard) await removeDownload(archivePath(this.#request.dir, period));
  }

  async #refuseShortOfDisk(todo: readonly Period[]): Promise<void> {
    const { dir, url, signal, data_dir, discard, free } = this.#request;
    const coming = todo.filter((period) => !this.#kept.has(period));
    if (coming.length === 0) return;
    const need = diskNeed(await sizesOf(coming, { dir, url, signal }), !discard);
    const needs = [
      { dir, bytes: need.downloads },
      { dir: data_dir, bytes: need.data },
    ];
    await refuseShortOfDisk(needs, free);
  }

  /**
   * Fetches, unpacks and reads in parallel: the next month is unpacked while one is read, and later ones are
   * fetched.
   */
  async #each(todo: readonly Period[]): Promise<HistorySummary["left"]> {
    const over = new AbortController();
    const { signal: given } = this.#request;
    const signal = given ? AbortSignal.any([given, over.signal]) : over.signal;
    const fetched = ahead(each(todo), FETCHED_AHEAD, (period) => this.#fetch(period, signal));
    const opened = ahead(fetched, 1, (way) => this.#open(way, signal));
    let done = 0;
    try {
      for await (const way of opened) {
        const [open] = this.#year;
        if (open && yearOf(open.period) !== yearOf(way.period)) await this.#release();
        const why = await this.#take(way);
        done++;
        if (why) return { months: todo.slice(done), why };
      }
      return undefined;
    } finally {
      over.abort(new Error("the history has ended"));
      await opened.return(undefined);
    }
  }

  async #fetch(period: Period, signal: AbortSignal): Promise<MonthTask> {
    const { again, tell } = this.#request;
    const staged = this.#kept.get(period);
    if (staged && !again) return { period, at: "staged", staged };
    if (this.#away) return { period, at: "fault", why: this.#away, fetching: true };
    try {
      const file = await this.#patiently(period, signal);
      tell({ kind: "fetched", period, file });
      if (this.#inLog.get(period) === file.sha256) return { period, at: "unchanged" };
      if (staged && isOf(staged, file.sha256)) return { period, at: "staged", staged };
      return { period, at: "fetched", file };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServerAway) this.#away = error;
      return fault(period, error, true);
    }
  }

  /** Retries a busy server until it answers or was busy for too long. */
  async #patiently(period: Period, signal: AbortSignal): Promise<DownloadedFile> {
    const { tell, pause = sleepFor, time = Date.now } = this.#request;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        const file = await this.#archive(period, signal);
        // A cached file says nothing about the server.
        if (file.fetched) this.#busySince = undefined;
        return file;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ServerBusy)) {
          this.#busySince = undefined;
          throw error;
        }
        this.#busySince ??= time();
        const end = this.#busySince + PATIENCE_MS;
        const again = Math.min(time() + wait, end);
        if (again <= time()) throw error;
        tell({ kind: "waiting", period, why: error.why, again: new Date(again), given_up: new Date(end) });
        await pause(again - time(), signal);
      }
    }
  }

  /** A damaged archive is downloaded once more, because the transfer may have failed. */
  async #archive(period: Period, signal: AbortSignal): Promise<DownloadedFile> {
    const { dir, url, again, now, pause, tell } = this.#request;
    const progress = (done: number, total: number | undefined) =>
      tell({
        kind: "doing",
        what: "fetching",
        of: period,
        ...(total !== undefined && { share: done / total }),
      });
    const ask = () =>
      fetchComext({ from: period, to: period, dir, url, again, now, pause, progress, signal });
    const [file] = await ask().catch((error) => {
      if (error instanceof Refusal && error.code === "invalid") return ask();
      throw error;
    });
    return file!;
  }

  async #open(way: MonthTask, signal: AbortSignal): Promise<MonthTask> {
    if (way.at !== "fetched") return way;
    const { period, file } = way;
    try {
      const { looking } = await import("../datasets/import.ts");
      const text = await unpack(this.#space, file.path, period, { ...looking, signal });
      return { period, at: "unpacked", text };
    } catch (error) {
      signal.throwIfAborted();
      return fault(period, shortage(error, this.#request.data_dir), false);
    }
  }

  /** Processes a month as far as possible; returns why the whole run must end, if it must. */
  async #take(way: MonthTask): Promise<Refusal | undefined> {
    const { period } = way;
    const { tell, stop } = this.#request;
    if (way.at === "unchanged") {
      await this.#discard(period);
      this.#brought.push(period);
      tell({ kind: "read", period, rows: 0, resumed: true });
      return undefined;
    }
    const read = await this.#read(way);
    if (read.at === "staged") {
      this.#serverFaults = 0;
      this.#year.push(read.staged);
      return undefined;
    }
    const { why, fetching } = read;
    const isServers = fetching && why.code === "unavailable";
    this.#serverFaults = isServers ? this.#serverFaults + 1 : 0;
    this.#miss(period, why);
    if (why instanceof ServerAway || stop || this.#serverFaults === SERVER_FAULTS) return why;
    return undefined;
  }

  async #read(way: MonthTask): Promise<Extract<MonthTask, { at: "staged" | "fault" }>> {
    const { period } = way;
    const { tell, limits, reporters, signal } = this.#request;
    if (way.at === "fault") return way;
    if (way.at === "staged") {
      tell({ kind: "read", period, rows: 0, resumed: true });
      return way;
    }
    if (way.at !== "unpacked") throw new Error(`${period} is ${way.at} where it should be read`);
    tell({ kind: "doing", what: "reading", of: period });
    try {
      const staged = await stageMonth(this.#space, way.text, { period, reporters, limits, signal });
      tell({ kind: "read", period, rows: staged.rows, resumed: false });
      return { period, at: "staged", staged };
    } catch (error) {
      signal?.throwIfAborted();
      return fault(period, error, false);
    }
  }

  #miss(period: Period, why: Refusal): void {
    const missing = { period, why, remedy: remedyOf(period, why) };
    this.#missing.push(missing);
    this.#request.tell({ kind: "missing", fault: missing });
  }

  /** Releases a year's months. If they are refused together, each month is tried alone. */
  async #release(): Promise<void> {
    const year = this.#year;
    this.#year = [];
    if (year.length === 0) return;
    const { data_dir, limits, reporters, signal, tell } = this.#request;
    const of = yearOf(year[0]!.period);
    const progress = (_: unknown, done: number, total: number) =>
      tell({ kind: "doing", what: "writing", of, share: done / Math.max(total, 1) });
    tell({ kind: "doing", what: "writing", of });
    try {
      const released = await importStaged(this.#app, year, {
        data_dir,
        limits,
        progress,
        lost: this.#lost,
        ...(reporters && { reporters }),
        ...(signal && { signal }),
      });
      await dropStaged(year);
      for (const { period } of year) await this.#discard(period);
      const months = year.map(({ period }) => period);
      this.#brought.push(...months);
      tell({ kind: "released", months, released });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "invalid") throw error;
      if (year.length === 1) return this.#miss(year[0]!.period, error);
      for (const month of year) {
        this.#year = [month];
        await this.#release();
      }
    }
  }
}

/**
 * The archives, by digest, of the current vintage's months, from its releases and intact files; and the lost
 * months.
 */
async function monthsIn(
  app: App,
  dataDir: string,
): Promise<{ archives: Map<Period, string>; lost: LostMonths | undefined }> {
  const archives = new Map<Period, string>();
  const current = await app.load(dataset, { tenant: OPERATOR, id: DATASET });
  if (!current) return { archives, lost: undefined };
  const { manifest, lost } = await examineVintage(dataDir, current.vintage);
  const months = lostMonths(current, lost);
  const stream = { tenant: OPERATOR, stream_id: dataset.streamOf(DATASET) };
  for (let after_version = 0; ; ) {
    const page = await app.store.readStream({ ...stream, after_version });
    for (const { data } of app.eventsOf(dataset, page))
      for (const { name, sha256 } of data.inputs) {
        const period = /^full_v2_(\d{6})\./.exec(name)?.[1];
        if (period) archives.set(Number(period), sha256);
      }
    const last = page.at(-1);
    if (!last) break;
    after_version = last.version;
  }
  const spoken = manifest?.coverage.spoken ?? [];
  for (const period of archives.keys())
    if (!spoken.some(({ from, to }) => from <= period && period <= to) || months.includes(period))
      archives.delete(period);
  return { archives, lost: months.length > 0 ? { ...lost, months } : undefined };
}

type LostMonths = LostFiles & { months: Period[] };

/** The months of a release whose files are lost. */
function lostMonths({ periods, partitions }: dataset.ReleaseFacts, { parts }: LostFiles): Period[] {
  const years = partitions.map(({ year }) => year);
  const gone = new Set(years.filter((year) => parts.has("manifest") || parts.has(year)));
  return monthsBetween(periods.from, periods.to).filter((period) => gone.has(yearOf(period)));
}

/** The release would lack the lost months, and a wrong DATA_DIR looks like a lost one. */
function refuseBesideLost({ vintage, months, parts }: LostMonths, { from, to }: HistoryRequest): void {
  const [first, last] = [months[0]!, months.at(-1)!];
  const [why] = parts.values();
  if (from <= first && first <= to) return;
  refuse(
    tradeProblems["dataset-missing"],
    `vintage ${vintage.slice(0, 12)} has lost the months from ${monthText(first)} to ${monthText(last)} (${why}): ` +
      `bring them in first, with --from ${first} --to ${last}, or set DATA_DIR to the folder they were imported into; nothing was fetched`,
  );
}

/** A month's own fault; faults of the machine or the run are thrown. */
function fault(period: Period, error: unknown, fetching: boolean): MonthTask & { at: "fault" } {
  const isMachines = (why: Refusal) =>
    why.type === tradeProblems["disk-full"] || why.type === tradeProblems["memory-limit"];
  if (!(error instanceof Refusal) || isMachines(error)) throw error;
  return { period, at: "fault", why: error, fetching };
}

function shortage(error: unknown, dir: string): unknown {
  try {
    return explainShortage(error, dir);
  } catch (explained) {
    return explained;
  }
}

function remedyOf(period: Period, why: Refusal): string {
  const { code } = why;
  const alone = `--from ${period} --to ${period}`;
  if (why instanceof OtherReporters)
    return `if the file is complete: the same with ${alone} --reporters ${why.found.join(",")}; else, once it is corrected at its source: with ${alone} --again`;
  if (code === "not_found") return `run the same command when ${monthText(period)} is published`;
  if (code === "invalid") return `once the file is corrected at its source: the same with ${alone} --again`;
  return "run the same command again: it continues with what has arrived";
}
