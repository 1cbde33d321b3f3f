/** Fields and steps that operations on subscriptions of a webhook share. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Decision } from "../../../core/commands/unit.ts";
import type { DomainEvent, Entity } from "../../../core/model/entity.ts";
import { time } from "../../../core/model/fields.ts";
import type { Signer } from "../../../core/model/ports/signer.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { WebhookMessage } from "../../../domain/webhooks/message.ts";
import { existingSubscription } from "../../../domain/webhooks/subscription.ts";
import { post } from "../../../reactors/webhooks/post.ts";
import type { Caller } from "../../declare/caller.ts";
import type { Context, OperationDeclaration } from "../../declare/operation.ts";
import { commandOf } from "../../serve/call.ts";

/** Only the owner sees the address and the signing secret of deliveries. */
export const once_fields = ["secret", "url"];

export const meta = z.object({
  tenant: z.string().describe("The owner: the key's tenant, or the wallet that paid"),
});

export const url = z
  .string()
  .max(2048, "is at most 2048 characters")
  .describe("The webhook: https, at a public address; redirects are not followed");

export const secret = z
  .string()
  .optional()
  .describe(
    "The signing secret (Standard Webhooks), shown once. A repeat with the same payment shows it only to a key or SIGN-IN-WITH-X",
  );

/** The answer's fields about a failed attempt; each kind of subscription adds the message's id. */
export const failureFields = {
  attempt: z.int().describe("Attempts so far"),
  status: z.int().nullable().describe("The webhook's HTTP status; null: unreachable"),
  reason: z.string().describe("Why it failed"),
  next_attempt_at: time.nullable().describe("null: it is not tried again"),
  failed_at: time.describe("When it failed"),
};

type Failed = z.infer<z.ZodObject<typeof failureFields>>;

/** Each field is listed, because stored events may have them in another order. */
export const shownFailure = ({ attempt, status, reason, next_attempt_at, failed_at }: Failed) => ({
  ...{ attempt, status, reason, next_attempt_at, failed_at },
});

export const disabled = z
  .object({ reason: z.string().describe("Why"), disabled_at: time.describe("When") })
  .nullable()
  .describe("null: it is not disabled");

export const shownDisabled = (end: z.infer<typeof disabled>) =>
  end && { reason: end.reason, disabled_at: end.disabled_at };

export const old_secret_until = time
  .nullable()
  .describe("Until then deliveries also carry the old secret's signature");

export const statusInput = <Status extends string>(statuses: readonly [Status, ...Status[]]) =>
  z
    .enum(statuses, `is one of ${statuses.join(", ")}`)
    .describe("Only with this status; omitted = all")
    .optional();

export const target = ({ tenant }: Caller, id: string) => ({ tenant, id });

/** A webhook's address as it is stored; refused where the service does not post to it. */
export function acceptedUrl(app: App, text: string): string {
  const message = app.webhooks.refusalOf(text);
  if (message !== undefined)
    refuse("invalid", "the webhook's URL is refused", { errors: [{ path: "url", message }] });
  return new URL(text).href;
}

/** The answer's fields about a test message. */
export const testFields = {
  taken: z.boolean().describe("True: the webhook returned 2xx, as a real delivery requires"),
  status: z.int().nullable().describe("The webhook's HTTP status; null: unreachable"),
  reason: z.string().nullable().describe("Why the delivery failed"),
  tested_at: time.describe("When it was sent"),
};

type Tested<Subscription, E extends DomainEvent> = {
  operation: OperationDeclaration;
  entity: Entity<Subscription | undefined, E> & {
    test(message_id: string, at: string): Decision<Subscription | undefined, E>;
  };
  message(signer: Signer, state: Subscription, message_id: string, at: Date): WebhookMessage;
};

/** Posts a test message once, in any status but deleted. */
export async function postTest<Subscription extends { status: string }, E extends DomainEvent>(
  { input, caller, app, unit, request }: Context<{ subscription_id: string }>,
  { operation, entity, message }: Tested<Subscription, E>,
) {
  const now = app.clock.now();
  const tested_at = now.toISOString();
  const message_id = `msg_${unit.fresh_id}`;
  const command = commandOf({ caller, request_id: request.id, operation });
  // The attempt is recorded before the send, so that concurrent calls respect the limit.
  const { result, events } = await app.decide(
    entity,
    target(caller, input.subscription_id),
    entity.test(message_id, tested_at),
    command,
  );
  unit.names(events.at(-1)!);
  const state = existingSubscription(result.state);
  const outcome = await post(app, message(app.signer, state, message_id, now));
  const taken = outcome.kind === "taken";
  const { status, reason } = taken ? { status: outcome.status, reason: null } : outcome.failure;
  return { message_id, taken, status, reason, tested_at };
}
