import { afterAll, beforeAll, expect, test } from "vitest";
import { createEventStore } from "../../eventstore/store.ts";
import { until } from "../support/until.ts";
import { appended, commitOf, type Fixture, openLog } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
  await log.pool.query(`
    create function sleep_on_slow() returns trigger language plpgsql as $$
    begin
      if new.type = 'Slow' then perform pg_sleep(0.3); end if;
      return new;
    end $$;
    create trigger sleep after insert on eventstore.events for each row execute function sleep_on_slow()`);
});
afterAll(() => log.close());

/** A writer that pauses between its position and its commit, while another process appends. */
test("a reader that follows positions never skips an event that commits late", async () => {
  const other = createEventStore(log.pool);
  const seen: number[] = [];
  let writing = true;
  const reader = (async () => {
    for (let last = false; !last; ) {
      last = !writing;
      const events = await other.readLog({ after: seen.at(-1) ?? 0 });
      seen.push(...events.map((event) => event.position));
    }
  })();
  const slow = (n: number) =>
    log.store.append({
      appends: [
        { tenant: "t", stream_id: `slow-${n}`, expected_version: 0, events: [{ type: "Slow", payload: {} }] },
      ],
    });
  const quick = async () => {
    for (let n = 0; n < 20; n++) {
      appended(await other.append(commitOf({ stream_id: `quick-${n}` })));
      await new Promise((wake) => setTimeout(wake, 10));
    }
  };
  await Promise.all([slow(1).then(() => slow(2)), quick(), quick()]);
  writing = false;
  await reader;
  expect(seen).toEqual(Array.from({ length: 42 }, (_, i) => i + 1));
});

test("without the log's lock the same reader would skip, so the test above can fail", async () => {
  await log.pool.query(`
    create table loose (position int8 generated always as identity, type text);
    create trigger sleep after insert on loose for each row execute function sleep_on_slow()`);
  const seen: number[] = [];
  const slow = log.pool.query("insert into loose (type) values ('Slow')");
  await until(async () => {
    const asleep = await log.pool.query("select from pg_stat_activity where wait_event = 'PgSleep'");
    return asleep.rowCount === 1;
  });
  await log.pool.query("insert into loose (type) values ('Quick')");
  for (let round = 0; round < 2; round++) {
    const answer = await log.pool.query("select position from loose where position > $1 order by 1", [
      seen.at(-1) ?? 0,
    ]);
    seen.push(...answer.rows.map((row) => row.position));
    await slow;
  }
  expect(seen).toEqual([2]);
});
