import { CanonicalReader } from "./canonical.ts";
import { type EventCheck, eventChecks, type ReadEvent, type Source } from "./event-checks.ts";
import type { EventRow } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { Header } from "./header.ts";

/** What is wrong with an event by itself. */
export type EventFault = { verdict: EventCheck["verdict"]; reason: string };

const NONE: readonly EventFault[] = [];

/** Looks at events one by one, whatever stands before and after them. */
export class EventReading implements ReadEvent {
  readonly header: Header;
  readonly hashes: LogHashes;
  payloadFault: string | undefined;
  metaFault: string | undefined;
  commitMember: string | undefined;
  readonly #checks: readonly EventCheck[];
  readonly #reader = new CanonicalReader();

  /** `names`: the checks to run, of those there are for the source. */
  constructor(source: Source, header: Header, names: readonly string[]) {
    this.header = header;
    this.hashes = new LogHashes(header.origin);
    this.#checks = eventChecks.filter(
      ({ name, except }) => names.includes(name) && !except?.includes(source),
    );
  }

  faults(row: EventRow): readonly EventFault[] {
    const { payload, meta } = row;
    this.payloadFault = this.#reader.fault(payload.bytes, payload.start, payload.length);
    this.metaFault = this.#reader.fault(meta.bytes, meta.start, meta.length);
    this.commitMember =
      this.metaFault === undefined ? this.#reader.commitMember() : parsedCommit(meta.text());
    let found = NONE;
    for (const check of this.#checks) {
      const reason = check.fault(row, this);
      if (reason !== undefined) found = [...found, { verdict: check.verdict, reason }];
    }
    return found;
  }
}

/** For metadata that is JSON yet not canonical. */
function parsedCommit(meta: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(meta)?.commit);
  } catch {
    return undefined;
  }
}
