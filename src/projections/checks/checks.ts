/** Current checks, one a row: for lists, for callers that have only an id, and for following the chain. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import { nameOf } from "../../core/read-models/runner.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { Check, CheckFacts, CheckStatus, Ending } from "../../domain/checks/check.ts";
import * as check from "../../domain/checks/check.ts";
import type { Followed } from "../../domain/checks/following.ts";
import * as following from "../../domain/checks/following.ts";

/** `followed`: the chain may still change it. `position`: of its creation; `changed_position`: of its newest event. */
type CheckRow = {
  check_id: string;
  tenant: string;
  network: string;
  issuer: Hex;
  recipient: Hex;
  status: CheckStatus;
  valid_before: number;
  ended_block: number | null;
  ended_hash: Hex | null;
  followed: boolean;
  position: number;
  changed_position: number;
  state: Check;
};

export const checksProjection = projection({
  name: "checks",
  version: 1,
  ddl: `
    create table if not exists read.checks_v1 (
      check_id         text primary key,
      tenant           text not null,
      network          text not null,
      issuer           text not null,
      recipient        text not null,
      status           text not null,
      valid_before     bigint not null,
      ended_block      bigint,
      ended_hash       text,
      followed         boolean not null,
      position         bigint not null,
      changed_position bigint not null,
      state            jsonb not null
    );
    create index if not exists checks_v1_tenant on read.checks_v1 (tenant, position desc);
    create index if not exists checks_v1_issuer on read.checks_v1 (issuer, position desc);
    create index if not exists checks_v1_recipient on read.checks_v1 (recipient, position desc);
    create index if not exists checks_v1_open on read.checks_v1 (network, position) where followed;`,
  of: [check, following],
  async fold(events, tx) {
    const ids = events.flatMap(({ type, id }) => (type === "ChecksFollowed" ? [] : id));
    const rows = await rowsOf(tx, ids);
    for (const event of events) {
      if (event.type === "ChecksFollowed") {
        // This batch may have created the check that it closes.
        await save(tx, rows);
        await close(tx, event.data);
        for (const [id, row] of await rowsOf(tx, rows.keys())) rows.set(id, row);
      } else rows.set(event.id, folded(rows.get(event.id), event));
    }
    await save(tx, rows);
  },
});

function folded(row: CheckRow | undefined, event: PositionedEvent<typeof check>): CheckRow {
  const { tenant, position } = event;
  const state = check.existingCheck(check.evolve(row?.state, event));
  const { facts, ending } = state;
  return {
    check_id: facts.check_id,
    tenant,
    network: facts.network,
    issuer: facts.from,
    recipient: facts.to,
    status: check.statusOf(state),
    valid_before: facts.valid_before,
    ended_block: ending?.block_number ?? null,
    ended_hash: ending?.block_hash ?? null,
    followed: row?.followed ?? true,
    position: row?.position ?? position,
    changed_position: position,
    state,
  };
}

const rowsOf = (tx: pg.ClientBase, ids: Iterable<string>) =>
  readRows<CheckRow, "check_id">(tx, "read.checks_v1", "check_id", ids);

const save = (tx: pg.ClientBase, rows: Map<string, CheckRow>) =>
  saveRows(tx, "read.checks_v1", ["check_id"], rows.values());

/** The chain no longer changes an end at or below a final block, nor an expiry by then. */
const SETTLED = `followed and network = $1 and coalesce(ended_block <= $2, valid_before <= $3)`;

async function close(tx: pg.ClientBase, followed: Followed): Promise<void> {
  const { network, block_number, timestamp, as_of_position } = followed;
  const sql = `update read.checks_v1 set followed = false where ${SETTLED} and changed_position <= $4`;
  await tx.query(sql, [network, block_number, timestamp, as_of_position]);
}

/** A check's owner, and whether the chain may still change it; a moment old. */
export async function findCheck(
  pool: pg.Pool,
  checkId: string,
): Promise<{ tenant: string; followed: boolean } | undefined> {
  const sql = "select tenant, followed from read.checks_v1 where check_id = $1";
  return (await pool.query<{ tenant: string; followed: boolean }>(sql, [checkId])).rows[0];
}

