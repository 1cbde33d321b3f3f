import type pg from "pg";
import type { PreparedCommit } from "./commit.ts";
import { byteaArray, int4Array, int8Array, textArray, uuidArray } from "./pg-arrays.ts";
import type { LogHead } from "./types.ts";

export type AppendOutcome =
  /** `versions`: the previous version of each stream. */
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
  | { status: "wrong_version"; stream: number; actual: number }
  | { status: "overtaken" };

export type CallCommit = {
  commit: PreparedCommit;
  /** In their order. */
  names: readonly string[];
  /** For each stream, the index of the earlier commit that it depends on. */
  rests_on: readonly (number | undefined)[];
};

type Row = {
  first_position: number;
  recorded_at_us: number;
  outcomes: number[];
  versions: number[];
  event_hashes: Buffer[] | null;
};

/**
 * Appends commits of one log in one round trip, in order. Each key appears once. Without the required position in the log,
 * nothing is appended and the result is undefined.
 */
export async function callAppend(
  client: pg.ClientBase,
  commits: readonly CallCommit[],
  place?: LogHead,
): Promise<AppendOutcome[] | undefined> {
  const only = commits.length === 1 ? commits[0]!.commit : undefined;
  const isOne = only?.events.length === 1 && only.streams.length === 1;
  const answer = await client.query<Row>(queryOf(isOne ? appendOne(only) : appendMany(commits), place));
  const [row] = answer.rows;
  return row && readOutcomes(commits, row);
}

/** The log comes first in `values`. */
type Call = { name: "append_one" | "append"; values: unknown[] };

function queryOf({ name, values }: Call, place: LogHead | undefined): pg.QueryConfig {
  const rest = values.slice(1).map((_, n) => `$${n + 2}`);
  const call = (log: string) => `eventstore.${name}(${[log, ...rest].join(", ")})`;
  if (!place) return { name: `eventstore.${name}`, text: `select * from ${call("$1")}`, values };
  const [position, log_hash] = [`$${values.length + 1}`, `$${values.length + 2}`];
  return {
    name: `eventstore.${name}_after`,
    // Without that row the function is not called.
    text: `select appended.* from eventstore.events place, lateral ${call("place.log_id")} appended
            where place.log_id = $1 and place.position = ${position} and place.log_hash = ${log_hash}`,
    values: [...values, place.position, place.log_hash],
  };
}

function appendOne(commit: PreparedCommit): Call {
  const stream = commit.streams[0]!;
  const event = commit.events[0]!;
  return {
    name: "append_one",
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

function appendMany(asked: readonly CallCommit[]): Call {
  const commits = asked.map(({ commit }) => commit);
  const streams = commits.flatMap((commit) => commit.streams);
  const events = commits.flatMap((commit) => commit.events);
  const firsts = new Map<string, number>();
  const streamRequests: number[] = [];
  const streamFirsts: number[] = [];
  const restsOn: number[] = [];
  const eventStreams: number[] = [];
  asked.forEach(({ commit, names, rests_on }, request) => {
    const before = streamRequests.length;
    for (const event of commit.events) eventStreams.push(before + event.stream + 1);
    names.forEach((name, index) => {
      const ordinal = streamRequests.push(request + 1);
      const first = firsts.get(name) ?? ordinal;
      if (first === ordinal) firsts.set(name, ordinal);
      streamFirsts.push(first);
      restsOn.push((rests_on[index] ?? -1) + 1);
    });
  });
  return {
    name: "append",
    values: [
      commits[0]!.log_id,
      textArray(commits.map((commit) => commit.idem_key)),
      byteaArray(commits.map((commit) => commit.request_hash)),
      int4Array(commits.map((commit) => commit.events.length)),
      int4Array(streamRequests),
      textArray(streams.map((stream) => stream.tenant)),
      textArray(streams.map((stream) => stream.stream_id)),
      int8Array(streams.map((stream) => stream.expected)),
      int4Array(streamFirsts),
      int4Array(streams.map((stream) => stream.length)),
      int4Array(restsOn),
      int4Array(eventStreams),
      uuidArray(events.map((event) => event.id_bytes)),
      textArray(events.map((event) => event.type)),
      int4Array(events.map((event) => event.schema_version)),
      byteaArray(events.map((event) => event.payload)),
      byteaArray(events.map((event) => event.meta)),
    ],
  };
}

function readOutcomes(commits: readonly CallCommit[], row: Row): AppendOutcome[] {
  const hashes = row.event_hashes ?? [];
  let streamsBefore = 0;
  let appended = 0;
  return commits.map(({ commit }, index) => {
    const outcome = row.outcomes[index]!;
    const firstStream = streamsBefore;
    streamsBefore += commit.streams.length;
    if (outcome === 1) return { status: "replayed" };
    if (outcome === 2) return { status: "idem_conflict" };
    if (outcome === 3) return { status: "overtaken" };
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
