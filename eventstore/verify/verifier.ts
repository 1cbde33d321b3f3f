import { hex } from "./bytes.ts";
import { checks as allChecks, type Check } from "./checks.ts";
import type { Companion, ProvenRange } from "./companion.ts";
import type { Source } from "./event-checks.ts";
import type { EventFault } from "./event-reading.ts";
import { EventRow } from "./event-row.ts";
import type { Header } from "./header.ts";
import { LogState, MOST_STREAMS, type StateOptions } from "./log-state.ts";
import type { Fault, Verdict, VerifyReport } from "./report.ts";
import { type EventSeals, SealedCount } from "./sealed.ts";

export type VerifyOptions = Omit<StateOptions, "epoch"> & {
  /** Default: all; tests omit one at a time. */
  checks?: Check[];
  /** Evidence is ignored without it. */
  companion?: Companion;
};

type PlaceCheck = Extract<Check, { at: "place" }>;
type Tally = {
  checked: number;
  /** `told` has only the first faults. */
  faults: number;
  told: Fault[];
  first_bad?: number;
  reason?: string;
  last_good: number;
};

/** In characters: names in a hostile export may fill megabytes. */
const LONGEST_REASON = 500;
const MOST_TOLD = 100;
const VERDICTS = ["format", "canonical", "chain", "order", "commits"] as const;
/** A fault of these is of the events that a signature covers. */
const OF_EVENTS = ["chain", "order", "tree"] as const;
/** Names in a sentence for people. */
const LONGEST_NAME = 80;
/** After such a fault, other verdicts mean nothing. */
const FRAME: ReadonlySet<string> = new Set(VERDICTS);

/** Independent of the events' source. */
export class Verifier {
  readonly row = new EventRow();
  #log: LogState | undefined;
  #checks: Check[];
  #placeChecks: PlaceCheck[] = [];
  readonly #names: readonly string[];
  readonly #tallies = new Map<string, Tally>();
  readonly #format: Tally;
  readonly #companion: Companion | undefined;
  readonly #sealed: SealedCount;
  #options: VerifyOptions;
  #found: Fault | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#sealed = new SealedCount(options.max_streams ?? MOST_STREAMS);
    this.#checks = options.checks ?? allChecks;
    this.#companion = options.companion;
    this.#names = [...VERDICTS, ...(options.companion?.verdicts ?? []), "completeness"];
    for (const name of this.#names)
      this.#tallies.set(name, { checked: 0, faults: 0, told: [], last_good: 0 });
    this.#format = this.#tallies.get("format")!;
  }

  get found(): Fault | undefined {
    return this.#found;
  }

  get log(): LogState | undefined {
    return this.#log;
  }

