import type pg from "pg";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, EntityEvents } from "../model/entity.ts";
import { sealedIn } from "../model/sealed.ts";
import type { Projection, SealedFacts } from "./projection.ts";
import { type EventPosition, positionedEvent } from "./typed-events.ts";

type Event = DomainEvent & EventPosition;

/** Reads the event's stored form, because an upcast changes no sealed value. */
function sealedFactsOf(event: RecordedEvent): SealedFacts[] {
  const subject_ids = sealedIn(event.payload).map(({ subject_id }) => subject_id);
  return subject_ids.length === 0 ? [] : [{ ...event, subject_ids }];
}

/** Upcasts each event once for all projections. */
export class Folding {
  readonly #schemas: EventSchemas;
  readonly #entities = new WeakMap<Projection, Map<string, EntityEvents>>();
  readonly #positioned = new WeakMap<RecordedEvent, Event>();

  constructor(schemas: EventSchemas) {
    this.#schemas = schemas;
  }

  of(
    projection: Projection,
    events: readonly RecordedEvent[],
  ): ((tx: pg.ClientBase) => Promise<void>) | undefined {
    if (projection.of === "every event") return (tx) => projection.fold(events, tx);
    if (projection.of === "sealed values") {
      const holding = events.flatMap(sealedFactsOf);
      return holding.length === 0 ? undefined : (tx) => projection.fold(holding, tx);
    }
    const entities = this.#entitiesOf(projection, projection.of);
    const own: Event[] = [];
    for (const event of events) {
      const entity = entities.get(event.type);
      // Other programs that write to the log may use the names of our event types.
      if (entity && event.stream_id.startsWith(entity.prefix)) own.push(this.#read(entity, event));
    }
    return own.length === 0 ? undefined : (tx) => projection.fold(own, tx);
  }

  #entitiesOf(projection: Projection, of: readonly EntityEvents[]): Map<string, EntityEvents> {
    let byType = this.#entities.get(projection);
    if (!byType) {
      byType = new Map(of.flatMap((entity) => Object.keys(entity.events).map((type) => [type, entity])));
      this.#entities.set(projection, byType);
    }
    return byType;
  }

  #read(entity: EntityEvents, event: RecordedEvent): Event {
    const cachedEvent = this.#positioned.get(event);
    if (cachedEvent) return cachedEvent;
    const read = positionedEvent<DomainEvent>(this.#schemas, entity, event);
    this.#positioned.set(event, read);
    return read;
  }
}
