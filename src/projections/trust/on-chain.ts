/** The reactor that writes to EAS reads its work here: attestations to send, sent, or to revoke. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as attestation from "../../domain/trust/attestation.ts";

export const onChainProjection = projection({
  name: "trust_on_chain",
  version: 1,
  ddl: `
    create table if not exists read.trust_on_chain_v1 (
      attestation_id text primary key,
      position       bigint not null,
      status         text not null,
      revoked        boolean not null default false,
      revoked_there  boolean not null default false,
      changed_at     text not null
    );
    create index if not exists trust_on_chain_v1_due on read.trust_on_chain_v1 (status, position)
      where status = 'sent' or (status = 'asked' and not revoked);
    create index if not exists trust_on_chain_v1_to_revoke on read.trust_on_chain_v1 (position)
      where status = 'anchored' and revoked <> revoked_there;
    create index if not exists trust_on_chain_v1_recent on read.trust_on_chain_v1 (changed_at) where status = 'anchored';`,
  of: [attestation],
  async fold(events, tx) {
    const ids = events.flatMap(({ type, data }) => (type === "AttestationMade" ? [] : data.attestation_id));
    const rows = await readRows<Row, "attestation_id">(tx, "read.trust_on_chain_v1", "attestation_id", ids);
    const changed = new Set<string>();
    for (const event of events) {
      const { attestation_id } = event.data;
      const row = folded(rows.get(attestation_id), event);
      if (!row) continue;
      rows.set(attestation_id, row);
      changed.add(attestation_id);
    }
    await saveRows(
      tx,
      "read.trust_on_chain_v1",
      ["attestation_id"],
      [...changed].map((id) => rows.get(id)!),
    );
  },
});

type Row = {
  attestation_id: string;
  position: number;
  status: "asked" | "sent" | "anchored";
  revoked: boolean;
  revoked_there: boolean;
  changed_at: string;
};

/** undefined = no change; an attestation that goes to no chain has no row. */
function folded(
  row: Row | undefined,
  { type, data, position }: PositionedEvent<typeof attestation>,
): Row | undefined {
  if (type === "AttestationMade") {
    const { attestation_id, offchain_uid, made_at: changed_at } = data;
    if (offchain_uid === null) return undefined;
    return { attestation_id, position, status: "asked", revoked: false, revoked_there: false, changed_at };
  }
  if (!row) return undefined;
  switch (type) {
    case "AttestationRevoked":
      return { ...row, revoked: true };
    case "AttestationSent":
      return { ...row, status: "sent", changed_at: data.sent_at };
    case "AttestationUnsent":
      return { ...row, status: "asked", changed_at: data.found_at };
    case "AttestationAnchored":
      return { ...row, status: "anchored", revoked_there: false, changed_at: data.anchored_at };
    case "AttestationReorged":
      return { ...row, status: "sent", revoked_there: false, changed_at: data.found_at };
    case "AttestationRevocationAnchored":
      return { ...row, revoked_there: true, changed_at: data.anchored_at };
    case "AttestationRevocationReorged":
      return { ...row, revoked_there: false, changed_at: data.found_at };
  }
}

/** Attestation ids, the oldest first. `recent`: anchored since a given time. */
export type OnChainWork = Record<"sent" | "asked" | "to_revoke" | "recent", string[]>;

/** `most` of each kind; without `recent_since` none of `recent`. */
export async function onChainWork(
  pool: pg.Pool,
  { most, recent_since }: { most: number; recent_since: Date | undefined },
): Promise<OnChainWork> {
  const of = async (condition: string, order: string, ...values: unknown[]) => {
    const sql = `select attestation_id from read.trust_on_chain_v1 where ${condition} order by ${order} limit $1`;
    const { rows } = await pool.query<{ attestation_id: string }>(sql, [most, ...values]);
    return rows.map(({ attestation_id }) => attestation_id);
  };
  const [sent, asked, to_revoke] = await Promise.all([
    of("status = 'sent'", "position"),
    of("status = 'asked' and not revoked", "position"),
    of("status = 'anchored' and revoked <> revoked_there", "position"),
  ]);
  if (!recent_since) return { sent, asked, to_revoke, recent: [] };
  const sql = `select attestation_id from read.trust_on_chain_v1 where status = 'anchored' and changed_at >= $1`;
  const { rows } = await pool.query<{ attestation_id: string }>(sql, [recent_since.toISOString()]);
  return { sent, asked, to_revoke, recent: rows.map(({ attestation_id }) => attestation_id) };
}
