/** The wallets of every development chain: everybody has their keys, so there is nothing to lose. */
import { type HDAccount, mnemonicToAccount } from "viem/accounts";

const MNEMONIC = "test test test test test test test test test test test junk";

/** The first of ten that the development chain gives money to; it is whoever runs the demo. */
export const demoWallet = (): HDAccount => mnemonicToAccount(MNEMONIC);

/** How many others there are: the sandbox's agents have them, in their order. */
export const AGENT_WALLETS = 9;

/** The wallet of an agent of the sandbox, from 0. Deriving it takes a while, in which nothing else is done: others come first. */
export async function agentWallet(at: number): Promise<HDAccount> {
  await new Promise((done) => setImmediate(done));
  return mnemonicToAccount(MNEMONIC, { addressIndex: at + 1 });
}
