import { copyHash, hex, hexOfDigest } from "./bytes.ts";
import type { Source } from "./event-checks.ts";
import type { EventRow } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { Header, Trailer } from "./header.ts";
import type { NotedHead } from "./noted-head.ts";
import { StreamHeads } from "./stream-heads.ts";

/** Streams that are kept in mind where the caller names no number. */
export const MOST_STREAMS = 1_000_000;

/** What the checks know when they meet an event: everything the events before it left behind. */
export class LogState {
  readonly source: Source;
  readonly header: Header;
  readonly hashes: LogHashes;
  readonly streams: StreamHeads;
  /** What the auditor expects or holds. */
  readonly heldOrigin: string | undefined;
  readonly heldStream: StateOptions["stream"];
  readonly held: readonly NotedHead[];
  readonly endsInside: boolean;
  /** Of the logs row, in a database. */
  readonly epoch: string | undefined;
  events = 0;
  /** As the last event states it; in the export of one stream its version. */
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
  /** Of held: those that were met, and the hash that was found instead at the positions of others. */
  readonly heldMet = new Set<NotedHead>();
  readonly heldMissed = new Map<NotedHead, string>();
  /** Of the current event. */
  slot = -1;
  readonly #heldAt = new Map<number, NotedHead[]>();

  constructor(source: Source, header: Header, options: StateOptions) {
    this.source = source;
    this.header = header;
    this.epoch = options.epoch;
    this.endsInside = options.ends_inside ?? false;
    this.heldOrigin = options.origin;
    this.heldStream = options.stream;
    this.held = options.heads ?? [];
    for (const head of this.held)
      this.#heldAt.set(head.position, [...(this.#heldAt.get(head.position) ?? []), head]);
    this.hashes = new LogHashes(header.origin);
    this.streams = new StreamHeads(options.max_streams ?? MOST_STREAMS);
    const isLog = header.format === "tallystick-log/1";
    this.position = isLog ? header.first_position - 1 : 0;
    this.hash.set(Buffer.from(isLog ? header.previous_log_hash : hexOfDigest(this.hashes.genesis), "hex"));
    this.commitLeft = this.position === 0 ? 0 : null;
  }

  /** What several checks need of an event, worked out once. */
  meet(row: EventRow): void {
    this.slot = this.streams.slot(row.tenant, row.stream_id);
  }

  /** The event is now the last one, as it states itself: a fault is reported where it is, not at each event after it. */
  pass(row: EventRow): void {
    this.events++;
    this.position = this.source === "stream" ? row.version : row.position;
    copyHash(this.source === "stream" ? row.event_hash : row.log_hash, this.hash);
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
    if (this.#heldAt.size > 0) this.passHeld();
  }

  /** Holds the last event against the heads held at its position. */
  passHeld(): void {
    for (const held of this.#heldAt.get(this.position) ?? []) {
      const found = hex(this.hash);
      if (found.startsWith(held.hash_prefix)) this.heldMet.add(held);
      else this.heldMissed.set(held, found);
    }
  }

  /** The place at which events begin: 1 but for a part of a log. */
  get first(): number {
    return this.header.format === "tallystick-log/1" ? this.header.first_position : 1;
  }

  /** The place of the last event: counted as events are read, whatever positions they state. */
  get place(): number {
    return this.first - 1 + this.events;
  }

  /** False when a stream may have earlier events that the export leaves out. */
  get fromTheStart(): boolean {
    return this.first === 1;
  }
}

export type StateOptions = {
  /** The origin the auditor expects. */
  origin?: string;
  /** The stream the auditor expects the export to be of; only its own export is accepted then. */
  stream?: { tenant: string; stream_id: string };
  heads?: NotedHead[];
  /** Streams kept in memory at most, 1,000,000 (under 200 MB) when left out; a log with more is not verified, and the chain verdict says so. */
  max_streams?: number;
  /** What is read may end within a commit, as a segment does. */
  ends_inside?: boolean;
  epoch?: string;
};
