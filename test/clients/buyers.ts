/** Stock clients set up by their own documentation, with a wallet of the development chain. */
import { x402Client as ClientOfAxios, wrapAxiosWithPayment } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment } from "@x402/fetch";
import axios from "axios";
import { toHex } from "viem";
import { createSigner as createAxiosSigner, withPaymentInterceptor } from "x402-axios";
import { createSigner, wrapFetchWithPayment as wrapFetchOfVersion1 } from "x402-fetch";
import { clientOfVersion2, type Wallet } from "./wallets.ts";

/** The key in the wallet libraries' form. */
const keyOf = (account: Wallet) => toHex(account.getHdKey().privateKey!);

/** x402-fetch 1.x; `max_value` in micro-USDC raises its cap of 0.10 USDC. */
export const fetchOfVersion1 = async (account: Wallet, max_value?: bigint) =>
  wrapFetchOfVersion1(fetch, await createSigner("base", keyOf(account)), max_value);

/** x402-axios, which has no cap. */
export const axiosBuyer = async (account: Wallet) =>
  withPaymentInterceptor(axios.create(), await createAxiosSigner("base", keyOf(account)));

/** @x402/axios 2.x. */
export const axiosOfVersion2 = (account: Wallet) =>
  wrapAxiosWithPayment(
    axios.create(),
    ClientOfAxios.fromConfig({
      schemes: [{ network: "eip155:8453", client: new ExactEvmScheme(account) }],
    }),
  );

/** @x402/fetch 2.x. */
export const fetchOfVersion2 = (account: Wallet, most?: string) =>
  wrapFetchWithPayment(fetch, clientOfVersion2(account, most));

/** A call without payment: its status and its requirement. */
export async function unpaid(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init);
  const body = (await answer.json()) as { accepts: { payTo: string; description: string }[] };
  return { status: answer.status, ...body.accepts[0]! };
}
