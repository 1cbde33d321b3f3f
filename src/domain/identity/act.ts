/** How an event shows that an agent wanted it: by the text that its key signed, or by the service's word alone. */
import { z } from "zod";
import { chainHash } from "../../core/model/fields.ts";
import { type Sealed, sealed } from "../../core/model/sealed.ts";

/** Contract wallets (ERC-1271, ERC-6492) are asked on the chain, at the named block; the others can be checked anywhere. */
export const schemes = ["eip191", "jwt", "erc1271", "erc6492"] as const;
export type Scheme = (typeof schemes)[number];

const signedText = z.strictObject({
  text: z.string().max(4_096).describe("The signed text, to the byte."),
  signature: z
    .string()
    .max(10_000)
    .describe("0x and hex digits by personal_sign, or a compact JWS of EdDSA."),
  body: z.string().nullable().describe("The JSON whose SHA-256 the text names; null: it names none."),
});
export type SignedText = z.infer<typeof signedText>;

const signedAct = z.strictObject({
  by: z.literal("signature"),
  scheme: z.enum(schemes),
  kid: z.string().describe("The key that signed: an address in lower case, or a JWK's thumbprint."),
  block: z
    .strictObject({ number: z.int().nonnegative(), hash: chainHash })
    .nullable()
    .describe("A contract wallet's signature: the newest block when the wallet accepted it. Otherwise null."),
  signed: z.union([signedText, sealed]).describe("Sealed if the text has a person's own words."),
});
export type SignedAct = z.infer<typeof signedAct>;

export const act = z
  .discriminatedUnion("by", [
    signedAct,
    z.strictObject({ by: z.literal("key") }).describe("An API key made the call, and nobody signed."),
    z.strictObject({ by: z.literal("payment") }).describe("The wallet that paid made the call."),
  ])
  .describe("How the agent showed that it wanted this; absent: no agent did, or the event is older.");
export type Act = z.infer<typeof act>;

export const byKey: Act = { by: "key" };

/** Optional, since a reactor and the operator cause some of these events. */
export const acted = { act: act.optional() };

/** The state of an entity needs no proofs: they stay in the log. */
export const withoutAct = <Data extends { act?: Act | undefined }>({ act: _, ...facts }: Data) => facts;

export const isSealed = (signed: SignedAct["signed"]): signed is Sealed => "seal_id" in signed;
