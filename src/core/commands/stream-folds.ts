import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { EventStore } from "../../../eventstore/store.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import { typedEvent } from "../read-models/typed-events.ts";
import type { StreamCache } from "./stream-cache.ts";
import type { StreamSnapshots } from "./stream-snapshots.ts";

export type FoldParts = {
  store: EventStore;
  schemas: EventSchemas;
  cache: StreamCache;
  snapshots?: StreamSnapshots;
};

export async function fold<State, E extends DomainEvent>(
  parts: FoldParts,
  entity: Entity<State, E>,
  tenant: string,
  stream_id: string,
): Promise<{ state: State; version: number; cached: boolean }> {
  const key = `${tenant}\n${stream_id}`;
  const cachedState = parts.cache.get(key);
  if (cachedState && !cachedState.stale)
    return { state: cachedState.state as State, version: cachedState.version, cached: true };
  const begin = cachedState ?? (await parts.snapshots?.find(entity, { tenant, stream_id }));
  let state = begin ? (begin.state as State) : entity.initialState();
  let version = begin?.version ?? 0;
  for await (const event of readWhole(parts.store, tenant, stream_id, version)) {
    state = entity.evolve(state, typedEvent(parts.schemas, event));
    version = event.version;
  }
  parts.cache.keep(key, { state, version });
  return { state, version, cached: false };
}

export function foldAfresh<State, E extends DomainEvent>(
  parts: FoldParts,
  entity: Entity<State, E>,
  { tenant, id }: { tenant: string; id: string },
): Promise<{ state: State; version: number }> {
  const stream_id = entity.streamOf(id);
  parts.cache.mark(`${tenant}\n${stream_id}`);
  return fold(parts, entity, tenant, stream_id);
}

const PAGE = 1_000;

export async function* readWhole(
  store: EventStore,
  tenant: string,
  stream_id: string,
  after = 0,
): AsyncGenerator<RecordedEvent> {
  for (;;) {
    const page = await store.readStream({ tenant, stream_id, after_version: after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page[page.length - 1]!.version;
  }
}
