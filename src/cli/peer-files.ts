/** The files of `verify --peer`: checkpoints of other auditors, and the proof to a larger one. */
import { z } from "zod";
import type { PeerCheckpoint } from "../audit/evidence-state.ts";
import { sha256 } from "../core/model/fields.ts";
import { refuse } from "../core/model/refusal.ts";
import { textOf } from "./read-file.ts";

const answered = z.object({
  first: z.int().positive(),
  second: z.int().positive(),
  proof: z.array(sha256).max(65),
});

export async function peersIn(
  files: readonly string[],
  proof_file: string | undefined,
): Promise<PeerCheckpoint[]> {
  if (proof_file !== undefined && files.length === 0) refuse("invalid", "--peer-proof needs --peer");
  const proof = proof_file === undefined ? undefined : proofIn(proof_file, await textOf(proof_file));
  return Promise.all(files.map(async (name) => ({ name, note: await textOf(name), proof })));
}

function proofIn(file: string, text: string): PeerCheckpoint["proof"] {
  try {
    const { first, second, proof } = answered.parse(JSON.parse(text));
    return { first, second, hashes: proof.map((hash) => Buffer.from(hash, "hex")) };
  } catch {
    return refuse("invalid", `--peer-proof ${file} is not an answer of GET /log/consistency`);
  }
}
