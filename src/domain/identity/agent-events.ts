/** What is recorded of an agent. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, madeId, sha256, time } from "../../core/model/fields.ts";
import { type Sealed, sealed } from "../../core/model/sealed.ts";
import { scope } from "../access/key.ts";
import { service, sxNumber } from "./fields.ts";

export const keyKinds = ["evm", "ed25519"] as const;
export type KeyKind = (typeof keyKinds)[number];

const reason = z.string().min(1).max(200);
/** SHA-256 of the signed text: it counts once. Null where the agent's API key asked. */
const challenge_sha256 = sha256.nullable();

const delegated = {
  delegation_id: madeId,
  to: sxNumber.describe("The delegate's passport."),
  scopes: z.array(scope).min(1),
  kid: z.string().describe("The key of the principal that signed."),
  challenge_sha256: sha256,
  delegated_at: time,
  expires_at: time.describe("It is not good at this time any more."),
};

const registryLink = {
  kind: z.literal("erc8004"),
  network: z.string().describe("CAIP-2."),
  ref: digits.describe("Its agentId in the registry of that network."),
};
const ownerKid = address.describe(
  "The agent's wallet that it rests on: the owner there, or the wallet that is set there.",
);
const seenUnder = {
  block_number: z.int().nonnegative().describe("The newest block when it was seen."),
  block_hash: chainHash,
};
const maySeenUnder = {
  block_number: seenUnder.block_number.nullable(),
  block_hash: chainHash.nullable(),
};

/** What a link is called: of the registry, or a domain, which no chain knows. */
const named = {
  kind: z.enum(["erc8004", "domain"]),
  network: z.string().nullable().describe("CAIP-2; null of a domain."),
  ref: z.string().describe("Its agentId in the registry of that network, or the domain."),
};

const linked = {
  cause: z.enum(["asked", "restored"]).describe("restored: what had ended it stands in the chain no more."),
  by: z.string().nullable().describe("The kid that signed; null: the agent's API key asked, or nobody."),
  challenge_sha256,
  linked_at: time,
};
const unlinked = { by: z.string().nullable(), challenge_sha256, ...maySeenUnder, unlinked_at: time };
const ALSO_ENDS = "A link also ends with the key that it rests on, and with the passport.";

const described = {
  version: z.string().nullable(),
  services: z.array(service),
  by: z.string().nullable().describe("The kid that signed; null: the agent's API key asked."),
  challenge_sha256,
  described_at: time,
};
/** Before there were providers, a purpose was all that was sealed. */
function withAbout(old: object) {
  const { purpose = null, ...rest } = old as { purpose?: Sealed | null };
  return { about: purpose, ...rest };
}
const REPLACES = "The whole of it: what was described before is over.";

/** What was said before there were domains is said the same way since. */
const asItWas = (old: object) => ({ ...old });

