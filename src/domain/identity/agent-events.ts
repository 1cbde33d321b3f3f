import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, madeId, sha256, time } from "../../core/model/fields.ts";
import { type Sealed, sealed } from "../../core/model/sealed.ts";
import { scope } from "../access/key.ts";
import { act, acted } from "./act.ts";
import { service, sxNumber } from "./fields.ts";

export const keyKinds = ["evm", "ed25519"] as const;
export type KeyKind = (typeof keyKinds)[number];

const reason = z.string().min(1).max(200);
/** SHA-256 of the signed text, which counts once. null = signed by nobody: the agent's API key was used. */
const challenge_sha256 = sha256.nullable();

const delegated = {
  delegation_id: madeId,
  to: sxNumber.describe("The delegate's passport."),
  scopes: z.array(scope).min(1),
  kid: z.string().describe("The key of the principal that signed."),
  challenge_sha256: sha256,
  delegated_at: time,
  expires_at: time.describe("The delegation ends at this time."),
};

const registryLink = {
  kind: z.literal("erc8004"),
  network: z.string().describe("CAIP-2."),
  ref: digits.describe("The agent's agentId in the registry of that network."),
};
const ownerKid = address.describe(
  "The agent's wallet in that registry: the entry's owner, or the wallet set in the entry.",
);
const atBlock = {
  block_number: z.int().nonnegative().describe("The newest block at the check."),
  block_hash: chainHash,
};
const atBlockOrNull = {
  block_number: atBlock.block_number.nullable(),
  block_hash: chainHash.nullable(),
};

/** The name of a link: a registry's agent, or a domain (which has no network). */
const linkName = {
  kind: z.enum(["erc8004", "domain"]),
  network: z.string().nullable().describe("CAIP-2; null for a domain."),
  ref: z.string().describe("The agent's agentId in the registry of that network, or the domain."),
};

const linked = {
  cause: z
    .enum(["asked", "restored"])
    .describe("restored: the block that ended the link is no longer canonical."),
  by: z.string().nullable().describe("The signing kid; null: the agent's API key, or nobody."),
  challenge_sha256,
  linked_at: time,
};
const unlinked = { by: z.string().nullable(), challenge_sha256, ...atBlockOrNull, unlinked_at: time };
const ALSO_ENDS = "A link also ends with its key, and with the passport.";

const described = {
  version: z.string().nullable(),
  services: z.array(service),
  by: z.string().nullable().describe("The signing kid; null: the agent's API key."),
  challenge_sha256,
  described_at: time,
};
/** Before providers existed, only the purpose was sealed. */
function withAbout(old: object) {
  const { purpose = null, ...rest } = old as { purpose?: Sealed | null };
  return { about: purpose, ...rest };
}
const REPLACES = "The whole description; it replaces the earlier one.";

/** Fields were added later; older data is unchanged. */
const unchanged = (old: object) => ({ ...old });

const keyIssued = { key_id: madeId, challenge_sha256, issued_at: time };
const ITS_STREAM = "The key's stream is key-<key_id>; the same commit revokes the agent's previous API key.";

const keyProven = {
  kid: z
    .string()
    .describe("An EVM key: its address in lower case. Ed25519: the JWK's thumbprint (RFC 7638)."),
  kind: z.enum(keyKinds),
  public: z.string().describe("The address in lower case, or the 32 bytes in base64url."),
  method: z.enum(["eip191", "erc1271", "jwt"]).describe("How the proof was signed."),
  challenge_sha256: sha256,
  endorsed_by: z.string().nullable().describe("The kid of the live key that vouched; null for a first key."),
  proven_at: time,
};

const keyRevoked = {
  kid: z.string(),
  by: z.string().nullable().describe("The signing kid; null: the agent's API key."),
  challenge_sha256,
  revoked_at: time,
};

const maxSpend = {
  max_spend_micro: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .describe("The most that the delegate may spend of the principal's account in all, in micro-USDC."),
};

const delegationRevoked = {
  delegation_id: madeId,
  by: z.string().nullable(),
  challenge_sha256,
  revoked_at: time,
};

const about = sealed
  .nullable()
  .describe(
    "{ purpose?, provider? }: its purpose in its owner's words, and the responsible organization; null if neither was given.",
  );

const linkedTo = {
  ...linked,
  ...linkName,
  kid: z.string().describe("The agent's key that the registry or the domain names."),
  ...atBlockOrNull,
};

const unlinkedFrom = {
  ...unlinked,
  ...linkName,
  reason: z
    .enum(["asked", "transfer", "reorg", "withdrawn", "silent"])
    .describe(
      "transfer: the wallet no longer has the linked agent; reorg: the link's block was reverted; withdrawn: the domain no longer names the key; silent: the domain gave no answer for a week.",
    ),
};

