/**
 * A bounty: a reward that its creator's account locks until somebody has earned it.
 *
 *     unfunded ──fund──> open ──claim──> claimed ──submit──> submitted ──award│silence──> awarded
 *        └─ an hour: gone      └───────────┴─ deadline, nothing submitted ──> expired (refund)
 *                              └───────────┴──cancel─────────┴──> cancelled (refund; with a submission less a tenth, for the submitters)
 *
 * Several agents may claim it. Silence is fourteen days without an action of the creator after the newest submission,
 * and not before the deadline: each claimant has the promised time, and the creator can review the last submission.
 * The stream's version decides between concurrent ends.
 */
import { refuse } from "../../core/model/refusal.ts";
import { type Act, withoutAct } from "../identity/act.ts";
import type {
  Awarded,
  BountyEvent,
  BountyFacts,
  Cancelled,
  Claimed,
  Funded,
  Hidden,
  Submitted,
} from "./bounty-events.ts";
import { marketProblems } from "./problems.ts";

export type { BountyEvent, BountyFacts } from "./bounty-events.ts";
export { events } from "./bounty-events.ts";

export const statuses = [
  "unfunded",
  "open",
  "claimed",
  "submitted",
  "awarded",
  "expired",
  "cancelled",
] as const;
export type BountyStatus = (typeof statuses)[number];

/** Seconds in which an unfunded bounty can be funded; then it is removed. */
export const UNFUNDED_S = 3_600;
/** Days of the creator's silence after which the reward is awarded. */
export const SILENCE_DAYS = 14;
export const MOST_CLAIMS = 100;

export type Claim = Claimed & { submission: Submitted | null };

export type Bounty = {
  facts: BountyFacts;
  funded: Funded | null;
  /** In the order of their creation. */
  claims: readonly Claim[];
  awarded: Awarded | null;
  cancelled: Cancelled | null;
  expired_at: string | null;
  hidden: Hidden | null;
};
export type BountyState = Bounty | undefined;

export const prefix = "bounty-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): BountyState => undefined;
export const targetOf = (bounty_id: string) => ({ tenant: "operator", id: bounty_id });

/** The hold of the creator's account that is the reward. */
export const holdOf = (bounty_id: string) => `bounty:${bounty_id}`;

export function evolve(state: BountyState, event: BountyEvent): BountyState {
  if (event.type === "BountyOpened")
    return {
      facts: event.data,
      funded: null,
      claims: [],
      awarded: null,
      cancelled: null,
      expired_at: null,
      hidden: null,
    };
  return state && apply(state, event);
}

function apply(bounty: Bounty, event: Exclude<BountyEvent, { type: "BountyOpened" }>): Bounty {
  switch (event.type) {
    case "BountyFunded":
      return { ...bounty, funded: event.data };
    case "BountyClaimed":
      return { ...bounty, claims: [...bounty.claims, { ...event.data, submission: null }] };
    case "BountySubmitted": {
      const { data } = event;
      const claims = bounty.claims.map((claim) =>
        claim.claim_id === data.claim_id ? { ...claim, submission: data } : claim,
      );
      return { ...bounty, claims };
    }
    case "BountyAwarded":
      return { ...bounty, awarded: withoutAct(event.data) };
    case "BountyCancelled":
      return { ...bounty, cancelled: event.data };
    case "BountyExpired":
      return { ...bounty, expired_at: event.data.expired_at };
    case "BountyHidden":
      return { ...bounty, hidden: event.data };
  }
}

export function statusOf(bounty: Bounty): BountyStatus {
  if (bounty.awarded) return "awarded";
  if (bounty.cancelled) return "cancelled";
  if (bounty.expired_at) return "expired";
  if (!bounty.funded) return "unfunded";
  if (submissionsOf(bounty).length > 0) return "submitted";
  return bounty.claims.length > 0 ? "claimed" : "open";
}

/** The time of its end; null while the reward is locked, or was never funded. */
export const endedAt = ({ awarded, cancelled, expired_at }: Bounty): string | null =>
  awarded?.awarded_at ?? cancelled?.cancelled_at ?? expired_at;

