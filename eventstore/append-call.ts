/** One call of the append functions: what goes to Postgres for some commits, and what comes back for each. */
import type pg from "pg";
import type { PreparedCommit } from "./commit.ts";
import { byteaArray, int4Array, int8Array, textArray, uuidArray } from "./pg-arrays.ts";

export type AppendOutcome =
  /** `versions` has one element a stream: what it was before. */
  | {
      status: "appended";
      first_position: number;
      recorded_at_us: number;
      versions: number[];
      event_hashes: Uint8Array[];
    }
  | { status: "replayed" }
  | { status: "idem_conflict" }
  /** `stream` is an index in the commit's streams. */
  | { status: "wrong_version"; stream: number; actual: number };

type Row = {
  first_position: number;
  recorded_at_us: number;
  outcomes: number[];
  versions: number[];
  event_hashes: Buffer[] | null;
};

/** Appends commits of one log in one round trip. No key may stand in two of them, nor a stream that one of them extends. */
export async function callAppend(client: pg.ClientBase, commits: PreparedCommit[]): Promise<AppendOutcome[]> {
  const [only] = commits.length === 1 ? commits : [];
  const isOne = only?.events.length === 1 && only.streams.length === 1;
  const answer = await client.query<Row>(isOne ? appendOne(only) : appendMany(commits));
  return readOutcomes(commits, answer.rows[0]!);
}

function appendOne(commit: PreparedCommit): pg.QueryConfig {
  const stream = commit.streams[0]!;
  const event = commit.events[0]!;
  return {
    name: "eventstore.append_one",
    text: "select * from eventstore.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    values: [
      commit.log_id,
      commit.idem_key,
      commit.request_hash,
      stream.tenant,
      stream.stream_id,
      stream.expected,
      event.id_bytes,
      event.type,
      event.schema_version,
      event.payload,
      event.meta,
    ],
  };
}

function appendMany(commits: PreparedCommit[]): pg.QueryConfig {
  const streams = commits.flatMap((commit) => commit.streams);
  const events = commits.flatMap((commit) => commit.events);
  const streamRequests: number[] = [];
  const eventStreams: number[] = [];
  commits.forEach((commit, request) => {
    const before = streamRequests.length;
    for (const event of commit.events) eventStreams.push(before + event.stream + 1);
    for (const _ of commit.streams) streamRequests.push(request + 1);
  });
  return {
    name: "eventstore.append",
    text: "select * from eventstore.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    values: [
      commits[0]!.log_id,
      textArray(commits.map((commit) => commit.idem_key)),
      byteaArray(commits.map((commit) => commit.request_hash)),
      int4Array(commits.map((commit) => commit.events.length)),
      int4Array(streamRequests),
      textArray(streams.map((stream) => stream.tenant)),
      textArray(streams.map((stream) => stream.stream_id)),
      int8Array(streams.map((stream) => stream.expected)),
      int4Array(eventStreams),
      uuidArray(events.map((event) => event.id_bytes)),
      textArray(events.map((event) => event.type)),
      int4Array(events.map((event) => event.schema_version)),
      byteaArray(events.map((event) => event.payload)),
      byteaArray(events.map((event) => event.meta)),
    ],
  };
}

function readOutcomes(commits: PreparedCommit[], row: Row): AppendOutcome[] {
  const hashes = row.event_hashes ?? [];
  let streamsBefore = 0;
  let appended = 0;
  return commits.map((commit, index) => {
    const outcome = row.outcomes[index]!;
    const firstStream = streamsBefore;
    streamsBefore += commit.streams.length;
    if (outcome === 1) return { status: "replayed" };
    if (outcome === 2) return { status: "idem_conflict" };
    if (outcome < 0) {
      const stream = -outcome - 1;
      return { status: "wrong_version", stream: stream - firstStream, actual: row.versions[stream]! };
    }
    const first = appended;
    appended += commit.events.length;
    return {
      status: "appended",
      first_position: row.first_position + first,
      recorded_at_us: row.recorded_at_us,
      versions: row.versions.slice(firstStream, streamsBefore),
      event_hashes: hashes.slice(first, appended),
    };
  });
}
