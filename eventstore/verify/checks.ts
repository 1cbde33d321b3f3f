import { hex, sameBytes } from "./bytes.ts";
import { differs, type EventCheck, eventChecks, type NamedCheck } from "./event-checks.ts";
import type { EventRow } from "./event-row.ts";
import type { LogState } from "./log-state.ts";
import type { NotedHead } from "./noted-head.ts";

/**
 * `fault` returns a sentence, or undefined. A check runs before the first event, for each event alone ("event") or in order
 * ("place"), or after the last.
 */
export type Check =
  | EventCheck
  | (NamedCheck &
      (
        | {
            at: "start" | "end";
            fault(log: LogState): string | undefined;
            /** Default: after the last event. */
            place?(log: LogState): number;
          }
        | { at: "place"; fault(row: EventRow, log: LogState): string | undefined }
      ));

const UNLINKED =
  "does not continue its stream: it, or the event before it, was changed, moved, added or removed";
const MISPLACED = "is not at its place: it, or an event before it, was moved, added or removed";

/** Without any one of them some tampering passes; tests try each. */
export const checks: Check[] = [
  ...eventChecks,
  {
    name: "stream_limit",
    verdict: "chain",
    at: "place",
    fault: (_row, log) =>
      log.slot < 0 ? `more than ${log.streams.limit} streams: raise max_streams` : undefined,
  },
  { name: "stream_version", verdict: "chain", at: "place", says: UNLINKED, fault: streamVersionFault },
  { name: "stream_link", verdict: "chain", at: "place", says: UNLINKED, fault: streamLinkFault },
  { name: "first_log_hash", verdict: "order", at: "start", except: ["stream"], fault: firstLogHashFault },
  {
    name: "position",
    verdict: "order",
    at: "place",
    says: MISPLACED,
    except: ["stream"],
    fault: (row, log) =>
      row.position === log.position + 1
        ? undefined
        : `position ${row.position}, expected ${log.position + 1}`,
  },
  {
    name: "log_hash",
    verdict: "order",
    at: "place",
    says: "does not continue the log: it, or the event before it, was changed, moved, added or removed",
    except: ["stream"],
    fault: (row, log) =>
      differs("log_hash", log.hashes.log(log.hash, row.position, row.event_hash), row.log_hash),
  },
  {
    name: "recorded_at",
    verdict: "order",
    at: "place",
    says: "is dated before the event before it",
    fault: (row, log) =>
      row.recorded_at_us >= log.recorded_at_us
        ? undefined
        : `recorded_at_us ${row.recorded_at_us} is earlier than ${log.recorded_at_us} before it`,
  },
  {
    name: "commit_sequence",
    verdict: "commits",
    at: "place",
    except: ["stream"],
    fault: commitSequenceFault,
  },
  {
    name: "commit_whole",
    verdict: "commits",
    at: "end",
    except: ["stream"],
    fault: (log) =>
      log.commitLeft && !log.endsInside ? `the last commit lacks ${log.commitLeft} of its events` : undefined,
  },
  {
    name: "held_origin",
    verdict: "completeness",
    at: "start",
    fault: (log) =>
      log.heldOrigin === undefined || log.heldOrigin === log.header.origin
        ? undefined
        : `origin ${JSON.stringify(log.header.origin)} is not the expected ${JSON.stringify(log.heldOrigin)}`,
  },
  { name: "held_stream", verdict: "completeness", at: "start", fault: heldStreamFault },
  { name: "epoch", verdict: "completeness", at: "start", fault: epochFault },
  { name: "held_heads", verdict: "completeness", at: "end", place: heldPlace, fault: heldFault },
  {
    name: "trailer",
    verdict: "completeness",
    at: "end",
    except: ["database"],
    fault: (log) => (log.trailer ? undefined : "truncated: the last line of the export is missing"),
  },
  {
    name: "stream_events",
    verdict: "completeness",
    at: "end",
    except: ["log", "database"],
    fault: (log) =>
      log.events > 0 ? undefined : "it has no event, and a stream without events has no export",
  },
  {
    name: "trailer_events",
    verdict: "completeness",
    at: "end",
    fault: (log) =>
      log.trailer && log.trailer.events !== log.events
        ? `the last line speaks of ${log.trailer.events} events, ${log.events} were read`
        : undefined,
  },
  {
    name: "trailer_head",
    verdict: "completeness",
    at: "end",
    fault: (log) =>
      log.trailer && (log.trailer.position !== log.position || log.trailer.hash !== hex(log.hash))
        ? `the last line names the head ${log.trailer.position}:${log.trailer.hash}, the last event is ${log.position}:${hex(log.hash)}`
        : undefined,
  },
];