/** The selection of checks: those of a tenant, or from or to wallets that the caller has proven. */
export type CheckFilter = {
  tenant: string;
  wallets: Hex[];
  issuer: Hex | undefined;
  recipient: Hex | undefined;
  status: CheckStatus | undefined;
  limit: number;
  offset: number;
};

export type ListedCheck = { state: Check; followed: boolean };

/** The newest first; `total` counts all that fit. */
export async function listChecks(
  pool: pg.Pool,
  { tenant, wallets, issuer, recipient, status, limit, offset }: CheckFilter,
): Promise<{ checks: ListedCheck[]; total: number }> {
  const which = `(tenant = $1 or issuer = any($2) or recipient = any($2)) and ($3::text is null or issuer = $3)
    and ($4::text is null or recipient = $4) and ($5::text is null or status = $5)`;
  const values = [tenant, wallets, issuer ?? null, recipient ?? null, status ?? null];
  const sql = `select (select count(*) from read.checks_v1 where ${which})::int as total,
    (select coalesce(jsonb_agg(jsonb_build_object('state', state, 'followed', followed) order by position desc), '[]')
       from (select * from read.checks_v1 where ${which} order by position desc limit $6 offset $7) page) as checks`;
  const { rows } = await pool.query<{ checks: ListedCheck[]; total: number }>(sql, [
    ...values,
    limit,
    offset,
  ]);
  return rows[0]!;
}

/** The checks of a network that the chain may still change, as of one moment. */
export type Open = {
  /** The log position of these rows. */
  as_of_position: number;
  /** The highest block that one of them ended in; 0 where none has. */
  highest_block: number;
  /** True if one of them is final once this block is. */
  is_settled: boolean;
};

export async function openChecks(
  pool: pg.Pool,
  network: string,
  final: Pick<Followed, "block_number" | "timestamp">,
): Promise<Open> {
  // One statement reads one snapshot.
  const sql = `select
    coalesce((select position from read.checkpoints where projection = $4), 0)::float8 as as_of_position,
    (select coalesce(max(ended_block), 0)::float8 from read.checks_v1 where followed and network = $1) as highest_block,
    exists(select from read.checks_v1 where ${SETTLED}) as is_settled`;
  const values = [network, final.block_number, final.timestamp, nameOf(checksProjection)];
  return (await pool.query<Open>(sql, values)).rows[0]!;
}

/** A block with ends of checks that a reorg may still remove. */
export type EndedBlock = { block_hash: Hex; block_number: number };

export async function endedBlocks(pool: pg.Pool, network: string): Promise<EndedBlock[]> {
  const sql = `select distinct ended_hash as block_hash, ended_block::float8 as block_number
    from read.checks_v1 where followed and network = $1 and ended_hash is not null`;
  return (await pool.query<EndedBlock>(sql, [network])).rows;
}

/** A check that has not ended, or whose end the chain took back. */
export type OpenCheck = {
  tenant: string;
  status: CheckStatus;
  position: number;
  facts: CheckFacts;
  ending: Ending | null;
};

const PAGE = 1_000;

/** Those blocks in pages, the oldest first; `gone` names the blocks that a reorg removed. */
export async function* openPages(
  pool: pg.Pool,
  network: string,
  gone: ReadonlySet<Hex>,
): AsyncGenerator<OpenCheck[]> {
  const sql = `select tenant, status, position::float8, state->'facts' as facts, nullif(state->'ending', 'null') as ending
    from read.checks_v1
    where followed and network = $1 and position > $2 and (ended_hash is null or ended_hash = any($3))
    order by read.checks_v1.position limit ${PAGE}`;
  for (let after = 0, page: OpenCheck[]; ; after = page.at(-1)!.position) {
    page = (await pool.query<OpenCheck>(sql, [network, after, [...gone]])).rows;
    yield page;
    if (page.length < PAGE) return;
  }
}
