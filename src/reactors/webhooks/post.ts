/** One attempt of a webhook, and its outcome. */
import type { App } from "../../core/app.ts";
import { WebhookUnreached } from "../../core/model/ports/webhooks.ts";
import { type Failure, retryAfterSeconds } from "../../domain/webhooks/backoff.ts";

export type Outcome = { kind: "taken"; status: number } | { kind: "failed"; failure: Failure };

/** Posts once; any answer but 2xx is a failure. */
export async function post(app: App, message: Parameters<App["webhooks"]["post"]>[0]): Promise<Outcome> {
  try {
    const { status, retry_after } = await app.webhooks.post(message);
    if (status >= 200 && status < 300) return { kind: "taken", status };
    const note = status >= 300 && status < 400 ? "; redirects are not followed" : "";
    const retry_after_s = retryAfterSeconds(retry_after, app.clock.now());
    return { kind: "failed", failure: { status, reason: `it answered ${status}${note}`, retry_after_s } };
  } catch (error) {
    if (!(error instanceof WebhookUnreached)) throw error;
    return { kind: "failed", failure: { status: null, reason: error.message, retry_after_s: null } };
  }
}
