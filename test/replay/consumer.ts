/** A stranger's consumer of the change feed, and a writer for it to follow. */
import { createEventStore } from "../../eventstore/store.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import type { Service } from "../support/service.ts";

export type FeedObject = { cursor: string; position: number } & { [field: string]: unknown };

export type Connection = {
  headers?: Record<string, string>;
  sse?: boolean;
  /** Hangs up after this many bytes. */
  cut_after?: number;
  signal?: AbortSignal;
};

export const PATH = "/v1/agent/replay/wal-since";
export const ALL = "since=2020-01-01T00:00:00Z";

/** Requests the feed; the answer may be a refusal. */
export function ask(service: Service, query: string, { headers = {}, sse, signal }: Connection) {
  const accept = sse ? "text/event-stream" : "application/x-ndjson";
  const init: RequestInit = { headers: { Accept: accept, ...headers } };
  return fetch(`${service.url}${PATH}?${query}`, signal ? { ...init, signal } : init);
}

/**
 * Every complete object of a body, as it arrives; a partial one at a broken connection is dropped. Throws when it
 * breaks.
 */
export async function* objectsOf(
  response: Response,
  connection: Connection = {},
): AsyncGenerator<FeedObject> {
  const separator = connection.sse ? "\n\n" : "\n";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body!) {
    const room = (connection.cut_after ?? Number.POSITIVE_INFINITY) - bytes;
    const seen = (chunk as Uint8Array).subarray(0, room);
    bytes += seen.length;
    text += decoder.decode(seen, { stream: true });
    const whole = text.split(separator);
    text = whole.pop()!;
    for (const frame of whole) yield parse(frame, connection.sse === true);
    if (seen.length === room) return;
  }
  if (text !== "") throw new Error(`the body ends in the middle of ${text}`);
}

function parse(frame: string, sse: boolean): FeedObject {
  if (!sse) return JSON.parse(frame) as FeedObject;
  const [, id, data] = /^id: ([^\n]*)\ndata: ([^\n]*)$/.exec(frame) ?? [];
  const object = JSON.parse(data ?? "null") as FeedObject;
  if (object === null || object.cursor !== id)
    throw new Error(`not an event with its cursor as id: ${frame}`);
  return object;
}

/** The whole feed at present. */
export async function readAll(service: Service, query: string, headers: Record<string, string>) {
  const response = await ask(service, query, { headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const objects: FeedObject[] = [];
  for await (const object of objectsOf(response)) objects.push(object);
  return { events: objects.slice(0, -1), last: objects.at(-1)! };
}

/** Appends events of undeclared types, without schemas. */
export function writerOf(service: Service) {
  const store = createEventStore(service.app.pool);
  return async (tenant: string, stream_id: string, payloads: JsonObject[]) => {
    const events = payloads.map((payload) => ({ type: "Written", payload }));
    const answer = await store.append({ appends: [{ tenant, stream_id, expected_version: "any", events }] });
    if (answer.status !== "appended") throw new Error(answer.status);
    service.app.tail.wake();
    return answer.events;
  };
}
