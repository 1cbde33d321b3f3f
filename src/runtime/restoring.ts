import { join } from "node:path";
import pg from "pg";
import type { Logger } from "pino";
import { type Backup, isSegment, readBackup } from "../../eventstore/files/backup.ts";
import { type RestoreResult, restoreLog } from "../../eventstore/files/restore.ts";
import { BackupUnsound, folderSource, type RestoreSource } from "../../eventstore/files/restore-source.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { copyOfEpoch } from "../adapters/kurrentdb.ts";
import { storedHeads } from "../adapters/signed-heads.ts";
import { systemClock } from "../adapters/system.ts";
import { parseCheckpoint } from "../anchoring/checkpoint.ts";
import { type ClaimedHead, contradictionOf } from "../anchoring/contradiction.ts";
import { readEvidence } from "../anchoring/evidence.ts";
import { hexOf } from "../anchoring/hex.ts";
import { MalformedNote, openNote, UnverifiedNote, verifierKey } from "../anchoring/note.ts";
import { chainStatus } from "../anchoring/status.ts";
import { storeProof, storeProofsIn } from "../anchoring/stored-proofs.ts";
import { cosignedBy } from "../anchoring/witness-client.ts";
import { areas } from "../areas/index.ts";
import type { App } from "../core/app.ts";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import type { StoredHeads } from "../core/model/ports/signed-heads.ts";
import type { Signer } from "../core/model/ports/signer.ts";
import type { Projection } from "../core/read-models/projection.ts";
import { nameOf } from "../core/read-models/runner.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { objectOf } from "../domain/log/segments.ts";
import { epochOf } from "../domain/outside/copied-event.ts";
import { copySource } from "../outside/restore-source.ts";
import { withRuntime } from "./assemble.ts";
import { signingKeyOf } from "./assemble-audit.ts";
import type { Config } from "./config.ts";
import { prepareDatabase, startDatabase } from "./database.ts";

/** The interval between two progress reports. */
const WAIT_MS = 500;
const CONNECTION_MS = 60_000;
/** Without progress for so long, the fold has failed. */
const STALLED_MS = 120_000;
const ASK_MS = 10_000;

/** Events verified and inserted, then events folded. */
export type RestoreProgress = (stage: "check" | "fold", done: number, total: number) => void;

export type RestoreOptions = {
  progress?: RestoreProgress;
  /** The last part of the origin of the log to restore. Default: the only log that this machine has signed. */
  epoch?: string | undefined;
};

/**
 * `contradiction`: why the log is read-only, as a sentence, or null. `held_against`: the witnesses it was compared with.
 * `left_out`: events of an incomplete commit at the end.
 */
export type RestoredService = RestoreResult & {
  contradiction: string | null;
  held_against: string[];
  left_out: number;
};

type OpenedBackup = {
  source: RestoreSource;
  segments?: (app: App) => Promise<void>;
  leftOut(): number;
  close(): Promise<void>;
};

/** The log itself is restored. */
export class RestoreUnfinished extends Error {
  override readonly name = "RestoreUnfinished";
}

/**
 * From a backup's folder, or a copy at `esdb://…`. Rejects with BackupUnsound on a missing backup, a wrong hash, a longer
 * witnessed history, or a non-empty database; then nothing is restored. Rejects with RestoreUnfinished where read models fail.
 */
export async function restoreService(
  config: Config,
  log: Logger,
  from: string,
  { progress = () => {}, epoch }: RestoreOptions = {},
): Promise<RestoredService> {
  const kept = isCopy(from) ? await openCopy(config, from, epoch) : await openFolder(from);
  try {
    return await restoreKept(config, log, kept, progress);
  } finally {
    await kept.close();
  }
}

const isCopy = (from: string) => /^esdb(\+discover)?:\/\//.test(from);

async function openFolder(folder: string): Promise<OpenedBackup> {
  const backup = await readBackup(folder);
  if (!backup) throw new BackupUnsound(`${folder} has no backup: no backup.json is in it`);
  return {
    source: folderSource(folder, backup),
    segments: (app) => putSegments(app, folder, backup),
    leftOut: () => 0,
    close: async () => {},
  };
}

