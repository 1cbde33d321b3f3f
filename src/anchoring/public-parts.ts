/** What of the log's events anybody may see: the names of streams are told only of public types, others as a keyed hash. */
import { createHmac, hash } from "node:crypto";
import { lengthPrefixed } from "../../eventstore/hash.ts";
import type { App } from "../core/app.ts";
import type { Signer } from "../core/model/ports/signer.ts";

/** What is signed to make the key; nothing else that is signed begins like this, and the signature stays here. */
const KEY_TEXT = Buffer.from("TS/STREAM-NAMES/1\0");

const keys = new WeakMap<Signer, Buffer>();

/** Ed25519 signs one text always the same, so all processes with the signing key hide a name alike. */
function keyOf(signer: Signer): Buffer {
  const known = keys.get(signer);
  if (known) return known;
  const key = hash("sha256", signer.sign(KEY_TEXT), "buffer");
  keys.set(signer, key);
  return key;
}

type Named = { type: string; tenant: string; stream_id: string };

/** Whether an event, its payload and its stream's name are anybody's to see. */
export const isPublic = ({ unit }: App, { type }: Pick<Named, "type">): boolean =>
  unit.schemas.isPublic(type);

/** The stream's id where it is public, else HMAC-SHA256 over LP(tenant) and LP(stream_id): one name for one stream. */
export function shownStream(app: App, event: Named): string {
  if (isPublic(app, event)) return event.stream_id;
  const name = Buffer.concat([lengthPrefixed(event.tenant), lengthPrefixed(event.stream_id)]);
  return createHmac("sha256", keyOf(app.signer)).update(name).digest("hex");
}
