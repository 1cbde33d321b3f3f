import type { EventRow } from "./event-row.ts";
import type { LogState } from "./log-state.ts";

/** `good`: the last valid place; default: the last event. */
export type FaultSink = (verdict: string, fault: string, place: number, good?: number) => void;

/** `by`: a word like "signed". `to`: a position, or a stream's version. */
export type ProvenRange = { by: string; to: number };

/** Judges an export's evidence, with its own verdicts. One for each verification. */
export type Companion = {
  readonly verdicts: readonly string[];
  begin(log: LogState, say: FaultSink): void;
  /** Throws UnreadableEvent. */
  line(text: string): void;
  /** Called after the other checks. */
  event(row: EventRow): void;
  /** External queries, before `end`. */
  settle?(): Promise<void>;
  end(): void;
  reach(verdict: string): string;
  proven(): ProvenRange[];
  /** A limit of everything that was verified, named after the word. */
  caveat?(): string | undefined;
};
