/** The parts of a 402 that need the service's keys: signed offers, challenges, and nonces to sign in with. */
import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { issuedNonce } from "../../../domain/access/sign-in-nonce.ts";
import { type OfferPayload, statementSigner } from "../../../domain/payments/receipt.ts";
import {
  type ChallengedCall,
  challengeFault,
  challengeIssuer,
  type EchoedChallenge,
  type IssuedChallenge,
} from "../mpp/challenge.ts";

export type TermsIssuer = {
  now(): Date;
  offer(terms: Omit<OfferPayload, "version" | "validUntil">): string;
  challenge(call: Omit<ChallengedCall, "expires">): IssuedChallenge;
  challengeFault(path: string): (challenge: EchoedChallenge, nonce: Hex, now: Date) => string | undefined;
  nonce(): string;
};

/** A challenge is valid as long as a payment of x402. */
const CHALLENGE_MS = 300_000;
/** Equal 402s within a minute have the same offer, which is signed once. */
const OFFER_ROUND_S = 60;
const OFFER_SECONDS = 300;
const MOST_OFFERS = 2_000;

export function createIssuer(
  { signer, link_secret: secret, clock, pay_to }: Pick<App, "signer" | "link_secret" | "clock" | "pay_to">,
  public_url: string,
): TermsIssuer {
  const offers = new LRUCache<string, string>({ max: MOST_OFFERS });
  const terms = { public_url, pay_to, secret };
  const challenge = challengeIssuer(terms);
  const sign = statementSigner(public_url, signer);
  return {
    now: () => clock.now(),
    offer(offered) {
      const round_s = Math.ceil(clock.now().getTime() / 1_000 / OFFER_ROUND_S) * OFFER_ROUND_S;
      const validUntil = round_s + OFFER_SECONDS;
      const name = `${validUntil} ${offered.amount} ${offered.resourceUrl}`;
      const known = offers.get(name);
      if (known !== undefined) return known;
      const signed = sign({ version: 1, ...offered, validUntil });
      offers.set(name, signed);
      return signed;
    },
    challenge: (call) => challenge({ ...call, expires: new Date(clock.now().getTime() + CHALLENGE_MS) }),
    challengeFault: (path) => (given, nonce, now) => challengeFault(given, terms, { nonce, path, now }),
    nonce: () => issuedNonce(secret, randomBytes(8)),
  };
}
