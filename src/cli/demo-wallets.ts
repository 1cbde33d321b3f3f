/** The owners of the development chain's wallets. */
import type { HDAccount } from "viem/accounts";
import { demoAccount } from "../domain/wallet/demo-accounts.ts";

/** The first of ten funded wallets belongs to the demo's user. */
export const demoWallet = (): HDAccount => demoAccount(0);

/** The sandbox's agents own the other wallets, in order. */
export const AGENT_WALLETS = 9;

/** A sandbox agent's wallet, from 0. Its derivation blocks for a while, so waiting work runs first. */
export async function agentWallet(at: number): Promise<HDAccount> {
  await new Promise((done) => setImmediate(done));
  return demoAccount(at + 1);
}
