/**
 * The disk space that a history needs, before any download: from the archives' known sizes, otherwise from their
 * mean.
 */
import { mkdir, stat, statfs } from "node:fs/promises";
import { refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { type Period, yearOf } from "../domain/trade/units.ts";

/** The default size; Eurostat's archives are between 35 and 60 MB. */
const USUAL_ARCHIVE = 60_000_000;

/** Bytes on disk per archive byte: cautious guesses until bench/history.ts has run at full size. */
const PER_ARCHIVE_BYTE = {
  /** A month's text, for two months at once, and its parsed form, for one. */
  text: 12,
  reading: 14,
  /** A year's parsed months, and temporary files of that year's build. */
  staged: 4,
  building: 8,
  /** Permanent files. */
  vintage: 4,
};

export type MonthSize = {
  period: Period;
  /** Bytes of its archive; undefined if unknown. */
  archive: number | undefined;
  /** How many of them exist. */
  here: number;
};

export type DiskNeed = {
  /** In the download folder, and in the data folder. */
  downloads: number;
  data: number;
};

/** The space that these months still need. `keeps`: archives stay after their import. */
export function diskNeed(months: readonly MonthSize[], keeps: boolean): DiskNeed {
  const known = months.flatMap(({ archive }) => (archive === undefined ? [] : [archive]));
  const usual = known.length > 0 ? known.reduce((sum, one) => sum + one, 0) / known.length : USUAL_ARCHIVE;
  const sized = months.map((month) => ({ ...month, archive: month.archive ?? usual }));
  const years = new Map<number, number>();
  for (const { period, archive } of sized)
    years.set(yearOf(period), (years.get(yearOf(period)) ?? 0) + archive);
  const year = Math.max(0, ...years.values());
  const largest = Math.max(0, ...sized.map(({ archive }) => archive));
  const total = sized.reduce((sum, { archive }) => sum + archive, 0);
  const { text, reading, staged, building, vintage } = PER_ARCHIVE_BYTE;
  const coming = sized.reduce((sum, { archive, here }) => sum + Math.max(0, archive - here), 0);
  return {
    downloads: Math.ceil(keeps ? coming : Math.min(coming, year + 3 * largest)),
    data: Math.ceil(largest * (2 * text + reading) + year * (staged + building) + total * vintage),
  };
}

/** A folder's free space, and the identity of its disk. */
export type Free = (dir: string) => Promise<{ device: number; bytes: number }>;

const freeOf: Free = async (dir) => {
  const { bavail, bsize } = await statfs(dir);
  return { device: (await stat(dir)).dev, bytes: bavail * bsize };
};

/** Refuses if a folder's disk has too little space; folders on one disk share it. */
export async function refuseShortOfDisk(
  needs: { dir: string; bytes: number }[],
  free: Free = freeOf,
): Promise<void> {
  const disks = new Map<number, { dirs: string[]; bytes: number; free: number }>();
  for (const { dir, bytes } of needs) {
    await mkdir(dir, { recursive: true });
    const found = await free(dir);
    const disk = disks.get(found.device) ?? { dirs: [], bytes: 0, free: found.bytes };
    disks.set(found.device, { ...disk, dirs: [...disk.dirs, dir], bytes: disk.bytes + bytes });
  }
  for (const disk of disks.values()) {
    if (disk.free >= disk.bytes) continue;
    refuse(
      tradeProblems["disk-full"],
      `${disk.dirs.join(" and ")} need about ${disk.bytes} bytes and have ${disk.free} free: free some, request fewer months, delete archives with --discard, or name other folders by --out and DATA_DIR; nothing was fetched`,
    );
  }
}
