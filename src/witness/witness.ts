/**
 * A witness of transparency logs (c2sp.org/tlog-witness): it cosigns a checkpoint only if that continues its last
 * cosigned one. So of two contradicting histories it signs at most one.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { hasSignedHeads, type Memory, openSignedHeads, type SignedHead } from "../adapters/signed-heads.ts";
import { openSigner } from "../adapters/signing-key.ts";
import { type Checkpoint, cosignCheckpoint, parseTreeHead } from "../anchoring/checkpoint.ts";
import {
  formatNote,
  MalformedNote,
  openNote,
  parseNote,
  UnverifiedNote,
  type VerifierKey,
  verifierKey,
} from "../anchoring/note.ts";
import { consistencyFault } from "../anchoring/proofs.ts";
import { type AddCheckpoint, originHash, parseAddCheckpoint } from "../anchoring/tlog-proof.ts";
import { EMPTY_ROOT } from "../anchoring/tree.ts";

export type WitnessOptions = {
  /** The folder of its key, a file of mode 0600, and its state; the first start creates both. */
  dir: string;
  /** Its key's name. */
  name: string;
  /** The keys of the logs that it follows; a key's name is the log's origin. */
  logs: readonly VerifierKey[];
  now?: () => Date;
  /** Called with two contradicting signed checkpoints of one log. */
  onFork?: (fork: Fork) => void;
};

/** `cosigned` and `refused` are signed notes of one size with different roots, which prove two histories. */
export type Fork = { origin: string; size: number; cosigned: string; refused: string };

export type Answer = { status: 200 | 400 | 403 | 404 | 409 | 422; type: string; body: string };

export type FollowedLog = { origin: string; size: number; root: string | null; cosigned_at: string | null };

export type Witness = {
  key: VerifierKey;
  /** Answers a request's body; rejects if the state cannot be read or written, and then nothing was signed. */
  addCheckpoint(body: string): Promise<Answer>;
  /** The last cosigned checkpoint of the log with this origin hash, under both signatures; 404 if there is none. */
  checkpoint(origin_hash: string): Promise<Answer>;
  /** The cosigned size of each log. */
  follows(): Promise<FollowedLog[]>;
};

/** Rejects if the folder is unusable, or has a key without its state. */
export async function openWitness(options: WitnessOptions): Promise<Witness> {
  const { dir, name, logs, now = () => new Date(), onFork } = options;
  await makeFolder(dir);
  const keyFile = join(dir, "witness.key");
  if (existsSync(keyFile) && !(await hasSignedHeads(dir)))
    throw new Error(
      `the state in ${dir} is gone, so what ${keyFile} cosigned is unknown: restore it, or start another witness in an empty folder`,
    );
  const state = await openSignedHeads(dir);
  const signer = await openSigner(keyFile);
  const key = verifierKey(name, "cosignature/v1", signer.public_key);

  const addCheckpoint = async (body: string): Promise<Answer> => {
    const input = read(body);
    if ("status" in input) return input;
    const { request, checkpoint } = input;
    const { origin, size } = checkpoint;
    const keys = logs.filter((log) => log.name === origin);
    if (keys.length === 0) return reply(404, `this witness does not follow ${origin}`);
    if (!isSigned(request.checkpoint, keys))
      return reply(403, `no key that this witness knows of ${origin} has signed the checkpoint`);
    if (request.old_size > size)
      return reply(400, `the old size ${request.old_size} is above the new one, ${size}`);
    const head: SignedHead = {
      size,
      root: checkpoint.root.toString("base64"),
      note: request.checkpoint,
      signed_at: now().toISOString(),
    };
    const refusal = await state.update((memory) => {
      const answer = refusalOf(request, checkpoint, memory, onFork);
      if (!answer) memory.set(origin, head);
      return { isChanged: !answer, answer };
    });
    return refusal ?? { status: 200, type: TEXT, body: cosignatureOf(head) };
  };

  /** Ed25519 is deterministic, so this equals the line of the first answer. */
  const cosignatureOf = ({ note, signed_at }: SignedHead): string =>
    cosignCheckpoint(note, name, signer, Math.floor(Date.parse(signed_at) / 1_000));

  const checkpoint = async (origin_hash: string): Promise<Answer> => {
    const memory = await state.read();
    const origin = logs.map((log) => log.name).find((one) => originHash(one) === origin_hash);
    const head = origin === undefined ? undefined : memory.get(origin);
    if (!head) return reply(404, "this witness has cosigned no checkpoint of that log");
    const { text, signatures } = parseNote(head.note);
    const verified = signatures.filter((one) =>
      logs.some((log) => log.name === origin && log.name === one.name && log.id === one.key_id),
    );
    const body = formatNote({ text, signatures: verified }) + cosignatureOf(head);
    return { status: 200, type: TEXT, body };
  };

  return {
    key,
    addCheckpoint,
    checkpoint,
    follows: async () => {
      const memory = await state.read();
      const origins = [...new Set(logs.map((log) => log.name))];
      return origins.map((origin) => {
        const { size = 0, root = null, signed_at = null } = memory.get(origin) ?? {};
        return { origin, size, root, cosigned_at: signed_at };
      });
    },
  };
}

function read(body: string): Answer | { request: AddCheckpoint; checkpoint: Checkpoint } {
  try {
    const request = parseAddCheckpoint(body);
    return { request, checkpoint: parseTreeHead(parseNote(request.checkpoint).text) };
  } catch (error) {
    if (error instanceof MalformedNote) return reply(400, error.message);
    throw error;
  }
}

/** A known key's wrong signature invalidates the note, even with other valid signatures. */
function isSigned(note: string, keys: readonly VerifierKey[]): boolean {
  try {
    openNote(note, keys);
    return true;
  } catch (error) {
    if (error instanceof UnverifiedNote) return false;
    throw error;
  }
}

/** Why a signed checkpoint is not cosigned; undefined if it continues the last one. */
function refusalOf(
  { old_size, proof, checkpoint: note }: AddCheckpoint,
  { origin, size, root }: Checkpoint,
  memory: Memory,
  onFork: WitnessOptions["onFork"],
): Answer | undefined {
  const known = memory.get(origin);
  const first = known?.size ?? 0;
  const first_root = known ? Buffer.from(known.root, "base64") : EMPTY_ROOT;
  if (known && size === first && !root.equals(first_root))
    onFork?.({ origin, size, cosigned: known.note, refused: note });
  if (old_size !== first) return { status: 409, type: "text/x.tlog.size", body: `${first}\n` };
  if (size === 0 && !root.equals(EMPTY_ROOT))
    return reply(422, "a checkpoint of size 0 has another root than the empty tree");
  if (known && size === first && !root.equals(first_root))
    return reply(422, `the checkpoint of ${first} events has another root than the one that was cosigned`);
  const fault = consistencyFault({ first, first_root, second: size, second_root: root, proof });
  return fault
    ? reply(422, `the checkpoint does not continue the one of ${first} events: ${fault}`)
    : undefined;
}

const TEXT = "text/plain; charset=utf-8";

const reply = (status: Answer["status"], sentence: string): Answer => ({
  status,
  type: TEXT,
  body: `${sentence}\n`,
});