async function openCopy(config: Config, url: string, given: string | undefined): Promise<OpenedBackup> {
  const epoch = given ?? (await epochSigned(config));
  if (!/^[0-9a-f]{16}$/.test(epoch))
    throw new BackupUnsound(
      `the epoch ${JSON.stringify(epoch)} is not valid: an epoch is 16 hex digits in lower case`,
    );
  const outside = copyOfEpoch(url, epoch, config.KURRENTDB_GENERATION);
  const close = () => outside.close();
  try {
    const source = await copySource(outside, epoch);
    return { source, leftOut: () => source.left_out, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function epochSigned({ DATA_DIR }: Config): Promise<string> {
  const origins = await (await storedHeads(join(DATA_DIR, "signed"))).origins();
  const [origin] = origins;
  if (origin === undefined || origins.length > 1)
    throw new BackupUnsound(
      `${origins.length} logs were signed with this DATA_DIR, so say which one is meant by --epoch: the last part of its origin, the first line of a checkpoint`,
    );
  return epochOf(origin);
}

async function restoreKept(
  given: Config,
  log: Logger,
  { source, segments, leftOut }: OpenedBackup,
  progress: RestoreProgress,
): Promise<RestoredService> {
  const { origin } = source;
  const projections = areas.flatMap((area) => area.projections);
  // No call waits meanwhile, and folds occupy connections for long.
  const config = { ...given, DATABASE_WAIT_MS: Math.max(given.DATABASE_WAIT_MS, CONNECTION_MS) };
  const signed = await storedHeads(join(config.DATA_DIR, "signed"));
  // Before any insert: otherwise the service would go on signing a log that lacks witnessed events.
  const witnessed = await witnessedOf(config, origin);
  const held_against = witnessed.map(({ who }) => who);
  if (await signed.last(origin)) held_against.unshift("what this machine signed");
  const database = await startDatabase(config, log);
  try {
    await prepareDatabase(database, config.LOG_ORIGIN_HOST, projections, origin);
    const chain = config.BASE_RPC_URL !== undefined;
    // An empty log would claim an empty vault, so the vault is opened after the log.
    const opened = (vaultUrl: string | undefined) => ({
      chain,
      database: Promise.resolve({ ...notReleased(database), vaultUrl }),
    });
    const anchored = chain
      ? await withRuntime(config, log, ({ app }) => anchoredOf(app, source), opened(undefined))
      : undefined;
    if (anchored) held_against.push("the chain");
    const restored = await asOwner(database.ownerUrl, async (owner) => {
      await refuseOtherLog(owner, origin);
      const telling = (done: number, total: number) => progress("check", done, total);
      const beforeCommit = async ({ evidence }: RestoreResult) => {
        await storeProofsIn(owner, origin, evidence);
        const signer = await signingKeyOf(config);
        if (!signer) return;
        const notes = [...notesIn(evidence), ...(await newestNotes(owner, origin))];
        await rememberSigned(signed, origin, signer, notes);
        await refuseUnreached(signed, origin, witnessed);
      };
      return restoreLog(owner, source, { log_id: MAIN_LOG, progress: telling, beforeCommit });
    });
    return await withRuntime(
      config,
      log,
      async ({ app }) => {
        await segments?.(app);
        await foldAll(app, projections, restored.head.position, { progress });
        if (chain) await proveNewestAnchor(app, origin);
        const known = await app.accepting.contradiction();
        const contradiction = known ?? (anchored ? await contradictionOf(app, [anchored]) : null);
        return { ...restored, contradiction, held_against, left_out: leftOut() };
      },
      opened(config.SUBJECT_KEYS_URL),
    );
  } finally {
    await database.release();
  }
}

/** Segments are objects of the restored service. */
async function putSegments({ objects }: App, folder: string, { origin, packs }: Backup): Promise<void> {
  for (const pack of packs.filter(isSegment))
    await objects.putFile(objectOf(origin, pack.sha256), join(folder, pack.file));
}

/** The caller releases the database. */
const notReleased = <T extends { release(): Promise<void> }>(database: T): T => ({
  ...database,
  release: async () => {},
});

async function asOwner<T>(url: string, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: url });
  owner.on("error", () => undefined);
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end().catch(() => undefined);
  }
}

async function refuseOtherLog(owner: pg.Client, origin: string): Promise<void> {
  const sql = "select origin from eventstore.logs where log_id = $1";
  const { rows } = await owner.query<{ origin: string }>(sql, [MAIN_LOG]);
  if (rows[0]?.origin !== origin)
    throw new BackupUnsound(
      `the database has the log ${rows[0]?.origin}, and the backup is of ${origin}: give an empty database`,
    );
}

/** Rejects with RestoreUnfinished after a stall, with its cause. */
export async function foldAll(
  app: Pick<App, "runner" | "pool">,
  projections: readonly Projection[],
  position: number,
  { progress = () => {}, stalled_ms = STALLED_MS }: { progress?: RestoreProgress; stalled_ms?: number } = {},
): Promise<void> {
  const total = position * projections.length;
  let waiting = [...projections];
  let best = -1;
  let moved_at = performance.now();
  for (;;) {
    const standing = await progressOf(app.pool);
    const at = (projection: Projection) => standing.get(nameOf(projection))?.position ?? 0;
    const left = waiting.reduce((sum, projection) => sum + Math.max(0, position - at(projection)), 0);
    const done = total - left;
    progress("fold", done, total);
    if (done > best) [best, moved_at] = [done, performance.now()];
    else if (performance.now() - moved_at > stalled_ms) throw unfinished(waiting, standing, position);
    const reached = await Promise.all(
      waiting.map((projection) => app.runner.reached(projection, position, WAIT_MS)),
    );
    waiting = waiting.filter((_, n) => !reached[n]);
    if (waiting.length === 0) return progress("fold", total, total);
  }
}

type ProjectionProgress = { position: number; trouble: string | null };

