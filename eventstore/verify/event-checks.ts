import { hex, hexOfDigest, sameHash, sha256 } from "./bytes.ts";
import type { EventRow } from "./event-row.ts";
import type { LogHashes } from "./hashes.ts";
import type { Header } from "./header.ts";

/** A stream export has no log order, a database no header and last line. */
export type Source = "log" | "stream" | "database";

export type NamedCheck = {
  name: string;
  verdict: "canonical" | "chain" | "order" | "commits" | "completeness";
  except?: Source[];
  /** For people: a fault says this of the event, before its reason. */
  says?: string;
};

/** Shared by the checks of one event. */
export type ReadEvent = {
  readonly header: Header;
  readonly hashes: LogHashes;
  payloadFault: string | undefined;
  metaFault: string | undefined;
  readonly hasCommit: boolean;
  commitMember(): string | undefined;
  commitIs(digits: string): boolean;
};

/** Independent of other events, so it can run in any order. */
export type EventCheck = NamedCheck & {
  at: "event";
  fault(row: EventRow, read: ReadEvent): string | undefined;
};

const CHANGED = "was changed after it was recorded";

export const eventChecks: EventCheck[] = [
  {
    name: "payload_canonical",
    verdict: "canonical",
    at: "event",
    fault: (_row, read) => read.payloadFault && `payload is not in RFC 8785 form: ${read.payloadFault}`,
  },
  {
    name: "meta_canonical",
    verdict: "canonical",
    at: "event",
    fault: (_row, read) => read.metaFault && `meta is not in RFC 8785 form: ${read.metaFault}`,
  },
  {
    name: "payload_hash",
    verdict: "chain",
    at: "event",
    says: CHANGED,
    fault: (row) => differs("payload_hash", sha256(row.payload.view()), row.payload_hash),
  },
  {
    name: "meta_hash",
    verdict: "chain",
    at: "event",
    says: CHANGED,
    fault: (row) => differs("meta_hash", sha256(row.meta.view()), row.meta_hash),
  },
  {
    name: "event_hash",
    verdict: "chain",
    at: "event",
    says: CHANGED,
    fault: (row, read) => differs("event_hash", read.hashes.event(row), row.event_hash),
  },
  { name: "stream_name", verdict: "chain", at: "event", except: ["log", "database"], fault: streamNameFault },
  { name: "commit_binding", verdict: "commits", at: "event", fault: commitBindingFault },
  { name: "commit_columns", verdict: "commits", at: "event", fault: commitColumnsFault },
];

export function differs(name: string, computed: string, stated: Uint8Array): string | undefined {
  if (sameHash(computed, stated)) return undefined;
  return `${name} is ${hex(stated)}, computed ${hexOfDigest(computed)}`;
}

function streamNameFault(row: EventRow, read: ReadEvent): string | undefined {
  const { header } = read;
  if (header.format !== "tallystick-stream/1") return undefined;
  if (row.tenant.text() === header.tenant && row.stream_id.text() === header.stream_id) return undefined;
  return `an event of the stream ${JSON.stringify(row.stream_id.text())} of tenant ${JSON.stringify(row.tenant.text())}`;
}

function commitBindingFault(row: EventRow, read: ReadEvent): string | undefined {
  if (row.commit_size === null) return undefined;
  const computed = read.hashes.commit(row, row.commit_size);
  if (read.commitIs(computed)) return undefined;
  return `meta.commit is ${read.commitMember() ?? "absent"}, computed "${computed}" from idem_key, request_hash and commit_size`;
}

function commitColumnsFault(row: EventRow, read: ReadEvent): string | undefined {
  if (row.commit_size === null) {
    if (read.hasCommit) return "meta.commit is set on an event without commit_size";
    if (row.has_idem_key || row.has_request_hash) return "idem_key or request_hash without commit_size";
    return undefined;
  }
  if (row.has_idem_key !== row.has_request_hash)
    return "one of idem_key and request_hash is null, the other is not";
  if (row.has_idem_key && row.idem_key.length === row.idem_key.start)
    return "idem_key is empty; none is null";
  return undefined;
}
