/** A call to an operation, which comes in with nothing, with a key, or with a demo wallet's payment. */
import type { Answered } from "./answer.ts";
import { reached } from "./ask.ts";
import { offerIn, pay } from "./wallet.ts";

export type Question = { method: string; url: string; body: string | undefined };

/** How a call comes in. */
export type Way = { by: "none" } | { by: "key"; key: string } | { by: "wallet" };

/** Asks for an answer of this form; a wallet pays what a 402 asks for. */
export async function call({ method, url, body }: Question, way: Way, accept: string): Promise<Answered> {
  // A browser sends no other characters in a header, and says so as if the network had failed.
  if (way.by === "key" && /[^\x21-\x7e]/.test(way.key))
    throw new Error(
      "That is no API key: one has letters, digits and _ alone. Paste it whole, as it was issued.",
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
    const offer = offerIn(required);
    paid = offer.accepts[0]?.amount;
    response = await ask({ "PAYMENT-SIGNATURE": await pay(offer) });
  }
  return { response, ms: performance.now() - began, paid_micro: paid };
}
