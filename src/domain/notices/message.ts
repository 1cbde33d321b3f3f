/** A notice as a webhook and the stream send it. */
import type { Signer } from "../../core/model/ports/signer.ts";
import { signedMessage, type WebhookContent, type WebhookMessage } from "../webhooks/message.ts";
import type { Subscription } from "./subscription.ts";

/** The `type` of a test notice that the owner requested. */
export const TEST_TYPE = "notice.test";

export type NoticeFacts = {
  cursor: string;
  kind: string;
  subject_id: string;
  event_id: string;
  type: string;
  timestamp: string;
  facts: Record<string, unknown>;
};

/** The id of a notice, which is also its `webhook-id`: that of its event, so a repeat has the same. */
export const noticeIdOf = (event_id: string): string => `msg_${event_id.replaceAll("-", "")}`;

/** Type, time and content of a notice, with the cursor after which the stream and the change feed go on. */
export function contentOf(notice: NoticeFacts): WebhookContent {
  const { cursor, kind, subject_id, event_id, type, timestamp, facts } = notice;
  const named = { notice_id: noticeIdOf(event_id), event_id, cursor, subject: { kind, id: subject_id } };
  return { type, timestamp, data: { ...named, ...facts } };
}

/** One attempt of a notice for a subscription. */
export function noticeMessage(
  signer: Signer,
  state: Subscription,
  notice: NoticeFacts,
  at: Date,
): WebhookMessage {
  return signedMessage(signer, signingOf(state), noticeIdOf(notice.event_id), contentOf(notice), at);
}

/** A notice that tells nothing, to show that a webhook works. */
export function testNotice(signer: Signer, state: Subscription, notice_id: string, at: Date): WebhookMessage {
  const data = { notice_id, subject: { kind: "test", id: state.facts.subscription_id } };
  const content = { type: TEST_TYPE, timestamp: at.toISOString(), data };
  return signedMessage(signer, signingOf(state), notice_id, content, at);
}

const signingOf = ({ facts: { subscription_id, url }, secrets }: Subscription) => ({
  subscription_id,
  url,
  secrets,
});
