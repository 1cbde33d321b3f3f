/** docs/event-log.md, section 10. */
import type { EventRow } from "./event-row.ts";

/** One subject for each value, or the subject that was erased. */
export type EventSeals = { sealed_for: readonly string[]; erased?: string };

/** `erased`: null for a single stream. */
export type SealCounts = { values: number; erased: number | null };

const ERASED = "SubjectErased";
const SUBJECT_STREAM = "subject-";
const MEMBERS = "ct,iv,seal_id,subject_id,tag";

/** Undefined for most events; `mayHold` is false without a member `seal_id`. Never throws. */
export function sealedHere({ type, payload, stream_id }: EventRow, mayHold: boolean): EventSeals | undefined {
  const isErasure = type.length - type.start === ERASED.length && type.text() === ERASED;
  if (!isErasure && !mayHold) return undefined;
  const sealed_for = subjectsIn(parsed(payload.text()));
  const stream = stream_id.text();
  return {
    sealed_for,
    ...(isErasure && stream.startsWith(SUBJECT_STREAM) && { erased: stream.slice(SUBJECT_STREAM.length) }),
  };
}

/** Iterative: a deep payload must not exhaust the stack. */
function subjectsIn(payload: unknown): string[] {
  const found: string[] = [];
  const left = [payload];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const members = Object.values(value);
    const isSealed =
      Object.keys(value).sort().join() === MEMBERS && members.every((member) => typeof member === "string");
    if (isSealed) found.push((value as { subject_id: string }).subject_id);
    else for (const member of members) left.push(member);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `limit` subjects at most, so that a hostile export cannot exhaust memory. */
export class SealedCount {
  readonly #limit: number;
  readonly #values = new Map<string, number>();
  readonly #erased = new Set<string>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take({ sealed_for, erased }: EventSeals): void {
    this.#total += sealed_for.length;
    for (const subject of sealed_for)
      if (this.#values.has(subject) || this.#values.size < this.#limit)
        this.#values.set(subject, (this.#values.get(subject) ?? 0) + 1);
    if (erased !== undefined && this.#erased.size < this.#limit) this.#erased.add(erased);
  }

  countsOf(isStream: boolean): SealCounts {
    let erased = 0;
    for (const subject of this.#erased) erased += this.#values.get(subject) ?? 0;
    return { values: this.#total, erased: isStream ? null : erased };
  }
}
