/** Whose the wallets of the development chain are. */
import type { HDAccount } from "viem/accounts";
import { demoAccount } from "../domain/wallet/demo-accounts.ts";

/** The first of ten that the development chain gives money to; it is whoever runs the demo. */
export const demoWallet = (): HDAccount => demoAccount(0);

/** How many others there are: the sandbox's agents have them, in their order. */
export const AGENT_WALLETS = 9;

/** The wallet of an agent of the sandbox, from 0. Deriving it takes a while, in which nothing else is done: others come first. */
export async function agentWallet(at: number): Promise<HDAccount> {
  await new Promise((done) => setImmediate(done));
  return demoAccount(at + 1);
}
