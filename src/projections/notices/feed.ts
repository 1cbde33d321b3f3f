/** Follows a tenant's notices from a log position, with one query for each tenant that has new ones. */
import { encodeCursor } from "../../../eventstore/cursor.ts";
import type { LogHead } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import { EVERYBODY } from "../../domain/notices/kinds.ts";
import {
  type Notice,
  type NoticeFilter,
  noticesAfter,
  noticesProjection,
  tenantsNoticed,
} from "./notices.ts";

export type FeedOptions = NoticeFilter & {
  after: LogHead;
  follow: boolean;
  /** Formats one item for the wire. */
  framed: (cursor: string, item: object) => string;
  contentOf: (notice: Notice) => object;
  signal: AbortSignal;
  /** Called before each read of a followed feed: false ends it, an error cuts it. */
  still: () => Promise<boolean>;
  /** The longest silence of a followed feed. */
  heartbeat_ms: number;
};

const PAGE = 500;
/** How long a batch waits for the read model before its readers query by themselves. */
const FOLD_MS = 5_000;
/** A reader queries a lagging read model again after this time. */
const LAG_MS = 500;

/** Framed notices, then a mark `{ cursor, up_to_date }`; a followed feed repeats the mark in each silence. */
export async function* noticeFeed(app: App, options: FeedOptions): AsyncGenerator<string> {
  const { after, follow, framed, signal, still, heartbeat_ms } = options;
  const { epoch } = await app.store.identity();
  const wakes = app.once("notices: readers", () => new Readers(app));
  const reader = wakes.enter(options.tenant);
  let cursor = encodeCursor({ epoch, ...after });
  let position = after.position;
  try {
    for (let isSilent = true; ; ) {
      const up_to_date = await app.caughtUp(noticesProjection);
      for (let isMore = true; isMore && !signal.aborted; ) {
        const page = await noticesAfter(app.pool, epoch, options, { after: position, limit: PAGE });
        for (const notice of page) {
          ({ cursor, position } = notice);
          yield framed(cursor, options.contentOf(notice));
        }
        isMore = page.length === PAGE;
      }
      if (!follow || signal.aborted) return yield framed(cursor, { cursor, up_to_date });
      if (isSilent) yield framed(cursor, { cursor, up_to_date });
      isSilent = !(await reader.news(up_to_date ? heartbeat_ms : LAG_MS, signal));
      if (!(await still())) return yield framed(cursor, { cursor, up_to_date: false });
    }
  } finally {
    reader.leave();
  }
}

type Reader = { tenant: string; hasNews: boolean; wake: () => void };

/** The readers of this process: the log is followed once for all of them. */
class Readers {
  readonly #app: App;
  readonly #readers = new Set<Reader>();
  #following: AbortController | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  enter(tenant: string) {
    const reader: Reader = { tenant, hasNews: false, wake: () => {} };
    this.#readers.add(reader);
    if (!this.#following) this.#follow();
    return {
      news: (most_ms: number, signal: AbortSignal) => newsOf(reader, most_ms, signal),
      leave: () => {
        this.#readers.delete(reader);
        if (this.#readers.size > 0) return;
        this.#following?.abort();
        this.#following = undefined;
      },
    };
  }

  #follow(): void {
    const following = new AbortController();
    this.#following = following;
    void this.#wakeThoseTold(following.signal).catch(() => {
      // Readers query by themselves until the next reader joins.
      if (this.#following === following) this.#following = undefined;
      for (const reader of this.#readers) wake(reader);
    });
  }

  async #wakeThoseTold(signal: AbortSignal): Promise<void> {
    const { tail, runner, pool } = this.#app;
    let after = tail.position;
    for await (const batch of tail.subscribe({ after, signal })) {
      const through = batch.at(-1)!.position;
      const isFolded = await runner.reached(noticesProjection, through, FOLD_MS);
      const tenants = isFolded ? await tenantsNoticed(pool, { after, through }) : [EVERYBODY];
      after = through;
      const isForAll = tenants.includes(EVERYBODY);
      for (const reader of this.#readers) if (isForAll || tenants.includes(reader.tenant)) wake(reader);
    }
  }
}

function wake(reader: Reader): void {
  reader.hasNews = true;
  reader.wake();
}

/** True once the reader may have a notice; false after a silence. */
function newsOf(reader: Reader, most_ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      reader.wake = () => {};
      const { hasNews } = reader;
      reader.hasNews = false;
      done(hasNews);
    };
    const timer = setTimeout(end, most_ms);
    reader.wake = end;
    if (reader.hasNews || signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
  });
}
