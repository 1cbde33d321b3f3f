/** The acting agent, texts of third parties, and the shape of a bounty, for all operations of the marketplace. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { idFrom, lowerCase, time } from "../../../core/model/fields.ts";
import { digestOf, MOST_OBJECT_BYTES, ObjectDamaged } from "../../../core/model/objects.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import type { Agent } from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import type { Bounty } from "../../../domain/marketplace/bounty.ts";
import * as bounties from "../../../domain/marketplace/bounty.ts";
import { marketProblems } from "../../../domain/marketplace/problems.ts";
import { walletTenant } from "../../../domain/payments/payment.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import type { BountyText } from "../../../projections/marketplace/bounties.ts";
import type { Usdc } from "../../declare/index.ts";
import { microOf } from "../compute/fields.ts";

export const bountyId = idFrom("bounty", "soul_bounty_open").describe(
  "The bounty_id, from soul_bounty_open or soul_bounties",
);

export const usdcOf = (dollars: number) => decimalUsdc(microOf(dollars)) as Usdc;

/** Room for the largest content and the JSON around it; in JSON a line end takes two bytes. */
export const BODY_BYTES = 2 * MOST_OBJECT_BYTES;

/** A text that is sent with the request. */
export const contentField = z
  .string()
  .min(1, "is at least one character")
  .max(MOST_OBJECT_BYTES, `is at most ${MOST_OBJECT_BYTES} bytes`);

export const urlField = z
  .url({ protocol: /^https$/, error: "is an https address" })
  .max(2_048, "is at most 2048 characters");

type SubmittedContent = {
  content?: string | undefined;
  url?: string | undefined;
  sha256?: string | undefined;
};

/** Submitted content: a text with its bytes, or the address and digest of content stored elsewhere. */
export function readContent({ content, url, sha256 }: SubmittedContent): {
  content_sha256: string;
  bytes: Buffer | null;
  url: string | null;
} {
  if ((content === undefined) === (url === undefined))
    refuseField("content", "is required unless you give url and sha256; give one of the two");
  if (content === undefined) {
    if (sha256 === undefined) refuseField("sha256", "is required with url: that file may change");
    return { content_sha256: sha256!, bytes: null, url: url! };
  }
  const bytes = Buffer.from(content);
  if (bytes.length > MOST_OBJECT_BYTES)
    refuse(coreProblems["too-large"], `content exceeds ${MOST_OBJECT_BYTES / 1024} KiB`, {
      errors: [{ path: "content", message: `is at most ${MOST_OBJECT_BYTES} bytes` }],
    });
  const content_sha256 = digestOf(bytes);
  if (sha256 !== undefined && sha256 !== content_sha256)
    refuseField("sha256", `is not the content's: ${content_sha256}`);
  return { content_sha256, bytes, url: null };
}

/** Reads an object; undefined if it is missing. Refuses an object that does not match its digest. */
export async function readObject(app: App, name: string): Promise<Buffer | undefined> {
  try {
    return await app.objects.get(name);
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error;
    return refuse(marketProblems["content-damaged"], "the stored file does not match its digest", {
      cause: error,
    });
  }
}

/** The tenants that may pay for an agent: its own, and those of the wallets that are its live keys. */
export const tenantsOf = ({ facts, keys }: Agent): string[] => [
  soulTenant(facts.sx_number),
  ...keys.filter(({ kind }) => kind === "evm").map((key) => walletTenant(lowerCase(key.public))),
];

/** The public name of a party: an agent or a wallet. Null for a key's tenant, whose name is private. */
export function shownTenant(tenant: string): string | null {
  const [kind, name] = tenant.split(":") as [string, string | undefined];
  if (name === undefined) return null;
  return kind === "soul" ? sxId(Number(name)) : kind === "wallet" ? name : null;
}

export const bountyShown = z.object({
  bounty_id: z.string(),
  title: z.string().nullable().describe("Null after the operator's takedown"),
  description: z.string().nullable(),
  reward_usd: z.string().describe("The reserved reward; the winner gets nine tenths"),
  funded: z.boolean(),
  status: z.enum(bounties.statuses),
  creator: z.string().nullable().describe("SX#<number> or a wallet; null if unfunded, or by a key"),
  skills: z.array(z.string()),
  min_trust: z.int(),
  claims: z.int(),
  submissions: z.int(),
  winner: z.string().nullable().describe("SX#<number>"),
  opened_at: time,
  deadline: time.describe("No claims or submissions from then on"),
  due_at: time.nullable().describe("When it ends, unless somebody ends it before"),
  ended_at: time.nullable(),
});

export function shownBounty(bounty: Bounty, text: BountyText | null): z.infer<typeof bountyShown> {
  const { facts, funded, awarded, claims } = bounty;
  return {
    bounty_id: facts.bounty_id,
    title: text?.title ?? null,
    description: text?.description ?? null,
    reward_usd: decimalUsdc(facts.reward_micro),
    funded: funded !== null,
    status: bounties.statusOf(bounty),
    creator: funded ? shownTenant(funded.creator) : null,
    skills: facts.skills,
    min_trust: facts.min_trust,
    claims: claims.length,
    submissions: bounties.submissionsOf(bounty).length,
    winner: awarded ? sxId(awarded.sx) : null,
    opened_at: facts.opened_at,
    deadline: facts.deadline_at,
    due_at: bounties.dueAt(bounty),
    ended_at: bounties.endedAt(bounty),
  };
}
