/** The read model of random numbers: rolls by id, seeds and their uses, commitments, and daily counts. */
import type pg from "pg";
import { int8Array, textArray } from "../../../eventstore/pg-arrays.ts";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import { firstDrawn } from "../../domain/games/drawn.ts";
import { loungeNames } from "../../domain/games/lounge-games.ts";
import type { BetFacts } from "../../domain/lounge/account.ts";
import * as account from "../../domain/lounge/account.ts";
import * as commitment from "../../domain/rng/commitment.ts";
import type { DrawnFacts } from "../../domain/rng/roll.ts";
import * as roll from "../../domain/rng/roll.ts";
import * as seeds from "../../domain/rng/seeds.ts";
import { CELLS, cellOf } from "../../domain/rng/statistics.ts";

export const rngProjection = projection({
  name: "rng",
  version: 3,
  ddl: `
    create table if not exists read.rng_rolls_v3 (
      roll_id  text primary key,
      tenant   text not null,
      position bigint not null,
      facts    jsonb not null
    );
    create index if not exists rng_rolls_v3_tenant on read.rng_rolls_v3 (tenant, position desc);
    create table if not exists read.rng_seeds_v3 (
      space     text not null,
      chain     int not null,
      index     int not null,
      seed_hash text not null unique,
      active    jsonb not null,
      revealed  jsonb,
      voided_at text,
      rolls     bigint not null default 0,
      primary key (space, chain, index)
    );
    create table if not exists read.rng_chains_v3 (
      space     text not null,
      chain     int not null,
      head_hash text not null,
      published jsonb not null,
      committed jsonb,
      abandoned jsonb,
      primary key (space, chain)
    );
    create table if not exists read.rng_refunds_v3 (
      tenant    text not null,
      seed_hash text not null,
      primary key (tenant, seed_hash)
    );
    create table if not exists read.rng_commitments_v3 (
      seed_hash text primary key,
      position  bigint not null,
      committed jsonb
    );
    create index if not exists rng_commitments_v3_position on read.rng_commitments_v3 (position desc);
    create index if not exists rng_commitments_v3_asked on read.rng_commitments_v3 (position) where committed is null;
    create index if not exists rng_commitments_v3_committed on read.rng_commitments_v3 ((committed->>'committed_at'));
    create table if not exists read.rng_counts_v3 (
      day      date not null,
      space    text not null,
      game     text not null,
      outcomes bigint not null,
      rolls    bigint not null,
      observed bigint[] not null,
      primary key (day, space, game, outcomes)
    );`,
  of: [seeds, commitment, roll, account],
  async fold(events, tx) {
    let rolls: Rolled[] = [];
    for (const event of events) {
      if (event.type === "Rolled") rolls.push({ facts: event.data, position: event.position });
      else if (event.type === "BetPlayed")
        rolls.push({ facts: drawnBy(event.data), position: event.position });
      else if (event.type === "BetsVoided")
        await tx.query("delete from read.rng_refunds_v3 where tenant = $1 and seed_hash = $2", [
          event.tenant,
          event.data.seed_hash,
        ]);
      else if (!Object.hasOwn(account.events, event.type)) {
        await addRolls(tx, rolls);
        rolls = [];
        await foldSeed(tx, event);
      }
    }
    await addRolls(tx, rolls);
  },
});

type Rolled = { facts: DrawnFacts; position: number };

/** A bet's draw, without its effect on the account. */
const drawnBy = ({
  stake_atto: _stake,
  payout_atto: _payout,
  balance_atto: _balance,
  ...drawn
}: BetFacts): DrawnFacts => drawn;

/** Inserts all rolls in a few statements, between changes of seeds. */
async function addRolls(tx: pg.ClientBase, rolls: Rolled[]): Promise<void> {
  if (rolls.length === 0) return;
  await tx.query(
    `insert into read.rng_rolls_v3
     select roll_id, tenant, position, facts::jsonb
       from unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) r (roll_id, tenant, position, facts)`,
    [
      textArray(rolls.map(({ facts }) => facts.roll_id)),
      textArray(rolls.map(({ facts }) => facts.tenant)),
      int8Array(rolls.map(({ position }) => position)),
      textArray(rolls.map(({ facts }) => JSON.stringify(facts))),
    ],
  );
  const uses = counted(rolls, ({ facts }) => facts.seed_hash);
  for (const [seed_hash, { length }] of uses) await countUses(tx, seed_hash, length);
  const numbers = rolls.map(({ facts }) => ({
    facts,
    ...firstDrawn(facts.game, facts.params, facts.result),
  }));
  const days = counted(numbers, ({ facts, of }) =>
    [facts.rolled_at.slice(0, 10), facts.space, facts.game, of].join(),
  );
  for (const [name, together] of days) await addCounts(tx, name.split(","), together);
}

