/**
 * The one table of notices: which event tells what to whom. A notice shows only the named members of its event; the
 * stream's tenant gets it, and every tenant that an event has let join its subject.
 */
import type { DataOf, EntityEvents } from "../../core/model/entity.ts";
import * as check from "../checks/check.ts";
import * as order from "../commerce/order.ts";
import * as task from "../compute/task.ts";
import * as duties from "../customs/duty-changes.ts";
import { soulTenant } from "../identity/soul-tenant.ts";
import * as bounty from "../marketplace/bounty.ts";
import * as channel from "../payments/channel.ts";
import * as payment from "../payments/payment.ts";
import { walletTenant } from "../payments/payment.ts";
import { decimalUsdc } from "../payments/usdc.ts";
import * as reference from "../reference/dataset.ts";
import * as execution from "../skills/execution.ts";
import * as dataset from "../trade/dataset.ts";

export const kindNames = [
  "task",
  "bounty",
  "order",
  "execution",
  "check",
  "refund",
  "channel",
  "release",
  "duty",
] as const;
export type KindName = (typeof kindNames)[number];

/** Notices of this tenant are for everybody. */
export const EVERYBODY = "";

type Row<Data> = {
  /** The notice's type; omitted: the event only lets tenants join. */
  type?: string;
  shows?: readonly (keyof Data & string)[];
  /** Tenants that get this notice and later ones of the subject. */
  joins?: (data: Data) => string[];
  /** Tenants that joined get no notice after this one. */
  ends?: true;
};

export type NoticeKind = {
  name: KindName;
  of: EntityEvents;
  /** The tenants of the subject besides those that joined. */
  owners: (tenant: string, id: string) => string[];
  events: Readonly<Record<string, Row<never>>>;
};

function kind<const E extends EntityEvents>(
  name: KindName,
  of: E,
  events: { [Type in keyof E["events"] & string]?: Row<DataOf<E["events"], Type>> },
  owners: NoticeKind["owners"] = (tenant) => [tenant],
): NoticeKind {
  return { name, of, events: events as NoticeKind["events"], owners };
}

const everybody = () => [EVERYBODY];
const nobody = () => [];