const passportRevoked = {
  by: z.string().nullable().describe("The kid of the agent's key that signed; null: the operator."),
  reason,
  challenge_sha256,
  revoked_at: time,
};
const FINAL = "Final. All its keys are revoked with it.";

export const events = {
  AgentRegistered: {
    means: "An agent was registered with its number.",
    1: z.strictObject({
      agent_id: z.string(),
      sx_number: sxNumber,
      display_name: sealed.nullable().describe("Null: its name is its agent_id."),
      passport_hash: sha256.describe(
        'SHA-256("TS/PASSPORT/1\\0" ‖ JCS{ agent_id, issued_at, origin, sx_number }); issued_at is registered_at.',
      ),
      registered_at: time,
    }),
    public: true,
  },
  AgentApiKeyIssued: {
    means: "An agent got an API key.",
    1: z.strictObject(keyIssued).describe(ITS_STREAM),
    2: z.strictObject({ ...keyIssued, ...acted }).describe(ITS_STREAM),
    upcast: { 1: unchanged },
    public: true,
  },
  AgentKeyProven: {
    means: "An agent proved that a key is its own.",
    1: z.strictObject(keyProven),
    2: z.strictObject({
      ...keyProven,
      ...acted,
      endorsement: act
        .optional()
        .describe("How the agent vouched for it: by a live key, or a first key by the agent's API key."),
    }),
    upcast: { 1: unchanged },
    public: true,
  },
  AgentKeyRevoked: {
    means: "A key of an agent was revoked.",
    1: z.strictObject(keyRevoked),
    2: z.strictObject({ ...keyRevoked, ...acted }),
    upcast: { 1: unchanged },
    public: true,
  },
  AgentDelegated: {
    means: "An agent delegated to another, within limits.",
    1: z.strictObject(delegated),
    2: z.strictObject({ ...delegated, ...maxSpend }),
    3: z.strictObject({ ...delegated, ...maxSpend, ...acted }),
    upcast: { 1: (old: object) => ({ ...old, max_spend_micro: 0 }), 2: unchanged },
    public: true,
  },
  AgentDelegationRevoked: {
    means: "A delegation was revoked.",
    1: z.strictObject(delegationRevoked),
    2: z.strictObject({ ...delegationRevoked, ...acted }),
    upcast: { 1: unchanged },
    public: true,
  },
  AgentDescribed: {
    means: "An agent's description was changed.",
    1: z
      .strictObject({
        purpose: sealed
          .nullable()
          .describe("The agent's purpose in its owner's words; null if none was given."),
        ...described,
      })
      .describe(REPLACES),
    2: z.strictObject({ about, ...described }).describe(REPLACES),
    3: z.strictObject({ about, ...described, ...acted }).describe(REPLACES),
    upcast: { 1: withAbout, 2: unchanged },
    public: true,
  },
  AgentLinked: {
    means: "An agent was linked to another registry's agent, or to a domain.",
    1: z.strictObject({ ...linked, ...registryLink, kid: ownerKid, ...atBlock }),
    2: z.strictObject(linkedTo),
    3: z.strictObject({ ...linkedTo, ...acted }),
    upcast: { 1: unchanged, 2: unchanged },
    public: true,
  },
  AgentUnlinked: {
    means: "A link of an agent ended.",
    1: z
      .strictObject({
        ...unlinked,
        ...registryLink,
        reason: z
          .enum(["asked", "transfer", "reorg"])
          .describe(
            "transfer: the wallet no longer has the linked agent; reorg: the link's block was reverted.",
          ),
      })
      .describe(ALSO_ENDS),
    2: z.strictObject(unlinkedFrom).describe(ALSO_ENDS),
    3: z.strictObject({ ...unlinkedFrom, ...acted }).describe(ALSO_ENDS),
    upcast: { 1: unchanged, 2: unchanged },
    public: true,
  },
  AgentSuspended: {
    means: "The operator suspended an agent.",
    1: z.strictObject({ reason, suspended_at: time }),
    public: true,
  },
  AgentReinstated: {
    means: "The operator reinstated a suspended agent.",
    1: z.strictObject({ reason, reinstated_at: time }),
    public: true,
  },
  PassportRevoked: {
    means: "An agent's passport ended for good.",
    1: z.strictObject(passportRevoked).describe(FINAL),
    2: z.strictObject({ ...passportRevoked, ...acted }).describe(FINAL),
    upcast: { 1: unchanged },
    public: true,
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type AgentFacts = Data<"AgentRegistered">;
export type ProvenKey = Data<"AgentKeyProven">;
export type Delegation = Data<"AgentDelegated">;
export type Description = Data<"AgentDescribed">;
export type Link = Data<"AgentLinked">;
export type UnlinkData = Data<"AgentUnlinked">;
export type AgentEvent = EventOf<typeof events>;
