/** A wallet's payments are evidence of the agent that proved it, earlier ones included; none after a revocation. */
import type pg from "pg";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type * as agent from "../../domain/identity/agent.ts";
import type * as payment from "../../domain/payments/payment.ts";
import { NOT_SPENT } from "../../domain/trust/rules.ts";
import { dayOf } from "./days.ts";
import { addSpent } from "./work.ts";

/** A payment counts while it is settled and not refunded; `settled_*` belong to its newest settlement. */
type Row = {
  id: string;
  payer: string;
  /** The paying tenant. */
  tenant: string;
  claimed_position: number;
  amount_micro: number;
  /** True if it buys an answer, not an attestation or goods. */
  priced: boolean;
  settled: boolean;
  given_back: boolean;
  settled_position: number | null;
  settled_event_id: string | null;
  settled_day: number | null;
};

export const paymentsDdl = `
    create table if not exists read.trust_payments_v3 (
      id               text primary key,
      payer            text not null,
      tenant           text not null,
      claimed_position bigint not null,
      amount_micro     bigint not null,
      priced           boolean not null,
      settled          boolean not null,
      given_back       boolean not null,
      settled_position bigint,
      settled_event_id text,
      settled_day      bigint
    );
    create index if not exists trust_payments_v3_payer on read.trust_payments_v3 (payer);
    create index if not exists trust_payments_v3_tenant on read.trust_payments_v3 (tenant, payer);
    create table if not exists read.trust_agents_v3 (lower_id text primary key, sx bigint not null);
    create table if not exists read.trust_wallets_v3 (
      wallet     text not null,
      sx         bigint not null,
      valid_from bigint primary key,
      valid_to   bigint
    );
    create index if not exists trust_wallets_v3_wallet on read.trust_wallets_v3 (wallet);
    create index if not exists trust_wallets_v3_sx on read.trust_wallets_v3 (sx) where valid_to is null;`;

const counts = ({ priced, settled, given_back }: Row) => priced && settled && !given_back;

type WalletHolder = { wallet: string; sx: number };
type NewEvidence = {
  sx: number;
  points: number;
  event_id: string;
  day: number;
  position: number;
  source: string;
  valid_from: number;
  valid_to: number | null;
};

/** Returns the newest position that changed evidence; 0 = none. */
export async function foldPayments(
  tx: pg.ClientBase,
  events: readonly PositionedEvent<typeof payment>[],
): Promise<number> {
  const rows = await readRows<Row, "id">(
    tx,
    "read.trust_payments_v3",
    "id",
    events.map(({ id }) => id),
  );
  const touched = new Set<string>();
  const payers = new Set([...rows.values()].map(({ payer }) => payer));
  for (const { type, data } of events) if (type === "PaymentClaimed") payers.add(data.payer);
  const holders = await holdersOf(tx, [...payers]);
  const opened = new Map<string, NewEvidence>();
  const closed: { id: string; position: number }[] = [];
  const all: NewEvidence[] = [];
  const spent: { tenant: string; day: number; micro: number }[] = [];
  let moved = 0;
  for (const event of events) {
    const before = rows.get(event.id);
    const now = folded(before, event);
    if (!now) continue;
    rows.set(event.id, now);
    touched.add(event.id);
    const { position } = event;
    for (const [row, sign] of [
      [before, -1],
      [now, 1],
    ] as const)
      if (row && counts(row))
        spent.push({ tenant: row.tenant, day: row.settled_day!, micro: sign * row.amount_micro });
    if (before && counts(before) && (!counts(now) || now.settled_position !== before.settled_position)) {
      const fresh = opened.get(event.id);
      if (fresh) {
        fresh.valid_to = position;
        moved = position;
      } else closed.push({ id: event.id, position });
      opened.delete(event.id);
    }
    const sx = holders.get(now.payer);
    if (sx !== undefined && counts(now) && now.settled_position !== before?.settled_position) {
      const evidence = evidenceOf(now, sx, position);
      opened.set(event.id, evidence);
      all.push(evidence);
      moved = position;
    }
  }
  await saveRows(
    tx,
    "read.trust_payments_v3",
    ["id"],
    [...touched].map((id) => rows.get(id)!),
  );
  await addSpent(tx, spent);
  const ended = await closeEvidence(tx, closed);
  await insertEvidence(tx, all);
  return Math.max(moved, ended);
}

function folded(row: Row | undefined, event: PositionedEvent<typeof payment>): Row | undefined {
  if (event.type === "PaymentClaimed") {
    const { payer, tenant, amount_micro, operation } = event.data;
    // A second claim is the same payment: its money may have been spent since the first.
    const claimed_position = row?.claimed_position ?? event.position;
    return {
      ...{
        id: event.id,
        payer,
        tenant,
        claimed_position,
        amount_micro,
        priced: !NOT_SPENT.includes(operation),
      },
      ...{
        settled: false,
        given_back: false,
        settled_position: null,
        settled_event_id: null,
        settled_day: null,
      },
    };
  }
  // A payment without a call begins with another event.
  if (!row) return undefined;
  switch (event.type) {
    case "PaymentSettled":
      return {
        ...row,
        settled: true,
        settled_position: event.position,
        settled_event_id: event.event_id,
        settled_day: dayOf(event),
      };
    case "PaymentReorged":
    case "PaymentFailed":
      return { ...row, settled: false };
    case "RefundOpened":
      return { ...row, given_back: true };
    default:
      return undefined;
  }
}

