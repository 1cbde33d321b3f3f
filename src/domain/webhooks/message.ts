/** One signed message of a subscription, by Standard Webhooks (www.standardwebhooks.com). */
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Signer } from "../../core/model/ports/signer.ts";
import { refuse } from "../../core/model/refusal.ts";

/** Hours that a rotated secret still signs. */
export const OLD_SECRET_HOURS = 24;
/** Secrets that may sign one delivery: the newest, and those rotated away within the last day. */
export const MOST_SECRETS = 5;

/** A secret by its rotation; `until`: when it signs no more, null for the newest. */
export type Secret = { rotation: number; until: string | null };

export type WebhookMessage = { url: string; headers: Record<string, string>; body: string };

/** No text that the service signs for others begins so. */
const SECRETS = Buffer.from("tallystick/webhook-secrets/1\0");

/**
 * The signing secret of a subscription, `whsec_` and 32 bytes in base64. It is the HMAC-SHA256 of subscription and
 * rotation under a signature by the service's key. Ed25519 is deterministic, so no secret is stored.
 */
export function secretOf(
  signer: Signer,
  subscriptionId: string,
  { rotation }: Pick<Secret, "rotation">,
): string {
  const mac = createHmac("sha256", signer.sign(SECRETS)).update(`${subscriptionId}\n${rotation}`);
  return `whsec_${mac.digest("base64")}`;
}

/** The secrets that sign at an ISO time, the newest first. */
export const signingAt = (secrets: readonly Secret[], at: string): Secret[] =>
  secrets.filter(({ until }) => until === null || until > at);

/** The next rotation's old secrets: each ends at `old_until` unless it ends before. */
export const rotatedAway = (secrets: readonly Secret[], at: string, old_until: string): Secret[] =>
  signingAt(secrets, at).map((one) => ({ ...one, until: one.until ?? old_until }));

/** The facts of the next rotation at an ISO time; refuses while too many secrets sign. */
export function rotationAt(secrets: readonly Secret[], at: string) {
  const signing = signingAt(secrets, at);
  if (signing.length >= MOST_SECRETS)
    refuse(
      "conflict",
      `${MOST_SECRETS} secrets sign at present; rotate again when the oldest has ended, ${signing.at(-1)!.until}`,
    );
  const old_until = new Date(Date.parse(at) + OLD_SECRET_HOURS * 3_600_000).toISOString();
  return { rotation: signing[0]!.rotation + 1, old_until, rotated_at: at };
}

export type Signing = { subscription_id: string; url: string; secrets: readonly Secret[] };
export type WebhookContent = { type: string; timestamp: string; data: Record<string, unknown> };

/** One attempt: id and body are the same in every attempt; time and signature are the attempt's. */
export function signedMessage(
  signer: Signer,
  { subscription_id, url, secrets }: Signing,
  id: string,
  { type, timestamp, data }: WebhookContent,
  at: Date,
): WebhookMessage {
  // Stored events order their fields differently from new ones.
  const inOrder = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  const body = JSON.stringify({ type, timestamp, data: inOrder });
  const signatures = signingAt(secrets, at.toISOString()).map((secret) =>
    new Webhook(secretOf(signer, subscription_id, secret)).sign(id, at, body),
  );
  return {
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "tallystick-webhooks/1",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}
