import { hex, hexOfDigest } from "./bytes.ts";
import { eventChecks } from "./event-checks.ts";
import { EventReading } from "./event-reading.ts";
import { EventRow, UnreadableEvent } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { StoredRow } from "./stored-rows.ts";
import { fillRow } from "./verify-database.ts";

/** Checks rows alone and in the log's order; their event hashes cover the streams. */
export class RowChecks {
  readonly #row = new EventRow();
  readonly #hashes: LogHashes;
  readonly #reading: EventReading;
  readonly #hash: Buffer;
  #position: number;

  constructor({
    origin,
    first,
    previous_log_hash,
  }: { origin: string; first: number; previous_log_hash: string }) {
    const header = { format: "tallystick-log/1", log_id: 1, origin, exported_at: "" } as const;
    const part = { first_position: first, previous_log_hash };
    this.#reading = new EventReading(
      "database",
      { ...header, ...part },
      eventChecks.map(({ name }) => name),
    );
    this.#hashes = new LogHashes(origin);
    this.#hash = Buffer.from(previous_log_hash, "hex");
    this.#position = first - 1;
  }

  /** Undefined: no fault. */
  fault(stored: StoredRow): string | undefined {
    const row = this.#row;
    try {
      fillRow(row, stored);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      return error.message;
    }
    this.#position++;
    if (row.position !== this.#position) return `position ${row.position}, expected ${this.#position}`;
    const [fault] = this.#reading.faults(row);
    if (fault) return fault.reason;
    const computed = hexOfDigest(this.#hashes.log(this.#hash, row.position, row.event_hash));
    if (computed !== hex(row.log_hash)) return `log_hash is ${hex(row.log_hash)}, computed ${computed}`;
    this.#hash.set(row.log_hash);
    return undefined;
  }
}
