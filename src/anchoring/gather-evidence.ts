/** Collects an export's evidence: how far the events are signed and anchored, and the proofs of that. */
import type { ExportEvidence, ExportRange } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import { forEach } from "../core/coordination/concurrency.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { notesOf } from "../projections/anchoring/heads.ts";
import type { Evidence, EvidenceOf } from "./evidence.ts";
import { formatVerifierKey, parseNote, type VerifierKey, verifierKey } from "./note.ts";
import { proofsOfAnchors } from "./stored-proofs.ts";
import { LogDamaged, type LogTree, openTree, TreeTooShort } from "./tile-store.ts";

/** The evidence as lines for verifiers. */
type EvidenceLines = Omit<ExportEvidence, "before"> & { before: readonly Evidence[] };

type Source = Pick<App, "pool" | "store" | "load" | "signer">;

/** Evidence for an export of the service's log or one of its streams; none while nothing is signed. */
export const evidenceFor =
  (app: Source) =>
  async (part: ExportRange): Promise<EvidenceLines> => {
    const { origin } = await app.store.identity(MAIN_LOG);
    const state = await app.load(anchors, anchors.targetOf(origin));
    const { checkpoint } = state;
    if (!checkpoint) return { before: [] };
    const tree = openTree(app.pool, MAIN_LOG);
    await tree.grow();

    const proofs = await proofsOfAnchors(app.pool, state);
    const key = verifierKey(origin, "ed25519", app.signer.public_key);
    const known: Evidence[] = [{ evidence: "key", key: formatVerifierKey(key) }];
    const notes = await anchoredNotes(app, state, proofs, key);
    const published = { size: checkpoint.size, note: anchors.publishedNote(state)! };
    const shown: Evidence[] = [
      ...[...notes, published].map(({ note }): Evidence => ({ evidence: "checkpoint", note })),
      ...proofs,
    ];
    const sizes = [...new Set([...proofs, ...notes, published].map(({ size }) => size))].sort(
      (a, b) => a - b,
    );

    if ("stream_id" in part) {
      const joints = sizes.slice(1).map((size, n) => ({ first: sizes[n]!, second: size }));
      const before = [...known, ...shown, ...(await consistencies(tree, joints))];
      return { before, after: inclusionsIn(tree, sizes.at(-1)!) };
    }
    const { first, last } = part;
    const start = first - 1;
    const joints = sizes.flatMap((size) => {
      if (size < start) return [{ first: size, second: start }];
      return size > last ? [{ first: last, second: size }] : [];
    });
    const frontier: Evidence[] = start > 0 ? [await frontierOf(tree, start)] : [];
    return { before: [...known, ...frontier, ...shown, ...(await consistencies(tree, joints))] };
  };

/**
 * Evidence for an export of a contradicted log: what is available, and this machine's last signed checkpoint, which
 * no verifier can join to such a log.
 */
export const evidenceDespite =
  (app: Source & Pick<App, "signed">) =>
  async (part: ExportRange): Promise<EvidenceLines> => {
    const { origin } = await app.store.identity(MAIN_LOG);
    const key = formatVerifierKey(verifierKey(origin, "ed25519", app.signer.public_key));
    const { before, after } = await evidenceFor(app)(part).catch((error): EvidenceLines => {
      if (error instanceof LogDamaged || error instanceof TreeTooShort) return bare(key);
      throw error;
    });
    const signed = await app.signed.last(origin);
    const isThere = before.some((line) => line.evidence === "checkpoint" && line.note === signed?.note);
    if (!signed || isThere) return { before, ...(after && { after }) };
    const kept: Evidence = { evidence: "checkpoint", note: signed.note };
    const known = before.length > 0 ? before : bare(key).before;
    const at = known.findLastIndex(({ evidence }) => BEFORE_NOTES.has(evidence)) + 1;
    return { before: known.toSpliced(at, 0, kept), ...(after && { after }) };
  };

const BEFORE_NOTES: ReadonlySet<Evidence["evidence"]> = new Set(["key", "frontier"]);
const bare = (key: string): EvidenceLines => ({
  before: [{ evidence: "key", key }],
});

/**
 * Anchored checkpoints that have no proof yet and are not the newest, because an export must join them too. Those
 * of an earlier key are left out: they would be checked by the current key.
 */
async function anchoredNotes(
  { pool }: Source,
  { anchors: standing, checkpoint }: anchors.AnchorState,
  proofs: readonly { size: number }[],
  key: VerifierKey,
): Promise<{ size: number; note: string }[]> {
  const shown = new Set([checkpoint?.size, ...proofs.map(({ size }) => size)]);
  const notes = await notesOf(
    pool,
    standing.map(({ size }) => size).filter((size) => !shown.has(size)),
  );
  return notes.filter(({ note }) => parseNote(note).signatures.some(({ key_id }) => key_id === key.id));
}

type ConsistencyRange = { first: number; second: number };

const consistencies = (tree: LogTree, joints: ConsistencyRange[]): Promise<EvidenceOf<"consistency">[]> =>
  forEach(joints, async ({ first, second }) => ({
    evidence: "consistency",
    first,
    second,
    proof: (await tree.consistencyProof(first, second)).map(inHex),
  }));

async function frontierOf(tree: LogTree, size: number): Promise<EvidenceOf<"frontier">> {
  return { evidence: "frontier", size, hashes: (await tree.frontierAt(size)).map(inHex) };
}

/** A line after each event of a stream: it is in the tree of `size` events. */
const inclusionsIn = (tree: LogTree, size: number): NonNullable<ExportEvidence["after"]> =>
  function after(rows) {
    return forEach(rows, async ({ position: text, version }): Promise<Evidence | undefined> => {
      const position = Number(text);
      if (position > size) return undefined;
      const proof = (await tree.inclusionProof(position - 1, size)).map(inHex);
      return { evidence: "inclusion", version: Number(version), position, size, proof };
    });
  };

const inHex = (hash: Buffer) => hash.toString("hex");