async function progressOf(pool: pg.Pool): Promise<Map<string, ProjectionProgress>> {
  const sql = "select projection, position::float8 as position, trouble from read.checkpoints";
  const { rows } = await pool.query<ProjectionProgress & { projection: string }>(sql);
  return new Map(rows.map(({ projection, position, trouble }) => [projection, { position, trouble }]));
}

function unfinished(
  waiting: readonly Projection[],
  standing: ReadonlyMap<string, ProjectionProgress>,
  position: number,
): RestoreUnfinished {
  const lines = waiting.map((projection) => {
    const { position: at = 0, trouble } = standing.get(nameOf(projection)) ?? {};
    return `${nameOf(projection)} is at position ${at}${trouble ? ` (${trouble})` : ""}`;
  });
  return new RestoreUnfinished(
    `the log is restored up to ${position}, and its read models do not advance: ${lines.join(", ")}. The service continues with them when it is started; its health names the cause`,
  );
}

const notesIn = (evidence: readonly string[]): string[] =>
  evidence
    .map(readEvidence)
    .flatMap((line) => (typeof line !== "string" && line.evidence === "checkpoint" ? [line.note] : []));

async function newestNotes(owner: pg.Client, origin: string): Promise<string[]> {
  const { tenant } = anchors.targetOf(origin);
  const { rows } = await owner.query<{ payload: Buffer }>(
    `select payload from eventstore.events where log_id = $1 and tenant = $2 and stream_id = $3 and type = 'CheckpointSigned'
      order by version desc limit 1`,
    [MAIN_LOG, tenant, anchors.streamOf(origin)],
  );
  return rows.flatMap(({ payload }) => {
    const { note } = JSON.parse(payload.toString("utf8")) as { note?: unknown };
    return typeof note === "string" ? [note] : [];
  });
}

/** A signed checkpoint counts even if its events are missing. */
async function rememberSigned(
  signed: StoredHeads,
  origin: string,
  signer: Signer,
  notes: readonly string[],
): Promise<void> {
  const key = verifierKey(origin, "ed25519", signer.public_key);
  for (const note of notes) {
    try {
      const { size, root } = parseCheckpoint(openNote(note, [key]).text);
      const signed_at = systemClock.now().toISOString();
      await signed.advance(origin, { size, root: hexOf(root), note, signed_at });
    } catch (error) {
      // Another key's signature binds nobody here.
      if (!(error instanceof MalformedNote || error instanceof UnverifiedNote)) throw error;
    }
  }
}

type WitnessedHead = { who: string; size: number };

const ASIDE = "to read the rest, restore it without WITNESSES and BASE_RPC_URL and with another SIGNING_KEY";

/** Rejects with BackupUnsound for a silent witness: it may have seen more than was restored. */
async function witnessedOf(config: Config, origin: string): Promise<WitnessedHead[]> {
  const { WITNESSES } = config;
  if (WITNESSES.length === 0) return [];
  const signer = await signingKeyOf(config);
  if (!signer)
    throw new BackupUnsound("WITNESSES needs the log's key: set SIGNING_KEY to it, or leave WITNESSES out");
  return Promise.all(
    WITNESSES.map(async (witness) => {
      const who = `the witness ${witness.key.name}`;
      const answer = await cosignedBy(witness, origin, signer, AbortSignal.timeout(ASK_MS));
      if ("size" in answer) return { who, size: answer.size };
      throw new BackupUnsound(
        `${who} does not say how much of this log it has seen: ${answer.reason}. Wait for it, or take it out of WITNESSES`,
      );
    }),
  );
}

/** A witness only cosigns what our key signed, so a checkpoint of at least that size must exist. */
async function refuseUnreached(
  signed: StoredHeads,
  origin: string,
  witnessed: readonly WitnessedHead[],
): Promise<void> {
  const { size: known = 0 } = (await signed.last(origin)) ?? {};
  for (const { who, size } of witnessed)
    if (size > known)
      throw new BackupUnsound(
        `${who} has cosigned ${size} events of this log, and the newest signed checkpoint here is of ${known}: continuing would be a second history under one key. Find the newer data; ${ASIDE}`,
      );
}

/** A copy and a segment have no proofs, so the chain is asked for one; without it the running service asks again. */
async function proveNewestAnchor(app: App, origin: string): Promise<void> {
  const newest = anchors.newestAnchor(await app.load(anchors, anchors.targetOf(origin)));
  if (newest?.signer !== app.chain.sender) return;
  await storeProof({ app, origin }, newest).catch((error) => {
    if (!(error instanceof ChainUnavailable)) throw error;
  });
}

/** Rejects where the backup ends before it. */
async function anchoredOf(
  { chain }: App,
  { origin, events }: RestoreSource,
): Promise<ClaimedHead | undefined> {
  const { head } = await chainStatus(chain, origin);
  if (head && head.size > events)
    throw new BackupUnsound(
      `the chain has ${head.size} events of this log, and the backup ends at ${events}: continuing would be a second history under one key. Find the newer data; ${ASIDE}`,
    );
  return head ?? undefined;
}
