import { hex } from "./bytes.ts";
import { checks as allChecks, type Check } from "./checks.ts";
import { EventRow } from "./event-row.ts";
import type { Header } from "./header.ts";
import { LogState, type Source, type StateOptions } from "./log-state.ts";
import type { Verdict, VerifyReport } from "./report.ts";

export type VerifyOptions = Omit<StateOptions, "epoch"> & {
  /** All of them when left out; the tests leave one out at a time. */
  checks?: Check[];
};

type EventCheck = Extract<Check, { at: "event" }>;
type Tally = { checked: number; faults: number; first_bad?: number; reason?: string; last_good: number };

/** In characters: names in a hostile export may fill megabytes. */
const LONGEST_REASON = 500;
const VERDICTS = ["format", "canonical", "chain", "order", "commits", "completeness"] as const;
type VerdictName = (typeof VERDICTS)[number];

/** Runs the checks over events handed to it one by one and keeps the tally of each verdict; where they come from is its callers' matter. */
export class Verifier {
  readonly row = new EventRow();
  #log: LogState | undefined;
  #checks: Check[];
  #eventChecks: EventCheck[] = [];
  #tallies = {} as Record<VerdictName, Tally>;
  #options: VerifyOptions;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#checks = options.checks ?? allChecks;
    for (const name of VERDICTS) this.#tallies[name] = { checked: 0, faults: 0, last_good: 0 };
  }

  get log(): LogState | undefined {
    return this.#log;
  }

  /** Call once, before the first event. */
  begin(source: Source, header: Header, epoch?: string): void {
    const log = new LogState(source, header, { ...this.#options, epoch });
    this.#log = log;
    this.#checks = this.#checks.filter((check) => !check.except?.includes(source));
    this.#eventChecks = this.#checks.filter((check) => check.at === "event");
    for (const check of this.#checks) {
      if (check.at === "start") this.#say(check.verdict, check.fault(log), log.position + 1);
    }
    log.passHeld();
  }

  /** Checks the event that stands in `row`. */
  event(): void {
    const log = this.#log!;
    const row = this.row;
    log.meet(row);
    const place = log.placeOf(row);
    for (const check of this.#eventChecks) {
      const fault = check.fault(row, log);
      if (fault !== undefined) this.#say(check.verdict, fault, place);
    }
    log.pass(row);
  }

  /** Counts a line or row that could be read. */
  readable(): void {
    this.#tallies.format.checked++;
  }

  /** A line or row that cannot be read; it is passed over, so what it hides shows in the other verdicts. */
  unreadable(reason: string): void {
    this.#tallies.format.checked++;
    this.#say("format", reason, this.#log ? this.#log.position + 1 : 0);
  }

  /** Call once, after the last event. */
  report(): VerifyReport {
    const log = this.#log;
    if (log) {
      for (const check of this.#checks) {
        if (check.at === "end") this.#say(check.verdict, check.fault(log), log.position + 1);
      }
    }
    const verdicts = VERDICTS.map((name) => this.#verdict(name));
    return {
      ok: verdicts.every((verdict) => verdict.ok),
      verdicts,
      head: log && log.events > 0 ? { position: log.position, hash: hex(log.hash) } : null,
      events: log?.events ?? 0,
      streams: log?.streams.size ?? 0,
    };
  }

  #say(verdict: VerdictName, fault: string | undefined, place: number): void {
    if (fault === undefined) return;
    const tally = this.#tallies[verdict];
    tally.faults++;
    if (tally.faults > 1) return;
    tally.first_bad = place;
    tally.reason = fault.length > LONGEST_REASON ? `${fault.slice(0, LONGEST_REASON)}…` : fault;
    tally.last_good = this.#log?.position ?? 0;
  }

  #verdict(name: VerdictName): Verdict {
    const tally = this.#tallies[name];
    const log = this.#log;
    if (!log && name !== "format") {
      return { name, ok: false, checked: 0, detail: "nothing was checked, because no header could be read" };
    }
    const checked = name === "format" ? tally.checked : log!.events;
    const reach = log ? reachOf(name, log, tally) : "nothing was read";
    if (tally.faults === 0) return { name, ok: true, checked, detail: reach };
    const { first_bad, reason, last_good } = tally;
    const place = log?.source === "stream" ? "version" : "position";
    const holds = last_good > 0 ? `holds up to ${place} ${last_good}` : "holds for no event";
    const detail = `${tally.faults} fault${tally.faults > 1 ? "s" : ""}, the first at ${place} ${first_bad}; ${holds}`;
    return {
      name,
      ok: false,
      checked,
      first_bad,
      reason,
      detail: name === "completeness" ? `${detail}; ${reach}` : detail,
    };
  }
}

function reachOf(name: VerdictName, log: LogState, tally: Tally): string {
  const begins = log.source !== "stream" && !log.fromTheStart;
  switch (name) {
    case "format":
      return `${tally.checked} ${log.source === "database" ? "rows" : "lines"} read`;
    case "canonical":
      return `payload and meta of ${log.events} events are RFC 8785 text`;
    case "chain":
      return (
        `every hash and link of ${log.events} events in ${log.streams.size} streams holds` +
        (log.streamsJoined > 0
          ? `; ${log.streamsJoined} streams begin earlier, their first link here is unproven`
          : "")
      );
    case "order":
      if (log.source === "stream") return `recorded_at never goes back over ${log.events} events`;
      return `${log.events} events without a gap up to position ${log.position}, each log hash holds`;
    case "commits":
      return `${log.commits} commits${log.source === "stream" ? " begin in this stream" : ", whole and bound to their keys"}`;
    case "completeness":
      return (begins ? `begins at ${firstOf(log)}, what lies before is unproven; ` : "") + provenTo(log);
  }
}

function firstOf(log: LogState): number {
  return log.header.format === "tallystick-log/1" ? log.header.first_position : 1;
}

function provenTo(log: LogState): string {
  const proven = log.heldProven;
  if (proven === undefined) {
    return `no earlier head was given, so a rewrite or a cut of the end would not show: unproven beyond ${log.fromTheStart ? 0 : firstOf(log) - 1}`;
  }
  return proven === log.position
    ? `proven up to the held head ${proven}`
    : `proven up to the held head ${proven}, unproven beyond ${proven}`;
}
