/** Linked domains by the time of their last check. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import * as agent from "../../domain/identity/agent.ts";

export const domainsProjection = projection({
  name: "agent_domains",
  version: 1,
  ddl: `create table if not exists read.agent_domains_v1 (
      agent     text not null,
      domain    text not null,
      kid       text not null,
      linked_at timestamptz not null,
      primary key (agent, domain)
    );`,
  of: [agent],
  async fold(events, tx) {
    for (const { id, type, data } of events) {
      if (type === "AgentLinked" && data.kind === "domain")
        await tx.query(
          `insert into read.agent_domains_v1 values ($1, $2, $3, $4)
           on conflict (agent, domain) do update set kid = excluded.kid, linked_at = excluded.linked_at`,
          [id, data.ref, data.kid, data.linked_at],
        );
      else if (type === "AgentUnlinked" && data.kind === "domain")
        await tx.query("delete from read.agent_domains_v1 where agent = $1 and domain = $2", [id, data.ref]);
      else if (type === "AgentKeyRevoked")
        await tx.query("delete from read.agent_domains_v1 where agent = $1 and kid = $2", [id, data.kid]);
      else if (type === "PassportRevoked")
        await tx.query("delete from read.agent_domains_v1 where agent = $1", [id]);
    }
  },
});

/** `silent_since_ms`: Unix time since which it gives no answer; null = the last check got one. */
export type DueDomain = { agent: string; domain: string; silent_since_ms: number | null };

/** Domains without a check since `checked_before`, the oldest check first. A new link voids earlier checks. */
export async function nextDomainCheck(pool: pg.Pool, every_ms: number): Promise<string | null> {
  const text = `select ${utc("min(greatest(asked.asked_at, linked.linked_at)) + make_interval(secs => $1)")} as at
    from read.agent_domains_v1 linked
      left join access.domains_asked asked
        on asked.agent = linked.agent and asked.domain = linked.domain and asked.asked_at >= linked.linked_at`;
  return (await pool.query<{ at: string | null }>(text, [every_ms / 1_000])).rows[0]!.at;
}

export async function dueDomains(
  pool: pg.Pool,
  { checked_before, limit }: { checked_before: string; limit: number },
): Promise<DueDomain[]> {
  const text = `select linked.agent, linked.domain, (extract(epoch from asked.silent_since) * 1000)::float8 as silent_since_ms
    from read.agent_domains_v1 linked
      left join access.domains_asked asked
        on asked.agent = linked.agent and asked.domain = linked.domain and asked.asked_at >= linked.linked_at
    where greatest(asked.asked_at, linked.linked_at) <= $1
    order by greatest(asked.asked_at, linked.linked_at), linked.agent, linked.domain limit $2`;
  const { rows } = await pool.query<DueDomain>(text, [checked_before, limit]);
  return rows;
}
