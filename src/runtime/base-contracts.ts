import type { Ask } from "../adapters/json-rpc.ts";
import { MULTICALL3 } from "../core/model/multicall.ts";
import { USDC } from "../domain/payments/usdc.ts";

export type MissingContracts = { says: string; remedy: string };

/** Contracts of Base without which nothing can be read or paid. Undefined: the chain has them. */
export async function missingContracts(ask: Ask, host: string): Promise<MissingContracts | undefined> {
  const contracts = { USDC: USDC.address, Multicall3: MULTICALL3 };
  const codes = await Promise.all(
    Object.entries(contracts).map(async ([name, address]) => {
      const code = await ask<string>("eth_getCode", [address, "latest"]);
      return { name, isThere: code !== "0x" };
    }),
  );
  const missing = codes.filter(({ isThere }) => !isThere).map(({ name }) => name);
  if (missing.length === 0) return undefined;
  return {
    says: `${host} has no ${missing.join(" and no ")}`,
    remedy: "set BASE_RPC_URL to a node of Base or a fork of it; a bare anvil lacks these contracts",
  };
}
