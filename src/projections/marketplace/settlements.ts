/** Payments between agents: tasks settled, bounties awarded, items sold; the newest first. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as task from "../../domain/compute/task.ts";
import * as bounty from "../../domain/marketplace/bounty.ts";
import * as item from "../../domain/marketplace/item.ts";

export const settlementKinds = ["task", "bounty", "sale"] as const;

/** `of`: the task, bounty or item. `sx`: the recipient; for a sale the item's author. */
type Settlement = {
  kind: (typeof settlementKinds)[number];
  sx: number | null;
  paid_micro: number;
  fee_micro: number;
  at: string;
};

export const settlementsProjection = projection({
  name: "settlements",
  version: 1,
  ddl: `
    create table if not exists read.settlements_v1 (
      position   bigint primary key,
      event_id   text not null,
      kind       text not null,
      of         text not null,
      sx         bigint,
      paid_micro bigint not null,
      fee_micro  bigint not null,
      at         timestamptz not null
    );`,
  of: [task, bounty, item],
  async fold(events, tx) {
    const rows = events.flatMap((event) => {
      const settled = settlementOf(event);
      return settled
        ? [{ ...settled, position: event.position, event_id: event.event_id, of: event.id }]
        : [];
    });
    if (rows.length === 0) return;
    const text = `insert into read.settlements_v1
      select * from jsonb_populate_recordset(null::read.settlements_v1, $1::jsonb) on conflict do nothing`;
    await tx.query({ name: "settlements_save", text, values: [JSON.stringify(rows)] });
  },
});

function settlementOf(
  event: PositionedEvent<typeof task | typeof bounty | typeof item>,
): Settlement | undefined {
  switch (event.type) {
    case "TaskSettled": {
      const { sx, provider_micro: paid_micro, fee_micro, settled_at: at } = event.data;
      return { kind: "task", sx, paid_micro, fee_micro, at };
    }
    case "BountyAwarded": {
      const { sx, winner_micro: paid_micro, fee_micro, awarded_at: at } = event.data;
      return { kind: "bounty", sx, paid_micro, fee_micro, at };
    }
    case "ItemSold": {
      const { author_micro: paid_micro, fee_micro, sold_at: at } = event.data;
      return { kind: "sale", sx: null, paid_micro, fee_micro, at };
    }
    default:
      return undefined;
  }
}

export type SettlementRow = Settlement & { position: number; event_id: string; of: string };

export async function listSettlements(
  pool: pg.Pool,
  { limit, before }: { limit: number; before: number | null },
): Promise<SettlementRow[]> {
  const text = `select s.position, s.event_id, s.kind, s.of, coalesce(s.sx, i.sx) as sx, s.paid_micro, s.fee_micro, ${utc("s.at")} as at
    from read.settlements_v1 s left join read.stack_v1 i on s.kind = 'sale' and i.item_id = s.of
    where $1::bigint is null or s.position < $1 order by s.position desc limit $2`;
  const values = [before, limit];
  return (await pool.query<SettlementRow>({ name: "settlements", text, values })).rows;
}