const evidenceOf = (row: Row, sx: number, valid_from: number): NewEvidence => ({
  sx,
  points: row.amount_micro,
  event_id: row.settled_event_id!,
  day: row.settled_day!,
  position: row.settled_position!,
  source: row.id,
  valid_from,
  valid_to: null,
});

/** The agents that own these wallets now. */
async function holdersOf(tx: pg.ClientBase, wallets: string[]): Promise<Map<string, number>> {
  const sql = "select wallet, sx from read.trust_wallets_v3 where wallet = any($1) and valid_to is null";
  const { rows } = await tx.query<WalletHolder>(sql, [wallets]);
  return new Map(rows.map(({ wallet, sx }) => [wallet, sx]));
}

/** Returns the newest position that ended a piece; 0 = none. */
async function closeEvidence(tx: pg.ClientBase, closed: { id: string; position: number }[]): Promise<number> {
  if (closed.length === 0) return 0;
  const sql = `update read.trust_evidence_v3 e set valid_to = c.position
    from (select id, min(position) as position from unnest($1::text[], $2::bigint[]) c (id, position) group by id) c
    where e.source = c.id and e.valid_to is null returning c.position`;
  const values = [closed.map(({ id }) => id), closed.map(({ position }) => position)];
  const { rows } = await tx.query<{ position: number }>(sql, values);
  return Math.max(0, ...rows.map(({ position }) => position));
}

async function insertEvidence(tx: pg.ClientBase, evidence: NewEvidence[]): Promise<void> {
  if (evidence.length === 0) return;
  await tx.query(
    `insert into read.trust_evidence_v3 (kind, sx, points, event_id, day, position, source, valid_from, valid_to)
     select 'spend', sx, points, event_id, day, position, source, valid_from, valid_to
     from jsonb_populate_recordset(null::read.trust_evidence_v3, $1::jsonb)`,
    [JSON.stringify(evidence)],
  );
}

/** Registrations and proven wallets. */
export type KeyEvent = PositionedEvent<typeof agent> & { type: "AgentRegistered" | "AgentKeyProven" };

/**
 * An agent owns the wallets that it proves; the first proof of a wallet also brings its earlier payments. Returns the
 * newest position that brought some; 0 = none.
 */
export async function foldKeys(tx: pg.ClientBase, events: readonly KeyEvent[]): Promise<number> {
  const registered = events.flatMap(({ id, type, data }) =>
    type === "AgentRegistered" ? [{ id, sx: data.sx_number }] : [],
  );
  if (registered.length > 0)
    await tx.query(
      `insert into read.trust_agents_v3 (lower_id, sx) select * from unnest($1::text[], $2::bigint[])
       on conflict do nothing`,
      [registered.map(({ id }) => id), registered.map(({ sx }) => sx)],
    );
  const proven = events.flatMap(({ id, type, data, position }) =>
    type === "AgentKeyProven" ? [{ id, wallet: data.public, position }] : [],
  );
  if (proven.length === 0) return 0;
  const columns = [
    proven.map(({ id }) => id),
    proven.map(({ wallet }) => wallet),
    proven.map(({ position }) => position),
  ];
  const { rows: firsts } = await tx.query<WalletHolder & { position: number }>(
    `with proven as (
        select p.wallet, a.sx, p.position from unnest($1::text[], $2::text[], $3::bigint[]) p (id, wallet, position)
          join read.trust_agents_v3 a on a.lower_id = p.id
      ), held as (
        insert into read.trust_wallets_v3 (wallet, sx, valid_from) select wallet, sx, position from proven
      )
      select distinct on (wallet) wallet, sx, position from proven
        where not exists (select from read.trust_wallets_v3 w where w.wallet = proven.wallet) order by wallet, position`,
    columns,
  );
  if (firsts.length === 0) return 0;
  const { rows } = await tx.query<{ valid_from: number }>(
    `insert into read.trust_evidence_v3 (kind, sx, points, event_id, day, position, source, valid_from)
     select 'spend', f.sx, amount_micro, settled_event_id, settled_day, settled_position, id, f.position
     from unnest($1::text[], $2::bigint[], $3::bigint[]) f (wallet, sx, position)
       join read.trust_payments_v3 on payer = f.wallet and priced and settled and not given_back
     returning valid_from`,
    [firsts.map(({ wallet }) => wallet), firsts.map(({ sx }) => sx), firsts.map(({ position }) => position)],
  );
  return Math.max(0, ...rows.map(({ valid_from }) => valid_from));
}

/** Ends the agent's ownership of this wallet, or of all; its payments until then remain evidence. */
export async function releaseWallets(
  tx: pg.ClientBase,
  { sx, position, wallet }: { sx: number; position: number; wallet?: string },
): Promise<void> {
  await tx.query(
    `update read.trust_wallets_v3 set valid_to = $2
     where sx = $1 and valid_to is null and ($3::text is null or wallet = $3)`,
    [sx, position, wallet ?? null],
  );
}
