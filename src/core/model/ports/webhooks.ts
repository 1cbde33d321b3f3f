export type WebhookAnswer = { status: number; retry_after: string | undefined };

export type Webhooks = {
  /** Judges the URL alone; undefined where it is allowed. */
  refusalOf(url: string): string | undefined;
  /** Follows no redirect. Rejects with WebhookUnreached, at the latest by its deadline. */
  post(message: { url: string; headers: Record<string, string>; body: string }): Promise<WebhookAnswer>;
  /** As `post`; the body must end within the deadline and `most` bytes. */
  get(message: {
    url: string;
    headers: Record<string, string>;
    most: number;
  }): Promise<{ status: number; body: Uint8Array }>;
};

export class WebhookUnreached extends Error {
  override readonly name = "WebhookUnreached";
}
