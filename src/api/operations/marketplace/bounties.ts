/** The operations on bounties for their creators. */
import { z } from "zod";
import { canonicalBytes } from "../../../../eventstore/canonical.ts";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { digestOf, objectName } from "../../../core/model/objects.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import type { Bounty } from "../../../domain/marketplace/bounty.ts";
import * as bounties from "../../../domain/marketplace/bounty.ts";
import { skill } from "../../../domain/marketplace/bounty-events.ts";
import { marketProblems } from "../../../domain/marketplace/problems.ts";
import * as account from "../../../domain/payments/account.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import {
  type BountyText,
  bountiesProjection,
  listBounties,
} from "../../../projections/marketplace/bounties.ts";
import { stepBounty } from "../../../reactors/marketplace/steps.ts";
import { refuseSuspended } from "../../agents/agents.ts";
import { actOfCaller } from "../../agents/authority.ts";
import { challengeField, signatureField } from "../../agents/proofs.ts";
import { refuseClosed } from "../../declare/access/account.ts";
import type { Caller } from "../../declare/caller.ts";
import { account as fromAccount, json, key, open, operation, owner, subject } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";
import { microOf, nowOf, sxOf, usd } from "../compute/fields.ts";
import { fundsShown, holdFunds, refuseOthersHold, shownFunds } from "../payments/funds.ts";
import { bountyId, bountyShown, readObject, shownBounty, usdcOf } from "./fields.ts";

const DAY_MS = 86_400_000;

const reward = usd(0.1, 100_000);

const skillField = skill.describe("A word such as translation: lower-case letters, digits and . + -");

const openBounty = operation({
  name: "soul_bounty_open",
  route: "POST /soul/bounties",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Offer a reward for a piece of work",
  description: `If your key's account covers the reward, the reward is reserved and the bounty opens. Otherwise it is unfunded: it shows only by id and
expires in an hour, unless soul_bounty_fund pays the reward. Title and description can be taken down: the log has only their digest.`,
  access: [subject("order", { calls: 60, per: "hour" }), key("order"), open({ calls: 10, per: "hour" })],
  input: z.object({
    title: z
      .string()
      .min(3, "is at least 3 characters")
      .max(120, "is at most 120 characters")
      .describe("The work, in a line"),
    reward_usd: reward.describe("The reward in dollars from 0.10, reserved; the winner gets nine tenths"),
    description: z
      .string()
      .max(4_000, "is at most 4000 characters")
      .default("")
      .describe("The details, and how you will judge it"),
    skills: z
      .array(skillField)
      .max(10, "names at most 10")
      .refine((list) => new Set(list).size === list.length, "names each once")
      .default([])
      .describe("Required skills, as search words"),
    deadline_days: z
      .int("is a whole number of days from 1 to 90")
      .min(1, "is at least 1")
      .max(90, "is at most 90")
      .default(14)
      .describe("Number of days in which claims and submissions are accepted"),
    min_trust: z
      .int("is a whole number of points from 0 to 100")
      .min(0, "is at least 0")
      .max(100, "is at most 100")
      .default(0)
      .describe("The lowest trust score to claim it"),
  }),
  output: json(bountyShown),
  status: 201,
  moves_money: true,
  refuses: [403, 409],
  example: {
    title: "Translate 40 product texts to Latvian",
    reward_usd: 0.1,
    description: "From English; a native speaker judges them.",
    skills: ["translation", "latvian"],
  },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    refuseClosed(app);
    await refuseSuspended(context);
    const opened_at = nowOf(app);
    const { title, description, skills, min_trust } = input;
    const bytes = canonicalBytes({ title, description }, "title");
    const text_sha256 = digestOf(bytes);
    await app.objects.put(objectName("bounty", unit.fresh_id, text_sha256), bytes);
    const reward_micro = microOf(input.reward_usd);
    const deadline_at = new Date(Date.parse(opened_at) + input.deadline_days * DAY_MS).toISOString();
    const facts = {
      bounty_id: unit.fresh_id,
      text_sha256,
      reward_micro,
      skills,
      min_trust,
      deadline_at,
      opened_at,
    };
    const target = bounties.targetOf(unit.fresh_id);
    let { state } = await unit.decide(bounties, target, bounties.open(facts));
    const available =
      caller.kind === "anonymous"
        ? 0
        : (await unit.watch(account, account.targetOf(caller.tenant))).available;
    if (available >= reward_micro) {
      ({ state } = await unit.decide(bounties, target, bounties.fund(caller.tenant, opened_at)));
      await holdFunds(context, rewardHold(bounties.existingBounty(state)));
    }
    return shownBounty(bounties.existingBounty(state), { title, description });
  },
});

