import { copyHash, hex, hexOfDigest } from "./bytes.ts";
import type { Source } from "./event-checks.ts";
import type { EventRow } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { Header, Trailer } from "./header.ts";
import type { NotedHead } from "./noted-head.ts";
import { StreamHeads } from "./stream-heads.ts";

/** The default limit. */
export const MOST_STREAMS = 1_000_000;

export class LogState {
  readonly source: Source;
  readonly header: Header;
  readonly hashes: LogHashes;
  readonly streams: StreamHeads;
  readonly heldOrigin: string | undefined;
  readonly heldStream: StateOptions["stream"];
  readonly held: readonly NotedHead[];
  readonly endsInside: boolean;
  readonly epoch: string | undefined;
  events = 0;
  /** As the last event states it; a stream's version. */
  position: number;
  /** A stream's event hash. */
  readonly hash = Buffer.alloc(32);
  recorded_at_us = 0;
  /** Events that the current commit lacks; null until a partial export reaches a commit. */
  commitLeft: number | null;
  commits = 0;
  /** Streams whose earlier events precede the export. */
  streamsJoined = 0;
  trailer: Trailer | undefined;
  /** The other hash that was found at a noted head's position. */
  readonly heldMet = new Set<NotedHead>();
  readonly heldMissed = new Map<NotedHead, string>();
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

  meet(row: EventRow): void {
    this.slot = this.streams.slot(row.tenant, row.stream_id);
  }

  /** Advances even after a fault, so that it is reported once. */
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

  passHeld(): void {
    for (const held of this.#heldAt.get(this.position) ?? []) {
      const found = hex(this.hash);
      if (found.startsWith(held.hash_prefix)) this.heldMet.add(held);
      else this.heldMissed.set(held, found);
    }
  }

  /** 1, except for a part of a log. */
  get first(): number {
    return this.header.format === "tallystick-log/1" ? this.header.first_position : 1;
  }

  /** Counted, whatever positions the events state. */
  get place(): number {
    return this.first - 1 + this.events;
  }

  /** False when a stream may have earlier events. */
  get fromTheStart(): boolean {
    return this.first === 1;
  }
}

export type StateOptions = {
  origin?: string;
  /** Then only this stream's own export is accepted. */
  stream?: { tenant: string; stream_id: string };
  heads?: NotedHead[];
  /** Default 1,000,000 (under 200 MB); a log with more is not verified, and the chain verdict says so. */
  max_streams?: number;
  /** A segment may end within a commit. */
  ends_inside?: boolean;
  epoch?: string;
};
