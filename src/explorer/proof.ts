/** Verifies the answer of GET /log/proof/{event_id}: one event is in a checkpoint, in an anchor or in both. */
import {
  checkAnchor,
  checkInclusion,
  checkSignatures,
  eventHash,
  H,
  need,
  type Options,
  readNote,
  type Verdict,
} from "./verifier.js";
import type { Proof } from "./wire.ts";

const HASHED = [
  ...["tenant", "stream_id", "version", "event_id", "type", "schema_version", "recorded_at_us"],
  ...["payload_hash", "meta_hash", "prev_hash"],
] as (keyof Proof["event"])[];

/**
 * Uses the options key, origin, network, contract and signer. Without a key the answer's own is trusted. Never
 * rejects.
 */
export async function verifyProof(answer: unknown, options: Options = {}) {
  const { origin, event, checkpoint, anchor, inclusion, pending, key } = (answer ?? {}) as Partial<Proof>;
  const { position = 0, event_hash = "", ...columns } = { ...event };
  const verdicts: Verdict[] = [];
  const judge = async (name: string, detail: string, first_bad: number, steps: () => unknown) => {
    try {
      const found = await steps();
      verdicts.push({ name, ok: true, detail: typeof found === "string" ? found : detail });
    } catch (error) {
      verdicts.push({ name, ok: false, detail, first_bad, reason: (error as Error).message });
    }
  };
  const isFull = HASHED.every((name) => columns[name as keyof typeof columns] !== undefined);
  const named = options.key ?? key;
  const trusted = options.key === undefined ? ", which came with the event and was trusted" : "";
  let signed: { size: number; root: string } | undefined;

  await judge("format", `position ${position} of ${origin}`, 0, () => {
    const isNamed = typeof origin === "string" && Number.isSafeInteger(position) && position > 0;
    need(isNamed && /^[0-9a-f]{64}$/.test(event_hash), "origin, position or event_hash is missing");
    need(origin === (options.origin ?? origin), `the origin is ${origin}, not ${options.origin}`);
    need(checkpoint || anchor, `nothing proves the event yet: ${pending?.detail}`);
  });
  const hashed = isFull ? "computed" : "as stated: not every column is shown";
  await judge("chain", `event_hash ${hashed}`, position, async () => {
    const { payload, meta, payload_hash, meta_hash } = columns;
    if (payload !== undefined)
      need((await H("TS/PAYLOAD/1\0", payload)) === payload_hash, "payload_hash does not match payload");
    if (meta !== undefined)
      need((await H("TS/META/1\0", meta)) === meta_hash, "meta_hash does not match meta");
    if (isFull)
      need((await eventHash(origin, columns)) === event_hash, "event_hash is not the computed hash");
  });
  await judge("signature", `by ${named ?? "no key"}${named ? trusted : ""}`, 0, async () => {
    need(checkpoint || !options.key, "a key is given, but there is no checkpoint");
    if (!checkpoint) return;
    const note = readNote(checkpoint, origin);
    signed = note;
    await checkSignatures(note, named, origin);
  });
  const isAsked = options.network ?? options.contract ?? options.signer;
  await judge("anchor", "nothing is anchored", anchor?.size ?? 0, () => {
    need(anchor || !isAsked, "there is no anchor");
    return anchor && checkAnchor(anchor, origin, options);
  });
  const heads = [
    signed && { ...signed, proof: inclusion?.proof },
    anchor && { ...anchor, proof: anchor.inclusion?.proof },
  ];
  const shown = heads.filter((head) => head !== undefined && head !== null);
  await judge(
    "tree",
    `in the tree of size ${shown.map(({ size }) => size).join(" and of ")}`,
    position,
    async () => {
      for (const { size, root, proof } of shown)
        await checkInclusion(event_hash, position, size, root, proof ?? []);
    },
  );
  return { ok: verdicts.every(({ ok }) => ok), verdicts };
}
