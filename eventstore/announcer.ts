import pg from "pg";

/** The shortest interval: a notifying transaction takes a cluster-wide lock at commit. */
const NOTICE_MS = 20;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

/**
 * LISTEN and NOTIFY of one channel on its own connection, which is replaced when it breaks. It also receives its own notices.
 * Notices sent meanwhile are lost, so listeners poll too.
 */
export class Announcer {
  readonly #session: pg.ClientConfig;
  readonly #channel: string;
  readonly #heard: () => void;
  readonly #onError: (error: Error) => void;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #notice: NodeJS.Timeout | undefined;
  #position = 0;
  #closed = false;

  /** `heard`: called for each notice and each new connection. */
  constructor(session: pg.ClientConfig, channel: string, heard: () => void, onError: (error: Error) => void) {
    this.#session = session;
    this.#channel = channel;
    this.#heard = heard;
    this.#onError = onError;
    void this.#connect();
  }

  /** False while the connection is down. */
  get isListening(): boolean {
    return this.#client !== undefined;
  }

  announce(position: number): void {
    this.#position = Math.max(position, this.#position);
    if (this.#closed) return;
    this.#notice ??= setTimeout(() => {
      this.#notice = undefined;
      this.#client
        ?.query("select pg_notify($1, $2)", [this.#channel, String(this.#position)])
        .catch(this.#onError);
    }, NOTICE_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#notice);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#session);
    client.on("error", this.#onError);
    client.on("end", () => this.#reconnect(client));
    client.on("notification", this.#heard);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(this.#channel)}`);
    } catch (error) {
      if (!this.#closed) this.#onError(error as Error);
      await client.end().catch(() => {});
      this.#reconnect(client);
      return;
    }
    if (this.#closed) return client.end();
    this.#client = client;
    this.#retryMs = FIRST_RETRY_MS;
    // Notices may have been lost while the connection was down.
    this.#heard();
  }

  #reconnect(broken: pg.Client): void {
    if (this.#client === broken) this.#client = undefined;
    if (this.#closed || this.#client || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#connect();
    }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }
}
