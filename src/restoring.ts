/** A service made of a backup: its log in an empty database, its read models folded, its erasures done again, and what was signed of it known. */
import { join } from "node:path";
import pg from "pg";
import type { Logger } from "pino";
import { type Backup, isSegment, readBackup } from "../eventstore/backup.ts";
import { BackupUnsound, type Restored, restoreLog } from "../eventstore/restore.ts";
import { MAIN_LOG } from "../eventstore/types.ts";
import { keptHeads } from "./adapters/signed-heads.ts";
import { systemClock } from "./adapters/system.ts";
import { parseCheckpoint } from "./anchoring/checkpoint.ts";
import { contradictionOf, type SaidHead } from "./anchoring/contradiction.ts";
import { readEvidence } from "./anchoring/evidence.ts";
import { hexOf } from "./anchoring/hex.ts";
import { MalformedNote, openNote, UnverifiedNote, verifierKey } from "./anchoring/note.ts";
import { chainStatus } from "./anchoring/status.ts";
import type { App } from "./app.ts";
import { areas } from "./areas/index.ts";
import { withRuntime } from "./assemble.ts";
import { signingKeyOf } from "./assemble-audit.ts";
import type { Config } from "./config.ts";
import { prepareDatabase, startDatabase } from "./database.ts";
import type { Progress } from "./datasets/progress.ts";
import { objectOf } from "./domain/log/segments.ts";
import type { Projection } from "./projections/projection.ts";

/** How long is waited for read models between two tellings of how far they are. */
const WAIT_MS = 500;

/** `contradiction`: why the log is for reading only, as a sentence; null where the service goes on with it. */
export type RestoredService = Restored & { contradiction: string | null };

/**
 * Restores from the folder of a backup. Rejects with BackupUnsound where that is none, where a hash does not hold, or where the database
 * is not empty; then it has no events.
 */
export async function restoreService(
  config: Config,
  log: Logger,
  folder: string,
  progress: Progress = () => {},
): Promise<RestoredService> {
  const backup = await readBackup(folder);
  if (!backup) throw new BackupUnsound(`${folder} has no backup: no backup.json is in it`);
  const projections = areas.flatMap((area) => area.projections);
  const database = await startDatabase(config, log);
  try {
    await prepareDatabase(database, config.LOG_ORIGIN_HOST, projections, backup.origin);
    const options = {
      chain: config.BASE_RPC_URL !== undefined,
      database: Promise.resolve(notReleased(database)),
    };
    // Before a row goes in: once restored, a log that lacks what the chain has would be signed on, and nothing here would know.
    const anchored = options.chain
      ? await withRuntime(config, log, ({ app }) => anchoredOf(app, backup), options)
      : undefined;
    const restored = await asOwner(database.ownerUrl, async (owner) => {
      await refuseOtherLog(owner, backup.origin);
      const telling = (done: number, total: number) => progress("check", done, total);
      const beforeCommit = ({ evidence }: Restored) => rememberSigned(config, backup.origin, evidence);
      return restoreLog(owner, folder, backup, { log_id: MAIN_LOG, progress: telling, beforeCommit });
    });
    return await withRuntime(
      config,
      log,
      async ({ app }) => {
        await putSegments(app, folder, backup);
        await foldAll(app, projections, restored.head.position, progress);
        const known = await app.accepting.contradiction();
        return {
          ...restored,
          contradiction: known ?? (anchored ? await contradictionOf(app, [anchored]) : null),
        };
      },
      options,
    );
  } finally {
    await database.release();
  }
}

/** The files of segments are objects of the service that the log is restored to. */
async function putSegments({ objects }: App, folder: string, { origin, packs }: Backup): Promise<void> {
  for (const pack of packs.filter(isSegment))
    await objects.putFile(objectOf(origin, pack.sha256), join(folder, pack.file));
}

/** Whoever started the database lets go of it. */
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

async function foldAll(
  app: App,
  projections: readonly Projection[],
  position: number,
  progress: Progress,
): Promise<void> {
  for (const [done, projection] of projections.entries()) {
    progress("publish", done, projections.length);
    while (!(await app.runner.reached(projection, position, WAIT_MS)));
  }
}

/** A checkpoint beside the events that our own key has signed was signed, whether its events are there or not. */
async function rememberSigned(config: Config, origin: string, evidence: readonly string[]): Promise<void> {
  const signer = await signingKeyOf(config);
  if (!signer) return;
  const key = verifierKey(origin, "ed25519", signer.public_key);
  const signed = await keptHeads(join(config.DATA_DIR, "signed"));
  for (const line of evidence.map(readEvidence)) {
    if (typeof line === "string" || line.evidence !== "checkpoint") continue;
    try {
      const { text } = openNote(line.note, [key]);
      const { size, root } = parseCheckpoint(text);
      const signed_at = systemClock.now().toISOString();
      await signed.advance(origin, { size, root: hexOf(root), note: line.note, signed_at });
    } catch (error) {
      // Of another key: what that has signed binds nobody here.
      if (!(error instanceof MalformedNote || error instanceof UnverifiedNote)) throw error;
    }
  }
}

/** The newest head that the chain has of the log. Rejects where the backup ends before it. */
async function anchoredOf({ chain }: App, { origin, packs }: Backup): Promise<SaidHead | undefined> {
  const { head } = await chainStatus(chain, origin);
  const last = packs.at(-1)?.last ?? 0;
  if (head && head.size > last)
    throw new BackupUnsound(
      `the chain has ${head.size} events of this log, and the backup ends at ${last}: going on with it would be a second history under one key. Find the newer packs; to read this one, restore it without BASE_RPC_URL and with another SIGNING_KEY`,
    );
  return head ?? undefined;
}
