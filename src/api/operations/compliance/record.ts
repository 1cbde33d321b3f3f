/** An agent's record as of a position, and who may have documents of it. */

import type { App } from "../../../core/app.ts";
import { lowerCase } from "../../../core/model/fields.ts";
import { digestOf } from "../../../core/model/objects.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { PositionedEvent } from "../../../core/read-models/typed-events.ts";
import { classify } from "../../../domain/compliance/classify.ts";
import { concepts, LEXICON, lexiconRules } from "../../../domain/compliance/lexicon.ts";
import type { Purposed } from "../../../domain/compliance/parts.ts";
import type { AgentRecord, Evidence } from "../../../domain/compliance/record.ts";
import type { Rules } from "../../../domain/compliance/rule.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import { walletTenant } from "../../../domain/payments/payment.ts";
import * as trust from "../../../domain/trust/trust.ts";
import {
  attestedAt,
  headOver,
  newestOf,
  ownOf,
  recordedAt,
  scoresByMonth,
  workedOf,
} from "../../../projections/compliance/record.ts";
import { tasksProjection } from "../../../projections/compute/tasks.ts";
import { trustProjection } from "../../../projections/trust/trust.ts";
import { agentNamed, agentOf } from "../../agents/agents.ts";
import { type Caller, payer } from "../../declare/caller.ts";
import type { Context } from "../../declare/operation.ts";
import { canonical } from "../../serve/nested-calls.ts";
import { shownAgent } from "../identity/description.ts";
import { payerOf } from "../trust/agents.ts";

/** SHA-256 of the RFC 8785 form of an edition together with the lexicon that is read by. */
export function rulesDigest(rules: Rules): string {
  const known = digests.get(rules);
  if (known !== undefined) return known;
  const digest = digestOf(canonical({ rules, lexicon: LEXICON, concepts, lexicon_rules: lexiconRules }));
  digests.set(rules, digest);
  return digest;
}

/** An edition is the same as long as the process lives. */
const digests = new WeakMap<Rules, string>();

type AgentEvent = PositionedEvent<typeof agents>;
const evidence = ({ event_id, position, type }: AgentEvent): Evidence => ({ event_id, position, type });

/** All events of an agent's own stream up to a position. */
async function eventsUntil(app: App, agent_id: string, position: number): Promise<AgentEvent[]> {
  const { tenant, id } = agents.targetOf(agent_id);
  const stream = { tenant, stream_id: agents.streamOf(id) };
  const found: AgentEvent[] = [];
  for (let after_version = 0; ; ) {
    const page = await app.store.readStream({ ...stream, after_version });
    const events = app.eventsOf(agents, page).filter((event) => event.position <= position);
    found.push(...events);
    const last = page.at(-1);
    if (!last || last.position > position) return found;
    after_version = last.version;
  }
}

const MEASURES = {
  AgentSuspended: "suspended",
  AgentReinstated: "reinstated",
  PassportRevoked: "revoked",
} as const;

function measureOf(event: AgentEvent): AgentRecord["measures"] {
  const of = (at: string, reason: string) => [
    { type: MEASURES[event.type as keyof typeof MEASURES], at, reason, event: evidence(event) },
  ];
  switch (event.type) {
    case "AgentSuspended":
      return of(event.data.suspended_at, event.data.reason);
    case "AgentReinstated":
      return of(event.data.reinstated_at, event.data.reason);
    case "PassportRevoked":
      return of(event.data.revoked_at, event.data.reason);
    default:
      return [];
  }
}

