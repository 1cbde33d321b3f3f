/**
 * Checks each linked domain once an hour. A link ends if the document no longer names the key, or the domain gives no
 * answer for a week.
 */
import type { App } from "../../core/app.ts";
import { idleUntil, type Outcome, reactor, type Tick, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { WebhookUnreached } from "../../core/model/ports/webhooks.ts";
import * as agents from "../../domain/identity/agent.ts";
import {
  answerOf,
  type DomainAnswer,
  documentUrl,
  MOST_DOCUMENT,
} from "../../domain/identity/linked-domain.ts";
import { lose } from "../../domain/identity/links.ts";
import { didOf } from "../../domain/identity/public-key.ts";
import {
  type DueDomain,
  domainsProjection,
  dueDomains,
  nextDomainCheck,
} from "../../projections/identity/domains.ts";

export const CHECK_EVERY_MS = 3_600_000;
/** A domain may be down for some days without losing its link. */
export const SILENCE_MS = 7 * 86_400_000;
/** Domains per tick: few, so slow answers do not block it for long. */
const MOST_PER_TICK = 50;

const meta = { actor: "reactor:agent-domains", operation: "agent-domains.ask" };

export const domainsReactor = reactor({
  name: "agent-domains",
  every_ms: 15_000,
  memory: () => ({}),
  take: checkDue,
  failures: { failed: "linked domains of agents cannot be checked; trying again" },
  resumed: "linked domains of agents are checked again",
});

/** The domain's current document. */
export async function readDomain(webhooks: App["webhooks"], domain: string): Promise<DomainAnswer> {
  try {
    const headers = { accept: "application/did+json, application/json" };
    return answerOf(domain, await webhooks.get({ url: documentUrl(domain), headers, most: MOST_DOCUMENT }));
  } catch (error) {
    if (!(error instanceof WebhookUnreached)) throw error;
    return { silent: error.message };
  }
}

/** After a crash before the record, the check is repeated with the same result. */
async function checkDue({ app, lease }: Tick): Promise<Outcome<"done">> {
  if (!(await app.caughtUp(domainsProjection))) return "done";
  const now = app.clock.now();
  const checked_before = new Date(now.getTime() - CHECK_EVERY_MS).toISOString();
  const due = await dueDomains(app.pool, { checked_before, limit: MOST_PER_TICK });
  const checked = await forEach(due, async (one) => ({
    ...one,
    silent_since_ms: await checkDomain(app, one, now),
  }));
  if (checked.length > 0)
    await lease.transaction(async (tx) => {
      await tx.query(
        `insert into access.domains_asked
         select agent, domain, $3, silent_since from unnest($1::text[], $2::text[], $4::timestamptz[])
           as asked (agent, domain, silent_since)
         on conflict (agent, domain) do update set asked_at = excluded.asked_at, silent_since = excluded.silent_since`,
        [
          checked.map(({ agent }) => agent),
          checked.map(({ domain }) => domain),
          now.toISOString(),
          checked.map(({ silent_since_ms: ms }) => ms && new Date(ms).toISOString()),
        ],
      );
      await tx.query(
        `delete from access.domains_asked asked where asked_at < $1 and not exists
           (select from read.agent_domains_v1 one where one.agent = asked.agent and one.domain = asked.domain)`,
        [checked_before],
      );
    });
  return idleUntil(await nextDomainCheck(app.pool, CHECK_EVERY_MS));
}

/** Ends the link if the domain denies it; returns since when it gives no answer, in Unix time. */
async function checkDomain(app: App, { agent: id, domain, silent_since_ms }: DueDomain, now: Date) {
  const state = await app.load(agents, agents.targetOf(id));
  const name = { kind: "domain" as const, network: null, ref: domain };
  const link = state?.links?.find((one) => agents.isSameLink(one, name));
  const key = state?.keys.find(({ kid }) => kid === link?.kid);
  if (!link || !key) return null;
  const answer = await readDomain(app.webhooks, domain);
  if (!("silent" in answer) && answer.names.has(didOf(key))) return null;
  const since = "silent" in answer ? (silent_since_ms ?? now.getTime()) : null;
  if (since !== null && now.getTime() - since < SILENCE_MS) return since;
  const ended: agents.UnlinkData = {
    ...name,
    reason: since !== null ? "silent" : "withdrawn",
    by: null,
    challenge_sha256: null,
    block_number: null,
    block_hash: null,
    unlinked_at: now.toISOString(),
  };
  await unlessRefused(app.decide(agents, agents.targetOf(id), lose(ended, link), { meta }));
  return since;
}
