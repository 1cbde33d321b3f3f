/** Where a log is restored from: parts that follow one another, each of them the text of an export. */
import { join } from "node:path";
import { openExport } from "../verify/verify-export.ts";
import { type Backup, type BackupPack, digestOf, isSegment } from "./backup.ts";
import { segmentsAsExport } from "./segment-export.ts";
import { SegmentUnreadable } from "./segment-file.ts";

/** Why a backup is not restored, with the file and the place. */
export class BackupUnsound extends Error {
  override readonly name = "BackupUnsound";
}

/** `events`: how many there are to come, as far as that is known. */
export type RestoreSource = { origin: string; events: number; parts: readonly RestorePart[] };

export type RestorePart = {
  /** What a fault is told of. */
  name: string;
  /** Its bytes; throws BackupUnsound where they are not those that were written. */
  text(): AsyncIterable<Uint8Array>;
  /** What a list outside of it says it holds. */
  listed?: Pick<BackupPack, "first" | "last" | "log_hash">;
};

/** The packs and segments in the folder of a backup. */
export const folderSource = (folder: string, { origin, packs }: Backup): RestoreSource => ({
  origin,
  events: packs.at(-1)?.last ?? 0,
  parts: packs.map((pack) => ({ name: pack.file, listed: pack, text: () => openPack(folder, pack) })),
});

/** A pack's text; a segment's is that of the export that it stands for. */
async function* openPack(folder: string, pack: BackupPack): AsyncGenerator<Uint8Array> {
  await refuseOtherFile(folder, pack);
  const path = join(folder, pack.file);
  try {
    yield* isSegment(pack) ? segmentsAsExport([path]) : openExport(path);
  } catch (error) {
    throw error instanceof SegmentUnreadable ? new BackupUnsound(error.message) : error;
  }
}

async function refuseOtherFile(folder: string, { file, sha256, bytes }: BackupPack): Promise<void> {
  const found = await digestOf(join(folder, file)).catch((error: Error) => {
    throw new BackupUnsound(`${file} cannot be read: ${error.message}`);
  });
  if (found.sha256 !== sha256 || found.bytes !== bytes)
    throw new BackupUnsound(
      `${file} was changed: it has ${found.bytes} bytes with SHA-256 ${found.sha256}, the list says ${bytes} with ${sha256}`,
    );
}
