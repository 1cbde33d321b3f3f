/** A command reads a stream or two, mostly short or empty. */
import { batched } from "./query-batch.ts";
import { type CommitRead, type RecordedCommit, readCommits, readStreams, type StreamRead } from "./read.ts";
import type { RecordedEvent } from "./types.ts";

/** A longer stream is read again alone, so that no other waits. */
const SHORT = 100;

export const readGathered = batched<StreamRead, RecordedEvent[]>(async (pool, reads) => {
  if (reads.length === 1) return readStreams(pool, reads);
  const short = reads.map((read) => ({ ...read, limit: Math.min(read.limit, SHORT) }));
  const streams = await readStreams(pool, short);
  return streams.map((events, at) => {
    const read = reads[at]!;
    const isAll = events.length < SHORT || read.limit <= SHORT;
    return isAll ? events : readStreams(pool, [read]).then(([whole]) => whole!);
  });
});

export const commitGathered = batched<CommitRead, RecordedCommit | undefined>(readCommits);
