/** Contracts whose address is known before they are deployed, and the same on every chain (CREATE2, EIP-1014). */
import { keccak256 } from "viem/utils";
import type { Call, Hex } from "./chain.ts";

/**
 * Deploys whatever is sent to it, after a salt of 32 bytes, to an address that follows from both alone. Source: Arachnid's
 * deterministic-deployment-proxy, on Base and most chains; its own address is that of a transaction anybody can send.
 */
export const DEPLOYMENT_PROXY = {
  address: "0x4e59b44847b379578588920ca78fbf26c0b4956c",
  code: "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3",
} as const;

const SALT = "00".repeat(32);

/** Where `deploymentOf` puts the contract of this creation code. */
export const deployedAt = (initCode: Hex): Hex =>
  `0x${keccak256(`0xff${DEPLOYMENT_PROXY.address.slice(2)}${SALT}${keccak256(initCode).slice(2)}`).slice(-40)}`;

/** Anybody may send it, and together with others; where the contract is already, the proxy refuses. */
export const deploymentOf = (initCode: Hex): Call => ({
  to: DEPLOYMENT_PROXY.address,
  data: `0x${SALT}${initCode.slice(2)}`,
});
