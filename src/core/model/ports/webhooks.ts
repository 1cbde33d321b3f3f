export type WebhookAnswer = { status: number; retry_after: string | undefined };

export type Webhooks = {
  /** Why a URL is not allowed; undefined if it is. Looks at the URL alone. */
  refusalOf(url: string): string | undefined;
  /** Follows no redirect. Rejects with WebhookUnreached, at the latest when its deadline passes. */
  post(message: { url: string; headers: Record<string, string>; body: string }): Promise<WebhookAnswer>;
  /** Like `post`. The body must end within the deadline and within `most` bytes. */
  get(message: {
    url: string;
    headers: Record<string, string>;
    most: number;
  }): Promise<{ status: number; body: Uint8Array }>;
};

export class WebhookUnreached extends Error {
  override readonly name = "WebhookUnreached";
}
