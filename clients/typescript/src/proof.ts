/** Verifies that one event is in the signed log: docs/event-log.md, sections 3 and 6; RFC 9162, section 2.1.3. */
import { hexOf, joined, ofBase64, ofHex, sha256 } from "./bytes.ts";
import { judged, need, type Verdict } from "./checks.ts";

/** The answer of `GET /log/proof/{event_id}`, by the members that are read here. */
export type EventProof = {
  origin: string;
  event: {
    position: number;
    event_id: string;
    type: string;
    event_hash: string;
    tenant?: string | undefined;
    stream_id?: string | undefined;
    version?: number | undefined;
    schema_version?: number | undefined;
    recorded_at_us?: number | undefined;
    payload?: string | undefined;
    meta?: string | undefined;
    payload_hash?: string | undefined;
    meta_hash?: string | undefined;
    prev_hash?: string | undefined;
  };
  checkpoint: string | null;
  inclusion: { size: number; proof: string[] } | null;
  pending: { detail: string } | null;
};

export type ProofEvidence = {
  /** The log's verifier key, stored before; its address is `/log/key`. */
  key: string;
  /** The event's facts from a receipt or an earlier answer. */
  event?: { event_hash: string; position?: number; event_id?: string; origin?: string };
};

/** Checks the event's hash, the signature of the checkpoint, and the path from the one to the other. */
export async function verifyProof(
  proof: EventProof,
  { key, event: expected }: ProofEvidence,
): Promise<Verdict> {
  const { origin, event, checkpoint, inclusion } = proof;
  let head: { size: number; root: string };
  return judged([
    [
      "event",
      async () => {
        const { payload, meta } = event;
        for (const [name, wanted] of Object.entries(expected ?? {}))
          need({ origin, ...event }[name as "origin"] === wanted, `${name} is not ${wanted}`);
        if (payload !== undefined)
          need((await sha256("TS/PAYLOAD/1\0", payload)) === event.payload_hash, "the payload was altered");
        if (meta !== undefined)
          need((await sha256("TS/META/1\0", meta)) === event.meta_hash, "the meta was altered");
        const hash = await hashOf(origin, event);
        need(hash === undefined || hash === event.event_hash, "the event was altered");
        return `${event.type} at ${event.position}, its hash ${hash ? "computed" : "as stated"}`;
      },
    ],
    [
      "signature",
      async () => {
        need(checkpoint, proof.pending?.detail ?? "no checkpoint covers the event");
        head = await signedHead(checkpoint, key, origin);
        return `${head.size} events, signed by ${key.split("+")[0]}`;
      },
    ],
    [
      "inclusion",
      async () => {
        need(inclusion?.size === head.size, "the path is that of another checkpoint");
        need((await rootOver(event, inclusion)) === head.root, "the event is not in the signed log");
        return `position ${event.position} of ${head.size}`;
      },
    ],
  ]);
}

const word = (value: number, bytes: 4 | 8) => ofHex(value.toString(16).padStart(2 * bytes, "0"));
const counted = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return joined(word(bytes.length, 4), bytes);
};

/** undefined if the answer does not show every member that is hashed. */
async function hashOf(origin: string, event: EventProof["event"]): Promise<string | undefined> {
  const { tenant, stream_id, version, schema_version, recorded_at_us, payload_hash, meta_hash, prev_hash } =
    event;
  if (tenant === undefined || stream_id === undefined || prev_hash === undefined) return undefined;
  return sha256(
    ...["TS/EVENT/1\0", counted(origin), counted(tenant), counted(stream_id), word(version!, 8)],
    ...[ofHex(event.event_id.replaceAll("-", "")), counted(event.type), word(schema_version!, 4)],
    ...[word(recorded_at_us!, 8), ofHex(payload_hash!), ofHex(meta_hash!), ofHex(prev_hash)],
  );
}

/** The tree head in a signed note (c2sp.org/signed-note) of this log, if the key has signed it. */
async function signedHead(
  note: string,
  key: string,
  origin: string,
): Promise<{ size: number; root: string }> {
  const [, text, name, size, root, lines] =
    /^((.+)\n(0|[1-9]\d{0,15})\n([^=\n]{43}=)\n)\n((?:— [^\s+]+ \S+\n)+)$/.exec(note) ?? [];
  need(text && name === origin && root && lines, `it is no checkpoint of ${origin}`);
  const [, signer, id, data] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  need(signer === origin && data, `${key} is no key of ${origin}`);
  const typed = ofBase64(data);
  const isEd25519 = typed.length === 33 && typed[0] === 1;
  need(isEd25519 && (await sha256(signer, "\n", typed)).startsWith(id!), `${key} is misspelt`);
  const by = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  const signatures = [...lines.matchAll(/^— (\S+) (\S+)$/gm)]
    .filter(([, one]) => one === signer)
    .map(([, , signature]) => ofBase64(signature!))
    .filter((bytes) => hexOf(bytes.slice(0, 4)) === id);
  const valid = await Promise.all(
    signatures.map((bytes) => crypto.subtle.verify("Ed25519", by, bytes.slice(4), joined(text))),
  );
  need(valid.length > 0 && valid.every(Boolean), "the checkpoint is not signed by the key");
  return { size: Number(size), root: hexOf(ofBase64(root)) };
}

/** The root that the path leads to from the event's leaf. */
async function rootOver(
  { position, event_hash }: EventProof["event"],
  { size, proof }: { size: number; proof: string[] },
): Promise<string | undefined> {
  if (!(position >= 1 && position <= size)) return undefined;
  let [index, last] = [position - 1, size - 1];
  let root = await sha256(Uint8Array.of(0), ofHex(event_hash));
  for (const node of proof) {
    if (last === 0) return undefined;
    const isRight = index % 2 === 1 || index === last;
    if (isRight) {
      root = await sha256(Uint8Array.of(1), ofHex(node), ofHex(root));
      // A node without a neighbour rises to where it has one.
      while (index % 2 === 0 && index > 0) [index, last] = [index / 2, Math.floor(last / 2)];
    } else root = await sha256(Uint8Array.of(1), ofHex(root), ofHex(node));
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : undefined;
}
