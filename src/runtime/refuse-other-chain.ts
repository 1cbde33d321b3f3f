import { jsonRpc } from "../adapters/json-rpc.ts";
import type { Hex } from "../core/model/chain.ts";
import { BASE } from "../domain/payments/usdc.ts";
import { type Config, ConfigError } from "./config.ts";

/** A node that answers in time is asked once; the service starts without a silent one, which may come back. */
const LIMITS = { request_ms: 2_000, deadline_ms: 3_000 };

/** Throws ConfigError if BASE_RPC_URL serves another chain, on which no payment could ever settle. */
export async function refuseOtherChain({
  BASE_RPC_URL: rpc_url,
}: Pick<Config, "BASE_RPC_URL">): Promise<void> {
  if (rpc_url === undefined) return;
  const answer = await jsonRpc({ rpc_url, ...LIMITS })<Hex>("eth_chainId", []).catch(() => undefined);
  const chain_id = answer === undefined ? BASE.chain_id : Number(answer);
  if (chain_id !== BASE.chain_id)
    throw new ConfigError(
      `BASE_RPC_URL: ${new URL(rpc_url).host} serves chain ${chain_id}; set it to a node of Base, which is chain ${BASE.chain_id}`,
    );
}
