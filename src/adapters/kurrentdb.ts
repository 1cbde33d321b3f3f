/** The log's copy in KurrentDB (formerly EventStoreDB), by its own client, which is large and loaded on first use. */
import type { EventStoreDBClient, RecordedEvent } from "@eventstore/db-client";
import { inTime } from "../core/coordination/concurrency.ts";
import type { CopiedEvent, CopiedMetadata } from "../core/model/ports/outside-log.ts";
import { type OutsideLog, type OutsideStatus, OutsideUnavailable } from "../core/model/ports/outside-log.ts";
import { outgoing } from "../core/tracing.ts";

export type KurrentOptions = {
  /** `esdb://user:password@host:2113?tls=true`, or `esdb+discover://…` for a cluster. */
  url: string;
  /** The copy's stream; each epoch of the log has its own. */
  stream: () => Promise<string>;
  ask_ms?: number;
};

/** The server's code of a refusal: the client's type, or the trailer of an exception that this client does not know. */
function kindOf(error: unknown): string {
  const { type, _raw, code } = error as {
    type?: string;
    code?: number;
    _raw?: { metadata?: { get(name: string): unknown[] } };
  };
  const exception = _raw?.metadata?.get("exception")[0];
  if (exception !== undefined) return String(exception);
  return code === UNIMPLEMENTED ? "unimplemented" : (type ?? "");
}

const UNIMPLEMENTED = 12;
const NEXT =
  "keep the stream for the inquiry, raise KURRENTDB_GENERATION by one and restart: a new copy begins";

/** The server's refusals that need an operator, with their remedy. */
const REFUSALS: Readonly<Record<string, { status: OutsideStatus; reason: string }>> = {
  "stream-deleted": {
    status: "deleted",
    reason: `the stream has a tombstone and takes no event again; ${NEXT}`,
  },
  "access-denied": {
    status: "denied",
    reason:
      "the user of KURRENTDB_URL is unknown or lacks a right; it reads and writes the stream, and reads its metadata",
  },
  "maximum-append-size-exceeded": {
    status: "oversized",
    reason: "an event is larger than the server takes; set its MaxAppendSize to 16000000 and restart it",
  },
  "maximum-append-event-size-exceeded": {
    status: "oversized",
    reason: "an event is larger than the server takes; set its MaxAppendEventSize to 16000000 and restart it",
  },
  unimplemented: {
    status: "projections_off",
    reason:
      "its projections are off; start it with RunProjections=All, then run `tallystick kurrent install` again",
  },
};

/** A deleted stream keeps its revisions, so a new copy needs another generation. */
export const copyStreamOf = (epoch: string, generation: number): string =>
  `tallystick-${epoch}-g${generation}`;

export const copyOfEpoch = (url: string, epoch: string, generation: number): OutsideLog =>
  kurrentLog({ url, stream: async () => copyStreamOf(epoch, generation) });

export const outsideOf = (
  {
    KURRENTDB_URL: url,
    KURRENTDB_GENERATION: generation,
  }: { KURRENTDB_URL?: string | undefined; KURRENTDB_GENERATION: number },
  { identity }: { identity(): Promise<{ epoch: string }> },
): OutsideLog | undefined =>
  url === undefined
    ? undefined
    : kurrentLog({ url, stream: async () => copyStreamOf((await identity()).epoch, generation) });

