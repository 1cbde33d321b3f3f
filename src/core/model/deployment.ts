/** Contracts with the same address on every chain (CREATE2, EIP-1014). */
import { keccak256 } from "viem/utils";
import type { Call, Hex } from "./chain.ts";

/**
 * Source: Arachnid's deterministic-deployment-proxy, on Base and most chains. Anybody can deploy the proxy itself to this
 * address.
 */
export const DEPLOYMENT_PROXY = {
  address: "0x4e59b44847b379578588920ca78fbf26c0b4956c",
  code: "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3",
} as const;

const SALT = "00".repeat(32);

export const deployedAt = (initCode: Hex): Hex =>
  `0x${keccak256(`0xff${DEPLOYMENT_PROXY.address.slice(2)}${SALT}${keccak256(initCode).slice(2)}`).slice(-40)}`;

/**
 * The transaction that deploys a contract through the proxy. Anybody may send it; the proxy refuses an existing
 * contract.
 */
export const deploymentOf = (initCode: Hex): Call => ({
  to: DEPLOYMENT_PROXY.address,
  data: `0x${SALT}${initCode.slice(2)}`,
});
