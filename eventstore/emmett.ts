/** For emmett 0.42; no other file knows both. */
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

type Metadata = ReadEventMetadataWithGlobalPosition;

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

/** Stream positions are versions from 1 on; global positions are the log's, so they may have gaps. */
export function emmettStore(store: EventStore, options: EmmettOptions): TenantStore {
  const { tenant, log_id, schemas = store.schemas } = options;

  /** Reads the version first, so that the state is exactly of that version. */
  async function readStream<E extends Event, P extends Event = E>(
    streamName: string,
    options: ReadStreamOptions<bigint, E, P> = {},
  ): Promise<ReadStreamResult<E, Metadata>> {
    const stream = { log_id, tenant, stream_id: streamName };
    const current = (await store.streamHead(stream))?.version ?? 0;
    assertExpectedVersionMatchesCurrent(BigInt(current), options.expectedStreamVersion, NO_STREAM);
    const from = Number(options.from ?? 0n);
    const count = options.maxCount === undefined ? Infinity : Number(options.maxCount);
    const to = Math.min(Number(options.to ?? current), current, from + count);
    const events: ReadEvent<E, Metadata>[] = [];
    for (let after = from; after < to; ) {
      const page = await store.readStream({
        ...stream,
        after_version: after,
        limit: Math.min(PAGE, to - after),
      });
      for (const event of page)
        events.push(
          upcastRecordedMessage<E, P, Metadata>(
            asEmmett<P>(schemas?.upcast(event) ?? event),
            options.schema?.versioning,
          ),
        );
      after += page.length;
    }
    return { currentStreamVersion: BigInt(current), events, streamExists: current > 0 };
  }

  return {
    readStream,

    async aggregateStream<State, E extends Event, P extends Event = E>(
      streamName: string,
      options: AggregateStreamOptions<State, E, Metadata, P>,
    ): Promise<AggregateStreamResult<State, bigint>> {
      const { events, currentStreamVersion, streamExists } = await readStream<E, P>(streamName, options.read);
      const state = events.reduce<State>(
        (folded, event) => options.evolve(folded, event),
        options.initialState(),
      );
      return { state, currentStreamVersion, streamExists };
    },

    async appendToStream<E extends Event, P extends Event = E>(
      streamName: string,
      events: E[],
      options: AppendToStreamOptions<bigint, E, P> = {},
    ) {
      const downcast = options.schema?.versioning?.downcast;
      const result = await store.append({
        log_id,
        appends: [
          {
            tenant,
            stream_id: streamName,
            expected_version: expectedVersion(options.expectedStreamVersion),
            events: events.map((event) => asNewEvent(downcast ? downcast(event) : event, schemas)),
          },
        ],
      });
      if (result.status === "wrong_version")
        throw new ExpectedVersionConflictError(
          BigInt(result.actual),
          options.expectedStreamVersion ?? NO_CONCURRENCY_CHECK,
        );
      if (result.status === "idem_conflict" || result.status === "overtaken")
        throw new Error(
          "an append without a key cannot conflict on one, nor be overtaken that rests on nothing",
        );
      const last = result.events.at(-1)!;
      return {
        nextExpectedStreamVersion: BigInt(last.version),
        createdNewStream: last.version === events.length,
        lastEventGlobalPosition: BigInt(last.position),
      };
    },

    async streamExists(streamName) {
      return (await store.streamHead({ log_id, tenant, stream_id: streamName })) !== undefined;
    },
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

function asEmmett<P extends Event>(event: RecordedEvent): ReadEvent<P, Metadata> {
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
