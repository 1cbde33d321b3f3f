/** Counts what of a log is sealed personal data, and how much of it is of subjects that were erased: docs/event-log.md, section 10. */
import type { EventRow } from "./event-row.ts";

/** What an event says of sealed data: for whom it holds values, one each, or who it says is erased. */
export type EventSeals = { sealed_for: readonly string[]; erased?: string };

/** Sealed values, and those of erased subjects; of one stream alone nobody can say who was erased. */
export type SealCounts = { values: number; erased: number | null };

const ERASED = "SubjectErased";
const SUBJECT_STREAM = "subject-";
const MEMBERS = "ct,iv,seal_id,subject_id,tag";

/** Undefined of most events; `mayHold` is false where no member of the payload is a `seal_id`. Whatever a payload holds, nothing is thrown. */
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

/** The subject of each sealed value: an object with these members alone, all of them text. However deep a payload is, the stack is not. */
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

/** Keeps count by subject, of `limit` subjects and no more, so that a hostile export cannot take the machine's memory. */
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

  told(isStream: boolean): SealCounts {
    let erased = 0;
    for (const subject of this.#erased) erased += this.#values.get(subject) ?? 0;
    return { values: this.#total, erased: isStream ? null : erased };
  }
}
