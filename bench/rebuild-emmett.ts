/** The same events in emmett's store, and its consumer that folds them into one read model: the events per stream. */
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import pg from "pg";
import { MixedLog } from "./mixed-log.ts";

/** Messages per read, whose sums are written together. Default: 100, followed by a wait of 50 ms. */
const BATCH = 1_000;

/** Events per second that the consumer folds, of about this many. */
export async function emmettRate(url: string, wanted: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const store = getPostgreSQLEventStore(url);
  try {
    await store.schema.migrate();
    await pool.query("create table counted (stream text primary key, events bigint not null)");
    const log = new MixedLog();
    let count = 0;
    while (count < wanted) {
      // In sequence: it reads by transaction and continues by position, so it would read some concurrent ones twice.
      for (const { tenant, stream_id, events } of log.next().flatMap(({ appends }) => appends)) {
        const plain = events.map(({ type, payload }) => ({ type, data: payload }));
        await store.appendToStream(`${tenant}:${stream_id}`, plain);
        count += events.length;
      }
    }
    const pulling = { batchSize: BATCH, pullingFrequencyInMs: 0 };
    const consumer = store.consumer({ stopWhen: { noMessagesLeft: true }, pulling });
    let counts = new Map<string, number>();
    let gathered = 0;
    const write = async () => {
      const [streams, events] = [[...counts.keys()], [...counts.values()]];
      counts = new Map();
      gathered = 0;
      await pool.query(
        `insert into counted select * from unnest($1::text[], $2::bigint[])
         on conflict (stream) do update set events = counted.events + excluded.events`,
        [streams, events],
      );
    };
    consumer.reactor({
      processorId: "bench",
      startFrom: "BEGINNING",
      // It passes one at a time, however many it has read.
      eachMessage: async ({ metadata: { streamName } }) => {
        counts.set(streamName, (counts.get(streamName) ?? 0) + 1);
        if (++gathered === BATCH) await write();
      },
    });
    const began = performance.now();
    await consumer.start();
    await write();
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
