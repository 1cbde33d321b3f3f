import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { EntityEvents, EventOf } from "../model/entity.ts";

export type EventPosition = Pick<
  RecordedEvent,
  "position" | "tenant" | "stream_id" | "version" | "event_id" | "recorded_at_us" | "event_hash"
> & { id: string };

export type PositionedEvent<E extends EntityEvents> = EventOf<E["events"]> & EventPosition;

export const isOf = ({ prefix, events }: EntityEvents, { type, stream_id }: RecordedEvent): boolean =>
  Object.hasOwn(events, type) && stream_id.startsWith(prefix);

/** Throws if a newer program wrote the event's version, because a wrong fold would be permanent. */
export function typedEvent<E>(schemas: EventSchemas, event: RecordedEvent): E {
  const { type, schema_version, payload } = schemas.upcast(event);
  const newest = schemas.newestVersion(type);
  if (schema_version !== newest)
    throw new Error(
      `the event at position ${event.position} is of ${type} ${schema_version}, ` +
        `and this program knows ${newest === undefined ? "no such type" : `no version after ${newest}`}: run a newer one`,
    );
  return { type, data: payload } as unknown as E;
}

export function positionedEvent<E>(
  schemas: EventSchemas,
  { prefix }: EntityEvents,
  event: RecordedEvent,
): E & EventPosition {
  const { type, data } = typedEvent<{ type: string; data: unknown }>(schemas, event);
  const { position, tenant, stream_id, version, event_id, recorded_at_us, event_hash } = event;
  const id = stream_id.slice(prefix.length);
  // Lists the fields one by one, because a spread is several times slower and this runs for each event.
  const read = { type, data, position, tenant, stream_id, id, version, event_id, recorded_at_us, event_hash };
  return read as unknown as E & EventPosition;
}
