/** Old notices leave the read model once every webhook has taken them, in whatever batches the log is folded. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { KEEP_DAYS } from "../../src/domain/notices/subscription.ts";
import { noticesProjection } from "../../src/projections/notices/notices.ts";
import { type Service, startService } from "../support/service.ts";
import { eventOf, TENANT } from "./notices-setup.ts";

const DAY_US = 86_400_000_000;

type Folded = Record<string, unknown> & { position: number; recorded_at_us: number };

let service: Service;
beforeAll(async () => {
  service = await startService({ folds: "all" });
});
afterAll(() => service.stop());

let position = 0;
const at = (day: number, id: string, type: string, data: object): Folded => ({
  ...{ type, id, tenant: TENANT, position: ++position, recorded_at_us: 1_700_000_000_000_000 + day * DAY_US },
  data,
});
const shipped = (day: number, id: string) =>
  at(day, id, "OrderShipped", eventOf("OrderShipped", {}).payload as object);
const subscribed = (day: number, id: string, kinds: string[], after: number) =>
  at(day, id, "NoticesSubscribed", {
    ...{ subscription_id: id, url: "https://agent.example.org", kinds, products: [], after },
    subscribed_at: "2026-01-01T00:00:00.000Z",
  });
const delivered = (day: number, id: string, through: number) =>
  at(day, id, "NoticesDelivered", { count: 1, through, ahead: [], delivered_at: "2026-01-01T00:00:00.000Z" });

/** The positions that are left after folding in batches of this size. */
async function left(events: readonly Folded[], size: number): Promise<number[]> {
  const tx = await service.app.pool.connect();
  try {
    await tx.query("begin");
    for (let from = 0; from < events.length; from += size)
      await noticesProjection.fold(events.slice(from, from + size) as never, tx);
    const { rows } = await tx.query<{ position: number }>(
      "select position::float8 as position from read.notices_v2 order by position",
    );
    return rows.map((row) => row.position);
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

async function same(events: readonly Folded[]): Promise<number[]> {
  const whole = await left(events, events.length);
  for (const size of [1, 2, 3]) expect(await left(events, size)).toEqual(whole);
  return whole;
}

test("a notice is stored for its days, and then deleted", async () => {
  const [old, young] = [shipped(0, "1"), shipped(KEEP_DAYS, "2")];
  expect(await same([old, young])).toEqual([old.position, young.position]);
  const late = shipped(KEEP_DAYS + 1, "3");
  expect(await same([old, young, late])).toEqual([young.position, late.position]);
});

test("a notice is stored until each active or disabled webhook has accepted it", async () => {
  const start = subscribed(0, "a", ["order"], 0);
  const [old, late] = [shipped(1, "1"), shipped(KEEP_DAYS + 10, "2")];
  expect(await same([start, old, late])).toContain(old.position);
  const taken = delivered(KEEP_DAYS + 11, "a", old.position);
  expect(await same([start, old, late, taken])).toEqual([late.position]);
  const ended = at(KEEP_DAYS + 11, "a", "NoticesUnsubscribed", {
    unsubscribed_at: "2026-01-01T00:00:00.000Z",
  });
  expect(await same([start, old, late, ended])).toEqual([late.position]);
});

test("a webhook delays the deletion of no other kind, and of no notice from before its subscription", async () => {
  const other = subscribed(0, "b", ["task"], 0);
  const old = shipped(1, "1");
  const late = shipped(KEEP_DAYS + 10, "2");
  expect(await same([other, old, late])).toEqual([late.position]);
  const again = subscribed(KEEP_DAYS + 11, "c", ["order"], 0);
  expect(await same([old, late, again])).toEqual([late.position]);
});
