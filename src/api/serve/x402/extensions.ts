/**
 * The extensions of a 402 of x402 version 2. Source: payment_identifier.md, sign-in-with-x.md and
 * extension-offer-and-receipt.md among the extensions of its specification.
 */
import { PROOF_SECONDS, statementOf } from "../../../domain/access/wallet-proof.ts";
import { BASE } from "../../../domain/payments/usdc.ts";

type Schema = Record<string, unknown>;

/** An extension of version 2: the server's values with their JSON Schema. */
export type Extension = { info: Schema; schema: Schema; routeTemplate?: string; supportedChains?: Schema[] };

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The required form of a client's id for its payment. */
export const PAYMENT_IDENTIFIER = { min: 16, max: 128, pattern: "^[a-zA-Z0-9_-]+$" } as const;

/** Optional for clients: a client may add its `id` to `info`, and repeat the call under the same id. */
export const paymentIdentifier: Extension = {
  info: { required: false },
  schema: {
    $schema: DIALECT,
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: {
        type: "string",
        minLength: PAYMENT_IDENTIFIER.min,
        maxLength: PAYMENT_IDENTIFIER.max,
        pattern: PAYMENT_IDENTIFIER.pattern,
      },
    },
  },
};

/** A call that a wallet may sign instead of paying for it. `resources`: the digest of a body. */
export type SignableCall = {
  public_url: string;
  method: string;
  path: string;
  resources?: readonly string[];
};

/**
 * Clients take the first chain that fits. The three schemes show that signatures of contract wallets are accepted
 * too.
 */
const CHAINS: Schema[] = ["eip191", "eip1271", "eip6492"].map((signatureScheme) => ({
  chainId: BASE.network,
  type: "eip191",
  signatureScheme,
}));

const SIGN_IN_SCHEMA: Schema = {
  $schema: DIALECT,
  type: "object",
  required: ["domain", "address", "uri", "version", "chainId", "type", "nonce", "issuedAt", "signature"],
};

export const signInWithX = (
  { public_url, method, path, resources }: SignableCall,
  nonce: string,
  now: Date,
): Extension => ({
  info: {
    domain: new URL(public_url).host,
    uri: public_url + path,
    version: "1",
    nonce,
    issuedAt: now.toISOString(),
    expirationTime: new Date(now.getTime() + 1_000 * PROOF_SECONDS).toISOString(),
    statement: statementOf({ method, path }),
    ...(resources && { resources: [...resources] }),
  },
  supportedChains: CHAINS,
  schema: SIGN_IN_SCHEMA,
});

const OFFER_SCHEMA: Schema = {
  $schema: DIALECT,
  type: "object",
  properties: { offers: { type: "array", items: { type: "object", required: ["format", "signature"] } } },
  required: ["offers"],
};

/** An extension with its JSON text, which each 402 copies instead of writing it again. */
export type WrittenExtension = { extension: Extension; json: string };

export const written = (extension: Extension): WrittenExtension => ({
  extension,
  json: JSON.stringify(extension),
});

const offerOf = (jws: string): Extension => ({
  info: { offers: [{ format: "jws", acceptIndex: 0, signature: jws }] },
  schema: OFFER_SCHEMA,
});
const [OFFER_BEGIN, OFFER_END] = JSON.stringify(offerOf("JWS")).split("JWS") as [string, string];

/**
 * The signed offer of the first entry of `accepts`. Needs no escaping, because a JWS has no character that JSON
 * escapes.
 */
export const signedOffer = (jws: string): WrittenExtension => ({
  extension: offerOf(jws),
  json: OFFER_BEGIN + jws + OFFER_END,
});
