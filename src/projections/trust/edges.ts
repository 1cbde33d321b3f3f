/** What agents say of each other: a row an attestation, with the positions between which it is live. */
import type pg from "pg";
import { int4Array, int8Array, textArray } from "../../../eventstore/pg-arrays.ts";
import type * as attestation from "../../domain/trust/attestation.ts";
import type { Placed } from "../typed.ts";
import { dayOf } from "./days.ts";

export const edgesDdl = `
    create table if not exists read.trust_edges_v2 (
      attestation_id text primary key,
      from_sx        bigint not null,
      to_sx          bigint not null,
      skill          text not null,
      weight_micro   bigint not null,
      evidence       text,
      event_id       text not null,
      day            bigint not null,
      made_at        text not null,
      valid_from     bigint not null,
      valid_to       bigint
    );
    create index if not exists trust_edges_v2_to on read.trust_edges_v2 (to_sx, valid_from);
    create index if not exists trust_edges_v2_from on read.trust_edges_v2 (from_sx, to_sx, skill);
    drop index if exists read.trust_edges_v2_valid_from;
    create index if not exists trust_edges_v2_since on read.trust_edges_v2 using brin (valid_from);
    create index if not exists trust_edges_v2_ended on read.trust_edges_v2 (valid_to) where valid_to is not null;`;

export type Made = Placed<typeof attestation> & { type: "AttestationMade" };

/** Attestations that follow each other in the log: the newest of an attestor, subject and skill takes the place of the one before. */
export async function foldAttestations(tx: pg.ClientBase, run: readonly Made[]): Promise<void> {
  /** Where the next of the same attestor, subject and skill stands, if the run has one. */
  const ends = run.map(() => 0);
  const newest = new Map<string, number>();
  const firsts: number[] = [];
  run.forEach(({ data, position }, at) => {
    const line = `${data.from} ${data.to} ${data.skill}`;
    const before = newest.get(line);
    if (before === undefined) firsts.push(at);
    else ends[before] = position;
    newest.set(line, at);
  });
  const isFirst = new Set(firsts);
  await tx.query({
    name: "trust_attested",
    text: `with made as (
        select * from unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::int8[], $6::text[], $7::text[], $8::int8[], $9::text[],
          $10::int8[], $11::int8[], $12::int4[])
          as made (attestation_id, from_sx, to_sx, skill, weight_micro, evidence, event_id, day, made_at, valid_from, valid_to, is_first)
      ), replaced as (
        update read.trust_edges_v2 e set valid_to = made.valid_from from made
          where made.is_first = 1 and e.from_sx = made.from_sx and e.to_sx = made.to_sx and e.skill = made.skill
            and e.valid_to is null
      )
      insert into read.trust_edges_v2
        (attestation_id, from_sx, to_sx, skill, weight_micro, evidence, event_id, day, made_at, valid_from, valid_to)
      select attestation_id, from_sx, to_sx, skill, weight_micro, evidence, event_id, day, made_at, valid_from, nullif(valid_to, 0)
        from made`,
    values: [
      textArray(run.map(({ data }) => data.attestation_id)),
      int8Array(run.map(({ data }) => data.from)),
      int8Array(run.map(({ data }) => data.to)),
      textArray(run.map(({ data }) => data.skill)),
      int8Array(run.map(({ data }) => data.weight_micro)),
      textArray(run.map(({ data }) => data.evidence)),
      textArray(run.map(({ event_id }) => event_id)),
      int8Array(run.map(dayOf)),
      textArray(run.map(({ data }) => data.made_at)),
      int8Array(run.map(({ position }) => position)),
      int8Array(ends),
      int4Array(run.map((_, at) => (isFirst.has(at) ? 1 : 0))),
    ],
  });
}
