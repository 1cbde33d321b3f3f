/** Verifies the service's proof of one event, GET /log/proof/{event_id}, without trusting the service. */
import { z } from "zod";
import { eventHash, payloadHash } from "../../eventstore/hash.ts";
import { openCheckpoint } from "../anchoring/checkpoint.ts";
import { MalformedNote, parseVerifierKey, UnverifiedNote, type VerifierKey } from "../anchoring/note.ts";
import { judgeCheckpoint, type Policy } from "../anchoring/policy.ts";
import { inclusionFault } from "../anchoring/proofs.ts";
import { leafHash } from "../anchoring/tree.ts";
import { sha256 } from "../core/model/fields.ts";

/** The fields in use: a complete event, and a checkpoint that covers it. */
const answered = z.object({
  origin: z.string(),
  key: z.string(),
  event: z.object({
    position: z.int().positive(),
    event_id: z.string(),
    type: z.string(),
    tenant: z.string(),
    stream_id: z.string(),
    version: z.int().positive(),
    schema_version: z.int().positive(),
    recorded_at_us: z.int().nonnegative(),
    payload: z.string(),
    payload_hash: sha256,
    meta_hash: sha256,
    prev_hash: sha256,
    event_hash: sha256,
  }),
  checkpoint: z.string(),
  inclusion: z.object({ size: z.int().positive(), proof: z.array(sha256).max(65) }),
});

/** The verifier's own knowledge; without a key, the answer's own is trusted. */
export type HeldLog = {
  key?: VerifierKey | undefined;
  origin?: string | undefined;
  witnesses: readonly VerifierKey[];
  policy?: Policy | undefined;
};

/** `by`: the signer of the proof, for people. */
export type ProvenEvent = {
  stream_id: string;
  type: string;
  payload: string;
  position: number;
  origin: string;
  by: string;
};

const pending = z.object({ pending: z.object({ retry_after_s: z.number() }) });

/** Seconds until the service signs the event of its proof; undefined if it is signed, or the service signs nothing. */
export const untilSigned = (answer: unknown): number | undefined =>
  pending.safeParse(answer).data?.pending.retry_after_s;

/** A sentence says why the answer proves nothing. */
export function provenEvent(answer: unknown, held: HeldLog): ProvenEvent | string {
  const read = answered.safeParse(answer);
  if (!read.success) {
    const pending = z.object({ pending: z.object({ detail: z.string() }) }).safeParse(answer);
    return pending.success
      ? pending.data.pending.detail
      : `the proof of its event lacks ${read.error.issues[0]?.path.join(".")}`;
  }
  const { origin, event, checkpoint, inclusion } = read.data;
  const { type, stream_id, payload, position } = event;
  if (origin !== (held.origin ?? origin)) return `the log is ${origin}, not ${held.origin}`;
  const bytes = (name: "payload_hash" | "meta_hash" | "prev_hash" | "event_hash") =>
    Buffer.from(event[name], "hex");
  if (!payloadHash(Buffer.from(payload)).equals(bytes("payload_hash")))
    return "its event's payload does not match its hash";
  const hashed = {
    payload_hash: bytes("payload_hash"),
    meta_hash: bytes("meta_hash"),
    prev_hash: bytes("prev_hash"),
  };
  if (!eventHash({ ...event, origin, ...hashed }).equals(bytes("event_hash")))
    return "its event's members do not match its hash";
  try {
    const log = held.key ?? parseVerifierKey(read.data.key);
    if (log.name !== origin || log.type === "cosignature/v1")
      return `${log.name}+${log.id} is not a key of ${origin}`;
    const { size, root, cosignatures } = openCheckpoint(checkpoint, { log, witnesses: held.witnesses });
    const missing = held.witnesses.find(({ name }) => !cosignatures.some(({ witness }) => witness === name));
    if (missing) return `the checkpoint is not cosigned by ${missing.name}`;
    const judged = held.policy && judgeCheckpoint(checkpoint, held.policy, [log]);
    if (judged && !judged.valid) return judged.reason;
    const isWitnessed = cosignatures.length > 0 || (judged && judged.witnessed_by.length > 0);
    const proof = inclusion.proof.map((hash) => Buffer.from(hash, "hex"));
    const fault = inclusionFault({
      index: position - 1,
      size,
      leaf: leafHash(bytes("event_hash")),
      root,
      proof,
    });
    if (fault) return `its event is not in the signed tree of ${size} events: ${fault}`;
    const whose = held.key ? "" : ", a key from the answer: compare it with one you trust, by --key";
    return {
      stream_id,
      type,
      payload,
      position,
      origin,
      by: `${log.name}+${log.id}${whose}${isWitnessed ? "" : ", without a witness"}`,
    };
  } catch (error) {
    if (error instanceof MalformedNote || error instanceof UnverifiedNote) return error.message;
    throw error;
  }
}
