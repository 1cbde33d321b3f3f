/** Each entity with snapshots goes on from one, at a random version of a random history, as from its first event. */
import { deserialize, serialize } from "node:v8";
import { expect, test } from "vitest";
import { registry } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import { typedEvent } from "../../src/core/read-models/typed-events.ts";
import { randomHistory, randomNumbers } from "../support/random-events.ts";

const entities = entitiesOf(areas);
const schemas = registry(entities.map(({ events }) => events));
const kept = entities.filter(({ fold_version }) => fold_version !== undefined);

/** The bytes of a state as a snapshot has them, in hex. */
const bytesOf = (state: unknown) => serialize(state).toString("hex");

test.each([1])(
  "a fold goes on from a snapshot as from the first event, over the history of seed %i",
  (seed) => {
    const below = randomNumbers(seed);
    const streams = new Map<string, RecordedEvent[]>();
    for (const event of randomHistory(entities, 2_000, seed)) {
      const key = `${event.tenant}\n${event.stream_id}`;
      streams.set(key, [...(streams.get(key) ?? []), event]);
    }
    const folded = new Set<string>();
    for (const events of streams.values()) {
      const entity = kept.find(({ prefix }) => events[0]!.stream_id.startsWith(prefix));
      if (!entity) continue;
      const from = (begin: unknown, of: readonly RecordedEvent[]) =>
        of.reduce((state, event) => entity.evolve(state, typedEvent(schemas, event)), begin);
      const whole = from(entity.initialState(), events);
      const version = below(events.length + 1);
      const snapshot = serialize(from(entity.initialState(), events.slice(0, version)));
      const resumed = from(deserialize(snapshot), events.slice(version));
      expect([entity.prefix, resumed]).toStrictEqual([entity.prefix, whole]);
      // A later snapshot does not depend on earlier ones.
      const copy = (state: unknown) => bytesOf(deserialize(serialize(state)));
      expect([entity.prefix, copy(resumed)]).toEqual([entity.prefix, copy(whole)]);
      folded.add(entity.prefix);
    }
    expect([...folded].sort()).toEqual(kept.map(({ prefix }) => prefix).sort());
  },
);
