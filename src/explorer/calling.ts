/** Calls an operation anonymously, with a key, or with a demo wallet's payment. */
import type { TimedResponse } from "./answer.ts";
import { reached } from "./ask.ts";

export type Question = { method: string; url: string; body: string | undefined };

/** The credential of a call. */
export type Credential = { by: "none" } | { by: "key"; key: string } | { by: "wallet" };

/** A text that cannot be an API key; it was not sent. */
export class UnusableKey extends Error {}

/** The wallet is loaded when it is used, because it weighs more than the rest of a page. */
const WALLET = "/docs/wallet.js";
const loadWallet = () => import(WALLET) as Promise<typeof import("./wallet.ts")>;

/** Requests an answer in this form; a wallet pays a 402. */
export async function call(
  { method, url, body }: Question,
  way: Credential,
  accept: string,
): Promise<TimedResponse> {
  // A browser rejects other characters in a header, as if the network had failed.
  if (way.by === "key" && /[^\x21-\x7e]/.test(way.key))
    throw new UnusableKey(
      "That is not an API key: a key has only letters, digits and _. Paste the whole key, unchanged.",
    );
  const began = performance.now();
  const ask = (more: Record<string, string> = {}) =>
    reached(url, {
      method,
      headers: {
        Accept: accept,
        ...(way.by === "key" && { Authorization: `Bearer ${way.key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...more,
      },
      ...(body !== undefined && { body }),
      cache: "no-store",
    });
  let response = await ask();
  let paid: string | undefined;
  const required = response.headers.get("PAYMENT-REQUIRED");
  if (way.by === "wallet" && response.status === 402 && required) {
    const { offerIn, pay } = await loadWallet();
    const offer = offerIn(required);
    paid = offer.accepts[0]?.amount;
    response = await ask({ "PAYMENT-SIGNATURE": await pay(offer) });
  }
  return { response, ms: performance.now() - began, paid_micro: paid };
}
