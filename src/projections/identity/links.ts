/** ERC-8004 links: live ones, and those that the chain ended and may restore. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import * as agent from "../../domain/identity/agent.ts";

/** `agent`: the id in lower case. `live` false: the chain ended it in this block. */
export type LinkRow = {
  agent: string;
  ref: string;
  kid: string;
  live: boolean;
  block_number: number;
  block_hash: `0x${string}`;
};

export const linksProjection = projection({
  name: "agent_links",
  version: 1,
  ddl: `create table if not exists read.agent_links_v1 (
      agent        text not null,
      network      text not null,
      ref          text not null,
      kid          text not null,
      live         boolean not null,
      block_number bigint not null,
      block_hash   text not null,
      primary key (agent, network, ref)
    );
    create index if not exists agent_links_v1_network on read.agent_links_v1 (network, agent, ref);`,
  of: [agent],
  async fold(events, tx) {
    for (const { id, type, data } of events) {
      // The chain does not decide about domains.
      if ((type === "AgentLinked" || type === "AgentUnlinked") && data.kind === "domain") continue;
      if (type === "AgentLinked")
        await tx.query(
          `insert into read.agent_links_v1 values ($1, $2, $3, $4, true, $5, $6)
           on conflict (agent, network, ref) do update set kid = excluded.kid, live = true,
             block_number = excluded.block_number, block_hash = excluded.block_hash`,
          [id, data.network, data.ref, data.kid, data.block_number, data.block_hash],
        );
      else if (type === "AgentUnlinked" && data.reason === "asked")
        await tx.query("delete from read.agent_links_v1 where agent = $1 and network = $2 and ref = $3", [
          id,
          data.network,
          data.ref,
        ]);
      else if (type === "AgentUnlinked")
        await tx.query(
          `update read.agent_links_v1 set live = false, block_number = $4, block_hash = $5
            where agent = $1 and network = $2 and ref = $3`,
          [id, data.network, data.ref, data.block_number, data.block_hash],
        );
      else if (type === "AgentKeyRevoked")
        await tx.query("delete from read.agent_links_v1 where agent = $1 and kid = $2", [id, data.kid]);
      else if (type === "PassportRevoked")
        await tx.query("delete from read.agent_links_v1 where agent = $1", [id]);
    }
  },
});

/** Pages of links that the chain may still change: live ones, and those that ended after a block. */
export async function* watchedLinks(
  pool: pg.Pool,
  { network, ended_after }: { network: string; ended_after: number },
  size = 500,
): AsyncGenerator<LinkRow[]> {
  const text = `select agent, ref, kid, live, block_number::float8 as block_number, block_hash from read.agent_links_v1
    where network = $1 and (agent, ref) > ($2, $3) and (live or block_number > $4) order by agent, ref limit $5`;
  let after = ["", ""];
  for (;;) {
    const { rows } = await pool.query<LinkRow>(text, [network, ...after, ended_after, size]);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    const last = rows.at(-1)!;
    after = [last.agent, last.ref];
  }
}
