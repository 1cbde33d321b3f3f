/** Wallets of the development chain, and payments from them by x402 version 2. */
import { ExactEvmScheme } from "@x402/evm";
import { x402Client } from "@x402/fetch";
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http, parseEventLogs } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { base } from "viem/chains";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** The mnemonic of every development chain, which funds the first ten; the sandbox's agents pay from all but 0. */
export const demoWallet = (addressIndex: number) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });

export type Wallet = ReturnType<typeof demoWallet>;

/** A test's own wallet, from 0: only its test pays from it, so that its balance can be compared. */
export const buyerWallet = (index: number): Wallet => demoWallet(10 + index);

const BUYERS = 10;
const FUNDS_MICRO = 500_000_000n;

/** Sends USDC to every buyer's wallet. */
export async function fundBuyers(rpc_url: string): Promise<void> {
  const transport = http(rpc_url);
  const chain = createPublicClient({ chain: base, transport });
  const account = demoWallet(0);
  const funder = createWalletClient({ chain: base, transport, account });
  const nonce = await chain.getTransactionCount({ address: account.address });
  const sent = Array.from({ length: BUYERS }, (_, index) =>
    funder.writeContract({
      address: USDC,
      abi: erc20Abi,
      functionName: "transfer",
      args: [buyerWallet(index).address, FUNDS_MICRO],
      nonce: nonce + index,
    }),
  );
  const mined = await Promise.all(
    sent.map(async (hash) => chain.waitForTransactionReceipt({ hash: await hash })),
  );
  if (mined.some(({ status }) => status !== "success")) throw new Error("a buyer's wallet was not funded");
}

/** The client of version 2; `most` raises its cap of 1 USD. */
export function clientOfVersion2(account: Wallet, most?: string): x402Client {
  return x402Client.fromConfig({
    schemes: [{ network: "eip155:8453", client: new ExactEvmScheme(account) }],
    ...(most && { spendControls: { maxAmountPerPayment: most } }),
  });
}

/** An account's balance on the chain behind `rpc_url`, in micro-USDC. */
export function balanceOf(rpc_url: string, account: string): Promise<bigint> {
  const reader = createPublicClient({ chain: base, transport: http(rpc_url) });
  return reader.readContract({
    address: USDC,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account as Hex],
  });
}

/** A transaction's USDC transfers, by the chain's own record. */
export async function transfersIn(rpc_url: string, transaction: string) {
  const chain = createPublicClient({ transport: http(rpc_url) });
  const { logs } = await chain.getTransactionReceipt({ hash: transaction as Hex });
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }).map(({ args }) => args);
}
