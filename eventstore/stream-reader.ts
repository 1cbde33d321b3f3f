/** The reads of single streams, gathered: a command reads a stream or two, mostly short or not there yet. */
import { batched } from "./query-batch.ts";
import { readStreams, type StreamRead } from "./read.ts";
import type { RecordedEvent } from "./types.ts";

/** Events of a stream that others travel with; one that has more is read again by itself, and no other waits for it. */
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
