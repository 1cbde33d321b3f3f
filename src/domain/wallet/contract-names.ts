/** Contracts that take tokens and never give them back: what is sent there is lost. */

import type { Hex } from "../../core/model/chain.ts";
import { DEPLOYMENT_PROXY } from "../../core/model/deployment.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { MULTICALL3 } from "../../core/model/multicall.ts";
import { ANCHOR_ADDRESS } from "../anchoring/contract.ts";
import { USDC } from "../payments/usdc.ts";
import { AIRDROP_ADDRESS } from "./airdrop-contract.ts";

const contracts: ReadonlyMap<string, string> = new Map([
  [AIRDROP_ADDRESS, "the contract that pays"],
  [lowerCase(USDC.address), "USDC's contract"],
  [ANCHOR_ADDRESS, "the contract that stores tree heads"],
  [lowerCase(MULTICALL3), "Multicall3"],
  [DEPLOYMENT_PROXY.address, "the contract that deploys others"],
]);

/** The contract at a lower-case address where tokens sent to it are lost, `token` included; undefined for others. */
export const contractAt = (address: Hex, token: Hex): string | undefined =>
  address === lowerCase(token) ? "the token's own contract" : contracts.get(address);