export const events = {
  AgentRegistered: {
    means: "An agent was registered, and got its number.",
    1: z.strictObject({
      agent_id: z.string(),
      sx_number: sxNumber,
      display_name: sealed.nullable().describe("Null: it is called by its agent_id."),
      passport_hash: sha256.describe(
        'SHA-256("TS/PASSPORT/1\\0" ‖ JCS{ agent_id, issued_at, origin, sx_number }); issued_at is registered_at.',
      ),
      registered_at: time,
    }),
    public: true,
  },
  AgentApiKeyIssued: {
    means: "An agent was given an API key.",
    1: z
      .strictObject({ key_id: madeId, challenge_sha256, issued_at: time })
      .describe("Its stream is key-<key_id>; the agent's API key before it is revoked in the same commit."),
    public: true,
  },
  AgentKeyProven: {
    means: "An agent proved that a key is its own.",
    1: z.strictObject({
      kid: z
        .string()
        .describe("An EVM key: its address in lower case. Ed25519: the JWK's thumbprint (RFC 7638)."),
      kind: z.enum(keyKinds),
      public: z.string().describe("The address in lower case, or the 32 bytes in base64url."),
      method: z.enum(["eip191", "erc1271", "jwt"]).describe("How the proof was signed."),
      challenge_sha256: sha256,
      endorsed_by: z
        .string()
        .nullable()
        .describe("The kid of the live key that vouched; null for a first key."),
      proven_at: time,
    }),
    public: true,
  },
  AgentKeyRevoked: {
    means: "A key does not speak for its agent any more.",
    1: z.strictObject({
      kid: z.string(),
      by: z.string().nullable().describe("The kid that signed; null: the agent's API key asked."),
      challenge_sha256,
      revoked_at: time,
    }),
    public: true,
  },
  AgentDelegated: {
    means: "An agent let another one act for it, within limits.",
    1: z.strictObject(delegated),
    2: z.strictObject({
      ...delegated,
      max_spend_micro: z
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .describe("The most that the delegate spends of the principal's account in all, in micro-USDC."),
    }),
    upcast: { 1: (old: object) => ({ ...old, max_spend_micro: 0 }) },
    public: true,
  },
  AgentDelegationRevoked: {
    means: "An agent does not let another one act for it any more.",
    1: z.strictObject({
      delegation_id: madeId,
      by: z.string().nullable(),
      challenge_sha256,
      revoked_at: time,
    }),
    public: true,
  },
  AgentDescribed: {
    means: "An agent's description was changed.",
    1: z
      .strictObject({
        purpose: sealed
          .nullable()
          .describe("What it is for, in its owner's words; null where nothing is said."),
        ...described,
      })
      .describe(REPLACES),
    2: z
      .strictObject({
        about: sealed
          .nullable()
          .describe(
            "{ purpose?, provider? }: what it is for, in its owner's words, and who answers for it; null where neither is said.",
          ),
        ...described,
      })
      .describe(REPLACES),
    upcast: { 1: withAbout },
    public: true,
  },
  AgentLinked: {
    means: "An agent was shown to be the same as one in another registry, or at a domain.",
    1: z.strictObject({ ...linked, ...registryLink, kid: ownerKid, ...seenUnder }),
    2: z.strictObject({
      ...linked,
      ...named,
      kid: z
        .string()
        .describe("The agent's key that it rests on: one that the registry, or the domain, names."),
      ...maySeenUnder,
    }),
    upcast: { 1: asItWas },
    public: true,
  },
  AgentUnlinked: {
    means: "An agent is not the one of another registry or domain any more.",
    1: z
      .strictObject({
        ...unlinked,
        ...registryLink,
        reason: z
          .enum(["asked", "transfer", "reorg"])
          .describe("transfer: the wallet has it no more; reorg: the block that showed it is gone."),
      })
      .describe(ALSO_ENDS),
    2: z
      .strictObject({
        ...unlinked,
        ...named,
        reason: z
          .enum(["asked", "transfer", "reorg", "withdrawn", "silent"])
          .describe(
            "transfer: the wallet has it no more; reorg: the block that showed it is gone; withdrawn: the domain names the key no more; silent: the domain has told nothing for a week.",
          ),
      })
      .describe(ALSO_ENDS),
    upcast: { 1: asItWas },
    public: true,
  },
  AgentSuspended: {
    means: "The operator suspended an agent.",
    1: z.strictObject({ reason, suspended_at: time }),
    public: true,
  },
  AgentReinstated: {
    means: "The operator lets a suspended agent go on.",
    1: z.strictObject({ reason, reinstated_at: time }),
    public: true,
  },
  PassportRevoked: {
    means: "An agent's passport ended for good.",
    1: z
      .strictObject({
        by: z.string().nullable().describe("The kid of the agent's key that signed; null: the operator."),
        reason,
        challenge_sha256,
        revoked_at: time,
      })
      .describe("Final. All its keys are revoked with it."),
    public: true,
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type AgentFacts = Data<"AgentRegistered">;
export type ProvenKey = Data<"AgentKeyProven">;
export type Delegation = Data<"AgentDelegated">;
export type Description = Data<"AgentDescribed">;
export type Link = Data<"AgentLinked">;
export type Unlinked = Data<"AgentUnlinked">;
export type AgentEvent = EventOf<typeof events>;
