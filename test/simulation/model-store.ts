/** The event store's port over memory: appends are late, fail, or succeed without an answer. */
import { createHash } from "node:crypto";
import type { AppendPrecondition } from "../../eventstore/combiner.ts";
import { AppendUnknown, StoreUnavailable } from "../../eventstore/errors.ts";
import type { EventStore } from "../../eventstore/store.ts";
import {
  type AppendResult,
  type Commit,
  type LogHead,
  MAIN_LOG,
  type RecordedEvent,
  type StreamAppend,
  type StreamGuard,
} from "../../eventstore/types.ts";
import type { VirtualClock } from "./clock.ts";
import { BEGIN_MS } from "./clock.ts";
import type { Host } from "./host.ts";

/** `away_until`: the database refuses; `silent_until`: it commits and its answers are lost. */
export class ModelLog {
  readonly events: RecordedEvent[] = [];
  readonly streams = new Map<string, RecordedEvent[]>();
  /** Which process appended an event, by position. */
  readonly writers = new Map<number, string>();
  readonly commits = new Map<string, { request_hash: Uint8Array; events: RecordedEvent[] }>();
  readonly clock: VirtualClock;
  /** Called with each commit, and with the time at which its process began to send it. */
  onCommit: (sent_at: number, by: string) => void = () => {};
  away_until = 0;
  silent_until = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  stream(tenant: string, stream_id: string): RecordedEvent[] {
    return this.streams.get(`${tenant}\n${stream_id}`) ?? [];
  }

  commit({ appends, guards = [], idempotency, meta }: Commit, by: string): AppendResult {
    const known = idempotency && this.commits.get(idempotency.idem_key);
    if (known)
      return Buffer.from(known.request_hash).equals(Buffer.from(idempotency.request_hash))
        ? { status: "replayed", events: known.events }
        : { status: "idem_conflict" };
    for (const one of [...appends, ...guards]) {
      const actual = this.stream(one.tenant, one.stream_id).length;
      if (!isExpected(one, actual))
        return { status: "wrong_version", tenant: one.tenant, stream_id: one.stream_id, actual };
    }
    const events = appends.flatMap((append) =>
      append.events.map((event) => this.#append(append, event, meta)),
    );
    for (const { position } of events) this.writers.set(position, by);
    if (idempotency)
      this.commits.set(idempotency.idem_key, { request_hash: idempotency.request_hash, events });
    return { status: "appended", events };
  }

  #append({ tenant, stream_id }: StreamAppend, event: StreamAppend["events"][number], meta: Commit["meta"]) {
    const stream = this.stream(tenant, stream_id);
    const position = this.events.length + 1;
    const hash = (...parts: (string | Uint8Array)[]) => {
      const sum = createHash("sha256");
      for (const part of parts) sum.update(part);
      return sum.digest();
    };
    const event_hash = hash(`${tenant}\n${stream_id}\n${event.type}\n${JSON.stringify(event.payload)}`);
    const log_hash = hash(this.events.at(-1)?.log_hash ?? "", event_hash);
    const recorded: RecordedEvent = {
      ...{ log_id: MAIN_LOG, position, tenant, stream_id, version: stream.length + 1 },
      event_id: `00000000-0000-7000-8000-${String(position).padStart(12, "0")}`,
      ...{ type: event.type, schema_version: event.schema_version ?? 1 },
      recorded_at_us: (BEGIN_MS + this.clock.now) * 1_000,
      payload: structuredClone(event.payload),
      meta: { ...meta, ...event.meta },
      ...{ prev_hash: event_hash, event_hash, log_hash },
    };
    this.events.push(recorded);
    this.streams.set(`${tenant}\n${stream_id}`, [...stream, recorded]);
    return recorded;
  }

  /** The database is an older one: the last events and their commits are gone. */
  cut(position: number): RecordedEvent[] {
    const gone = this.events.splice(position);
    this.#derive();
    for (const [key, { events }] of this.commits)
      if (events.some((event) => event.position > position)) this.commits.delete(key);
    return gone;
  }

  putBack(events: readonly RecordedEvent[]): void {
    this.events.push(...events);
    this.#derive();
  }

  #derive(): void {
    this.streams.clear();
    for (const event of this.events) {
      const key = `${event.tenant}\n${event.stream_id}`;
      this.streams.set(key, [...(this.streams.get(key) ?? []), event]);
    }
  }
}

function isExpected({ expected_version }: StreamAppend | StreamGuard, actual: number): boolean {
  if (expected_version === "any") return true;
  if (expected_version === "exists") return actual > 0;
  return actual === (expected_version === "absent" ? 0 : expected_version);
}

/** One process's connection to the log. As in Postgres, the precondition is tested within the append. */
export function modelStore(log: ModelLog, host: Host, precondition?: AppendPrecondition): EventStore {
  const { clock } = log;
  const read = async <T>(answer: () => T): Promise<T> => {
    await host.io(1, 15);
    if (clock.now < log.away_until) throw new StoreUnavailable("the database is away");
    return answer();
  };
  const append = async (commit: Commit): Promise<AppendResult> => {
    for (const { after } of [...commit.appends, ...(commit.guards ?? [])]) {
      const before = await after?.settled.catch(() => undefined);
      if (after && before?.status !== "appended") return { status: "overtaken" };
    }
    const sent_at = clock.now;
    const place = await precondition?.place(MAIN_LOG);
    await host.io(1, 20);
    if (clock.now < log.away_until) throw new StoreUnavailable("the database is away");
    if (place && !isThere(log, place)) {
      await host.io(1, 20);
      throw await precondition!.lost(place);
    }
    const answer = log.commit(commit, host.name);
    if (answer.status === "appended") log.onCommit(sent_at, host.name);
    await host.io(1, 20);
    if (clock.now < log.silent_until) throw new AppendUnknown("the connection broke");
    return answer;
  };
  const missing = () => Promise.reject(new Error("the model of the store does not have this read"));
  return {
    schemas: undefined,
    append: (commit) => append(commit),
    send(commit) {
      const settled = append(commit);
      settled.catch(() => undefined);
      return { settled };
    },
    onAppended: () => () => {},
    close: async () => {},
    findCommit: ({ idem_key }) => read(() => log.commits.get(idem_key)),
    readStream: ({ tenant, stream_id, after_version = 0, limit = 1_000 }) =>
      read(() => log.stream(tenant, stream_id).slice(after_version, after_version + limit)),
    streamHead: ({ tenant, stream_id }) =>
      read(() => {
        const last = log.stream(tenant, stream_id).at(-1);
        return last && { version: last.version, event_hash: last.event_hash };
      }),
    readLog: ({ after, limit = 1_000 }) => read(() => log.events.slice(after, after + limit)),
    head: () => read(() => ({ log_id: MAIN_LOG, position: log.events.length, log_hash: Buffer.alloc(32) })),
    headAt: (position) =>
      read(() => {
        const last = log.events[position - 1];
        return last && { log_id: MAIN_LOG, position, log_hash: last.log_hash };
      }),
    positionAt: missing,
    identity: () => read(() => ({ log_id: MAIN_LOG, origin: "simulated.example/1/0", epoch: "0" })),
  };
}

const isThere = ({ events }: ModelLog, { position, log_hash }: LogHead) =>
  Buffer.from(events[position - 1]?.log_hash ?? "").equals(log_hash);
