import type { EventRow } from "./event-row.ts";
import type { LogState } from "./log-state.ts";

/** Notes a fault of a verdict: where it is, what is wrong, and up to where all is well; the last event when left out. */
export type FaultSink = (verdict: string, fault: string, place: number, good?: number) => void;

/** Up to which position (of one stream: version) something proves the events: `by` is a word like "signed". */
export type ProvenRange = { by: string; to: number };

/** Judges the evidence that an export carries beside its events, under verdicts of its own. One for each verification. */
export type Companion = {
  readonly verdicts: readonly string[];
  begin(log: LogState, say: FaultSink): void;
  /** A line of evidence. Throws UnreadableEvent. */
  line(text: string): void;
  /** An event, after the other checks of it. */
  event(row: EventRow): void;
  /** Asks others what only they can say of the events read; before `end`. */
  settle?(): Promise<void>;
  end(): void;
  /** What a verdict of its own says beside its faults. */
  reach(verdict: string): string;
  proven(): ProvenRange[];
};
