/** The same events in emmett's store, and its consumer that folds them into one read model: how many events a stream has. */
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import pg from "pg";
import { forEach } from "../src/concurrency.ts";
import { MixedLog } from "./mixed-log.ts";

/** Events a second that the consumer folds, of about so many. */
export async function emmettRate(url: string, wanted: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const store = getPostgreSQLEventStore(url);
  try {
    await store.schema.migrate();
    await pool.query("create table counted (stream text primary key, events bigint not null)");
    const log = new MixedLog();
    let count = 0;
    while (count < wanted) {
      const appends = Array.from({ length: 8 }, () => log.next()).flatMap((commits) =>
        commits.flatMap((commit) => commit.appends),
      );
      // One stream's appends after each other, as its versions ask for.
      const streams = new Map<string, typeof appends>();
      for (const append of appends) {
        const stream = `${append.tenant}:${append.stream_id}`;
        streams.set(stream, [...(streams.get(stream) ?? []), append]);
      }
      await forEach([...streams], async ([stream, those]) => {
        const events = those
          .flatMap((one) => one.events)
          .map(({ type, payload }) => ({ type, data: payload }));
        await store.appendToStream(stream, events);
        count += events.length;
      });
    }
    const consumer = store.consumer({ stopWhen: { noMessagesLeft: true }, pulling: { batchSize: 1_000 } });
    consumer.reactor({
      processorId: "bench",
      startFrom: "BEGINNING",
      eachBatch: async (messages) => {
        const counts = new Map<string, number>();
        for (const { metadata } of messages)
          counts.set(metadata.streamName, (counts.get(metadata.streamName) ?? 0) + 1);
        await pool.query(
          `insert into counted select * from unnest($1::text[], $2::bigint[])
           on conflict (stream) do update set events = counted.events + excluded.events`,
          [[...counts.keys()], [...counts.values()]],
        );
      },
    });
    const began = performance.now();
    await consumer.start();
    const seconds = (performance.now() - began) / 1_000;
    await consumer.close();
    const { rows } = await pool.query("select coalesce(sum(events), 0)::int as events from counted");
    if (rows[0].events !== count) throw new Error(`emmett folded ${rows[0].events} of ${count} events`);
    return count / seconds;
  } finally {
    await store.close();
    await pool.end();
  }
}