/** The record of an agent as the log has it up to a position. */
export async function recordOf(
  { app, subjects }: Pick<Context<never>, "app" | "subjects">,
  name: string,
  as_of_position: number,
): Promise<AgentRecord> {
  const { facts } = await agentNamed(app, name);
  const at = await recordedAt(app.pool, as_of_position);
  const events = at === undefined ? [] : await eventsUntil(app, facts.agent_id, as_of_position);
  const agent = events.reduce<agents.AgentState>((state, event) => agents.evolve(state, event), undefined);
  const [first] = events;
  if (at === undefined || !agent || first?.type !== "AgentRegistered")
    return refuse("invalid", "invalid input: as_of_position", {
      errors: [
        {
          path: "as_of_position",
          message: "is a position that the log has, from the agent's registration on",
        },
      ],
    });
  const { sx_number, agent_id, passport_hash, registered_at } = agent.facts;
  const eventOf = (is: (event: AgentEvent) => boolean) => evidence(events.findLast(is) ?? first);
  const tenants = [
    soulTenant(sx_number),
    ...agent.keys.flatMap((key) => (key.kind === "evm" ? walletTenant(lowerCase(key.public)) : [])),
  ];
  const last = events.at(-1)!;
  const areRead = await Promise.all([app.caughtUp(trustProjection), app.caughtUp(tasksProjection)]);
  if (areRead.includes(false))
    refuse("unavailable", "attestations and tasks are still being read; ask again", { retry_after_s: 2 });
  const [own, checkpoint, anchor, computed, attested, worked, scores] = await Promise.all([
    ownOf(app.pool, tenants, as_of_position),
    headOver(app.pool, "CheckpointSigned", { over: last.position, until: as_of_position }),
    headOver(app.pool, "Anchored", { over: last.position, until: as_of_position }),
    newestOf(
      app.pool,
      { tenant: trust.target.tenant, stream_id: trust.streamOf(trust.target.id), type: "TrustComputed" },
      as_of_position,
    ),
    attestedAt(app.pool, sx_number, as_of_position),
    workedOf(app.pool, { sx: sx_number, tenants }, as_of_position),
    scoresByMonth(app.pool, sx_number, as_of_position),
  ]);
  const plain = ({ event_id, position, type }: Evidence): Evidence => ({ event_id, position, type });
  return {
    ...{ agent_id, sx_number, as_of_position, passport_hash, attested, worked, scores, ...own },
    day: at.slice(0, 10),
    registered: { at: registered_at, event: evidence(first) },
    status: {
      is: agents.statusOf(agent),
      event: eventOf(
        ({ type }) => type in MEASURES || type === "AgentKeyProven" || type === "AgentKeyRevoked",
      ),
    },
    description: await descriptionOf(subjects, agent, eventOf),
    keys: agent.keys.map(({ kid, kind, proven_at }) => ({
      ...{ kid, kind, at: proven_at },
      event: eventOf((one) => one.type === "AgentKeyProven" && one.data.kid === kid),
    })),
    delegations: agent.delegations.map(({ to, scopes, expires_at, delegation_id }) => ({
      ...{ to, scopes, expires_at },
      event: eventOf((one) => one.type === "AgentDelegated" && one.data.delegation_id === delegation_id),
    })),
    measures: events.flatMap(measureOf),
    links: (agent.links ?? []).map(({ kind, ref }) => ({
      ...{ kind, ref },
      event: eventOf((one) => one.type === "AgentLinked" && one.data.ref === ref),
    })),
    last: { at: new Date(last.recorded_at_us / 1_000).toISOString(), event: evidence(last) },
    checkpoint: checkpoint
      ? {
          ...{ size: Number(checkpoint.payload.size), root: String(checkpoint.payload.root) },
          ...{ at: String(checkpoint.payload.signed_at), event: plain(checkpoint) },
        }
      : null,
    anchor: anchor
      ? {
          ...{ size: Number(anchor.payload.size), transaction: String(anchor.payload.transaction) },
          ...{ network: String(anchor.payload.network), event: plain(anchor) },
        }
      : null,
    computation: computed
      ? {
          ...{
            result_sha256: String(computed.payload.result_sha256),
            at: String(computed.payload.computed_at),
          },
          event: plain(computed),
        }
      : null,
  };
}

async function descriptionOf(
  subjects: Context<never>["subjects"],
  agent: agents.Agent,
  eventOf: (is: (event: AgentEvent) => boolean) => Evidence,
): Promise<AgentRecord["description"]> {
  if (!agent.description) return null;
  const { about, version, services, described_at } = agent.description;
  const { purpose, provider } = await shownAgent(subjects, agent);
  // Something was said, and nothing of it is opened.
  const isErased = about !== null && purpose === null && provider === null;
  return {
    about: isErased ? "erased" : { purpose, provider },
    version,
    services: services.map(({ name, endpoint }) => ({ name, endpoint })),
    at: described_at,
    event: eventOf(({ type }) => type === "AgentDescribed"),
  };
}

/** With the class that its purpose has. */
export async function purposedOf(
  reading: Pick<Context<never>, "app" | "subjects">,
  name: string,
  position: number,
  rules: Rules,
): Promise<Purposed> {
  const record = await recordOf(reading, name, position);
  const about = record.description?.about;
  const purpose = about === undefined || about === "erased" ? null : about.purpose;
  return { record, classified: purpose === null ? null : classify(purpose, rules) };
}

/** Where the log ends: what is asked of no position is asked of this one. */
export const positionNow = async ({ store }: App): Promise<number> => (await store.head()).position;

/**
 * The agent that a caller may have documents of: itself, or one that lets it read by a delegation. `name`: the one that is asked for; the
 * caller's own where none is.
 */
export async function ownAgent(
  app: App,
  { caller, payment_id }: { caller: Caller; payment_id: string | undefined },
  name: string | undefined,
): Promise<string> {
  // A tenant's key beside a payment says nothing of agents; the wallet does.
  const speaker =
    caller.kind === "subject" || payment_id === undefined ? caller : payer(lowerCase(payerOf(payment_id)));
  const own = await agentOf(app, speaker);
  if (name === undefined) return own.facts.agent_id;
  const asked = await agentNamed(app, name);
  if (asked.facts.sx_number === own.facts.sx_number) return asked.facts.agent_id;
  const now = app.clock.now().toISOString();
  const lets = asked.delegations.some(
    ({ to, scopes, expires_at }) => to === own.facts.sx_number && scopes.includes("read") && expires_at > now,
  );
  return lets
    ? asked.facts.agent_id
    : refuse(
        identityProblems["not-yours"],
        "documents of an agent are for whoever holds its keys, or has a delegation of scope read from it",
      );
}
