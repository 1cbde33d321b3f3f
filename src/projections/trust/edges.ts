/** What agents say of each other: a row an attestation, with the positions between which it is live. */
import type pg from "pg";
import type * as attestation from "../../domain/trust/attestation.ts";
import type { Placed } from "../typed.ts";
import { dayOf } from "./days.ts";

export const edgesDdl = `
    create table if not exists read.trust_edges_v1 (
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
    create index if not exists trust_edges_v1_to on read.trust_edges_v1 (to_sx, valid_from);
    create index if not exists trust_edges_v1_from on read.trust_edges_v1 (from_sx, to_sx, skill);
    create index if not exists trust_edges_v1_valid_from on read.trust_edges_v1 (valid_from);
    create index if not exists trust_edges_v1_ended on read.trust_edges_v1 (valid_to) where valid_to is not null;`;

export type Made = Placed<typeof attestation> & { type: "AttestationMade" };

/** Attestations that follow each other in the log: the newest of an attestor, subject and skill takes the place of the one before. */
export async function foldAttestations(tx: pg.ClientBase, run: readonly Made[]): Promise<void> {
  const rows = run.map(({ data, event_id, position, ...at }) => ({
    ...{ attestation_id: data.attestation_id, from_sx: data.from, to_sx: data.to, skill: data.skill },
    ...{ weight_micro: data.weight_micro, evidence: data.evidence, made_at: data.made_at },
    ...{ event_id, day: dayOf(at), valid_from: position, valid_to: null as number | null },
  }));
  const newest = new Map<string, (typeof rows)[number]>();
  const first: typeof rows = [];
  for (const row of rows) {
    const line = `${row.from_sx} ${row.to_sx} ${row.skill}`;
    const before = newest.get(line);
    if (before) before.valid_to = row.valid_from;
    else first.push(row);
    newest.set(line, row);
  }
  await tx.query(
    `update read.trust_edges_v1 e set valid_to = made.valid_from
       from jsonb_populate_recordset(null::read.trust_edges_v1, $1::jsonb) made
      where e.from_sx = made.from_sx and e.to_sx = made.to_sx and e.skill = made.skill and e.valid_to is null`,
    [JSON.stringify(first)],
  );
  await tx.query(
    "insert into read.trust_edges_v1 select * from jsonb_populate_recordset(null::read.trust_edges_v1, $1::jsonb)",
    [JSON.stringify(rows)],
  );
}
