/** emmett's consumer over a log: its processors receive the events that the tail reads (emmett 0.42). */
import { randomUUID } from "node:crypto";
import { EmmettError, type MessageConsumer, type MessageProcessor } from "@event-driven-io/emmett";
import { emmettEvent, type Metadata } from "./emmett.ts";
import type { EventSchemas } from "./schemas.ts";
import type { EventStore } from "./store.ts";
import type { Tail } from "./tail.ts";
import type { RecordedEvent } from "./types.ts";

/** A processor of any events and any context; its checkpoint is a position of the log. */
// biome-ignore lint/suspicious/noExplicitAny: emmett's own consumer takes processors of any message and context.
export type LogProcessor = MessageProcessor<any, Metadata, any, bigint>;

export type LogConsumerOptions = {
  consumerId?: string;
  processors: readonly LogProcessor[];
  /** Reads one tenant's events. Default: all tenants'. */
  tenant?: string;
  /** Upcasts events to their type's newest version. Default: the store's schemas. */
  schemas?: EventSchemas;
};

/**
 * Each processor continues from its own checkpoint, at its own pace, in the order of the log. `start` resolves when
 * all have stopped. It rejects when one has failed: the others are then stopped too, and its checkpoint is not
 * beyond the failed event.
 */
export function emmettConsumer(store: EventStore, tail: Tail, options: LogConsumerOptions): MessageConsumer {
  const { consumerId = randomUUID(), processors } = options;
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** emmett's processor does not reset a checkpoint that was rolled back with its batch, so it would skip events. */
  let hasFailed = false;

  async function run(): Promise<void> {
    const { signal } = stopping;
    const following = processors.map((processor) =>
      follow({ ...options, store, tail, processor, signal }).catch((error) => {
        stopping.abort();
        throw error;
      }),
    );
    const ends = await Promise.allSettled(following);
    await Promise.all(processors.map((processor) => processor.close({})));
    const failed = ends.find((end) => end.status === "rejected");
    if (!failed) return;
    hasFailed = true;
    throw failed.reason;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    // `start` reports a failure.
    await running?.catch(() => undefined);
  }

  return {
    consumerId,
    processors,
    get isRunning() {
      return running !== undefined;
    },
    start() {
      if (processors.length === 0)
        throw new EmmettError("a consumer needs a processor at least: name it in `processors`");
      if (hasFailed)
        throw new EmmettError("a processor has failed: make a new consumer, with new processors");
      if (running) return running;
      stopping = new AbortController();
      running = run().finally(() => {
        running = undefined;
      });
      return running;
    },
    stop,
    close: stop,
  };
}

type FollowOptions = LogConsumerOptions & {
  store: EventStore;
  tail: Tail;
  processor: LogProcessor;
  signal: AbortSignal;
};

/** Until the signal aborts, the tail closes or the processor stops. */
async function follow({ store, tail, processor, tenant, schemas = store.schemas, signal }: FollowOptions) {
  const from = (await processor.start({})) ?? "BEGINNING";
  const after =
    from === "END"
      ? (await store.head()).position
      : from === "BEGINNING"
        ? 0
        : Number(from.lastCheckpoint ?? 0n);
  for await (const events of tail.subscribe({ after, signal, ...(tenant !== undefined && { tenant }) })) {
    await processor.handle(
      events.map((event) => recorded(event, schemas)),
      {},
    );
    if (!processor.isActive) return;
  }
}

/** emmett uses any `checkpoint` in the metadata as the checkpoint: here it is always the position. */
function recorded(event: RecordedEvent, schemas: EventSchemas | undefined) {
  const message = emmettEvent(event, schemas);
  return { ...message, metadata: { ...message.metadata, checkpoint: message.metadata.globalPosition } };
}
