import { jsonRpc } from "../adapters/json-rpc.ts";
import type { Hex } from "../core/model/chain.ts";
import { BASE } from "../domain/payments/usdc.ts";
import { missingContracts } from "./base-contracts.ts";
import { type Config, ConfigError } from "./config.ts";

/** A node that answers in time is asked once; the service starts without a silent one, which may come back. */
const LIMITS = { request_ms: 2_000, deadline_ms: 3_000 };

/** Throws ConfigError if BASE_RPC_URL serves another chain, or one without USDC, on which no payment could ever settle. */
export async function refuseOtherChain({
  BASE_RPC_URL: rpc_url,
}: Pick<Config, "BASE_RPC_URL">): Promise<void> {
  if (rpc_url === undefined) return;
  const { host } = new URL(rpc_url);
  const ask = jsonRpc({ rpc_url, ...LIMITS });
  const answer = await ask<Hex>("eth_chainId", []).catch(() => undefined);
  if (answer === undefined) return;
  if (Number(answer) !== BASE.chain_id)
    throw new ConfigError(
      `BASE_RPC_URL: ${host} serves chain ${Number(answer)}; set it to a node of Base, which is chain ${BASE.chain_id}`,
    );
  const missing = await missingContracts(ask, host).catch(() => undefined);
  if (missing) throw new ConfigError(`BASE_RPC_URL: ${missing.says}; ${missing.remedy}`);
}
