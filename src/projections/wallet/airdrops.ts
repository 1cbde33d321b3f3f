/** Airdrops by their id, and those with work to do. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { AirdropEvent } from "../../domain/wallet/airdrop.ts";
import * as airdrop from "../../domain/wallet/airdrop.ts";

export const airdropsProjection = projection({
  name: "airdrops",
  version: 1,
  ddl: `
    create table if not exists read.airdrops_v1 (
      airdrop_id text primary key,
      tenant     text not null,
      network    text not null,
      status     text not null,
      asked_at   timestamptz not null,
      changed_at timestamptz not null
    );
    create index if not exists airdrops_v1_open on read.airdrops_v1 (network, asked_at)
      where status not in ('paid', 'failed');
    create index if not exists airdrops_v1_paid on read.airdrops_v1 (network, changed_at) where status = 'paid';`,
  of: [airdrop],
  async fold(events, tx) {
    for (const event of events) await add(tx, event);
  },
});

async function add(tx: pg.ClientBase, { type, data }: AirdropEvent): Promise<void> {
  const moveTo = (status: string, at: string) =>
    tx.query("update read.airdrops_v1 set status = $2, changed_at = $3 where airdrop_id = $1", [
      data.airdrop_id,
      status,
      at,
    ]);
  switch (type) {
    case "AirdropAsked":
      await tx.query(
        `insert into read.airdrops_v1 values ($1, $2, $3, 'asked', $4, $4)
         on conflict (airdrop_id) do update set status = 'asked', asked_at = $4, changed_at = $4`,
        [data.airdrop_id, data.tenant, data.network, data.asked_at],
      );
      return;
    case "AirdropSent":
      await moveTo("sent", data.sent_at);
      return;
    case "AirdropPaid":
      await moveTo("paid", data.paid_at);
      return;
    case "AirdropReverted":
      await moveTo("reverted", data.found_at);
      return;
    case "AirdropFailed":
      await moveTo("failed", data.failed_at);
      return;
    case "AirdropReorged":
      await moveTo("sent", data.found_at);
      return;
  }
}

export type AirdropName = { airdrop_id: string; tenant: string };

/**
 * A network's open airdrops, the oldest first, and those paid since a time, where given, which a reorg may still
 * remove.
 */
export async function airdropsToFollow(
  pool: pg.Pool,
  { network, paid_since }: { network: string; paid_since: Date | undefined },
): Promise<AirdropName[]> {
  const sql = `
    (select airdrop_id, tenant, asked_at from read.airdrops_v1
      where network = $1 and status not in ('paid', 'failed') order by asked_at limit 100)
    union all
    (select airdrop_id, tenant, asked_at from read.airdrops_v1
      where network = $1 and status = 'paid' and changed_at >= $2)
    order by asked_at`;
  return (await pool.query<AirdropName>(sql, [network, paid_since ?? null])).rows;
}
