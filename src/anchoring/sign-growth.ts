/** Signs a checkpoint when events have waited long enough or enough events wait. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import { idleUntil, type Outcome, unlessRefused } from "../core/background/reactor.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { bytesOf, hexOf } from "./hex.ts";
import { parseNote, verifierKey } from "./note.ts";
import { consistencyFault } from "./proofs.ts";
import { grownTo, LogDiverged, meta, type Rest, runTick, type TickContext } from "./tick.ts";
import { EMPTY_ROOT } from "./tree.ts";

/** A log without news is compared with its checkpoint again after this time. */
const COMPARE_MS = 60_000;

export type SigningOptions = {
  /** The longest an event waits for its checkpoint. Default: one minute. */
  checkpoint_every_ms?: number;
  /** The most events that wait for a checkpoint. Default: 10,000. */
  checkpoint_every_events?: number;
  signal?: AbortSignal;
};

/** Signs what is due. */
export const signTick = (app: App, options: SigningOptions = {}): Promise<Outcome<"diverged">> =>
  runTick(app, (work) => signGrowth(work, options));

/** Throws LogDiverged if the log does not continue its signed part. */
async function signGrowth(work: TickContext, options: SigningOptions): Promise<Rest | undefined> {
  const { app, tree, origin, target, now } = work;
  const { checkpoint } = await app.load(anchors, target);
  const size = await grownTo(work, options.signal);
  if (options.signal?.aborted) return undefined;
  const signed = checkpoint?.size ?? 0;
  if (size < signed)
    throw new LogDiverged(`${signed} events were signed, and the log has ${size}: it was cut`);
  await checkAgainstSigned(work, size);
  const isForeign = checkpoint !== undefined && isUnderOtherKey(work, checkpoint, options);
  const due_at = await dueAt(work, signed, size, options);
  if (!isForeign && due_at > now)
    return idleUntil(new Date(Math.min(due_at, now + COMPARE_MS)).toISOString());

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
  return undefined;
}

/**
 * A database restored from a backup lacks later checkpoints. This machine remembers them, so it signs no second
 * history.
 */
async function checkAgainstSigned({ app, tree, origin }: TickContext, size: number): Promise<void> {
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

/**
 * The time of the next checkpoint in Unix milliseconds, infinite without events to sign. Anchoring's own events need
 * none, otherwise signing would never end.
 */
async function dueAt(
  { app, target }: TickContext,
  signed: number,
  size: number,
  { checkpoint_every_ms = 60_000, checkpoint_every_events = 10_000 }: SigningOptions,
): Promise<number> {
  const answer = await app.pool.query<{ recorded_at_us: number }>(
    `select recorded_at_us from eventstore.events
      where log_id = $1 and position > $2 and (tenant, stream_id) <> ($3, $4) order by position limit 1`,
    [MAIN_LOG, signed, target.tenant, anchors.streamOf(target.id)],
  );
  const oldest = answer.rows[0];
  if (!oldest) return Number.POSITIVE_INFINITY;
  return size - signed >= checkpoint_every_events ? 0 : oldest.recorded_at_us / 1_000 + checkpoint_every_ms;
}

/**
 * After a key change the published checkpoint is signed again, even without new events, because the log names the
 * key that verifies it. Services that share a log under two keys would otherwise alternate forever.
 */
function isUnderOtherKey(
  { app, origin, now }: TickContext,
  { note, signed_at }: anchors.SignedCheckpoint,
  { checkpoint_every_ms = 60_000 }: SigningOptions,
): boolean {
  const { id } = verifierKey(origin, "ed25519", app.signer.public_key);
  const isOurs = parseNote(note).signatures.some(({ key_id }) => key_id === id);
  return !isOurs && now - Date.parse(signed_at) >= checkpoint_every_ms;
}