/** Claims with something submitted, in the order of the claims. */
export const submissionsOf = ({ claims }: Bounty) =>
  claims.flatMap((claim) => (claim.submission ? [{ ...claim, submission: claim.submission }] : []));

/** The bounty; `not_found` where there is none. */
export const existingBounty = (state: BountyState): Bounty =>
  state ?? refuse("not_found", "there is no such bounty; soul_bounties lists those that are open");

/** The bounty, unless nobody has funded it in time. */
export function lasting(state: BountyState, at: string): Bounty {
  const bounty = existingBounty(state);
  const isGone = bounty.hidden !== null || at >= later(bounty.facts.opened_at, UNFUNDED_S);
  return !bounty.funded && isGone
    ? refuse("not_found", "this bounty was not funded within an hour and has ended; open a new one")
    : bounty;
}

const later = (at: string, seconds: number) => new Date(Date.parse(at) + seconds * 1_000).toISOString();

export const open =
  (facts: BountyFacts) =>
  (state: BountyState): BountyEvent[] =>
    state ? refuse("conflict", "this bounty was opened before") : [{ type: "BountyOpened", data: facts }];

/** Locks the reward for the funder, who becomes its creator. */
export const fund =
  (creator: string, funded_at: string) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = lasting(state, funded_at);
    inState(bounty, ["unfunded"], "funded");
    const hold_id = holdOf(bounty.facts.bounty_id);
    return [{ type: "BountyFunded", data: { creator, hold_id, funded_at } }];
  };

/** An agent that wants to earn it: `tenants` are those that it pays from, `trust` its points. */
export type Claimant = { sx: number; tenants: readonly string[]; trust: number };

/** Says that an agent is at it. Said twice, it is one claim. */
export const claim =
  ({ sx, tenants, trust }: Claimant, { claim_id, note_sha256, claimed_at }: Omit<Claimed, "sx">) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    inState(bounty, ["open", "claimed", "submitted"], "claimed");
    if (bounty.claims.some((one) => one.sx === sx)) return [];
    refuseLate(bounty, claimed_at);
    if (tenants.includes(bounty.funded!.creator))
      refuse(marketProblems["own-goods"], "this bounty is your own: somebody else has to earn it");
    const { min_trust } = bounty.facts;
    if (trust < min_trust)
      refuse(
        marketProblems["trust-missing"],
        `this bounty is for agents of ${min_trust} points of trust or more, and you have ${Math.floor(trust)}`,
      );
    if (bounty.claims.length === MOST_CLAIMS)
      refuse(
        marketProblems["bounty-state"],
        `${MOST_CLAIMS} agents have claimed this bounty, which is the limit`,
      );
    return [{ type: "BountyClaimed", data: { claim_id, sx, note_sha256, claimed_at } }];
  };

/** The claim of an agent; refuses where it has none. */
export const claimOf = (bounty: Bounty, sx: number): Claim =>
  bounty.claims.find((one) => one.sx === sx) ??
  refuse(marketProblems["bounty-state"], "claim this bounty first (soul_bounty_claim)");

/** Records an agent's submission. The same submission again changes nothing; a different one is refused. */
export const submit =
  (sx: number, { content_sha256, url, submitted_at }: Omit<Submitted, "claim_id">) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    const { claim_id, submission } = claimOf(bounty, sx);
    if (submission) {
      if (submission.content_sha256 === content_sha256 && submission.url === url) return [];
      refuse(marketProblems["submission-stands"], "you submitted another text before; the first one counts");
    }
    inState(bounty, ["claimed", "submitted"], "submitted to");
    refuseLate(bounty, submitted_at);
    return [{ type: "BountySubmitted", data: { claim_id, content_sha256, url, submitted_at } }];
  };

/** Gives the reward to a submission. Awarded to the same before, it is the same. */
export const award =
  (claim_id: string, awarded_at: string, act?: Act) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    if (bounty.awarded?.claim_id === claim_id) return [];
    inState(bounty, ["submitted"], "awarded");
    const won =
      submissionsOf(bounty).find((one) => one.claim_id === claim_id) ??
      refuse(marketProblems["bounty-state"], "nothing was submitted under this claim");
    return [awarding(bounty, won, { by: "creator", trust_as_of: null, awarded_at, ...(act && { act }) })];
  };

