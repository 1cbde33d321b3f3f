import type pg from "pg";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, EntityEvents } from "../model/entity.ts";
import { sealedIn } from "../model/sealed.ts";
import type { Projection, SealedFacts } from "./projection.ts";
import { type Place, placed } from "./typed.ts";

type Event = DomainEvent & Place;

/** As it was stored: an upcast makes nothing more or less sealed. */
function sealedFactsOf(event: RecordedEvent): SealedFacts[] {
  const subject_ids = sealedIn(event.payload).map(({ subject_id }) => subject_id);
  return subject_ids.length === 0 ? [] : [{ ...event, subject_ids }];
}

/** What projections are given of the log: each event is upcast once, however many of them fold it. */
export class Folding {
  readonly #schemas: EventSchemas;
  readonly #entities = new WeakMap<Projection, Map<string, EntityEvents>>();
  readonly #placed = new WeakMap<RecordedEvent, Event>();

  constructor(schemas: EventSchemas) {
    this.#schemas = schemas;
  }

  /** The fold of these events; undefined where none of them is the projection's. */
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
      // Whoever writes beside our entities may use the name of one of their types.
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
    const known = this.#placed.get(event);
    if (known) return known;
    const read = placed<DomainEvent>(this.#schemas, entity, event);
    this.#placed.set(event, read);
    return read;
  }
}
