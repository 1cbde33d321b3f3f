/** Whenever events have waited long enough, or many are waiting, a checkpoint of the log is signed. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import { type Outcome, unlessRefused } from "../core/background/reactor.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { bytesOf, hexOf } from "./hex.ts";
import { parseNote, verifierKey } from "./note.ts";
import { consistencyFault } from "./proofs.ts";
import { EMPTY_ROOT } from "./tree.ts";
import { grownTo, LogDiverged, meta, takeTurn, type Work } from "./turn.ts";

export type SigningOptions = {
  /** No event waits longer than this for its checkpoint; a minute when absent. */
  checkpoint_every_ms?: number;
  /** Nor do more events than this wait for one; 10,000 when absent. */
  checkpoint_every_events?: number;
  signal?: AbortSignal;
};

/** One turn: signs what is due. */
export const signTurn = (app: App, options: SigningOptions = {}): Promise<Outcome<"diverged">> =>
  takeTurn(app, (work) => signGrowth(work, options));

/** Throws LogDiverged when the log does not continue what was signed of it. */
async function signGrowth(work: Work, options: SigningOptions): Promise<void> {
  const { app, tree, origin, target, now } = work;
  const { checkpoint } = await app.load(anchors, target);
  const size = await grownTo(work, options.signal);
  if (options.signal?.aborted) return;
  const signed = checkpoint?.size ?? 0;
  if (size < signed)
    throw new LogDiverged(`${signed} events were signed, and the log has ${size}: it was cut`);
  await checkAgainstKept(work, size);
  const isForeign = checkpoint !== undefined && isUnderOtherKey(work, checkpoint, options);
  if (!isForeign && !(await isDue(work, signed, size, options))) return;

  const root = await tree.rootAt(size);
  const fault = consistencyFault({
    first: signed,
    first_root: checkpoint ? bytesOf(checkpoint.root) : EMPTY_ROOT,
    second: size,
    second_root: root,
    proof: await tree.consistencyProof(signed, size),
  });
  if (fault)
    throw new LogDiverged(`the log does not continue the ${signed} events that were signed: ${fault}`);
  const contradiction = await app.accepting.contradiction();
  if (contradiction !== null) throw new LogDiverged(contradiction);
  const note = signCheckpoint({ origin, size, root, extensions: [] }, app.signer);
  const facts = { size, root: hexOf(root), note, signed_at: new Date(now).toISOString() };
  await app.signed.advance(origin, facts);
  await unlessRefused(app.decide(anchors, target, anchors.sign(facts), { meta }));
}

/** A database that was set back to a backup knows of no later checkpoint; this machine does, and signs no second history. */
async function checkAgainstKept({ app, tree, origin }: Work, size: number): Promise<void> {
  const kept = await app.signed.last(origin);
  if (!kept) return;
  if (kept.size > size)
    throw new LogDiverged(
      `${kept.size} events were signed here, and the log has ${size}: it was cut, or set back to a backup`,
    );
  if (hexOf(await tree.rootAt(kept.size)) !== kept.root)
    throw new LogDiverged(
      `the log does not begin with the ${kept.size} events that were signed here: it was rewritten, or set back to a backup`,
    );
}

/** What anchoring itself appended asks for no checkpoint, or there would be no end of them. */
async function isDue(
  { app, target, now }: Work,
  signed: number,
  size: number,
  { checkpoint_every_ms = 60_000, checkpoint_every_events = 10_000 }: SigningOptions,
): Promise<boolean> {
  const answer = await app.pool.query<{ recorded_at_us: number }>(
    `select recorded_at_us from eventstore.events
      where log_id = $1 and position > $2 and (tenant, stream_id) <> ($3, $4) order by position limit 1`,
    [MAIN_LOG, signed, target.tenant, anchors.streamOf(target.id)],
  );
  const oldest = answer.rows[0];
  if (!oldest) return false;
  return (
    size - signed >= checkpoint_every_events || now - oldest.recorded_at_us / 1_000 >= checkpoint_every_ms
  );
}

/**
 * After a change of key what is published is signed again, also where nothing happens any more: the key that the log names is
 * the one to check it by. Services that share a log under two keys would otherwise answer each other without end.
 */
function isUnderOtherKey(
  { app, origin, now }: Work,
  { note, signed_at }: anchors.SignedCheckpoint,
  { checkpoint_every_ms = 60_000 }: SigningOptions,
): boolean {
  const { id } = verifierKey(origin, "ed25519", app.signer.public_key);
  const isOurs = parseNote(note).signatures.some(({ key_id }) => key_id === id);
  return !isOurs && now - Date.parse(signed_at) >= checkpoint_every_ms;
}