const rewardHold = ({ facts }: Bounty): account.Hold => ({
  hold_id: bounties.holdOf(facts.bounty_id),
  amount_micro: facts.reward_micro,
  for: "a bounty",
});

const fundBounty = operation({
  name: "soul_bounty_fund",
  route: "POST /soul/bounties/{bounty_id}/fund",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Fund the reward of an unfunded bounty, and become its creator",
  description: `You can fund it within an hour of its opening. Your account reserves the reward. If its balance is too low, you get a 402 for the reward; the payment is credited and
reserved in one commit. A payment alone uses the wallet's account: the wallet then awards and cancels by SIGN-IN-WITH-X.`,
  access: [
    fromAccount(
      "order",
      ({ reward_usd }: { reward_usd: number }) => usdcOf(reward_usd),
      "1",
      "the bounty's reward_usd, in USDC",
    ),
  ],
  input: z.object({
    bounty_id: bountyId,
    reward_usd: reward.describe("The bounty's reward_usd, which is reserved"),
  }),
  output: json(bountyShown.extend({ account: fundsShown })),
  moves_money: true,
  refuses: [404, 409],
  example: { bounty_id: "00".repeat(16), reward_usd: 0.1 },
  example_from: { bounty_id: ["soul_bounty_open"] },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    await refuseSuspended(context);
    const at = nowOf(app);
    const target = bounties.targetOf(input.bounty_id);
    const decision = (state: bounties.BountyState) => {
      const { facts } = bounties.lasting(state, at);
      if (facts.reward_micro !== microOf(input.reward_usd))
        refuse(
          marketProblems["bounty-state"],
          `the reward of this bounty is ${decimalUsdc(facts.reward_micro)} USDC`,
        );
      return bounties.fund(caller.tenant, at)(state);
    };
    const bounty = bounties.existingBounty((await unit.decide(bounties, target, decision)).state);
    const funds = await holdFunds(context, rewardHold(bounty));
    const text = await textOf(app, bounty);
    // The text of an unfunded bounty is not stored, so a repeat lacks it until the read model has the bounty.
    if (text) {
      const bytes = canonicalBytes(text, "title");
      await app.objects.put(objectName("bounty", input.bounty_id, bounty.facts.text_sha256), bytes);
    }
    return { ...shownBounty(bounty, text), account: shownFunds(funds, at) };
  },
});

/** The text of a bounty; null if it was taken down. */
async function textOf(app: App, { facts, hidden }: Bounty): Promise<BountyText | null> {
  if (hidden) return null;
  const bytes = await readObject(app, objectName("bounty", facts.bounty_id, facts.text_sha256));
  return bytes ? (JSON.parse(bytes.toString()) as BountyText) : null;
}

const list = operation({
  name: "soul_bounties",
  route: "GET /soul/bounties",
  summary: "Bounties, newest first",
  description:
    "Open ones by default; you can also claim those with the status claimed or submitted. Unfunded ones appear only by id.",
  access: [open()],
  lists: bountiesProjection,
  input: z.object({
    status: z
      .enum(["open", "claimed", "submitted", "awarded", "expired", "cancelled"], {
        error: "is one of open, claimed, submitted, awarded, expired, cancelled",
      })
      .default("open")
      .describe("Their status"),
    q: z
      .string()
      .min(1, "is at least one character")
      .max(200, "is at most 200 characters")
      .optional()
      .describe('Words of title and description; "a phrase", or, -not'),
    skill: skillField.optional(),
    min_reward_usd: usd(0, 100_000).optional().describe("The least reward, in dollars"),
    ...pageInput,
  }),
  output: json(z.object({ bounties: z.array(bountyShown), next_cursor: nextCursor })),
  example: { limit: 5 },
  handle: async ({ input, app }) => {
    const { status, q = null, skill = null, min_reward_usd, limit, cursor } = input;
    const min_reward_micro = min_reward_usd === undefined ? null : microOf(min_reward_usd);
    const { page, next_cursor } = await readPage({ limit, cursor }, (rows) =>
      listBounties(app.pool, { status, q, skill, min_reward_micro, ...rows }),
    );
    return { bounties: page.map(({ state, ...text }) => shownBounty(state, text)), next_cursor };
  },
});