function counted<Roll>(rolls: readonly Roll[], nameOf: (roll: Roll) => string): Map<string, Roll[]> {
  const groups = new Map<string, Roll[]>();
  for (const roll of rolls) {
    const group = groups.get(nameOf(roll)) ?? [];
    groups.set(nameOf(roll), group);
    group.push(roll);
  }
  return groups;
}

/** Adds rolls of one game and number of outcomes to a day's counts, in integers, so that their order does not matter. */
async function addCounts(
  tx: pg.ClientBase,
  key: string[],
  rolls: readonly { value: number; of: number }[],
): Promise<void> {
  const observed = Array<number>(CELLS).fill(0);
  for (const { value, of } of rolls) observed[cellOf(value, of)]!++;
  await tx.query(
    `insert into read.rng_counts_v3 as kept values ($1, $2, $3, $4, $5, $6)
     on conflict (day, space, game, outcomes) do update
       set rolls = kept.rolls + excluded.rolls,
         observed = (select array_agg(a + b order by at)
           from unnest(kept.observed, excluded.observed) with ordinality u (a, b, at))`,
    [...key, rolls.length, observed],
  );
}

/** Counts uses towards the limit at which a seed is revealed. */
const countUses = (tx: pg.ClientBase, seedHash: string, uses: number) =>
  tx.query("update read.rng_seeds_v3 set rolls = rolls + $2 where seed_hash = $1", [seedHash, uses]);

/** The seed draws nothing more, so all accounts that bet on it are known. */
async function voidSeed(tx: pg.ClientBase, seed_hash: string, voided_at: string): Promise<void> {
  await tx.query("update read.rng_seeds_v3 set voided_at = $2 where seed_hash = $1", [seed_hash, voided_at]);
  await tx.query(
    `insert into read.rng_refunds_v3
     select distinct tenant, $1::text from read.rng_rolls_v3
      where facts->>'seed_hash' = $1 and facts->>'game' = any($2)`,
    [seed_hash, loungeNames],
  );
}

type Folded = PositionedEvent<typeof seeds | typeof commitment | typeof account | typeof roll>;

async function foldSeed(tx: pg.ClientBase, { type, data, position }: Folded): Promise<void> {
  switch (type) {
    case "SeedChainPublished":
      await tx.query("insert into read.rng_chains_v3 values ($1, $2, $3, $4)", [
        data.space,
        data.chain,
        data.head_hash,
        data,
      ]);
      return;
    case "SeedChainCommitted":
      await tx.query("update read.rng_chains_v3 set committed = $3 where space = $1 and chain = $2", [
        data.space,
        data.chain,
        data,
      ]);
      return;
    case "SeedActivated":
      await tx.query("insert into read.rng_seeds_v3 values ($1, $2, $3, $4, $5)", [
        data.space,
        data.chain,
        data.index,
        data.seed_hash,
        data,
      ]);
      return;
    case "SeedRevealed":
      await tx.query("update read.rng_seeds_v3 set revealed = $2 where seed_hash = $1", [
        data.seed_hash,
        data,
      ]);
      return;
    case "SeedChainAbandoned":
      await tx.query("update read.rng_chains_v3 set abandoned = $3 where space = $1 and chain = $2", [
        data.space,
        data.chain,
        data,
      ]);
      if (data.void) await voidSeed(tx, data.void.seed_hash, data.abandoned_at);
      return;
    case "SeedCommitmentAsked":
    case "SeedCommitted":
    case "SeedCommitmentReorged":
      await tx.query(
        `insert into read.rng_commitments_v3 values ($1, $2, $3)
         on conflict (seed_hash) do update set position = excluded.position, committed = excluded.committed`,
        [data.seed_hash, position, type === "SeedCommitted" ? data : null],
      );
  }
}
