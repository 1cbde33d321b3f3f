/** A described agent that owns an agent of ERC-8004's registry, for the examples that name one. */
import { createHash } from "node:crypto";
import type { Hex } from "../../src/core/model/chain.ts";
import { caller, ed25519Key, type TestKey } from "../identity/agents.ts";
import { placeRegistry, register, rpcOf } from "../identity/registry.ts";
import type { Service } from "./service.ts";
import { until } from "./until.ts";
import { wallet } from "./wallets.ts";

/** Returns the inputs of those examples, some of them signed. */
export async function describeExamples(
  service: Pick<Service, "url" | "app" | "data_dir">,
): Promise<Record<string, Record<string, unknown>>> {
  const api = caller(service.url);
  const account = wallet(7);
  const key: TestKey = {
    kind: "evm",
    name: account.address,
    sign: (message) => account.signMessage({ message }),
  };
  const id = "described";
  const { body } = await api.post("/soul/register", {
    agent_id: id,
    issue_api_key: true,
    ...(await api.proof(key, id)),
  });
  const services = [{ name: "A2A", endpoint: "https://scout.example.org/a2a" }];
  const own = { Authorization: `Bearer ${body.api_key}` };
  await api.post(`/soul/${id}/description`, { services }, own);

  const rpc = rpcOf(service.data_dir);
  await placeRegistry({ app: service.app, rpc });
  const registration = await rpc<Hex>("eth_sendTransaction", { from: account.address, ...register() });
  await until(async () => (await service.app.chain.receipt(registration)) !== undefined);
  const said = '{"services":[],"version":"1.0"}';
  return {
    soul_agent_card: { sx_id: id },
    soul_describe: { id: "described-too", version: "1.0", ...(await describedToo(service.url, said)) },
    soul_link: { id, erc8004_id: "0", ...(await api.proof(key, id, "link", "erc8004-0")) },
  };
}

/** Another agent's signature for this description. */
async function describedToo(url: string, said: string) {
  const api = caller(url);
  const key = ed25519Key();
  await api.post("/soul/register", { agent_id: "described-too", ...(await api.proof(key, "described-too")) });
  const about = createHash("sha256").update(said).digest("hex");
  return api.proof(key, "described-too", "describe", about);
}
