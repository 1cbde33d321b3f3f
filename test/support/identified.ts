/** The agents that examples name, and what stands in for signatures that no example can know before. */
import { createHash } from "node:crypto";
import type { Hex } from "../../src/domain/chain.ts";
import { delegationDigest } from "../../src/domain/identity/delegation.ts";
import { wallet } from "../chain/fixture.ts";
import { caller, ed25519Key } from "../identity/agents.ts";
import { placeRegistry, register, rpcOf } from "../identity/registry.ts";
import type { Service } from "./service.ts";
import { until } from "./until.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

type Inputs = Record<string, Record<string, unknown>>;

/** Registers SX#1, SX#2 and one that is revoked, at a service that has no agents; answers the inputs of examples that are signed. */
export async function identifyExamples(service: Pick<Service, "url" | "app" | "data_dir">): Promise<Inputs> {
  const api = caller(service.url);
  const agent_id = "weather-scout";
  const key = ed25519Key();
  const first = await api.proof(key, agent_id);
  await api.post("/soul/register", { agent_id, display_name: "Weather Scout", ...first });
  await api.post("/soul/register", { agent_id: "weather-helper" });

  const leaving = ed25519Key();
  await api.post("/soul/register", { agent_id: "retired", ...(await api.proof(leaving, "retired")) });
  const revocation = {
    reason: "the agent was shut down",
    ...(await api.proof(leaving, "retired", "revoke", "passport")),
  };
  await api.post("/soul/retired/revoke", revocation);

  const wanted = { to: 2, scopes: ["read" as const], expires_in_s: 86_400 };
  const about = delegationDigest({ agent_id, ...wanted });
  const services = [{ endpoint: "https://scout.example.org/a2a", name: "A2A" }];
  const described = (version: string) =>
    api.proof(key, agent_id, "describe", sha256(JSON.stringify({ services, version })));
  await api.post("/soul/SX%231/description", { services, version: "1.0", ...(await described("1.0")) });
  const account = wallet(7);
  const owner = {
    kind: "evm" as const,
    name: account.address,
    sign: (message: string) => account.signMessage({ message }),
  };
  const kid = account.address.toLowerCase();
  const rpc = rpcOf(service.data_dir);
  await placeRegistry({ app: service.app, rpc });
  const registration = await rpc<Hex>("eth_sendTransaction", { from: account.address, ...register() });
  await until(async () => (await service.app.chain.receipt(registration)) !== undefined);
  const endorsement = await api.proof(key, agent_id, "prove", kid);
  await api.post("/soul/SX%231/keys", { ...(await api.proof(owner, agent_id)), endorsement });
  return {
    soul_link: { id: "SX#1", erc8004_id: "0", ...(await api.proof(owner, agent_id, "link", "erc8004-0")) },
    soul_describe: { id: "SX#1", services, version: "1.1", ...(await described("1.1")) },
    soul_keys_add: { id: "SX#1", ...first },
    soul_passport_revoke: { id: "retired", ...revocation },
    soul_delegate: {
      id: "SX#1",
      ...wanted,
      to: "SX#2",
      ...(await api.proof(key, agent_id, "delegate", about)),
    },
  };
}
