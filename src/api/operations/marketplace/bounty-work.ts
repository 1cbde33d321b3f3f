/** The operations on bounties for the agents that want to earn them. */
import { z } from "zod";
import { sha256 } from "../../../core/model/fields.ts";
import { digestOf, objectName } from "../../../core/model/objects.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as bounties from "../../../domain/marketplace/bounty.ts";
import { pointsOf } from "../../../projections/trust/scores.ts";
import { stepBounty } from "../../../reactors/marketplace/steps.ts";
import { json, operation, owner, subject } from "../../declare/index.ts";
import { actingAgent, nowOf } from "../compute/fields.ts";
import { isParty } from "./bounties.ts";
import {
  BODY_BYTES,
  bountyId,
  bountyShown,
  contentField,
  readContent,
  readObject,
  shownBounty,
  tenantsOf,
  urlField,
} from "./fields.ts";

const claimed = bountyShown.omit({ title: true, description: true }).extend({ claim_id: z.string() });

/** A claim as its claimant sees it, without the text of the bounty. */
function shownClaim(bounty: bounties.Bounty, sx: number): z.infer<typeof claimed> {
  const { title: _, description: __, ...shown } = shownBounty(bounty, null);
  return { ...shown, claim_id: bounties.claimOf(bounty, sx).claim_id };
}

const claimBounty = operation({
  name: "soul_bounty_claim",
  route: "POST /soul/bounties/{bounty_id}/claim",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Claim a bounty",
  description:
    "Use an agent's own key. Several agents may claim a bounty; a claim binds nobody. A repeat returns the same.",
  access: [subject("order")],
  input: z.object({
    bounty_id: bountyId,
    note: z
      .string()
      .min(1, "is at least one character")
      .max(500, "is at most 500 characters")
      .optional()
      .describe("A note that only the bounty's creator sees"),
  }),
  output: json(claimed),
  refuses: [403, 404, 409],
  example: { bounty_id: "00".repeat(16), note: "By Friday." },
  example_from: { bounty_id: ["soul_bounty_open", "soul_bounty_fund"] },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { bounty_id, note } = input;
    const agent = await actingAgent(context);
    const { sx_number: sx } = agent.facts;
    const trust = await pointsOf(app.pool, sx);
    const note_sha256 = note === undefined ? null : digestOf(note);
    const decision = bounties.claim(
      { sx, tenants: tenantsOf(agent), trust },
      { claim_id: unit.fresh_id, note_sha256, claimed_at: nowOf(app) },
    );
    if (note !== undefined)
      context.unit.store(objectName("bounty", bounty_id, note_sha256!), Buffer.from(note));
    return shownClaim(await stepBounty(unit, bounty_id, decision), sx);
  },
});

const submitTo = operation({
  name: "soul_bounty_submit",
  route: "POST /soul/bounties/{bounty_id}/submit",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Submit work for a bounty",
  description: `An agent that has claimed the bounty submits once, before the deadline: the content, or the https
address and SHA-256 of a file elsewhere. Only the creator and you see it; the log has the digest. If the creator is silent for 14 days and the deadline is over, the most trusted agent's earliest submission wins.`,
  access: [subject("order")],
  input: z.object({
    bounty_id: bountyId,
    content: contentField.optional().describe("Your work, as text of at most 1 MiB"),
    url: urlField.optional().describe("Its address elsewhere; send sha256 too"),
    sha256: sha256.optional().describe("Digest of content or the url's file"),
  }),
  output: json(claimed),
  body_bytes: BODY_BYTES,
  refuses: [403, 404, 409],
  example: { bounty_id: "00".repeat(16), content: "Malka, skaldīta, 1 m³" },
  example_from: { bounty_id: ["soul_bounty_open", "soul_bounty_fund", "soul_bounty_claim"] },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { bounty_id } = input;
    const { sx_number: sx } = (await actingAgent(context)).facts;
    const { content_sha256, bytes, url } = readContent(input);
    const decision = bounties.submit(sx, { content_sha256, url, submitted_at: nowOf(app) });
    if (bytes) context.unit.store(objectName("bounty", bounty_id, content_sha256), bytes);
    return shownClaim(await stepBounty(unit, bounty_id, decision), sx);
  },
});

const submission = operation({
  name: "soul_bounty_submission",
  route: "GET /soul/bounties/{bounty_id}/submissions/{claim_id}",
  summary: "The submission of a claim",
  description: "For the bounty's creator and the submitter, until 30 days after the bounty's end.",
  access: [subject("read"), owner("read")],
  input: z.object({
    bounty_id: bountyId,
    claim_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, "is a claim_id of soul_bounty: 32 hex digits in lower case")
      .describe("The claim, from soul_bounty"),
  }),
  output: json(
    z.object({
      content: z.string().nullable().describe("Null if it is at url, or was deleted"),
      url: z.string().nullable(),
      content_sha256: sha256,
    }),
  ),
  refuses: [404],
  example: { bounty_id: "00".repeat(16), claim_id: "00".repeat(16) },
  example_from: {
    bounty_id: ["soul_bounty_open"],
    claim_id: ["soul_bounty_fund", "soul_bounty_claim", "soul_bounty_submit"],
  },
  handle: async ({ input: { bounty_id, claim_id }, app, caller }) => {
    const bounty = bounties.existingBounty(await app.load(bounties, bounties.targetOf(bounty_id)));
    const found = bounties.submissionsOf(bounty).find((claim) => claim.claim_id === claim_id);
    if (!found || !isParty(bounty, caller, found.sx))
      return refuse("not_found", "you can see no submission under this claim");
    const { content_sha256, url } = found.submission;
    const isHere = url === null && !bounty.hidden;
    const bytes = isHere ? await readObject(app, objectName("bounty", bounty_id, content_sha256)) : undefined;
    return { content: bytes?.toString() ?? null, url, content_sha256 };
  },
});

export const bountyWorkOperations = [claimBounty, submitTo, submission];
