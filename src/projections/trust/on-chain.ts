/** Which attestations EAS has, is to have, or is to revoke: what the reactor that carries them looks through. */
import type pg from "pg";
import * as attestation from "../../domain/trust/attestation.ts";
import { projection } from "../projection.ts";
import type { Placed } from "../typed.ts";

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
    for (const event of events) await foldOne(tx, event);
  },
});

async function foldOne(tx: pg.ClientBase, event: Placed<typeof attestation>): Promise<void> {
  const { attestation_id } = event.data;
  const set = (columns: string, changed_at?: string) =>
    tx.query(
      `update read.trust_on_chain_v1 set ${columns}, changed_at = coalesce($2, changed_at) where attestation_id = $1`,
      [attestation_id, changed_at ?? null],
    );
  switch (event.type) {
    case "AttestationMade":
      if (event.data.offchain_uid === null) return;
      await tx.query(
        `insert into read.trust_on_chain_v1 (attestation_id, position, status, changed_at) values ($1, $2, 'asked', $3)`,
        [attestation_id, event.position, event.data.made_at],
      );
      return;
    case "AttestationRevoked":
      return void (await set("revoked = true"));
    case "AttestationSent":
      return void (await set("status = 'sent'", event.data.sent_at));
    case "AttestationUnsent":
      return void (await set("status = 'asked'", event.data.found_at));
    case "AttestationAnchored":
      return void (await set("status = 'anchored', revoked_there = false", event.data.anchored_at));
    case "AttestationReorged":
      return void (await set("status = 'sent', revoked_there = false", event.data.found_at));
    case "AttestationRevocationAnchored":
      return void (await set("revoked_there = true", event.data.anchored_at));
    case "AttestationRevocationReorged":
      return void (await set("revoked_there = false", event.data.found_at));
  }
}

/** Attestations by their ids, the oldest first. `recent`: those whose place on the chain was found since a time. */
export type OnChainWork = Record<"sent" | "asked" | "to_revoke" | "recent", string[]>;

/** `most` of each kind; `recent_since` undefined: none of those. */
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
