/** Recorded events as their entities declare them: of the newest version, whichever was stored. */
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { EntityEvents, EventOf } from "../model/entity.ts";

/** Where an event stands, and its names. `id` is what its stream is named by after the entity's prefix. */
export type Place = Pick<
  RecordedEvent,
  "position" | "tenant" | "stream_id" | "version" | "event_id" | "recorded_at_us" | "event_hash"
> & { id: string };

/** An event of one of these entities, with its place. */
export type Placed<E extends EntityEvents> = EventOf<E["events"]> & Place;

export const isOf = ({ prefix, events }: EntityEvents, { type, stream_id }: RecordedEvent): boolean =>
  Object.hasOwn(events, type) && stream_id.startsWith(prefix);

/**
 * The event that was recorded, upcast. What was appended fits its schema, so it is what the schema says.
 * Throws where a newer program has written what this one does not know: to fold it as something else would be wrong for good.
 */
export function typed<E>(schemas: EventSchemas, event: RecordedEvent): E {
  const { type, schema_version, payload } = schemas.upcast(event);
  const known = schemas.newestVersion(type);
  if (schema_version !== known)
    throw new Error(
      `the event at position ${event.position} is of ${type} ${schema_version}, ` +
        `and this program knows ${known === undefined ? "no such type" : `no version after ${known}`}: run a newer one`,
    );
  return { type, data: payload } as unknown as E;
}

/** The same with its place. */
export function placed<E>(schemas: EventSchemas, { prefix }: EntityEvents, event: RecordedEvent): E & Place {
  const { type, data } = typed<{ type: string; data: unknown }>(schemas, event);
  const { position, tenant, stream_id, version, event_id, recorded_at_us, event_hash } = event;
  const id = stream_id.slice(prefix.length);
  // Named one by one: spread, it takes several times as long, and this is done for each event.
  const read = { type, data, position, tenant, stream_id, id, version, event_id, recorded_at_us, event_hash };
  return read as unknown as E & Place;
}
