/** Feedback on agents that a sale proves: buyers' verdicts, and attestations with a sale's payment as evidence. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PaidWords } from "../../domain/identity/feedback.ts";
import * as item from "../../domain/marketplace/item.ts";
import * as attestation from "../../domain/trust/attestation.ts";

export const feedbackProjection = projection({
  name: "market_feedback",
  version: 1,
  ddl: `
    create table if not exists read.market_feedback_sales_v1 (
      payment_id text primary key,
      item_id    text not null,
      buyer      text not null
    );
    create index if not exists market_feedback_sales_v1_item on read.market_feedback_sales_v1 (item_id, buyer);
    create table if not exists read.market_feedback_attested_v1 (
      from_sx        bigint not null,
      to_sx          bigint not null,
      skill          text not null,
      attestation_id text not null,
      weight_micro   bigint not null,
      evidence       text,
      made_at        timestamptz not null,
      position       bigint not null,
      event_id       text not null,
      primary key (from_sx, to_sx, skill)
    );
    create index if not exists market_feedback_attested_v1_id on read.market_feedback_attested_v1 (attestation_id);
    create index if not exists market_feedback_attested_v1_evidence on read.market_feedback_attested_v1 (evidence)
      where evidence is not null;`,
  of: [item, attestation],
  async fold(events, tx) {
    for (const { type, id, data, position, event_id } of events) {
      if (type === "ItemSold")
        await tx.query(
          "insert into read.market_feedback_sales_v1 values ($1, $2, $3) on conflict do nothing",
          [data.payment_id, id, data.to],
        );
      else if (type === "AttestationMade")
        await tx.query(
          `insert into read.market_feedback_attested_v1 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (from_sx, to_sx, skill) do update set attestation_id = excluded.attestation_id,
             weight_micro = excluded.weight_micro, evidence = excluded.evidence, made_at = excluded.made_at,
             position = excluded.position, event_id = excluded.event_id`,
          [
            ...[data.from, data.to, data.skill, id, data.weight_micro, data.evidence, data.made_at],
            ...[position, event_id],
          ],
        );
      else if (type === "AttestationRevoked")
        await tx.query("delete from read.market_feedback_attested_v1 where attestation_id = $1", [id]);
    }
  },
});

export type FeedbackRow = PaidWords & { position: number; event_id: string; payment_id: string };

/** The sale's payment is final and not refunded, and the subject is registered by its first link. */
const LISTED = `
  with said as (
    select v.position, v.event_id, s.payment_id, s.item_id, i.sx as to_sx, 'verdict' as kind, v.verdict,
           i.kind as item_kind, null::text as skill, null::bigint as weight_micro, null::bigint as from_sx, s.buyer,
           ${utc("v.validated_at")} as said_at
      from read.stack_verdicts_v1 v
      join read.market_feedback_sales_v1 s on s.item_id = v.item_id and s.buyer = v.tenant
      join read.stack_v1 i on i.item_id = v.item_id
    union all
    select a.position, a.event_id, s.payment_id, s.item_id, a.to_sx, 'attestation', null,
           i.kind, a.skill, a.weight_micro, a.from_sx, s.buyer, ${utc("a.made_at")}
      from read.market_feedback_attested_v1 a
      join read.market_feedback_sales_v1 s on s.payment_id = a.evidence
      join read.stack_v1 i on i.item_id = s.item_id and i.sx = a.to_sx
  )
  select said.position, said.event_id, said.payment_id, said.item_id, said.kind, said.verdict, said.item_kind, said.skill,
         said.weight_micro, said.said_at, p.network, p.payer, p.pay_to, p.transaction, l.ref as agent_ref
    from said
    join read.payments_v1 p on p.id = said.payment_id
     and p.status = 'settled' and p.final and p.refund_status is null
    join read.agents_v2 g on g.sx_number = said.to_sx
    join lateral (
      select ref from read.agent_links_v1 where agent = g.lower_id and network = p.network and live
       order by block_number, ref limit 1
    ) l on true
   where (said.kind = 'verdict' or said.buyer = 'soul:' || said.from_sx
          or exists (select from read.agent_keys_v2 k where k.sx_number = said.from_sx and k.kid = p.payer and k.live))
     and ($1::bigint is null or said.position < $1)
   order by said.position desc limit $2`;

export async function listFeedback(
  pool: pg.Pool,
  { limit, before }: { limit: number; before: number | null },
): Promise<FeedbackRow[]> {
  const query = { name: "market_feedback", text: LISTED, values: [before, limit] };
  return (await pool.query<FeedbackRow>(query)).rows;
}