/** A stream from before the export may start at any version. */
function isJoined(row: EventRow, log: LogState): boolean {
  return !log.fromTheStart && row.version > 1 && log.streams.version(log.slot) === 0;
}

function streamVersionFault(row: EventRow, log: LogState): string | undefined {
  const expected = log.streams.version(log.slot) + 1;
  if (row.version === expected || log.slot < 0 || isJoined(row, log)) return undefined;
  return `version ${row.version}, expected ${expected} in its stream`;
}

function streamLinkFault(row: EventRow, log: LogState): string | undefined {
  if (log.slot < 0 || isJoined(row, log)) return undefined;
  if (log.streams.version(log.slot) === 0) {
    return differs("prev_hash", log.hashes.streamGenesis(row.tenant, row.stream_id), row.prev_hash);
  }
  if (sameBytes(row.prev_hash, log.streams.hashes, log.slot * 32)) return undefined;
  return "prev_hash is not the event_hash of the event before it in its stream";
}

function firstLogHashFault(log: LogState): string | undefined {
  if (!log.fromTheStart) return undefined;
  return differs("previous_log_hash", log.hashes.genesis, log.hash);
}

function commitSequenceFault(row: EventRow, log: LogState): string | undefined {
  if (log.commitLeft === null) return undefined;
  if (row.commit_size === null) {
    return log.commitLeft > 0
      ? undefined
      : "an event of no commit: the commit before it is whole, it begins none";
  }
  return log.commitLeft > 0
    ? `a commit begins while the one before lacks ${log.commitLeft} of its events`
    : undefined;
}

function heldStreamFault(log: LogState): string | undefined {
  const { heldStream: held, header } = log;
  if (!held) return undefined;
  if (header.format !== "tallystick-stream/1") return "the export of a log, expected that of one stream";
  if (held.tenant === header.tenant && held.stream_id === header.stream_id) return undefined;
  return `the export of the stream ${JSON.stringify(header.stream_id)} of tenant ${JSON.stringify(header.tenant)}, expected ${JSON.stringify(held.stream_id)} of ${JSON.stringify(held.tenant)}`;
}

function epochFault(log: LogState): string | undefined {
  const last = log.header.origin.slice(log.header.origin.lastIndexOf("/") + 1);
  const stated = [log.epoch, ...log.held.map((head) => head.epoch)];
  const other = stated.find((epoch) => epoch !== undefined && epoch !== last);
  return other === undefined
    ? undefined
    : `epoch ${JSON.stringify(other)} is not the last part of the origin ${JSON.stringify(log.header.origin)}`;
}

/** The earliest. */
const unmetHead = (log: LogState): NotedHead | undefined =>
  log.held
    .filter((held) => !log.heldMet.has(held))
    .reduce<NotedHead | undefined>(
      (low, one) => (low && low.position <= one.position ? low : one),
      undefined,
    );

function heldFault(log: LogState): string | undefined {
  const held = unmetHead(log);
  if (!held) return undefined;
  const { position, hash_prefix } = held;
  const found = log.heldMissed.get(held);
  if (found !== undefined)
    return `history was rewritten: the held hash at ${position} is ${hash_prefix}, here it is ${found}`;
  return position > log.place
    ? `the end is cut: a given head is at ${position}, the last event is ${log.place}`
    : `there is no event at ${position}, the position of a given head`;
}

function heldPlace(log: LogState): number {
  return Math.min(Math.max(unmetHead(log)?.position ?? 0, log.first), log.place + 1);
}
