/** The public parts of the log's events. Streams of public types have their name; others have a keyed hash. */
import { createHmac, hash } from "node:crypto";
import { lengthPrefixed } from "../../eventstore/hash.ts";
import type { App } from "../core/app.ts";

/** The text signed to derive the key. No other signed text begins like this, and the signature is never published. */
const KEY_TEXT = Buffer.from("TS/STREAM-NAMES/1\0");

/** Ed25519 is deterministic, so all processes with the signing key hide a name alike. */
const keyOf = ({ signer, once }: App): Buffer =>
  once("anchoring: the key of stream names", () => hash("sha256", signer.sign(KEY_TEXT), "buffer"));

type EventIdentity = { type: string; tenant: string; stream_id: string };

/** True if an event, its payload and its stream's name are public. */
export const isPublic = ({ unit }: App, { type }: Pick<EventIdentity, "type">): boolean =>
  unit.schemas.isPublic(type);

/** The id of a public stream, otherwise HMAC-SHA256 over LP(tenant) and LP(stream_id): one name per stream. */
export function shownStream(app: App, event: EventIdentity): string {
  if (isPublic(app, event)) return event.stream_id;
  const name = Buffer.concat([lengthPrefixed(event.tenant), lengthPrefixed(event.stream_id)]);
  return createHmac("sha256", keyOf(app)).update(name).digest("hex");
}
