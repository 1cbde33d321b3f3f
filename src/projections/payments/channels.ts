/** One row a channel, for claims and the ledger, and the sums of its calls. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { ChannelEvent } from "../../domain/payments/channel.ts";
import * as channel from "../../domain/payments/channel.ts";

export type ChannelRow = {
  id: string;
  tenant: string;
  network: string;
  channel_id: Hex;
  payer: Hex;
  balance_micro: number;
  charged_micro: number;
  claimed_micro: number;
  calls: number;
  /** The oldest charge that is not claimed; null if nothing is owed. */
  owed_since: string | null;
  withdrawal_micro: number | null;
  refund_open: boolean;
  /** Until then the chain may still undo a claim or a deposit. */
  watched_until: string | null;
  opened_at: string;
  last_call_at: string | null;
};

/** Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;

export const channelsProjection = projection({
  name: "channels",
  version: 1,
  ddl: `
    create table if not exists read.channels_v1 (
      id               text primary key,
      tenant           text not null,
      network          text not null,
      channel_id       text not null,
      payer            text not null,
      balance_micro    bigint not null,
      charged_micro    bigint not null,
      claimed_micro    bigint not null,
      calls            bigint not null,
      owed_since       text,
      withdrawal_micro bigint,
      refund_open      boolean not null,
      watched_until    text,
      opened_at        text not null,
      last_call_at     text
    );
    create index if not exists channels_v1_owed on read.channels_v1 (owed_since) where owed_since is not null;
    create index if not exists channels_v1_refund on read.channels_v1 (id) where refund_open;
    create index if not exists channels_v1_watched on read.channels_v1 (watched_until) where watched_until is not null;
    create table if not exists read.channel_sums_v1 (
      day           text not null,
      operation     text not null,
      calls         bigint not null,
      charged_micro bigint not null,
      primary key (day, operation)
    );`,
  of: [channel],
  async fold(events, tx) {
    const ids = events.map(({ id }) => id);
    const rows = await readRows<ChannelRow, "id">(tx, "read.channels_v1", "id", ids);
    const sums = new Map<string, Sum>();
    for (const event of events) {
      const { id, tenant } = event;
      const row = event.type === "ChannelOpened" ? opened(id, tenant, event.data) : rows.get(id);
      if (!row) throw new Error(`${event.type} of ${id} comes before its opening`);
      apply(row, event);
      row.owed_since = row.charged_micro > row.claimed_micro ? (row.owed_since ?? row.last_call_at) : null;
      rows.set(id, row);
      if (event.type === "VoucherAccepted") count(sums, event.data);
    }
    await saveRows(tx, "read.channels_v1", ["id"], rows.values());
    await add(tx, [...sums.values()]);
  },
});

type Opened = Extract<ChannelEvent, { type: "ChannelOpened" }>["data"];

const opened = (
  id: string,
  tenant: string,
  { network, channel_id, payer, opened_at }: Opened,
): ChannelRow => ({
  ...{ id, tenant, network, channel_id, payer, opened_at },
  balance_micro: 0,
  charged_micro: 0,
  claimed_micro: 0,
  calls: 0,
  owed_since: null,
  withdrawal_micro: null,
  refund_open: false,
  watched_until: null,
  last_call_at: null,
});

function apply(row: ChannelRow, { type, data }: ChannelEvent): void {
  switch (type) {
    case "ChannelOpened":
      return;
    case "ChannelSeen":
      row.balance_micro = data.balance_micro;
      row.claimed_micro = data.claimed_micro;
      row.charged_micro = Math.max(row.charged_micro, data.claimed_micro);
      row.withdrawal_micro = data.withdrawal?.amount_micro ?? null;
      return;
    case "ChannelFunded":
      row.watched_until = after(data.funded_at);
      return;
    case "VoucherAccepted":
      row.charged_micro = data.charged_micro;
      row.calls += 1;
      row.last_call_at = data.accepted_at;
      return;
    case "ChannelClaimed":
      row.claimed_micro = Math.max(row.claimed_micro, data.claimed_micro);
      row.watched_until = after(data.claimed_at);
      return;
    case "ChannelRefundOpened":
      row.refund_open = true;
      return;
    case "ChannelRefundEnded":
      row.refund_open = false;
      row.watched_until = after(data.ended_at);
      return;
  }
}

const after = (at: string): string => new Date(Date.parse(at) + UNSURE_MS).toISOString();

type Sum = { day: string; operation: string; calls: number; charged_micro: number };

function count(sums: Map<string, Sum>, { accepted_at, operation, price_micro }: channel.AcceptedVoucher) {
  const day = accepted_at.slice(0, 10);
  const name = `${day} ${operation}`;
  const sum = sums.get(name) ?? { day, operation, calls: 0, charged_micro: 0 };
  sum.calls += 1;
  sum.charged_micro += price_micro;
  sums.set(name, sum);
}

async function add(tx: pg.ClientBase, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return;
  const text = `insert into read.channel_sums_v1
    select day, operation, calls, charged_micro from jsonb_populate_recordset(null::read.channel_sums_v1, $1::jsonb)
    on conflict (day, operation) do update set calls = channel_sums_v1.calls + excluded.calls,
      charged_micro = channel_sums_v1.charged_micro + excluded.charged_micro`;
  await tx.query({ name: "add channel sums", text, values: [JSON.stringify(sums)] });
}

/** Channels of a network to compare with the chain, the longest owed first. */
export async function watchedChannels(
  pool: pg.Pool,
  { network, now, limit }: { network: string; now: string; limit: number },
): Promise<ChannelRow[]> {
  const text = `select * from read.channels_v1 where network = $1
      and (owed_since is not null or refund_open or watched_until > $2)
    order by refund_open desc, withdrawal_micro is null, owed_since limit $3`;
  return (await pool.query<ChannelRow>(text, [network, now, limit])).rows;
}

export type ChannelSums = {
  channels: number;
  calls: number;
  charged_micro: string;
  claimed_micro: string;
  escrow_micro: string;
};

/** The sums of all channels: charges, claims and deposits. */
export async function channelSums(pool: pg.Pool): Promise<ChannelSums> {
  const text = `select count(*)::int as channels, coalesce(sum(calls), 0)::int as calls,
      coalesce(sum(charged_micro), 0)::text as charged_micro, coalesce(sum(claimed_micro), 0)::text as claimed_micro,
      coalesce(sum(balance_micro - claimed_micro), 0)::text as escrow_micro
    from read.channels_v1`;
  return (await pool.query<ChannelSums>(text)).rows[0]!;
}

export type OperationSum = { operation: string; calls: number; charged_micro: string };

export async function channelsByOperation(pool: pg.Pool): Promise<OperationSum[]> {
  const text = `select operation, sum(calls)::int as calls, sum(charged_micro)::text as charged_micro
    from read.channel_sums_v1 group by operation order by operation`;
  return (await pool.query<OperationSum>(text)).rows;
}

/** Channels with charges that are not claimed: their number, and the sum in micro-USDC. */
export async function owedByChannels(pool: pg.Pool): Promise<{ count: number; micro: number }> {
  const text = `select count(*)::int as count, coalesce(sum(charged_micro - claimed_micro), 0)::float8 as micro
    from read.channels_v1 where owed_since is not null`;
  return (await pool.query<{ count: number; micro: number }>(text)).rows[0]!;
}
