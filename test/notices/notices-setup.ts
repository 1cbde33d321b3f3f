/** A log with events of every kind of notice, and a subscription that gets them. */
import type { JsonObject, RecordedEvent } from "../../eventstore/types.ts";
import type { App } from "../../src/core/app.ts";
import { type KindName, kindNames, kinds } from "../../src/domain/notices/kinds.ts";
import * as subscriptions from "../../src/domain/notices/subscription.ts";
import { existingSubscription } from "../../src/domain/webhooks/subscription.ts";
import { noticesProjection } from "../../src/projections/notices/notices.ts";
import { noticeSubscriptionsProjection } from "../../src/projections/notices/subscriptions.ts";
import { noticesReactor, serveDue, startMemory } from "../../src/reactors/notices/deliver.ts";
import { randomHistory } from "../support/random-events.ts";
import { turnOf } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";

export const TENANT = "acme";
export const meta = { actor: "test", operation: "test" };

/** Appends an event as a command would, and answers its position and id. */
export async function recorded(
  app: App,
  { tenant, stream_id, type, schema_version, payload }: Partial<RecordedEvent>,
): Promise<{ position: number; event_id: string }> {
  const events = [{ type: type!, schema_version: schema_version ?? 1, payload: payload as JsonObject }];
  const result = await app.store.append({
    appends: [{ tenant: tenant!, stream_id: stream_id!, expected_version: "any", events }],
    meta,
  });
  if (result.status !== "appended") throw new Error(result.status);
  return result.events[0]!;
}

/** Events of all kinds, whose payloads fit their schemas, in an order that no decision would make. */
export const historyOf = (count: number, seed: number, names: readonly KindName[] = kindNames) =>
  randomHistory(
    kinds.filter(({ name }) => names.includes(name)).map(({ of }) => of),
    count,
    seed,
  );

const templates = new Map<string, RecordedEvent>();

/** An event of a type, with these members of its payload, of a tenant's subject. */
export function eventOf(
  type: string,
  { tenant = TENANT, id, ...payload }: { tenant?: string; id?: string } & JsonObject,
): RecordedEvent {
  if (!templates.has(type)) {
    const { of } = kinds.find((kind) => Object.hasOwn(kind.of.events, type))!;
    for (const event of randomHistory([of], 500, 2)) templates.set(event.type, event);
  }
  const event = templates.get(type)!;
  const prefix = event.stream_id.slice(0, event.stream_id.indexOf("-") + 1);
  const stream_id = id === undefined ? event.stream_id : prefix + id;
  return { ...event, tenant, stream_id, payload: { ...event.payload, ...payload } };
}

let made = 0;

/** Subscribes a URL, without a call; answers the subscription's id. */
export async function subscribed(
  app: App,
  url: string,
  more: Partial<subscriptions.Subscribed> & { tenant?: string } = {},
): Promise<string> {
  const { tenant = TENANT, ...facts } = more;
  const id = (++made).toString(16).padStart(32, "a");
  const { position: after } = await app.store.head();
  const subscribed_at = app.clock.now().toISOString();
  const all = {
    subscription_id: id,
    url,
    kinds: [...kindNames],
    products: [],
    after,
    subscribed_at,
    ...facts,
  };
  await app.decide(subscriptions, { tenant, id }, subscriptions.subscribe(all), { meta });
  return id;
}

export async function stateOf(app: App, id: string, tenant = TENANT): Promise<subscriptions.Subscription> {
  return existingSubscription(await app.load(subscriptions, { tenant, id }));
}

/** Waits until the read models have everything that is in the log. */
export async function folded(app: App): Promise<void> {
  const { position } = await app.store.head();
  for (const projection of [noticesProjection, noticeSubscriptionsProjection])
    if (!(await app.runner.reached(projection, position, LIMIT_MS)))
      throw new Error("notices are not folded");
}

/** Ticks, in one tenure, until nothing is due any more or `enough` is true; throws a failure. */
export async function deliverAll(app: App, enough: () => boolean = () => false): Promise<void> {
  await folded(app);
  const memory = startMemory();
  const { status, reason } = await turnOf(
    app,
    noticesReactor.name,
    async (tick) => {
      for (let before = -1; !enough() && !tick.signal.aborted; ) {
        const { position } = await app.store.head();
        if (position === before && memory.serving.size + memory.waiting.size === 0) break;
        before = position;
        await serveDue({ ...tick, memory });
        await folded(app);
      }
      return "done";
    },
    { patient: true },
  );
  if (status !== "done") throw new Error(reason);
}
