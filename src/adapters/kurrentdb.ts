/** The log's copy in KurrentDB (EventStoreDB before), through its own client, which is large and loaded when it is first asked. */
import type { EventStoreDBClient, RecordedEvent } from "@eventstore/db-client";
import { inTime } from "../concurrency.ts";
import type { CopiedEvent, CopiedMetadata } from "../domain/outside/copied-event.ts";
import { type OutsideLog, OutsideUnavailable } from "../domain/ports.ts";
import { outgoing } from "../tracing.ts";

export type KurrentOptions = {
  /** `esdb://user:password@host:2113?tls=true`, or `esdb+discover://…` for a cluster. */
  url: string;
  /** The stream that the copy stands in: another for each epoch of the log. */
  stream: () => Promise<string>;
  /** How long an answer may take. */
  ask_ms?: number;
};

/** How the client names what it refuses. */
const kindOf = (error: unknown): string | undefined => (error as { type?: string }).type;

/** The copy of the log of an epoch. */
export const copyOfEpoch = (url: string, epoch: string): OutsideLog =>
  kurrentLog({ url, stream: async () => `tallystick-${epoch}` });

/** The copy that these settings ask for. */
export const outsideOf = (
  { KURRENTDB_URL }: { KURRENTDB_URL?: string | undefined },
  { identity }: { identity(): Promise<{ epoch: string }> },
): OutsideLog | undefined =>
  KURRENTDB_URL === undefined
    ? undefined
    : kurrentLog({ url: KURRENTDB_URL, stream: async () => `tallystick-${(await identity()).epoch}` });

export function kurrentLog({ url, stream, ask_ms = 15_000 }: KurrentOptions): OutsideLog {
  const { host, username, password } = new URL(url);
  let client: Promise<EventStoreDBClient> | undefined;

  const opened = () => {
    client ??= import("@eventstore/db-client").then((module) =>
      module.EventStoreDBClient.connectionString(url),
    );
    return client;
  };
  const close = async () => {
    const held = client;
    client = undefined;
    // It waits for whatever is under way, and that may be what no answer comes to.
    await inTime(
      CLOSE_MS,
      held?.then((one) => one.dispose()) ?? Promise.resolve(),
      () => new Error("late"),
    ).catch(() => undefined);
  };

  /** Answers of one call. The client waits for ever for some that are lost: after any failure the next call has a client of its own. */
  async function ask<T>(
    what: string,
    work: (client: EventStoreDBClient, name: string) => Promise<T>,
    refused: (kind: string) => { told: T } | undefined = () => undefined,
  ): Promise<T> {
    const name = await stream();
    try {
      const asking = outgoing(`kurrentdb ${what}`, { "server.address": host }, async () =>
        work(await opened(), name),
      );
      return await inTime(ask_ms, asking, () => new Error(`no answer within ${ask_ms / 1000} s`));
    } catch (error) {
      const answer = refused(kindOf(error) ?? "");
      if (answer) return answer.told;
      void close();
      throw new OutsideUnavailable(`KurrentDB at ${host}: ${(error as Error).message || kindOf(error)}`, {
        cause: error,
      });
    }
  }

  const outside: OutsideLog = {
    host,
    copied: undefined,
    newest: () =>
      ask(
        "newest",
        async (db, name) => {
          const last = db.readStream(name, { direction: "backwards", fromRevision: "end", maxCount: 1 });
          let newest: CopiedEvent | undefined;
          // Read to its end: a stream of the client that is left before is never closed.
          for await (const { event } of last) if (event) newest = copied(event);
          return newest;
        },
        (kind) => (kind === "stream-not-found" ? { told: undefined } : undefined),
      ),
    append: (after, events) =>
      ask(
        "append",
        async (db, name) => {
          // With credentials of its own an append is a call with a deadline: the batches that the client prefers wait for ever where one is lost.
          const credentials = {
            username: decodeURIComponent(username),
            password: decodeURIComponent(password),
          };
          const expectedRevision = after === 0 ? "no_stream" : BigInt(after - 1);
          await db.appendToStream(name, events.map(proposed), { expectedRevision, credentials });
          return true;
        },
        (kind) => (kind === "wrong-expected-version" ? { told: false } : undefined),
      ),
    async *read() {
      let after = 0;
      for (;;) {
        const page = await ask(
          "read",
          async (db, name) => {
            const found: CopiedEvent[] = [];
            const from = { fromRevision: BigInt(after), maxCount: PAGE };
            for await (const { event } of db.readStream(name, from)) if (event) found.push(copied(event));
            return found;
          },
          (kind) => (kind === "stream-not-found" ? { told: [] } : undefined),
        );
        yield* page;
        after += page.length;
        if (page.length < PAGE) return;
      }
    },
    install: () =>
      ask("install", async (db, name) => {
        const there = await db.listProjections();
        if (there.some((one) => one.name === name)) return false;
        await db.createProjection(name, linking(name), { emitEnabled: true });
        return true;
      }),
    close,
  };
  return outside;
}

const PAGE = 500;
const CLOSE_MS = 2_000;

/** Links each event into a stream of its own name, of its own tenant. */
const linking = (name: string) => `fromStream(${JSON.stringify(name)}).when({
  $any(state, event) {
    linkTo(event.metadata.stream_id + "@" + event.metadata.tenant, event);
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

/** As it stands there, whoever wrote it. */
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
