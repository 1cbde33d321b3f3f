/** The operator's actions on agents: suspend, reinstate, revoke and erase names. */
import { type App, operatorMeta } from "../core/app.ts";
import { transact } from "../core/commands/transact.ts";
import { refuse } from "../core/model/refusal.ts";
import * as agents from "../domain/identity/agent.ts";
import * as agentKey from "../domain/identity/agent-key.ts";
import { nameSubject, refOf } from "../domain/identity/fields.ts";
import { type AgentRow, agentsProjection, findAgent } from "../projections/identity/agents.ts";
import { type Erasure, eraseSubject } from "../reactors/subjects/erasure.ts";

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/** Finds an agent by id or number; refuses an unknown one. */
export async function agentNamed(app: App, name: string): Promise<AgentRow> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(agentsProjection, position, FOLDED_MS)))
    refuse("unavailable", "the directory lags behind the log; try again in a few seconds");
  const found = await findAgent(app.pool, refOf(name));
  return found ?? refuse("not_found", `there is no agent ${name}`);
}

const idOf = async (app: App, name: string) => (await agentNamed(app, name)).agent_id;

/** Idempotent. */
export async function setSuspended(
  app: App,
  name: string,
  { suspended, reason }: { suspended: boolean; reason: string },
): Promise<agents.Agent> {
  const target = agents.targetOf(await idOf(app, name));
  const at = app.clock.now().toISOString();
  const decision = suspended
    ? agents.suspend({ reason, suspended_at: at })
    : agents.reinstate({ reason, reinstated_at: at });
  const meta = operatorMeta(suspended ? "agents.suspend" : "agents.reinstate");
  const { result } = await app.decide(agents, target, decision, { meta });
  return agents.registered(result.state);
}

/** Revokes a passport for good; its keys stay reserved as long as any revoked key. */
export async function revokePassport(app: App, name: string, reason: string): Promise<agents.Agent> {
  const target = agents.targetOf(await idOf(app, name));
  const revoked_at = app.clock.now().toISOString();
  const { result } = await transact(
    app.unit,
    { meta: operatorMeta("agents.revoke") },
    async ({ decide, watch }) => {
      const { keys, facts } = agents.registered(await watch(agents, target));
      const revoked = { by: null, reason, challenge_sha256: null, revoked_at };
      const { state } = await decide(agents, target, agents.revokePassport(revoked));
      for (const { kid } of keys) {
        const freed = { kid, sx_number: facts.sx_number, freed_at: revoked_at };
        await decide(agentKey, agentKey.targetOf(kid), agentKey.free(freed));
      }
      return agents.registered(state);
    },
  );
  return result;
}

/** Undefined if no name is sealed. */
export async function eraseName(app: App, name: string): Promise<Erasure | undefined> {
  const subject = nameSubject(await idOf(app, name));
  return eraseSubject(app, subject, { by: "operator", meta: operatorMeta("agents.erase") });
}
