/** A log of a few hundred leaves with scripted claims, and the oracle's proofs. */
import { createHash } from "node:crypto";
import { signCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { formatVerifierKey, type VerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { formatAddCheckpoint } from "../../src/anchoring/tlog-proof.ts";
import { rfc9162 } from "../anchoring/rfc9162.ts";
import { signerOf } from "../anchoring/signers.ts";

export type SmallLog = {
  origin: string;
  key: VerifierKey;
  /** The key as text. */
  vkey: string;
  /** The signed checkpoint of the first `size` leaves. */
  note(size: number): string;
  root(size: number): Buffer;
  /** The body of an add-checkpoint from one size to another. */
  growth(first: number, second: number): string;
};

/** Histories with different names share the first `common` leaves, and no others. */
export function smallLog(origin: string, { history = "one", common = 0, signed_by = origin } = {}): SmallLog {
  const leaves = Array.from({ length: 300 }, (_, n) =>
    createHash("sha256")
      .update(`${n < common ? "common" : history} ${n}`)
      .digest(),
  );
  const tree = rfc9162(leaves);
  const signer = signerOf(signed_by);
  const key = verifierKey(origin, "ed25519", signer.public_key);
  const note = (size: number) =>
    signCheckpoint({ origin, size, root: tree.root(size), extensions: [] }, signer);
  return {
    origin,
    key,
    vkey: formatVerifierKey(key),
    note,
    root: tree.root,
    growth: (first, second) => {
      const proof = first > 0 && first < second ? tree.consistency(first, second) : [];
      return formatAddCheckpoint({ old_size: first, proof, checkpoint: note(second) });
    },
  };
}
