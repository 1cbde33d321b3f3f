/** Every signed or anchored tree head, with its state. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { Anchor } from "../../domain/anchoring/anchor.ts";
import * as anchor from "../../domain/anchoring/anchor.ts";

/** Checkpoints name it `log`, because it once also had the streams. */
export const headsProjection = projection({
  name: "log",
  version: 1,
  ddl: `
  create table if not exists read.log_checkpoints_v1 (
    size        bigint primary key,
    root        text not null,
    signed_at   text not null,
    note        text not null,
    cosigned_by text[] not null default '{}'
  );
  create table if not exists read.log_anchors_v1 (
    position    bigint primary key,
    transaction text not null,
    firmness    text not null,
    facts       jsonb not null
  );
  create index if not exists log_anchors_v1_mined on read.log_anchors_v1 (position) where firmness = 'mined';`,
  of: [anchor],
  async fold(events, tx) {
    for (const event of events) await add(tx, event);
  },
});

/** The published notes of these sizes, the smallest first. */
export async function notesOf(
  pool: pg.Pool,
  sizes: readonly number[],
): Promise<{ size: number; note: string }[]> {
  const { rows } = await pool.query<{ size: number; note: string }>(
    "select size, note from read.log_checkpoints_v1 where size = any($1) order by size",
    [sizes],
  );
  return rows;
}

async function add(
  tx: pg.ClientBase,
  { position, type, data }: PositionedEvent<typeof anchor>,
): Promise<void> {
  switch (type) {
    case "CheckpointSigned": {
      const { size, root, signed_at, note } = data;
      await tx.query(
        "insert into read.log_checkpoints_v1 (size, root, signed_at, note) values ($1, $2, $3, $4)",
        [size, root, signed_at, note],
      );
      return;
    }
    case "CheckpointCosigned": {
      const { size, cosignature, witness } = data;
      await tx.query(
        `update read.log_checkpoints_v1
              set note = note || $2::text || E'\\n', cosigned_by = cosigned_by || $3::text where size = $1`,
        [size, cosignature, witness],
      );
      return;
    }
    case "Anchored":
      await tx.query(
        "insert into read.log_anchors_v1 (position, transaction, firmness, facts) values ($1, $2, 'mined', $3)",
        [position, data.transaction, JSON.stringify(data)],
      );
      return;
    case "AnchorReorged":
      await tx.query(
        "update read.log_anchors_v1 set firmness = 'reorged' where firmness = 'mined' and transaction = $1",
        [data.transaction],
      );
      return;
    case "AnchorFinal":
      // A final anchor makes earlier anchors final.
      await tx.query(
        `update read.log_anchors_v1 set firmness = 'final' where firmness = 'mined' and position <=
             (select max(position) from read.log_anchors_v1 where firmness = 'mined' and transaction = $1)`,
        [data.transaction],
      );
      return;
  }
}

/** `before` is exclusive; newest first. */
export type Page = { before: number | undefined; limit: number };

export type CheckpointRow = {
  size: number;
  root: Hex;
  signed_at: string;
  note: string;
  cosigned_by: string[];
};

export async function checkpointsBefore(pool: pg.Pool, { before, limit }: Page): Promise<CheckpointRow[]> {
  const text = `select size, root, signed_at, note, to_json(cosigned_by) as cosigned_by
    from read.log_checkpoints_v1 where $1::bigint is null or size < $1 order by size desc limit $2`;
  return (await pool.query<CheckpointRow>(text, [before ?? null, limit])).rows;
}

export type AnchorRow = { position: number; firmness: "mined" | "final" | "reorged"; facts: Anchor };

/** The positions of the anchors that a transaction made, newest first. */
export async function anchorsBy(pool: pg.Pool, transaction: string): Promise<number[]> {
  const text =
    "select position from read.log_anchors_v1 where transaction = $1 order by position desc limit 10";
  return (await pool.query<{ position: number }>(text, [transaction])).rows.map(({ position }) => position);
}

export async function anchorsBefore(pool: pg.Pool, { before, limit }: Page): Promise<AnchorRow[]> {
  const text = `select position, firmness, facts from read.log_anchors_v1
    where $1::bigint is null or position < $1 order by position desc limit $2`;
  return (await pool.query<AnchorRow>(text, [before ?? null, limit])).rows;
}
