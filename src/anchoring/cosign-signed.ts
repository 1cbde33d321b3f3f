/** Asks witnesses to cosign each new checkpoint: a cosignature proves that the witness cosigned no other history. */
import type { App } from "../core/app.ts";
import { type Outcome, unlessRefused } from "../core/background/reactor.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { withCosignatures } from "./checkpoint.ts";
import { openNote } from "./note.ts";
import { judgeWitness } from "./proven-heads.ts";
import { LogDiverged, meta, runTick, type TickContext } from "./tick.ts";
import { submit, type WitnessAddress, type WitnessAnswer } from "./witness-client.ts";

/** Why a witness does not cosign. `grave`: it has, or reports, a contradiction to our log. */
export type WitnessFailure = { grave: boolean; reason: string };

/** By witness name: its failure, and the earliest next request in Unix milliseconds. */
export type WitnessMemory = Map<string, { trouble: WitnessFailure; ask_after: number }>;

export type CosigningOptions = {
  witnesses: readonly WitnessAddress[];
  /** The timeout of one request to a witness. Default: ten seconds. */
  deadline_ms?: number;
  /** The pause after a witness's failure. Default: half a minute. */
  retry_ms?: number;
  /** The findings of the previous ticks. */
  memory?: WitnessMemory;
  /** Called when a witness's failure begins, changes or ends. */
  onTrouble?: (witness: string, trouble: WitnessFailure | undefined) => void;
  signal?: AbortSignal;
};

/** Requests the missing cosignatures of all witnesses below the newest checkpoint. */
export async function cosignTick(
  app: App,
  options: CosigningOptions,
): Promise<Outcome<"diverged" | "disputed">> {
  const { memory = new Map() } = options;
  const outcome = await askWitnesses(app, { ...options, memory });
  if (outcome !== "done") return outcome;
  const [word] = [...memory].filter(([, { trouble }]) => trouble.grave);
  return word ? { status: "disputed", reason: `${word[0]}: ${word[1].trouble.reason}` } : outcome;
}

const askWitnesses = (
  app: App,
  options: CosigningOptions & { memory: WitnessMemory },
): Promise<Outcome<"diverged">> =>
  runTick(app, async (work) => {
    const state = await work.app.load(anchors, work.target);
    const { checkpoint } = state;
    if (!checkpoint) return;
    const { memory } = options;
    const cosigned = anchors.standingCosignatures(state).map(({ witness }) => witness);
    const missing = options.witnesses.filter(
      ({ key: { name } }) =>
        !cosigned.includes(name) && performance.now() >= (memory.get(name)?.ask_after ?? 0),
    );
    const proofs = await Promise.all(
      missing.map(async (witness) => {
        const trouble = await ask(work, state, checkpoint, witness, options);
        if (options.signal?.aborted) return null;
        remember(witness.key.name, trouble, memory, options);
        return trouble?.grave ? await proofOf(app, witness, options) : null;
      }),
    );
    const proven = proofs.find((reason) => reason !== null);
    if (proven) throw new LogDiverged(proven);
  });

/** A witness's claim is proven by our own key's signature on the note at its monitoring address. */
async function proofOf(
  app: App,
  witness: WitnessAddress,
  { deadline_ms = 10_000 }: CosigningOptions,
): Promise<string | null> {
  const judged = await judgeWitness(app, witness, AbortSignal.timeout(deadline_ms));
  return "silent" in judged ? null : judged.contradiction;
}

function remember(
  name: string,
  trouble: WitnessFailure | undefined,
  memory: WitnessMemory,
  { retry_ms = 30_000, onTrouble }: CosigningOptions,
): void {
  const before = memory.get(name)?.trouble;
  if (trouble) memory.set(name, { trouble, ask_after: performance.now() + retry_ms });
  else memory.delete(name);
  if (before?.reason !== trouble?.reason) onTrouble?.(name, trouble);
}

/** Requests and appends a cosignature of the checkpoint; returns the failure, if any. */
async function ask(
  work: TickContext,
  { cosignatures }: anchors.AnchorState,
  checkpoint: anchors.SignedCheckpoint,
  witness: WitnessAddress,
  options: CosigningOptions,
): Promise<WitnessFailure | undefined> {
  const { name } = witness.key;
  const believed = cosignatures.find((one) => one.witness === name)?.size ?? 0;
  let from = believed;
  let answer = await submitFrom(work, from, checkpoint, witness, options);
  for (let n = 0; n < TRIES && isElsewhere(answer, from, checkpoint); n++) {
    from = answer.size;
    answer = await submitFrom(work, from, checkpoint, witness, options);
  }
  switch (answer.kind) {
    case "cosigned":
      return append(work, checkpoint, witness, answer.lines);
    case "unusable":
      return { grave: false, reason: answer.reason };
    case "contradicted":
      return { grave: true, reason: answer.reason };
    case "other-size":
      if (answer.size > checkpoint.size && answer.size <= (await signedBy(work))) return undefined;
      return { grave: true, reason: `it has cosigned ${answer.size} events that this log does not continue` };
  }
}

/** Anybody may submit a published checkpoint to the witness between two of our requests. */
const TRIES = 3;

/** The witness has another size of our log than we assumed. */
const isElsewhere = (
  answer: WitnessAnswer,
  from: number,
  { size }: anchors.SignedCheckpoint,
): answer is WitnessAnswer & { kind: "other-size" } =>
  answer.kind === "other-size" && answer.size !== from && answer.size <= size;

/** The signed size: another client may have submitted the newest checkpoint; then the next tick requests it. */
const signedBy = async ({ app, target }: Pick<TickContext, "app" | "target">): Promise<number> =>
  (await app.load(anchors, target)).checkpoint?.size ?? 0;

async function submitFrom(
  { tree }: TickContext,
  old_size: number,
  { size, note }: anchors.SignedCheckpoint,
  witness: WitnessAddress,
  { deadline_ms = 10_000, signal }: CosigningOptions,
): Promise<WitnessAnswer> {
  const proof = await tree.consistencyProof(old_size, size);
  const deadline = AbortSignal.timeout(deadline_ms);
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
  return submit(witness, { old_size, proof, checkpoint: note }, ends);
}

/** Only the witness's own line is stored, and only with a valid signature. */
async function append(
  { app, target }: TickContext,
  { size, root, note }: anchors.SignedCheckpoint,
  { key }: WitnessAddress,
  lines: string,
): Promise<WitnessFailure | undefined> {
  let published: string;
  try {
    published = withCosignatures(note, lines, [key]);
  } catch (error) {
    return { grave: false, reason: `its cosignature is wrong: ${(error as Error).message}` };
  }
  const [signature] = openNote(published, [key]).signatures;
  const facts: anchors.CosignedCheckpoint = {
    size,
    root,
    witness: key.name,
    cosignature: published.trimEnd().split("\n").at(-1)!,
    timestamp: signature!.timestamp!,
    cosigned_at: app.clock.now().toISOString(),
  };
  await unlessRefused(app.decide(anchors, target, anchors.cosign(facts), { meta }));
  return undefined;
}
