/** An agent's record at a log position, and the permission to read its documents. */
import type { App } from "../../../core/app.ts";
import { lowerCase } from "../../../core/model/fields.ts";
import { digestOf } from "../../../core/model/objects.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import type { PositionedEvent } from "../../../core/read-models/typed-events.ts";
import { classify } from "../../../domain/compliance/classify.ts";
import { lexicon } from "../../../domain/compliance/lexicon.ts";
import type { ClassifiedAgent } from "../../../domain/compliance/parts.ts";
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

/** SHA-256 over the canonical form (RFC 8785) of an edition of the rules with its lexicon. */
export function rulesDigest(rules: Rules): string {
  const cached = digests.get(rules);
  if (cached !== undefined) return cached;
  const { version, concepts, rules: lexicon_rules } = lexicon();
  const digest = digestOf(canonical({ rules, lexicon: version, concepts, lexicon_rules }));
  digests.set(rules, digest);
  return digest;
}

/** An edition does not change while the process runs. */
const digests = new WeakMap<Rules, string>();

type AgentEvent = PositionedEvent<typeof agents>;
const evidence = ({ event_id, position, type }: AgentEvent): Evidence => ({ event_id, position, type });

/** All events of an agent's own stream up to a position. */
async function eventsUntil(app: App, agent_id: string, position: number): Promise<AgentEvent[]> {
  const { tenant, id } = agents.targetOf(agent_id);
  const stream = { tenant, stream_id: agents.streamOf(id) };
  const collected: AgentEvent[] = [];
  for (let after_version = 0; ; ) {
    const page = await app.store.readStream({ ...stream, after_version });
    const events = app.eventsOf(agents, page).filter((event) => event.position <= position);
    collected.push(...events);
    const last = page.at(-1);
    if (!last || last.position > position) return collected;
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

/** An agent's record up to a position. Refuses a position before its registration or after the end of the log. */
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
    return refuseField("as_of_position", "is a position of the log, not before the agent's registration");
  const { sx_number, agent_id, passport_hash, registered_at } = agent.facts;
  const eventOf = (is: (event: AgentEvent) => boolean) => evidence(events.findLast(is) ?? first);
  const tenants = [
    soulTenant(sx_number),
    ...agent.keys.flatMap((key) => (key.kind === "evm" ? walletTenant(lowerCase(key.public)) : [])),
  ];
  const last = events.at(-1)!;
  const until = { position: as_of_position };
  const areRead = await Promise.all([
    app.caughtUp(trustProjection, until),
    app.caughtUp(tasksProjection, until),
  ]);
  if (areRead.includes(false))
    refuse("unavailable", "the lists of attestations and tasks lag behind the log; repeat the request", {
      retry_after_s: 2,
    });
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
  // A description exists, but none of its values can be decrypted.
  const isErased = about !== null && purpose === null && provider === null;
  return {
    about: isErased ? "erased" : { purpose, provider },
    version,
    services: services.map(({ name, endpoint }) => ({ name, endpoint })),
    at: described_at,
    event: eventOf(({ type }) => type === "AgentDescribed"),
  };
}

/** An agent's record with the class of its purpose. */
export async function classifiedAgent(
  reading: Pick<Context<never>, "app" | "subjects">,
  name: string,
  position: number,
  rules: Rules,
): Promise<ClassifiedAgent> {
  const record = await recordOf(reading, name, position);
  const about = record.description?.about;
  const purpose = about === undefined || about === "erased" ? null : about.purpose;
  return { record, classified: purpose === null ? null : classify(purpose, rules) };
}

/** The end of the log, where a record ends unless the request names a position. */
export const positionNow = async ({ store }: App): Promise<number> => (await store.head()).position;

/** The id of the requested agent, by default the caller's own. Refuses one that is neither the caller's nor delegated to it with scope read. */
export async function ownAgent(
  app: App,
  { caller, payment_id }: { caller: Caller; payment_id: string | undefined },
  name: string | undefined,
): Promise<string> {
  // The agent in whose name a call is made. A payment identifies the agent by its wallet; the key of the tenant does
  // not.
  const speaker =
    caller.kind === "subject" || payment_id === undefined ? caller : payer(lowerCase(payerOf(payment_id)));
  const own = await agentOf(app, speaker);
  if (name === undefined) return own.facts.agent_id;
  const requested = await agentNamed(app, name);
  if (requested.facts.sx_number === own.facts.sx_number) return requested.facts.agent_id;
  const now = app.clock.now().toISOString();
  const isDelegate = requested.delegations.some(
    ({ to, scopes, expires_at }) => to === own.facts.sx_number && scopes.includes("read") && expires_at > now,
  );
  return isDelegate
    ? requested.facts.agent_id
    : refuse(
        identityProblems["not-yours"],
        "pay with a wallet that is a live key of the agent, or of one with a delegation of scope read from it",
      );
}
