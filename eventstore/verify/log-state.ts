import { hex, hexOfDigest } from "./bytes.ts";
import { CanonicalReader } from "./canonical.ts";
import type { EventRow } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { Header, Trailer } from "./header.ts";
import type { HeldHead } from "./held-head.ts";
import { StreamHeads } from "./stream-heads.ts";

/** Where events come from; an export of one stream has no log order, a database no header and last line. */
export type Source = "log" | "stream" | "database";

/** What the checks know when they meet an event: everything the events before it left behind. */
export class LogState {
  readonly source: Source;
  readonly header: Header;
  readonly hashes: LogHashes;
  readonly streams: StreamHeads;
  /** What the auditor expects or holds; heads by ascending position. */
  readonly heldOrigin: string | undefined;
  readonly heldStream: StateOptions["stream"];
  readonly held: HeldHead[];
  /** Of the logs row, in a database. */
  readonly epoch: string | undefined;
  events = 0;
  /** Of the last event; in the export of one stream its version. */
  position: number;
  /** Log hash of the last event; in the export of one stream its event hash. */
  readonly hash = Buffer.alloc(32);
  recorded_at_us = 0;
  /** Events the running commit still lacks; null until an export that begins inside the log reaches a commit. */
  commitLeft: number | null;
  commits = 0;
  /** Streams whose earlier events lie before the export. */
  streamsJoined = 0;
  trailer: Trailer | undefined;
  /** Of held: how many were met, whether or not they matched. */
  heldMet = 0;
  /** The last held position whose hash was found there. */
  heldProven: number | undefined;
  /** Of the current event. */
  slot = -1;
  payloadFault: string | undefined;
  metaFault: string | undefined;
  /** The JSON text of the metadata's member `commit`. */
  commitMember: string | undefined;
  readonly #reader = new CanonicalReader();

  constructor(source: Source, header: Header, options: StateOptions) {
    this.source = source;
    this.header = header;
    this.epoch = options.epoch;
    this.heldOrigin = options.origin;
    this.heldStream = options.stream;
    this.held = [...(options.heads ?? [])].sort((a, b) => a.position - b.position);
    this.hashes = new LogHashes(header.origin);
    this.streams = new StreamHeads(options.max_streams ?? 1_000_000);
    const isLog = header.format === "tallystick-log/1";
    this.position = isLog ? header.first_position - 1 : 0;
    this.hash.set(Buffer.from(isLog ? header.previous_log_hash : hexOfDigest(this.hashes.genesis), "hex"));
    this.commitLeft = this.position === 0 ? 0 : null;
  }

  /** Everything two checks need, worked out once. */
  meet(row: EventRow): void {
    this.slot = this.streams.slot(row.tenant, row.stream_id);
    const { payload, meta } = row;
    this.payloadFault = this.#reader.fault(payload.bytes, payload.start, payload.length);
    this.metaFault = this.#reader.fault(meta.bytes, meta.start, meta.length);
    this.commitMember =
      this.metaFault === undefined ? this.#reader.commitMember() : parsedCommit(meta.text());
  }

  /** The event is now the last one, as it states itself: a fault is reported where it is, not at each event after it. */
  pass(row: EventRow): void {
    this.events++;
    this.position = this.placeOf(row);
    this.hash.set(this.hashOf(row));
    if (row.recorded_at_us > this.recorded_at_us) this.recorded_at_us = row.recorded_at_us;
    if (this.slot >= 0) {
      if (row.version > 1 && this.streams.version(this.slot) === 0) this.streamsJoined++;
      this.streams.set(this.slot, row.version, row.event_hash);
    }
    if (row.commit_size !== null) {
      this.commits++;
      this.commitLeft = row.commit_size - 1;
    } else if (this.commitLeft !== null && this.commitLeft > 0) {
      this.commitLeft--;
    }
    this.passHeld();
  }

  /** Leaves behind the held heads that are not after the last event. */
  passHeld(): void {
    for (
      let held = this.held[this.heldMet];
      held && held.position <= this.position;
      held = this.held[++this.heldMet]
    ) {
      if (held.position === this.position && hex(this.hash).startsWith(held.hash_prefix))
        this.heldProven = held.position;
    }
  }

  placeOf(row: EventRow): number {
    return this.source === "stream" ? row.version : row.position;
  }

  hashOf(row: EventRow): Uint8Array {
    return this.source === "stream" ? row.event_hash : row.log_hash;
  }

  /** False when a stream may have earlier events that the export leaves out. */
  get fromTheStart(): boolean {
    return this.header.format === "tallystick-stream/1" || this.header.first_position === 1;
  }
}

export type StateOptions = {
  /** The origin the auditor expects. */
  origin?: string;
  /** The stream the auditor expects the export to be of; only its own export is accepted then. */
  stream?: { tenant: string; stream_id: string };
  heads?: HeldHead[];
  /** Streams kept in memory at most, 1,000,000 (under 200 MB) when left out; a log with more is not verified, and the chain verdict says so. */
  max_streams?: number;
  epoch?: string;
};

/** For metadata that is JSON yet not canonical. */
function parsedCommit(meta: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(meta)?.commit);
  } catch {
    return undefined;
  }
}
