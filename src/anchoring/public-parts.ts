/** What of the log's events anybody may see: the names of streams are told only of public types, others as a keyed hash. */
import { createHmac, hash } from "node:crypto";
import { lengthPrefixed } from "../../eventstore/hash.ts";
import type { App } from "../core/app.ts";

/** What is signed to make the key; nothing else that is signed begins like this, and the signature stays here. */
const KEY_TEXT = Buffer.from("TS/STREAM-NAMES/1\0");

/** Ed25519 signs one text always the same, so all processes with the signing key hide a name alike. */
const keyOf = ({ signer, once }: App): Buffer =>
  once("anchoring: the key of stream names", () => hash("sha256", signer.sign(KEY_TEXT), "buffer"));

type Named = { type: string; tenant: string; stream_id: string };

/** Whether an event, its payload and its stream's name are anybody's to see. */
export const isPublic = ({ unit }: App, { type }: Pick<Named, "type">): boolean =>
  unit.schemas.isPublic(type);

/** The stream's id where it is public, else HMAC-SHA256 over LP(tenant) and LP(stream_id): one name for one stream. */
export function shownStream(app: App, event: Named): string {
  if (isPublic(app, event)) return event.stream_id;
  const name = Buffer.concat([lengthPrefixed(event.tenant), lengthPrefixed(event.stream_id)]);
  return createHmac("sha256", keyOf(app)).update(name).digest("hex");
}
