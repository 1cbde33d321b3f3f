import { createHash } from "node:crypto";
/** The agents that examples name, and replacements for signatures that no example can know in advance. */
import { delegationText } from "../../src/domain/identity/delegation.ts";
import { caller, ed25519Key } from "../identity/agents.ts";

type Inputs = Record<string, Record<string, unknown>>;

/**
 * Registers SX#1, SX#2 and a revoked one, at a service without agents; returns the signed examples' inputs, and
 * SX#2's proof of identity.
 */
export async function identifyExamples(
  url: string,
): Promise<{ inputs: Inputs; own: { Authorization: string } }> {
  const api = caller(url);
  const agent_id = "weather-scout";
  const key = ed25519Key();
  const first = await api.proof(key, agent_id);
  await api.post("/soul/register", { agent_id, display_name: "Weather Scout", ...first });
  const helper = await api.post("/soul/register", { agent_id: "weather-helper", issue_api_key: true });

  const leaving = ed25519Key();
  await api.post("/soul/register", { agent_id: "retired", ...(await api.proof(leaving, "retired")) });
  const revocation = {
    reason: "the agent was shut down",
    ...(await api.proof(leaving, "retired", "revoke", "passport")),
  };
  await api.post("/soul/retired/revoke", revocation);

  const wanted = { to: 2, scopes: ["read" as const], expires_in_s: 86_400 };
  const text = delegationText({ agent_id, max_spend_usdc: undefined, ...wanted });
  const about = createHash("sha256").update(text).digest("hex");
  const inputs = {
    soul_keys_add: { id: "SX#1", ...first },
    soul_passport_revoke: { id: "retired", ...revocation },
    soul_delegate: {
      id: "SX#1",
      ...wanted,
      to: "SX#2",
      ...(await api.proof(key, agent_id, "delegate", about)),
    },
  };
  return { inputs, own: { Authorization: `Bearer ${helper.body.api_key}` } };
}
