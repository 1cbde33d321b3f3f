import { CanonicalReader } from "./canonical.ts";
import { type EventCheck, eventChecks, type ReadEvent, type Source } from "./event-checks.ts";
import type { EventRow } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { Header } from "./header.ts";
import { type EventSeals, sealedHere } from "./sealed.ts";

/** `says` and `type` are for people: of which event a fault says this. */
export type EventFault = { verdict: EventCheck["verdict"]; reason: string; says?: string; type?: string };

const NONE: readonly EventFault[] = [];

export class EventReading implements ReadEvent {
  readonly header: Header;
  readonly hashes: LogHashes;
  payloadFault: string | undefined;
  metaFault: string | undefined;
  readonly #checks: readonly EventCheck[];
  readonly #payload = new CanonicalReader();
  readonly #meta = new CanonicalReader();
  /** Only for parseable, non-canonical metadata. */
  #parsedCommit: string | undefined;

  constructor(source: Source, header: Header, names: readonly string[]) {
    this.header = header;
    this.hashes = new LogHashes(header.origin);
    this.#checks = eventChecks.filter(
      ({ name, except }) => names.includes(name) && !except?.includes(source),
    );
  }

  get isWhole(): boolean {
    return this.#checks.length === eventChecks.filter(({ except }) => !except?.includes("log")).length;
  }

  faults(row: EventRow): readonly EventFault[] {
    const { payload, meta } = row;
    this.payloadFault = this.#payload.fault(payload.bytes, payload.start, payload.length);
    this.metaFault = this.#meta.fault(meta.bytes, meta.start, meta.length);
    if (this.metaFault !== undefined) this.#parsedCommit = parsedCommit(meta.text());
    let found = NONE;
    for (const check of this.#checks) {
      const reason = check.fault(row, this);
      if (reason === undefined) continue;
      const { verdict, says } = check;
      found = [...found, { verdict, reason, ...(says && { says, type: row.type.text() }) }];
    }
    return found;
  }

  /** Undefined for most events. */
  sealed(row: EventRow): EventSeals | undefined {
    // A non-canonical payload was not read to its end.
    return sealedHere(row, this.payloadFault !== undefined || this.#payload.holdsSealId);
  }

  get hasCommit(): boolean {
    return this.metaFault === undefined ? this.#meta.hasCommit : this.#parsedCommit !== undefined;
  }

  commitMember(): string | undefined {
    return this.metaFault === undefined ? this.#meta.commitMember() : this.#parsedCommit;
  }

  commitIs(digits: string): boolean {
    return this.metaFault === undefined ? this.#meta.commitIs(digits) : this.#parsedCommit === `"${digits}"`;
  }
}

function parsedCommit(meta: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(meta)?.commit);
  } catch {
    return undefined;
  }
}
