import { type Event, inMemoryProjector, inMemorySingleStreamProjection } from "@event-driven-io/emmett";
import { getPostgreSQLEventStore, postgreSQLReactor } from "@event-driven-io/emmett-postgresql";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emmettStore } from "../../eventstore/emmett.ts";
import { emmettConsumer, type LogProcessor } from "../../eventstore/emmett-consumer.ts";
import { createTail, type Tail } from "../../eventstore/tail.ts";
import { until } from "../support/until.ts";
import { type Fixture, openLog } from "./fixture.ts";

type Deposited = Event<"Deposited", { cents: number }>;

let log: Fixture;
let tail: Tail;
/** A processor cannot close a pool of its own: it closes it in a transaction on it, which waits for itself. */
let pool: pg.Pool;
beforeAll(async () => {
  log = await openLog();
  pool = new pg.Pool({ connectionString: log.url });
  await pool.query("create table deposits (n serial primary key, cents int not null)");
  tail = createTail(log.store, { pool: log.pool });
  // emmett's own tables, with its processors' checkpoints.
  const emmett = getPostgreSQLEventStore(log.url);
  await emmett.schema.migrate();
  await emmett.close();
});
afterAll(async () => {
  await tail.close();
  await pool.end();
  await log.close();
});

/** One event each; `checkpoint` is a possible field of a writer. */
async function deposit(tenant: string, ...amounts: number[]): Promise<void> {
  const store = emmettStore(log.store, { tenant });
  for (const cents of amounts) {
    const event = { type: "Deposited", data: { cents }, metadata: { checkpoint: 1_000_000 } };
    await store.appendToStream(`account-${cents % 2}`, [event]);
  }
}

/** emmett's processor on Postgres: its writes and checkpoint are one transaction per batch. */
const processor = (failsAt?: number): LogProcessor =>
  postgreSQLReactor<Deposited>({
    processorId: "deposits",
    connectionOptions: { connectionString: log.url, pool },
    eachMessage: async ({ data }, { connection: { client } }) => {
      if (data.cents === failsAt) throw new Error(`no room for ${failsAt}`);
      await client.query("insert into deposits (cents) values ($1)", [data.cents]);
    },
  });
const written = async (): Promise<number[]> =>
  (await pool.query("select cents from deposits order by n")).rows.map(({ cents }) => cents);
const consumer = (...processors: LogProcessor[]) =>
  emmettConsumer(log.store, tail, { tenant: "acme", processors });

test("emmett's processors follow the log, and a new one continues from the checkpoint", async () => {
  await deposit("acme", 1, 2);
  await deposit("other", 70);
  await deposit("acme", 3);
  const first = consumer(processor());
  const running = first.start();
  await until(async () => expect(await written()).toEqual([1, 2, 3]));
  await deposit("acme", 4);
  await until(async () => expect(await written()).toEqual([1, 2, 3, 4]));
  await first.stop();
  await running;
  expect(first.isRunning).toBe(false);

  await deposit("acme", 5, 6, 7);
  const failing = consumer(processor(6));
  await expect(failing.start()).rejects.toThrow("no room for 6");
  expect(() => failing.start()).toThrow("with new processors");
  // If 5 came in one batch with 6, it is rolled back with it.
  expect([
    [1, 2, 3, 4],
    [1, 2, 3, 4, 5],
  ]).toContainEqual(await written());

  const sums = inMemoryProjector({
    processorId: "sums",
    projection: inMemorySingleStreamProjection({
      collectionName: "sums",
      canHandle: ["Deposited"],
      evolve: (sum: { cents: number } | null, { data }: Deposited) => ({
        cents: (sum?.cents ?? 0) + data.cents,
      }),
    }),
  });
  const second = consumer(processor(), sums);
  const going = second.start();
  await until(async () => expect(await written()).toEqual([1, 2, 3, 4, 5, 6, 7]));
  const sumOf = (stream: string) => sums.database.collection("sums").findOne((one) => one._id === stream);
  await until(async () => expect(await sumOf("account-1")).toMatchObject({ cents: 16 }));
  expect(await sumOf("account-0")).toMatchObject({ cents: 12 });
  await second.close();
  await going;

  const { rows } = await log.pool.query("select last_processed_checkpoint from emt_processors");
  const { position } = await log.store.head();
  expect(rows).toEqual([{ last_processed_checkpoint: expect.stringMatching(new RegExp(`0*${position}$`)) }]);
});