export const kinds: readonly NoticeKind[] = [
  kind(
    "task",
    task,
    {
      TaskSubmitted: { type: "task.submitted", shows: ["kind", "submitted_at"] },
      TaskLeased: {
        type: "task.leased",
        shows: ["attempt", "price_micro", "leased_at", "limit_at"],
        joins: ({ sx }) => [soulTenant(sx)],
      },
      TaskLeaseExpired: { type: "task.lease_expired", shows: ["attempt", "reason", "ready_at"], ends: true },
      TaskResultSubmitted: {
        type: "task.result_submitted",
        shows: ["attempt", "output_sha256", "exit", "submitted_at"],
      },
      TaskAudited: { type: "task.audited", shows: ["verdict", "audited_at"] },
      TaskJudged: { type: "task.judged", shows: ["verdict", "agreed", "judged_at"] },
      TaskCompared: { type: "task.compared", shows: ["verdict", "compared_at"] },
      TaskAccepted: { type: "task.accepted", shows: ["by", "accepted_at"] },
      TaskRejected: { type: "task.rejected", shows: ["rejected_at"] },
      TaskDisputed: { type: "task.disputed", shows: ["bond_micro", "disputed_at"] },
      TaskDisputeDecided: { type: "task.dispute_decided", shows: ["verdict", "by", "decided_at"] },
      TaskSettled: {
        type: "task.settled",
        shows: ["price_micro", "provider_micro", "fee_micro", "back_micro", "settled_at"],
      },
      TaskRefunded: { type: "task.refunded", shows: ["back_micro", "why", "refunded_at"] },
      TaskCancelled: { type: "task.cancelled", shows: ["cancelled_at"] },
      TaskExpired: { type: "task.expired", shows: ["expired_at"] },
      TaskDeadLettered: { type: "task.dead_lettered", shows: ["attempts", "at"] },
    },
    // The requester follows the task; its copies are between the service and their nodes.
    (tenant, id) => (id.includes(".") ? [] : [tenant]),
  ),
  kind(
    "bounty",
    bounty,
    {
      BountyFunded: { type: "bounty.funded", shows: ["funded_at"], joins: ({ creator }) => [creator] },
      BountyClaimed: {
        type: "bounty.claimed",
        shows: ["claim_id", "sx", "claimed_at"],
        joins: ({ sx }) => [soulTenant(sx)],
      },
      BountySubmitted: { type: "bounty.submitted", shows: ["claim_id", "content_sha256", "submitted_at"] },
      BountyAwarded: {
        type: "bounty.awarded",
        shows: ["claim_id", "sx", "reward_micro", "by", "awarded_at"],
      },
      BountyExpired: { type: "bounty.expired", shows: ["back_micro", "expired_at"] },
      BountyCancelled: {
        type: "bounty.cancelled",
        shows: ["by", "shared_micro", "back_micro", "cancelled_at"],
      },
      BountyHidden: { type: "bounty.hidden", shows: ["reason", "hidden_at"] },
    },
    nobody,
  ),
  kind("order", order, {
    OrderPlaced: {
      type: "order.placed",
      shows: ["slug", "unit", "quantity", "usdc_micro", "until", "placed_at"],
    },
    OrderPaid: { type: "order.paid", shows: ["paid_at"] },
    OrderShipped: { type: "order.shipped", shows: ["carrier", "tracking", "shipped_at"] },
    OrderDelivered: { type: "order.delivered", shows: ["delivered_at"] },
    OrderCancelled: { type: "order.cancelled", shows: ["by", "reason", "cancelled_at"] },
    OrderExpired: { type: "order.expired", shows: ["expired_at"] },
    OrderReturned: { type: "order.returned", shows: ["returned_at"] },
  }),
  kind("execution", execution, {
    SkillRunRequested: { type: "execution.requested", shows: ["agent", "requested_at", "deadline_at"] },
    SkillRunStarted: { type: "execution.started", shows: ["attempt", "started_at"] },
    SkillStepDone: { type: "execution.step_done", shows: ["attempt", "step", "operation", "done_at"] },
    SkillRunFinished: { type: "execution.finished", shows: ["result_sha256", "finished_at"] },
    SkillRunFailed: { type: "execution.failed", shows: ["code", "step", "failed_at"] },
    SkillRunCancelled: { type: "execution.cancelled", shows: ["cancelled_at"] },
  }),
  kind("check", check, {
    CheckCreated: {
      type: "check.created",
      shows: ["from", "to", "amount_micro", "valid_before", "created_at"],
      joins: ({ from, to }) => [walletTenant(from), walletTenant(to)],
    },
    CheckRedemptionAsked: { type: "check.redemption_requested", shows: ["asked_at"] },
    CheckCancelled: { type: "check.cancelled", shows: ["cancelled_at"] },
    CheckExpired: { type: "check.expired", shows: ["expired_at"] },
    CheckRedeemed: { type: "check.redeemed", shows: ["transaction", "block_number", "redeemed_at"] },
    CheckRevoked: { type: "check.revoked", shows: ["transaction", "reason", "revoked_at"] },
    CheckReorged: { type: "check.reorged", shows: ["transaction", "reorged_at"] },
  }),
  kind("refund", payment, {
    PaymentClaimed: { joins: ({ tenant }) => [tenant] },
    RefundOpened: { type: "refund.opened", shows: ["amount_micro", "reason", "opened_at"] },
    RefundPaid: { type: "refund.paid", shows: ["transaction", "block_number", "paid_at"] },
    RefundReorged: { type: "refund.reorged", shows: ["transaction", "reorged_at"] },
  }),
  kind("channel", channel, {
    ChannelSeen: { type: "channel.balance", shows: ["balance_micro", "claimed_micro", "seen_at"] },
    ChannelFunded: { type: "channel.funded", shows: ["amount_micro", "transaction", "funded_at"] },
    ChannelClaimed: { type: "channel.claimed", shows: ["claimed_micro", "transaction", "claimed_at"] },
    ChannelRefundOpened: { type: "channel.refund_opened", shows: ["amount_micro", "opened_at"] },
    ChannelRefundEnded: {
      type: "channel.refund_ended",
      shows: ["refunded_micro", "transaction", "ended_at"],
    },
  }),
  kind(
    "release",
    dataset,
    {
      DatasetReleased: {
        type: "release.dataset",
        shows: ["dataset", "vintage", "replaces", "periods", "rows", "synthetic", "released_at"],
      },
    },
    everybody,
  ),
  kind(
    "release",
    reference,
    {
      ReferenceReleased: {
        type: "release.table",
        shows: ["dataset", "vintage", "replaces", "as_of", "rows", "synthetic", "released_at"],
      },
    },
    everybody,
  ),
  kind(
    "duty",
    duties,
    {
      DutyChanged: {
        type: "duty.changed",
        shows: ["goods_code", "added", "ended", "dataset", "vintage", "replaces", "synthetic"],
      },
    },
    everybody,
  ),
];

/** All types of notices, in the order of the table. */
export const noticeTypes: readonly string[] = kinds.flatMap(({ events }) =>
  Object.values(events).flatMap(({ type }) => type ?? []),
);

const sources = new Map(
  kinds.flatMap((kind) => Object.entries(kind.events).map(([type, row]) => [type, { kind, row }] as const)),
);

/** The row of an event's type; undefined if it tells nobody anything. */
export const sourceOf = (eventType: string): { kind: NoticeKind; row: Row<never> } | undefined =>
  sources.get(eventType);

/** The shown members of an event; money is in decimal USDC, as in every answer. */
export const shownFacts = (
  { shows = [] }: Row<never>,
  data: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries((shows as readonly string[]).map((member) => shown(member, data[member] ?? null)));

function shown(member: string, value: unknown): [string, unknown] {
  if (!member.endsWith("_micro") || typeof value !== "number") return [member, value];
  const name = member === "usdc_micro" ? "total_usdc" : member.replace(/_micro$/, "_usdc");
  return [name, decimalUsdc(value)];
}
