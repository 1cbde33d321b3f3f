/** Asks the witnesses which history they cosigned, to verify the log in this database. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { verifierKey } from "./note.ts";
import { LogDamaged, openTree, TreeTooShort } from "./tile-store.ts";
import { cosignedBy, newestNoteOf, submit, type WitnessAddress } from "./witness-client.ts";

/**
 * `notes`: the checkpoints at the monitoring addresses, signed by log and witness. `denials`: a sentence per
 * witness that cosigned another history. `silent`: why others gave no answer.
 */
export type WitnessAnswers = {
  notes: { name: string; witness: string; note: string }[];
  denials: string[];
  silent: string[];
};

type Question = { app: App; origin: string; deadline_ms: number };

export async function askWitnesses(
  app: App,
  { witnesses, deadline_ms = 10_000 }: { witnesses: readonly WitnessAddress[]; deadline_ms?: number },
): Promise<WitnessAnswers> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const answers = await Promise.all(witnesses.map((witness) => ask({ app, origin, deadline_ms }, witness)));
  return {
    notes: answers.flatMap(({ notes }) => notes),
    denials: answers.flatMap(({ denials }) => denials),
    silent: answers.flatMap(({ silent }) => silent),
  };
}

async function ask(question: Question, witness: WitnessAddress): Promise<WitnessAnswers> {
  const { app, origin, deadline_ms } = question;
  const who = `the witness ${witness.key.name}`;
  const log = verifierKey(origin, "ed25519", app.signer.public_key);
  const newest = await newestNoteOf(witness, log, AbortSignal.timeout(deadline_ms));
  const shown = newest.kind === "note" ? newest.size : undefined;
  const { denial, silence } = await denialOf(question, witness, shown);
  const unusable = newest.kind === "unusable" ? newest.reason : undefined;
  return {
    notes:
      newest.kind === "note"
        ? [{ name: `what ${who} cosigned last`, witness: witness.key.name, note: newest.note }]
        : [],
    denials: denial === undefined ? [] : [`${who} ${denial}`],
    silent: [...new Set([unusable, silence])].flatMap((reason) =>
      reason === undefined ? [] : [`${who} gives no answer: ${reason}`],
    ),
  };
}

type Denial = { denial?: string; silence?: string };

/** Another client may submit a newer checkpoint between two requests. */
const TRIES = 3;

/**
 * Submits our newest checkpoint, with the proof that it continues the witness's last one. A note of the same size
 * is compared with the rows instead, which commits the witness to nothing.
 */
async function denialOf(
  { app, origin, deadline_ms }: Question,
  witness: WitnessAddress,
  shown: number | undefined,
): Promise<Denial> {
  const target = anchors.targetOf(origin);
  const { checkpoint } = await app.load(anchors, target);
  if (!checkpoint) return denialOfUnsigned({ app, origin, deadline_ms }, witness);
  const { size, note } = checkpoint;
  const tree = openTree(app.pool, MAIN_LOG);
  try {
    await tree.grow();
    for (let old_size = size, n = 0; n < TRIES; n++) {
      const proof = await tree.consistencyProof(old_size, size);
      const request = { old_size, proof, checkpoint: note };
      const answer = await submit(witness, request, AbortSignal.timeout(deadline_ms));
      if (answer.kind === "unusable") return { silence: answer.reason };
      if (answer.kind === "contradicted") return { denial: `contradicts the log: ${answer.reason}` };
      if (answer.kind === "cosigned") return {};
      // Witnesses from before July 2026 answer so for another root of the same size.
      if (answer.size === size && old_size === size)
        return { denial: `has cosigned ${size} events that are not the first of this log` };
      if (answer.size > size) {
        const { checkpoint: now } = await app.load(anchors, target);
        return answer.size > (now?.size ?? 0)
          ? { denial: `has cosigned ${answer.size} events that this log does not continue` }
          : {};
      }
      if (answer.size === 0 || answer.size === shown) return {};
      old_size = answer.size;
    }
    return { silence: "it names another size at each request" };
  } catch (error) {
    if (!(error instanceof LogDamaged || error instanceof TreeTooShort)) throw error;
    return { silence: `a damaged log cannot be compared with it: ${error.message}` };
  }
}

async function denialOfUnsigned(
  { app, origin, deadline_ms }: Question,
  witness: WitnessAddress,
): Promise<Denial> {
  const answer = await cosignedBy(witness, origin, app.signer, AbortSignal.timeout(deadline_ms));
  if ("reason" in answer) return { silence: answer.reason };
  return answer.size > 0
    ? { denial: `has cosigned ${answer.size} events, and nothing of this log is signed here` }
    : {};
}
