/** What a webhook answered; of its body nothing is kept. */
export type WebhookAnswer = { status: number; retry_after: string | undefined };

/** Posts to addresses that strangers name, and reads from them. */
export type Webhooks = {
  /** Why nothing may be sent to a URL, as far as the URL itself tells; undefined where something may. */
  refusalOf(url: string): string | undefined;
  /** Resolves to the first answer, redirects included: none is followed. Rejects with WebhookUnreached, at the latest by its deadline. */
  post(message: { url: string; headers: Record<string, string>; body: string }): Promise<WebhookAnswer>;
  /** The same of a GET, whose answer counts if it ends within the deadline and has `most` bytes at most. */
  get(message: {
    url: string;
    headers: Record<string, string>;
    most: number;
  }): Promise<{ status: number; body: Uint8Array }>;
};

/** A webhook gave no answer in time, or stands where nothing may be sent. */
export class WebhookUnreached extends Error {
  override readonly name = "WebhookUnreached";
}