  begin(source: Source, header: Header, epoch?: string): void {
    const log = new LogState(source, header, { ...this.#options, epoch });
    this.#log = log;
    this.#checks = this.#checks.filter((check) => !check.except?.includes(source));
    this.#placeChecks = this.#checks.filter((check) => check.at === "place");
    for (const check of this.#checks) {
      if (check.at === "start") this.#say(check.verdict, check.fault(log), log.first);
    }
    log.passHeld();
    this.#companion?.begin(log, (verdict, fault, place, good) => this.#say(verdict, fault, place, good));
  }

  /** After `begin`. Throws UnreadableEvent. */
  evidence(text: string): void {
    this.#companion?.line(text);
  }

  get eventChecks(): string[] {
    return this.#checks.filter(({ at }) => at === "event").map(({ name }) => name);
  }

  /** `faults` and `sealed` are of the event in `row`. */
  event(faults: readonly EventFault[], sealed?: EventSeals): void {
    if (sealed) this.#sealed.take(sealed);
    const log = this.#log!;
    const row = this.row;
    log.meet(row);
    const place = log.place + 1;
    for (const { verdict, reason, says, type } of faults)
      this.#say(verdict, says ? `${this.#subject(place, type)} ${says}: ${reason}` : reason, place);
    for (const check of this.#placeChecks) {
      const fault = check.fault(row, log);
      if (fault === undefined) continue;
      this.#say(check.verdict, check.says ? `${this.#subject(place)} ${check.says}: ${fault}` : fault, place);
    }
    this.#companion?.event(row);
    log.pass(row);
  }

  #subject(place: number, type?: string): string {
    const stream = this.row.stream_id.text().slice(0, LONGEST_NAME);
    return `event ${place}${type ? `, ${type.slice(0, LONGEST_NAME)}` : ""} of stream ${stream},`;
  }

  readable(): void {
    this.#format.checked++;
  }

  /** Skipped: the other verdicts show the faults that it hides. */
  unreadable(reason: string): void {
    this.#format.checked++;
    this.#say("format", reason, this.#log ? this.#log.place + 1 : 0);
  }

  async settle(): Promise<void> {
    if (this.#log) await this.#companion?.settle?.();
  }

  report(): VerifyReport {
    const log = this.#log;
    if (log) {
      this.#companion?.end();
      for (const check of this.#checks) {
        if (check.at === "end")
          this.#say(check.verdict, check.fault(log), check.place?.(log) ?? log.place + 1);
      }
    }
    const verdicts = this.#names.map((name) => this.#verdict(name));
    const caveat = log && this.#companion?.caveat?.();
    return {
      ok: verdicts.every((verdict) => verdict.ok),
      ...(caveat !== undefined && { caveat }),
      verdicts,
      origin: log?.header.origin ?? null,
      proven: log ? Math.max(0, ...provenBy(log, this.#companion).map(({ to }) => to)) : 0,
      head: log && log.events > 0 ? { position: log.position, hash: hex(log.hash) } : null,
      events: log?.events ?? 0,
      streams: log?.streams.size ?? 0,
      sealed: this.#sealed.countsOf(log?.source === "stream"),
    };
  }

  #say(verdict: string, fault: string | undefined, place: number, good = place - 1): void {
    if (fault === undefined) return;
    const tally = this.#tallies.get(verdict)!;
    this.#found ??= { place, reason: fault };
    tally.faults++;
    const reason = fault.length > LONGEST_REASON ? `${fault.slice(0, LONGEST_REASON)}…` : fault;
    if (tally.told.length < MOST_TOLD) tally.told.push({ place, reason });
    if (tally.first_bad !== undefined && tally.first_bad <= place) return;
    tally.first_bad = place;
    tally.reason = reason;
    tally.last_good = good;
  }

  #unjudged(log: LogState): string | undefined {
    const bad = OF_EVENTS.flatMap((name) => {
      const place = this.#tallies.get(name)?.first_bad;
      return place === undefined ? [] : [{ name, place }];
    });
    return unjudgedBy(bad, provenBy(log, this.#companion));
  }

  #verdict(name: string): Verdict {
    const tally = this.#tallies.get(name)!;
    const log = this.#log;
    if (!log && name !== "format") {
      const detail = "nothing was checked, because no header could be read";
      const reason = "there is no header";
      return {
        name,
        ok: false,
        checked: 0,
        first_bad: 0,
        reason,
        detail,
        ...verdictOf([{ place: 0, reason }], 1),
      };
    }
    const checked = name === "format" ? tally.checked : log!.events;
    const unjudged = name === "completeness" && log ? this.#unjudged(log) : undefined;
    const reach = unjudged ?? (log ? reachOf(name, log, tally, this.#companion) : "nothing was read");
    if (tally.faults === 0)
      return unjudged === undefined
        ? { name, ok: true, checked, detail: reach }
        : { name, ok: false, judged: false, checked, detail: reach };
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
      ...verdictOf(tally.told, tally.faults),
      detail: FRAME.has(name) ? detail : `${detail}; ${reach}`,
    };
  }
}

/** Signatures and heads say nothing of events that are not the signed ones. */
function unjudgedBy(bad: readonly { name: string; place: number }[], proven: readonly ProvenRange[]) {
  const furthest = Math.max(0, ...proven.map(({ to }) => to));
  const [first] = bad.toSorted((a, b) => a.place - b.place);
  if (!first || (furthest > 0 && first.place > furthest)) return undefined;
  const what = furthest > 0 || first.name === "tree" ? "signed" : "recorded";
  return `not judged: the events themselves are not what was ${what} (${first.name}, from ${first.place})`;
}

const verdictOf = (faults: readonly Fault[], fault_count: number) => ({
  faults: faults.toSorted((a, b) => a.place - b.place),
  fault_count,
});

function reachOf(name: string, log: LogState, tally: Tally, companion: Companion | undefined): string {
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
      return `${log.events} events without a gap up to position ${log.place}, each log hash holds`;
    case "commits":
      return `${log.commits} commits${log.source === "stream" ? " begin in this stream" : ", whole and bound to their keys"}`;
    case "completeness":
      return (
        (begins ? `begins at ${log.first}, what lies before is unproven; ` : "") + provenTo(log, companion)
      );
    default:
      return companion!.reach(name);
  }
}

function provenBy(log: LogState, companion: Companion | undefined): ProvenRange[] {
  const held = [...log.heldMet].reduce<number | undefined>(
    (most, { position }) => Math.max(most ?? 0, position),
    undefined,
  );
  return [
    ...(companion?.proven() ?? []),
    ...(held === undefined ? [] : [{ by: "proven up to the held head", to: held }]),
  ];
}

function provenTo(log: LogState, companion: Companion | undefined): string {
  const proven = provenBy(log, companion);
  if (proven.length === 0)
    return `no earlier head was given, so a rewrite or a cut of the end would not show: unproven beyond ${log.first - 1}`;
  const furthest = Math.max(...proven.map(({ to }) => to));
  const ways = proven.map(({ by, to }) => `${by} ${to}`).join(", ");
  return furthest >= log.place
    ? ways
    : `${ways}, unproven beyond ${furthest}: without a head of the end, a rewrite or a cut there would not show`;
}