/** Parts of a connection string, which may name several nodes: `esdb://user:password@a:2113,b:2113`. */
export function partsOf(url: string): { host: string; username: string; password: string } {
  const parts = /^esdb(?:\+discover)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]+)/.exec(url);
  const [, username = "", password = "", host = "an unreadable KURRENTDB_URL"] = parts ?? [];
  return { host, username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

export function kurrentLog(options: KurrentOptions): OutsideLog {
  const node = new KurrentNode(options);
  return {
    host: node.host,
    copied: undefined,
    newest: () =>
      node.ask("newest", async (db, name) => {
        await refuseTruncation(node, db, name);
        return edgesOf(node, db, name);
      }),
    append: (after, events) =>
      node.ask(
        "append",
        (db, name) => append(node, db, name, { after, events }),
        (kind) => (kind === "wrong-expected-version" ? { answer: false } : undefined),
      ),
    read: () => readAll(node),
    install: () => node.ask("install", (db, name) => install(node, db, name)),
    close: () => node.close(),
  };
}

/** A failed client is replaced at the next call. */
class KurrentNode {
  readonly host: string;
  readonly credentials: { username: string; password: string };
  readonly #options: KurrentOptions;
  #client: Promise<EventStoreDBClient> | undefined;

  constructor(options: KurrentOptions) {
    const { host, ...credentials } = partsOf(options.url);
    this.host = host;
    this.credentials = credentials;
    this.#options = options;
  }

  /** Some lost answers never reject, so a failure replaces the client. */
  async ask<T>(
    query: string,
    work: (client: EventStoreDBClient, name: string) => Promise<T>,
    known: (kind: string) => { answer: T } | undefined = () => undefined,
  ): Promise<T> {
    const { stream, ask_ms = 15_000 } = this.#options;
    const name = await stream();
    const once = async () => {
      const asking = outgoing(`kurrentdb ${query}`, { "server.address": this.host }, async () =>
        work(await this.#opened(), name),
      );
      return await inTime(ask_ms, asking, () => new Error(`no answer within ${ask_ms / 1000} s`));
    };
    try {
      // After this answer the client finds the leader itself, at the next call.
      return await once().catch((error) => (kindOf(error) === "not-leader" ? once() : Promise.reject(error)));
    } catch (error) {
      if (error instanceof OutsideUnavailable) throw error;
      const kind = kindOf(error);
      const answer = known(kind);
      if (answer) return answer.answer;
      void this.close();
      const refusal = REFUSALS[kind];
      throw refusal
        ? this.failure(refusal.status, refusal.reason, error)
        : this.failure("unreached", (error as Error).message || kind, error);
    }
  }

  failure(status: OutsideStatus, reason: string, cause?: unknown): OutsideUnavailable {
    return new OutsideUnavailable(`KurrentDB at ${this.host}: ${reason}`, { status, cause });
  }

  async close(): Promise<void> {
    const held = this.#client;
    this.#client = undefined;
    // Disposal waits for calls in flight, which may never be answered.
    await inTime(
      CLOSE_MS,
      held?.then((one) => one.dispose()) ?? Promise.resolve(),
      () => new Error("late"),
    ).catch(() => undefined);
  }

  #opened(): Promise<EventStoreDBClient> {
    this.#client ??= import("@eventstore/db-client").then((module) =>
      module.EventStoreDBClient.connectionString(this.#options.url),
    );
    return this.#client;
  }
}

/** The stream's first and newest visible event; undefined where none is visible. */
async function edgesOf(node: KurrentNode, db: EventStoreDBClient, name: string) {
  const [first] = await readEvents(db, name, { fromRevision: "start", maxCount: 1 });
  const [newest] = await readEvents(db, name, { direction: "backwards", fromRevision: "end", maxCount: 1 });
  if (!first || !newest) return undefined;
  if (first.revision !== 0n)
    throw node.failure(
      "truncated",
      `the stream ${name} begins at revision ${first.revision}, not 0: it was deleted or truncated; ${NEXT}`,
    );
  return { event: copied(newest), revision: Number(newest.revision) };
}

/** Refuses metadata that hides the stream's beginning, now or later. */
async function refuseTruncation(node: KurrentNode, db: EventStoreDBClient, name: string): Promise<void> {
  const range = { direction: "backwards", fromRevision: "end", maxCount: 1 } as const;
  const [newest] = await readEvents(db, `$$${name}`, range);
  const { $tb, $maxCount, $maxAge } = (newest?.data ?? {}) as Record<string, unknown>;
  if (typeof $tb === "number" && $tb > Number.MAX_SAFE_INTEGER)
    throw node.failure("deleted", `the stream ${name} was deleted; ${NEXT}`);
  const [hides] = Object.entries({ $tb, $maxCount, $maxAge }).find(([, value]) => value != null) ?? [];
  if (hides !== undefined && !(hides === "$tb" && $tb === 0))
    throw node.failure(
      "truncated",
      `the metadata of the stream ${name} has ${hides}, which hides its beginning; remove ${hides}, or ${NEXT}`,
    );
}

type AppendRange = { after: number; events: Parameters<OutsideLog["append"]>[1] };

async function append(
  node: KurrentNode,
  db: EventStoreDBClient,
  name: string,
  { after, events }: AppendRange,
): Promise<boolean> {
  // An append with its own credentials has a deadline; the client's batches wait forever for a lost answer.
  const { credentials } = node;
  const expectedRevision = after === 0 ? "no_stream" : BigInt(after - 1);
  const appended = await db.appendToStream(name, events.map(proposed), { expectedRevision, credentials });
  const revision = after + events.length - 1;
  if (Number(appended.nextExpectedRevision) !== revision)
    throw node.failure(
      "deleted",
      `the stream ${name} went on at revision ${appended.nextExpectedRevision} instead of ${revision}: it was deleted before; ${NEXT}`,
    );
  // The server reports success for ids among hidden events, but writes nothing.
  const edges = await edgesOf(node, db, name);
  if (!edges || edges.revision < revision)
    throw node.failure(
      "deleted",
      `the server reports revision ${revision} of the stream ${name} as written, and it is not visible: the stream was deleted or truncated; ${NEXT}`,
    );
  return true;
}

async function* readAll(node: KurrentNode) {
  let after = 0;
  for (;;) {
    const page = await node.ask("read", (db, name) =>
      readEvents(db, name, { fromRevision: BigInt(after), maxCount: PAGE }),
    );
    for (const event of page) {
      if (Number(event.revision) !== after)
        throw node.failure(
          "truncated",
          `revision ${after} of the stream is hidden: it was deleted or truncated; read another generation`,
        );
      yield copied(event);
      after++;
    }
    if (page.length < PAGE) return;
  }
}

/** False if the projection is installed already. */
async function install(node: KurrentNode, db: EventStoreDBClient, name: string): Promise<boolean> {
  const installed = (await db.listProjections()).find((one) => one.name === name);
  if (installed && /faulted/i.test(installed.status))
    throw node.failure(
      "projections_off",
      `the projection ${name} has failed (${installed.status}); reset or delete it, then install again`,
    );
  if (installed) return false;
  await db.createProjection(name, linking(name), { emitEnabled: true });
  return true;
}

/** The stream's events, read from the leader; none if there is no stream. */
async function readEvents(
  db: EventStoreDBClient,
  name: string,
  range: { direction?: "backwards"; fromRevision: bigint | "start" | "end"; maxCount: number },
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  try {
    // Read to the end, because the client never closes a stream that is left early.
    for await (const { event } of db.readStream(name, { ...range, requiresLeader: true }))
      if (event) found.push(event);
  } catch (error) {
    if (kindOf(error) !== "stream-not-found") throw error;
  }
  return found;
}

const PAGE = 500;
const CLOSE_MS = 2_000;

/** Links each event into `<stream_id>@<tenant>@<copy>`; the parts are escaped, so stream names are unique. */
export const linking = (name: string) => `const part = (text) =>
  text.split("%").join("%25").split("@").join("%40").split("$").join("%24");
fromStream(${JSON.stringify(name)}).when({
  $any(state, event) {
    linkTo(part(event.metadata.stream_id) + "@" + part(event.metadata.tenant) + "@" + ${JSON.stringify(name)}, event);
  },
});`;

function proposed({ event_id: id, type, payload, is_json, metadata }: CopiedEvent) {
  const common = { id, type, metadata };
  return is_json
    ? {
        ...common,
        contentType: "application/json" as const,
        data: JSON.parse(Buffer.from(payload).toString("utf8")),
      }
    : { ...common, contentType: "application/octet-stream" as const, data: new Uint8Array(payload) };
}

/** The stored event, by any writer. */
function copied({ id, type, data, isJson, metadata }: RecordedEvent): CopiedEvent {
  const payload = isJson
    ? Buffer.from(typeof data === "string" ? data : JSON.stringify(data), "utf8")
    : Buffer.from(data as Uint8Array);
  return {
    event_id: id,
    type,
    payload,
    is_json: isJson,
    metadata: (typeof metadata === "object" && metadata !== null ? metadata : {}) as CopiedMetadata,
  };
}
