/** For emmett 0.42; no other file of the store imports it, except its consumer. */
import {
  type AggregateStreamOptions,
  type AggregateStreamResult,
  type AppendToStreamOptions,
  type AppendToStreamResultWithGlobalPosition,
  assertExpectedVersionMatchesCurrent,
  type EventStore as EmmettStore,
  type Event,
  type ExpectedStreamVersion,
  ExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  type ReadEvent,
  type ReadEventMetadataWithGlobalPosition,
  type ReadStreamOptions,
  type ReadStreamResult,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
  upcastRecordedMessage,
} from "@event-driven-io/emmett";
import type { EventSchemas } from "./schemas.ts";
import type { EventStore } from "./store.ts";
import type { ExpectedVersion, JsonObject, NewEvent, RecordedEvent } from "./types.ts";

export type Metadata = ReadEventMetadataWithGlobalPosition;

export type EmmettOptions = {
  tenant: string;
  log_id?: number;
  /** Default: the store's own. */
  schemas?: EventSchemas;
};

export type TenantStore = EmmettStore<Metadata> & {
  appendToStream<E extends Event, P extends Event = E>(
    streamName: string,
    events: E[],
    options?: AppendToStreamOptions<bigint, E, P>,
  ): Promise<AppendToStreamResultWithGlobalPosition>;
};

type TenantLog = EmmettOptions & { store: EventStore };

/** Stream positions are versions from 1 on; global positions are the log's, so they may have gaps. */
export function emmettStore(store: EventStore, options: EmmettOptions): TenantStore {
  const log: TenantLog = { store, schemas: store.schemas, ...options };
  return {
    readStream: (streamName, read) => readStream(log, streamName, read),

    async aggregateStream<State, E extends Event, P extends Event = E>(
      streamName: string,
      { evolve, initialState, read }: AggregateStreamOptions<State, E, Metadata, P>,
    ): Promise<AggregateStreamResult<State, bigint>> {
      const { events, currentStreamVersion, streamExists } = await readStream<E, P>(log, streamName, read);
      const state = events.reduce<State>((folded, event) => evolve(folded, event), initialState());
      return { state, currentStreamVersion, streamExists };
    },

    appendToStream: (streamName, events, append) => appendToStream(log, streamName, events, append),

    async streamExists(streamName) {
      const { log_id, tenant } = log;
      return (await store.streamHead({ log_id, tenant, stream_id: streamName })) !== undefined;
    },
  };
}

/** Reads the version first, so that the state is exactly of that version. */
async function readStream<E extends Event, P extends Event = E>(
  { store, log_id, tenant, schemas }: TenantLog,
  streamName: string,
  options: ReadStreamOptions<bigint, E, P> = {},
): Promise<ReadStreamResult<E, Metadata>> {
  const stream = { log_id, tenant, stream_id: streamName };
  const current = (await store.streamHead(stream))?.version ?? 0;
  assertExpectedVersionMatchesCurrent(BigInt(current), options.expectedStreamVersion, NO_STREAM);
  const from = Number(options.from ?? 0n);
  const count = options.maxCount === undefined ? Infinity : Number(options.maxCount);
  const to = Math.min(Number(options.to ?? current), current, from + count);
  const upcast = (event: RecordedEvent) =>
    upcastRecordedMessage<E, P, Metadata>(emmettEvent<P>(event, schemas), options.schema?.versioning);
  const events: ReadEvent<E, Metadata>[] = [];
  for (let after = from; after < to; ) {
    const limit = Math.min(PAGE, to - after);
    const page = await store.readStream({ ...stream, after_version: after, limit });
    events.push(...page.map(upcast));
    after += page.length;
  }
  return { currentStreamVersion: BigInt(current), events, streamExists: current > 0 };
}

async function appendToStream<E extends Event, P extends Event = E>(
  { store, log_id, tenant, schemas }: TenantLog,
  stream_id: string,
  events: E[],
  options: AppendToStreamOptions<bigint, E, P> = {},
): Promise<AppendToStreamResultWithGlobalPosition> {
  const { expectedStreamVersion: expected, schema } = options;
  const downcast = schema?.versioning?.downcast;
  const added = events.map((event) => asNewEvent(downcast ? downcast(event) : event, schemas));
  const append = { tenant, stream_id, expected_version: expectedVersion(expected), events: added };
  const result = await store.append({ log_id, appends: [append] });
  if (result.status === "wrong_version")
    throw new ExpectedVersionConflictError(BigInt(result.actual), expected ?? NO_CONCURRENCY_CHECK);
  if (result.status === "idem_conflict" || result.status === "overtaken")
    throw new Error("an append without a key cannot conflict on one, nor be overtaken that rests on nothing");
  const last = result.events.at(-1)!;
  return {
    nextExpectedStreamVersion: BigInt(last.version),
    createdNewStream: last.version === events.length,
    lastEventGlobalPosition: BigInt(last.position),
  };
}

const PAGE = 1_000;
const NO_STREAM = 0n;

function expectedVersion(expected: ExpectedStreamVersion<bigint> | undefined): ExpectedVersion {
  if (expected === undefined || expected === NO_CONCURRENCY_CHECK) return "any";
  if (expected === STREAM_EXISTS) return "exists";
  if (expected === STREAM_DOES_NOT_EXIST) return "absent";
  return Number(expected);
}

function asNewEvent(event: Event, schemas: EventSchemas | undefined): NewEvent {
  return {
    type: event.type,
    schema_version: schemas?.newestVersion(event.type),
    payload: event.data as JsonObject,
    meta: "metadata" in event ? (event.metadata as JsonObject) : undefined,
  };
}

export function emmettEvent<P extends Event>(
  stored: RecordedEvent,
  schemas: EventSchemas | undefined,
): ReadEvent<P, Metadata> {
  const event = schemas?.upcast(stored) ?? stored;
  // An event with the log's own member could not be appended again.
  const { commit: _, ...meta } = event.meta;
  const recorded = {
    kind: "Event",
    type: event.type,
    data: event.payload,
    metadata: {
      ...meta,
      messageId: event.event_id,
      streamName: event.stream_id,
      streamPosition: BigInt(event.version),
      globalPosition: BigInt(event.position),
    },
  };
  // The caller's type matches as far as the schemas do.
  return recorded as unknown as ReadEvent<P, Metadata>;
}
