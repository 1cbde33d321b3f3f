/** Whenever a linked domain was not asked for an hour, it is asked again; the link ends once its document says otherwise, or tells nothing for a week. */
import type { App } from "../../core/app.ts";
import { reactor, type Tick, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { WebhookUnreached } from "../../core/model/ports/webhooks.ts";
import * as agents from "../../domain/identity/agent.ts";
import { type DomainTold, documentUrl, MOST_DOCUMENT, toldBy } from "../../domain/identity/linked-domain.ts";
import { lose } from "../../domain/identity/links.ts";
import { didOf } from "../../domain/identity/public-key.ts";
import { type DueDomain, domainsProjection, dueDomains } from "../../projections/identity/domains.ts";

export const ASKED_EVERY_MS = 3_600_000;
/** A domain may be away for some days without its agent losing it. */
export const SILENCE_MS = 7 * 86_400_000;
/** Asked in one turn: few enough that the slowest of answers do not hold it for long. */
const A_TURN = 50;

const meta = { actor: "reactor:agent-domains", operation: "agent-domains.ask" };

export const domainsReactor = reactor({
  name: "agent-domains",
  every_ms: 15_000,
  memory: () => ({}),
  take: askDue,
  troubles: { failed: "linked domains of agents cannot be asked; trying again" },
  resumed: "linked domains of agents are asked again",
});

/** What a domain says of itself now. */
export async function askDomain(webhooks: App["webhooks"], domain: string): Promise<DomainTold> {
  try {
    const headers = { accept: "application/did+json, application/json" };
    return toldBy(domain, await webhooks.get({ url: documentUrl(domain), headers, most: MOST_DOCUMENT }));
  } catch (error) {
    if (!(error instanceof WebhookUnreached)) throw error;
    return { silent: error.message };
  }
}

/** A process that dies between an answer and its record asks again, and comes to the same. */
async function askDue({ app, lease }: Tick): Promise<"done"> {
  if (!(await app.caughtUp(domainsProjection))) return "done";
  const now = app.clock.now();
  const asked_before = new Date(now.getTime() - ASKED_EVERY_MS).toISOString();
  const due = await dueDomains(app.pool, { asked_before, limit: A_TURN });
  const asked = await forEach(due, async (one) => ({
    ...one,
    silent_since_ms: await askAgain(app, one, now),
  }));
  if (asked.length > 0)
    await lease.transaction(async (tx) => {
      await tx.query(
        `insert into access.domains_asked
         select agent, domain, $3, silent_since from unnest($1::text[], $2::text[], $4::timestamptz[])
           as asked (agent, domain, silent_since)
         on conflict (agent, domain) do update set asked_at = excluded.asked_at, silent_since = excluded.silent_since`,
        [
          asked.map(({ agent }) => agent),
          asked.map(({ domain }) => domain),
          now.toISOString(),
          asked.map(({ silent_since_ms: ms }) => ms && new Date(ms).toISOString()),
        ],
      );
      await tx.query(
        `delete from access.domains_asked asked where asked_at < $1 and not exists
           (select from read.agent_domains_v1 one where one.agent = asked.agent and one.domain = asked.domain)`,
        [asked_before],
      );
    });
  return "done";
}

/** Ends the link where the domain says so; answers since when it has told nothing, in Unix time. */
async function askAgain(app: App, { agent: id, domain, silent_since_ms }: DueDomain, now: Date) {
  const state = await app.load(agents, agents.targetOf(id));
  const name = { kind: "domain" as const, network: null, ref: domain };
  const link = state?.links?.find((one) => agents.isSameLink(one, name));
  const key = state?.keys.find(({ kid }) => kid === link?.kid);
  if (!link || !key) return null;
  const told = await askDomain(app.webhooks, domain);
  if (!("silent" in told) && told.names.has(didOf(key))) return null;
  const since = "silent" in told ? (silent_since_ms ?? now.getTime()) : null;
  if (since !== null && now.getTime() - since < SILENCE_MS) return since;
  const ended: agents.Unlinked = {
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
