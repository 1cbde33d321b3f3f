/** One row per attestation, with the positions between which it is live. */
import type pg from "pg";
import { int4Array, int8Array, textArray } from "../../../eventstore/pg-arrays.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type * as attestation from "../../domain/trust/attestation.ts";
import { dayOf } from "./days.ts";

export const edgesDdl = `
    create table if not exists read.trust_edges_v3 (
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
    create index if not exists trust_edges_v3_to on read.trust_edges_v3 (to_sx, valid_from);
    create index if not exists trust_edges_v3_from on read.trust_edges_v3 (from_sx, to_sx, skill);
    create index if not exists trust_edges_v3_since on read.trust_edges_v3 using brin (valid_from);
    create index if not exists trust_edges_v3_ended on read.trust_edges_v3 (valid_to) where valid_to is not null;`;

type AttestationEvent = PositionedEvent<typeof attestation>;
export type MadeEvent = AttestationEvent & { type: "AttestationMade" };
type RevokedEvent = AttestationEvent & { type: "AttestationRevoked" };
export type AttestationChange = MadeEvent | RevokedEvent;

const isMade = (event: AttestationChange): event is MadeEvent => event.type === "AttestationMade";
const lineOf = ({ data }: MadeEvent) => `${data.from} ${data.to} ${data.skill}`;

/**
 * The newest attestation of an attestor, subject and skill replaces the one before. Returns the position of the newest
 * event that changed something; 0 = none.
 */
export async function foldAttestations(
  tx: pg.ClientBase,
  events: readonly AttestationChange[],
): Promise<number> {
  const run = events.filter(isMade);
  /** The position at which each attestation of the run was replaced or revoked. */
  const ends = run.map(() => 0);
  const positions = new Map(run.map((made, at) => [made.data.attestation_id, { at, line: lineOf(made) }]));
  /** The live attestation of a line; null = revoked, or none. */
  const newest = new Map<string, number | null>();
  const isFirst = new Set<number>();
  const revoked: RevokedEvent[] = [];
  let moved = 0;
  for (const event of events) {
    if (isMade(event)) {
      const { at, line } = positions.get(event.data.attestation_id)!;
      const before = newest.get(line);
      if (before === undefined) isFirst.add(at);
      else if (before !== null) ends[before] = event.position;
      newest.set(line, at);
      moved = event.position;
      continue;
    }
    const found = positions.get(event.data.attestation_id);
    if (!found || run[found.at]!.position > event.position) revoked.push(event);
    else if (newest.get(found.line) === found.at) {
      ends[found.at] = event.position;
      newest.set(found.line, null);
      moved = event.position;
    }
  }
  if (revoked.length > 0)
    moved = Math.max(
      moved,
      await revoke(
        tx,
        revoked,
        run.filter((_, at) => isFirst.has(at)),
      ),
    );
  if (run.length > 0) await insertMade(tx, run, { ends, isFirst });
  return moved;
}

/** Ends attestations from before the run; one that the run replaced first stays replaced. */
async function revoke(
  tx: pg.ClientBase,
  revoked: readonly RevokedEvent[],
  firsts: readonly MadeEvent[],
): Promise<number> {
  const { rows } = await tx.query<{ position: number }>({
    name: "trust_revoked",
    text: `with firsts as (select * from unnest($3::int8[], $4::int8[], $5::text[], $6::int8[]) as f (from_sx, to_sx, skill, position))
      update read.trust_edges_v3 e set valid_to = r.position
        from (select attestation_id, min(position) as position from unnest($1::text[], $2::int8[]) as r (attestation_id, position) group by 1) r
        where e.attestation_id = r.attestation_id and e.valid_to is null
          and not exists (select from firsts f where f.position < r.position
            and f.from_sx = e.from_sx and f.to_sx = e.to_sx and f.skill = e.skill)
        returning r.position`,
    values: [
      textArray(revoked.map(({ data }) => data.attestation_id)),
      int8Array(revoked.map(({ position }) => position)),
      int8Array(firsts.map(({ data }) => data.from)),
      int8Array(firsts.map(({ data }) => data.to)),
      textArray(firsts.map(({ data }) => data.skill)),
      int8Array(firsts.map(({ position }) => position)),
    ],
  });
  return Math.max(0, ...rows.map(({ position }) => position));
}

type RunEnds = { ends: number[]; isFirst: ReadonlySet<number> };

async function insertMade(
  tx: pg.ClientBase,
  run: readonly MadeEvent[],
  { ends, isFirst }: RunEnds,
): Promise<void> {
  await tx.query({
    name: "trust_attested",
    text: `with made as (
        select * from unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::int8[], $6::text[], $7::text[], $8::int8[], $9::text[],
          $10::int8[], $11::int8[], $12::int4[])
          as made (attestation_id, from_sx, to_sx, skill, weight_micro, evidence, event_id, day, made_at, valid_from, valid_to, is_first)
      ), replaced as (
        update read.trust_edges_v3 e set valid_to = made.valid_from from made
          where made.is_first = 1 and e.from_sx = made.from_sx and e.to_sx = made.to_sx and e.skill = made.skill
            and e.valid_to is null
      )
      insert into read.trust_edges_v3
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
