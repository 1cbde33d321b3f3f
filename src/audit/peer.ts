/** Compares the log at hand with a checkpoint that another auditor fetched: one history, or two under one signature. */
import { openCheckpoint } from "../anchoring/checkpoint.ts";
import { MalformedNote, UnverifiedNote } from "../anchoring/note.ts";
import { consistencyFault } from "../anchoring/proofs.ts";
import { type EvidenceState, type PeerCheckpoint, readNote } from "./evidence-state.ts";

/** Two notes under one key that no single history has. */
export type Conviction = { ours: string; theirs: string };

/** `same`: equal size and root; `continues`: one history is the beginning of the other. */
export type PeerFinding =
  | { status: "same" | "continues"; detail: string }
  | { status: "unproven" | "foreign"; reason: string }
  | { status: "convicted"; reason: string; conviction: Conviction };

/** Call after the last event. */
export function comparePeer(state: EvidenceState, { name, note, proof }: PeerCheckpoint): PeerFinding {
  const { checkpoint, fault } = readNote(note, state.log.header.origin);
  if (!checkpoint) return { status: "foreign", reason: `${name} holds no checkpoint of this log: ${fault}` };
  try {
    openCheckpoint(note, state.trust);
  } catch (error) {
    if (!(error instanceof UnverifiedNote || error instanceof MalformedNote)) throw error;
    return { status: "foreign", reason: `${name}: ${error.message}` };
  }
  const { size, root } = checkpoint;
  const own = state.signedNotes.filter((one) => state.isAgreed(one.checkpoint));
  const equal = state.signedNotes.find((one) => one.checkpoint.size === size);
  const computed = state.roots.get(size) ?? equal?.checkpoint.root;
  if (computed?.equals(root))
    return equal
      ? { status: "same", detail: `${name} is of the same ${size} events and root` }
      : { status: "continues", detail: `this log begins with the ${size} events of ${name}` };
  if (computed) {
    const reason = `${name} is of ${size} events with another root than here`;
    const ours = equal ?? own.find((one) => one.checkpoint.size > size);
    return ours
      ? { status: "convicted", reason, conviction: { ours: ours.note, theirs: note } }
      : { status: "unproven", reason: `${reason}, and nothing here signs as many events` };
  }
  const joint = own.find((one) => one.checkpoint.size === proof?.first);
  if (!proof || proof.second !== size || !joint) {
    const newest = Math.max(0, ...own.map((one) => one.checkpoint.size));
    const remedy = `fetch /log/consistency?first=${newest}&second=${size} and name its file by --peer-proof`;
    return { status: "unproven", reason: `${name} is of ${size} events, more than here: ${remedy}` };
  }
  const wrong = consistencyFault({
    ...{ first: proof.first, first_root: joint.checkpoint.root, second: size, second_root: root },
    proof: [...proof.hashes],
  });
  return wrong
    ? {
        status: "unproven",
        reason: `the proof does not lead from ${proof.first} events to ${name}: ${wrong}`,
      }
    : { status: "continues", detail: `${name} continues the ${proof.first} events signed here` };
}
