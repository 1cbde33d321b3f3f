import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { SealRequest, Subjects } from "../model/ports/subjects.ts";
import { type Sealed, type SealLocation, sealedIn } from "../model/sealed.ts";

/**
 * Seals values for a commit that depends on `isLeaving` being false. If a subject is leaving, its key is destroyed
 * here, and its name gets a new subject.
 */
export async function sealFor(
  subjects: Pick<Subjects, "seal" | "erase">,
  isLeaving: (subject: { tenant: string; id: string }, is_new: boolean) => Promise<boolean>,
  page: readonly SealRequest[],
): Promise<Sealed[]> {
  for (;;) {
    const made = await subjects.seal(page);
    const whose = new Map(made.map(({ subject_id }, at) => [subject_id, page[at]!]));
    const leaving: string[] = [];
    for (const [id, { subject, is_new = false }] of whose)
      if (await isLeaving({ tenant: subject.tenant, id }, is_new)) leaving.push(id);
    if (leaving.length === 0) return made;
    await subjects.erase(leaving);
  }
}

/** A replay returns the values that the earlier commit sealed, in the order of that commit's events. */
export function sealedBefore(events: readonly RecordedEvent[]): (value: SealRequest) => Sealed {
  const left = new Map<string, Sealed[]>();
  for (const event of events) {
    const name = nameOf(event);
    left.set(name, [...(left.get(name) ?? []), ...sealedIn(event.payload)]);
  }
  return ({ place }) => {
    const next = left.get(nameOf(place))?.shift();
    if (!next) throw new Error(`the command's first run sealed fewer values for ${place.type}`);
    return next;
  };
}

const nameOf = ({ tenant, stream_id, type }: SealLocation) => `${tenant}\n${stream_id}\n${type}`;