function awarding(
  { facts: { reward_micro } }: Bounty,
  { claim_id, sx }: Claim,
  how: Pick<Awarded, "by" | "trust_as_of" | "awarded_at" | "act">,
): BountyEvent {
  const fee_micro = Math.floor(reward_micro / 10);
  const winner_micro = reward_micro - fee_micro;
  return { type: "BountyAwarded", data: { claim_id, sx, reward_micro, winner_micro, fee_micro, ...how } };
}

/** The time at which silence decides; null while nothing is submitted. */
export function silentAt(bounty: Bounty): string | null {
  const newest = submissionsOf(bounty)
    .map(({ submission }) => submission.submitted_at)
    .toSorted()
    .at(-1);
  if (newest === undefined) return null;
  const heard_until = later(newest, SILENCE_DAYS * 86_400);
  return [heard_until, bounty.facts.deadline_at].toSorted().at(-1)!;
}

/** Trust points of agents, and the log position that they are as of. */
export type Points = { of: ReadonlyMap<number, number>; as_of: number | null };

/**
 * Ends a bounty whose time is over: without a submission it expires, else the earliest submission of highest trust
 * wins. Does nothing before that time.
 */
export const fallDue =
  ({ of, as_of }: Points, at: string) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    const due_at = dueAt(bounty);
    if (due_at === null || at < due_at) return [];
    const [best] = submissionsOf(bounty).toSorted(
      (a, b) =>
        (of.get(b.sx) ?? 0) - (of.get(a.sx) ?? 0) ||
        Date.parse(a.submission.submitted_at) - Date.parse(b.submission.submitted_at),
    );
    if (best) return [awarding(bounty, best, { by: "silence", trust_as_of: as_of, awarded_at: at })];
    return [{ type: "BountyExpired", data: { back_micro: bounty.facts.reward_micro, expired_at: at } }];
  };

/** The time of its automatic end; null where it is over, or was never funded. */
export const dueAt = (bounty: Bounty): string | null =>
  bounty.funded && endedAt(bounty) === null ? (silentAt(bounty) ?? bounty.facts.deadline_at) : null;

/** Gives it up. Where something was submitted a tenth is the submitters', in equal parts: free work is the usual fraud. */
export const cancel =
  (by: Cancelled["by"], cancelled_at: string) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    if (bounty.cancelled) return [];
    inState(bounty, ["open", "claimed", "submitted"], "cancelled");
    const { reward_micro } = bounty.facts;
    const submitters = submissionsOf(bounty).length;
    const shared_micro = submitters * partOf(reward_micro, submitters);
    const back_micro = reward_micro - shared_micro;
    return [{ type: "BountyCancelled", data: { by, shared_micro, back_micro, cancelled_at } }];
  };

/** Each submitter's part of a cancelled bounty. */
const partOf = (reward_micro: number, submitters: number): number =>
  submitters === 0 ? 0 : Math.floor(Math.floor(reward_micro / 10) / submitters);

/** The operator takes third-party texts down; a bounty with a locked reward is cancelled as well. */
export const hide =
  (reason: string, at: string) =>
  (state: BountyState): BountyEvent[] => {
    const bounty = existingBounty(state);
    if (bounty.hidden) return [];
    const hidden: BountyEvent = { type: "BountyHidden", data: { reason, hidden_at: at } };
    const isHeld = bounty.funded && endedAt(bounty) === null;
    return isHeld ? [...cancel("operator", at)(state), hidden] : [hidden];
  };

function refuseLate({ facts: { deadline_at } }: Bounty, at: string): void {
  if (at >= deadline_at)
    refuse(marketProblems["bounty-state"], `the deadline of this bounty was ${deadline_at}`);
}

function inState(bounty: Bounty, allowed: readonly BountyStatus[], wanted: string): void {
  const status = statusOf(bounty);
  if (!allowed.includes(status))
    refuse(
      marketProblems["bounty-state"],
      `this bounty is ${status}; only one that is ${allowed.join(" or ")} can be ${wanted}`,
    );
}
