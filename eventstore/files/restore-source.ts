/** Consecutive parts, each the text of an export. */
import { join } from "node:path";
import { openExport } from "../verify/verify-export.ts";
import { type Backup, type BackupPack, digestOf, isSegment } from "./backup.ts";
import { segmentsAsExport } from "./segment-export.ts";
import { SegmentUnreadable } from "./segment-file.ts";

/** Names the file and the position. */
export class BackupUnsound extends Error {
  override readonly name = "BackupUnsound";
}

/** `events`: as far as known. */
export type RestoreSource = { origin: string; events: number; parts: readonly RestorePart[] };

export type RestorePart = {
  /** For error messages. */
  name: string;
  /** Throws BackupUnsound on changed bytes. */
  text(): AsyncIterable<Uint8Array>;
  listed?: Pick<BackupPack, "first" | "last" | "log_hash">;
};

export const folderSource = (folder: string, { origin, packs }: Backup): RestoreSource => ({
  origin,
  events: packs.at(-1)?.last ?? 0,
  parts: packs.map((pack) => ({ name: pack.file, listed: pack, text: () => openPack(folder, pack) })),
});

/** A segment is converted to the text of its export. */
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
