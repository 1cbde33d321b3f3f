/** Current bounties with their texts, one a row: listed, searched and due. */
import type pg from "pg";
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import { utc } from "../../core/read-models/times.ts";
import type { Bounty, BountyStatus } from "../../domain/marketplace/bounty.ts";
import * as bounty from "../../domain/marketplace/bounty.ts";
import { daysAfter, FOR_EVER, type Retention, readTexts, setRetention, TAKEN_DOWN } from "./stored-texts.ts";

/** A bounty's text; null where the operator has taken it down. */
export type BountyText = { title: string; description: string };

type BountyRow = {
  bounty_id: string;
  status: BountyStatus;
  creator: string | null;
  reward_micro: number;
  skills: string[];
  title: string | null;
  description: string | null;
  due_at: string | null;
  opened_at: string;
  position: number;
  state: Bounty;
};

export const bountiesProjection = projection({
  name: "bounties",
  version: 1,
  ddl: `
    create table if not exists read.bounties_v1 (
      bounty_id    text primary key,
      status       text not null,
      creator      text,
      reward_micro bigint not null,
      skills       text[] not null,
      title        text,
      description  text,
      due_at       timestamptz,
      opened_at    timestamptz not null,
      position     bigint not null,
      state        jsonb not null,
      words        tsvector generated always as
        (to_tsvector('simple', coalesce(title, '') || ' ' || coalesce(description, ''))) stored
    );
    create index if not exists bounties_v1_listed on read.bounties_v1 (status, position desc);
    create index if not exists bounties_v1_words on read.bounties_v1 using gin (words);
    create index if not exists bounties_v1_due on read.bounties_v1 (due_at) where due_at is not null;
    create index if not exists bounties_v1_unfunded on read.bounties_v1 (opened_at) where status = 'unfunded';`,
  of: [bounty],
  async fold(events, tx) {
    if (events.length === 0) return;
    const known = await rowsOf(tx, [...new Set(events.map(({ id }) => id))]);
    for (const { id, position, ...event } of events) {
      const before = known.get(id);
      const state = bounty.existingBounty(bounty.evolve(before?.state, event));
      known.set(id, { state, position: before?.position ?? position });
    }
    const folded = [...known].map(([id, { state, position }]) => rowOf(id, state, position));
    const texts = await readTexts<BountyText>(
      tx,
      folded.filter(({ state }) => !state.hidden).map(({ state }) => textOf(state)),
    );
    await saveRows(
      tx,
      "read.bounties_v1",
      ["bounty_id"],
      folded.map((row) => ({ ...row, ...texts.get(textOf(row.state)) })),
    );
    await setRetention(
      tx,
      folded.flatMap(({ state }) => retentionsOf(state)),
    );
    await dropUnfunded(tx, folded);
  },
});

const textOf = ({ facts }: Bounty) => objectName("bounty", facts.bounty_id, facts.text_sha256);

function rowOf(bounty_id: string, state: Bounty, position: number): BountyRow {
  const { reward_micro, skills, opened_at } = state.facts;
  return {
    bounty_id,
    status: bounty.statusOf(state),
    creator: state.funded?.creator ?? null,
    reward_micro,
    skills,
    title: null,
    description: null,
    due_at: bounty.dueAt(state),
    opened_at,
    position,
    state,
  };
}

/** A funded bounty's text is stored for ever, and its submissions for some time after its end, unless it is taken down. */
function retentionsOf(state: Bounty): Retention[] {
  const { funded, hidden, facts } = state;
  if (!funded && !hidden) return [];
  const ended_at = bounty.endedAt(state);
  const until = hidden ? TAKEN_DOWN : ended_at ? daysAfter(ended_at) : FOR_EVER;
  const digests = state.claims.flatMap(({ note_sha256, submission }) => [
    ...(note_sha256 === null ? [] : [note_sha256]),
    ...(submission ? [submission.content_sha256] : []),
  ]);
  return [
    { name: textOf(state), until: hidden ? TAKEN_DOWN : FOR_EVER },
    ...digests.map((sha256) => ({ name: objectName("bounty", facts.bounty_id, sha256), until })),
  ];
}

/** Opening a bounty is free, so bounties that nobody funds in time lose their rows. */
async function dropUnfunded(tx: pg.ClientBase, folded: readonly BountyRow[]): Promise<void> {
  const newest = folded
    .map(({ opened_at }) => opened_at)
    .toSorted()
    .at(-1);
  const text = `delete from read.bounties_v1 where status = 'unfunded'
    and opened_at < $1::timestamptz - make_interval(secs => ${2 * bounty.UNFUNDED_S})`;
  await tx.query({ name: "bounties_drop", text, values: [newest] });
}

async function rowsOf(
  tx: pg.ClientBase,
  ids: string[],
): Promise<Map<string, Pick<BountyRow, "position" | "state">>> {
  const sql = "select bounty_id, position, state from read.bounties_v1 where bounty_id = any($1)";
  const { rows } = await tx.query<BountyRow>(sql, [ids]);
  return new Map(rows.map((row) => [row.bounty_id, row]));
}

export type ListedBounty = { position: number; state: Bounty } & BountyText;

export type BountySearch = {
  status: BountyStatus;
  q: string | null;
  skill: string | null;
  min_reward_micro: number | null;
  limit: number;
  before: number | null;
};

/** Bounties of a status, the newest first. `q` is typed text and never becomes query syntax. */
export async function listBounties(pool: pg.Pool, search: BountySearch): Promise<ListedBounty[]> {
  const { status, q, skill, min_reward_micro, limit, before } = search;
  const sql = `select position::float8 as position, state, title, description from read.bounties_v1
    where status = $1 and title is not null and ($2::text is null or words @@ websearch_to_tsquery('simple', $2))
      and ($3::text is null or $3 = any(skills)) and ($4::bigint is null or reward_micro >= $4)
      and ($5::bigint is null or position < $5)
    order by position desc limit $6`;
  const values = [status, q, skill, min_reward_micro, before, limit];
  return (await pool.query<ListedBounty>(sql, values)).rows;
}

const PAGE = 200;

/** Bounties whose time is over now. */
export async function nextDueBounty(pool: pg.Pool): Promise<string | null> {
  const text = `select ${utc("min(due_at)")} as at from read.bounties_v1`;
  return (await pool.query<{ at: string | null }>({ name: "bounties_next_due", text })).rows[0]!.at;
}

export async function dueBounties(pool: pg.Pool, now: string): Promise<string[]> {
  const text = `select bounty_id from read.bounties_v1 where due_at <= $1 order by due_at limit ${PAGE}`;
  const { rows } = await pool.query<{ bounty_id: string }>({ name: "bounties_due", text, values: [now] });
  return rows.map(({ bounty_id }) => bounty_id);
}
