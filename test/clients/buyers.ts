/** Stock clients as their own pages tell to set them up, with a wallet of the development chain. */
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import axios from "axios";
import { createPublicClient, erc20Abi, type Hex, http, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { createSigner as createAxiosSigner, withPaymentInterceptor } from "x402-axios";
import { createSigner, wrapFetchWithPayment as wrapFetchOfVersion1 } from "x402-fetch";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** The mnemonic of every development chain; each test file pays from a wallet of its own. */
export const demoWallet = (addressIndex: number) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });

type Wallet = ReturnType<typeof demoWallet>;

/** The key as the makers of wallets take it. */
const keyOf = (account: Wallet) => toHex(account.getHdKey().privateKey!);

/** x402-fetch 1.x; `max_value` in micro-USDC raises its cap of 0.10 USDC. */
export const fetchOfVersion1 = async (account: Wallet, max_value?: bigint) =>
  wrapFetchOfVersion1(fetch, await createSigner("base", keyOf(account)), max_value);

/** x402-axios, which has no cap. */
export const axiosBuyer = async (account: Wallet) =>
  withPaymentInterceptor(axios.create(), await createAxiosSigner("base", keyOf(account)));

/** The client of version 2; `most` raises its cap of 1 USD. */
export function clientOfVersion2(account: Wallet, most?: string): x402Client {
  return x402Client.fromConfig({
    schemes: [{ network: "eip155:8453", client: new ExactEvmScheme(account) }],
    ...(most && { spendControls: { maxAmountPerPayment: most } }),
  });
}

/** @x402/fetch 2.x. */
export const fetchOfVersion2 = (account: Wallet, most?: string) =>
  wrapFetchWithPayment(fetch, clientOfVersion2(account, most));

/** What an account of the chain behind `rpc_url` has, in micro-USDC. */
export function balanceOf(rpc_url: string, account: string): Promise<bigint> {
  const reader = createPublicClient({ chain: base, transport: http(rpc_url) });
  return reader.readContract({
    address: USDC,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account as Hex],
  });
}

/** What a call without payment is answered: its status and its requirement. */
export async function unpaid(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init);
  const body = (await answer.json()) as { accepts: { payTo: string; description: string }[] };
  return { status: answer.status, ...body.accepts[0]! };
}