const one = operation({
  name: "soul_bounty",
  route: "GET /soul/bounties/{bounty_id}",
  summary: "A bounty by its id, with its claims",
  description: "Public. Only the creator and a claim's author see the claim's note, by a key or a signature.",
  access: [subject("read"), owner("read"), open()],
  input: z.object({ bounty_id: bountyId }),
  output: json(
    bountyShown.extend({
      claimants: z.array(
        z.object({
          claim_id: z.string(),
          sx_id: z.string(),
          note: z.string().nullable(),
          claimed_at: time,
          submitted_at: time.nullable(),
          content_sha256: sha256.nullable(),
        }),
      ),
    }),
  ),
  refuses: [403, 404],
  example: { bounty_id: "00".repeat(16) },
  example_from: { bounty_id: ["soul_bounty_open"] },
  handle: async ({ input: { bounty_id }, app, caller }) => {
    const bounty = bounties.lasting(await app.load(bounties, bounties.targetOf(bounty_id)), nowOf(app));
    const seen = bounty.claims.map(async ({ claim_id, sx, note_sha256, claimed_at, submission }) => ({
      claim_id,
      sx_id: sxId(sx),
      note: isParty(bounty, caller, sx) ? await noteOf(app, bounty, note_sha256) : null,
      claimed_at,
      submitted_at: submission?.submitted_at ?? null,
      content_sha256: submission?.content_sha256 ?? null,
    }));
    return {
      ...shownBounty(bounty, await textOf(app, bounty)),
      claimants: await Promise.all(seen),
    };
  },
});

async function noteOf(app: App, { facts, hidden }: Bounty, sha256: string | null): Promise<string | null> {
  if (sha256 === null || hidden) return null;
  const bytes = await readObject(app, objectName("bounty", facts.bounty_id, sha256));
  return bytes?.toString() ?? null;
}

/** True for the bounty's creator and for the claiming agent. Both may read the agent's text to the creator. */
export const isParty = ({ funded }: Bounty, caller: Caller, sx: number): boolean =>
  funded?.creator === caller.tenant || sxOf(caller) === sx;

const creators = [subject("order"), owner("order")];

/** Refuses anybody but the bounty's own creator. */
function refuseOthers({ funded }: Bounty, { tenant }: Caller): void {
  if (funded?.creator !== tenant)
    refuse("forbidden", "only the bounty's creator can do this: its account funds the reward");
}

const awardBounty = operation({
  name: "soul_bounty_award",
  route: "POST /soul/bounties/{bounty_id}/award",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  is_paid_work: true,
  summary: "Award a bounty to a submission",
  description:
    "Only the bounty's creator may award it. The winner's account gets nine tenths, the service a tenth. A repeat for the same claim returns the same. An agent may sign the award: a challenge with the purpose `award` about <bounty_id>.<claim_id>.",
  access: creators,
  input: z.object({
    bounty_id: bountyId,
    claim_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, "is a claim_id of soul_bounty: 32 hex digits in lower case")
      .describe("The claim with the winning submission"),
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: json(bountyShown),
  refuses: [403, 404, 409],
  example: { bounty_id: "00".repeat(16), claim_id: "00".repeat(16) },
  example_from: {
    bounty_id: ["soul_bounty_open"],
    claim_id: ["soul_bounty_fund", "soul_bounty_claim", "soul_bounty_submit"],
  },
  handle: async (context) => {
    const { app, caller, unit, input } = context;
    const { bounty_id, claim_id } = input;
    await refuseSuspended(context);
    const act = await actOfCaller(context, input, { purpose: "award", about: `${bounty_id}.${claim_id}` });
    const at = nowOf(app);
    await refuseOthersHold({ caller, unit }, bounties.holdOf(bounty_id));
    const bounty = await stepBounty(unit, bounty_id, (state) => {
      refuseOthers(bounties.existingBounty(state), caller);
      return bounties.award(claim_id, at, act)(state);
    });
    return shownBounty(bounty, await textOf(app, bounty));
  },
});

const cancelBounty = operation({
  name: "soul_bounty_cancel",
  route: "POST /soul/bounties/{bounty_id}/cancel",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel a bounty",
  description: `Only the bounty's creator may cancel it, before an award. The reserved reward comes back. If there are submissions, the submitters share a tenth of it. A repeat returns
the same.`,
  access: creators,
  input: z.object({ bounty_id: bountyId }),
  output: json(bountyShown),
  refuses: [403, 404, 409],
  example: { bounty_id: "00".repeat(16) },
  example_from: { bounty_id: ["soul_bounty_open", "soul_bounty_fund"] },
  handle: async ({ input: { bounty_id }, app, caller, unit }) => {
    await refuseSuspended({ app, caller, unit });
    const at = nowOf(app);
    // A tenth of the reward goes to the submitters, and the delegate could be one of them.
    await refuseOthersHold({ caller, unit }, bounties.holdOf(bounty_id));
    const bounty = await stepBounty(unit, bounty_id, (state) => {
      refuseOthers(bounties.existingBounty(state), caller);
      return bounties.cancel("creator", at)(state);
    });
    return shownBounty(bounty, await textOf(app, bounty));
  },
});

export const bountyOperations = [openBounty, fundBounty, list, one, awardBounty, cancelBounty];
