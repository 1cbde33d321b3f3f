/** What a history needs of the disk, before any of it is fetched: from the archives' sizes where they are known, else from their mean. */
import { mkdir, stat, statfs } from "node:fs/promises";
import { refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { type Period, yearOf } from "../domain/trade/units.ts";

/** Where nothing is known of any archive: Eurostat's are between 35 and 60 MB. */
const USUAL_ARCHIVE = 60_000_000;

/** Bytes on the disk for each byte of an archive: cautious guesses until bench/history.ts has run at full size. */
const PER_ARCHIVE_BYTE = {
  /** The text of a month, which two months have at once, and what it is read to, which one has. */
  text: 12,
  reading: 14,
  /** The months of a year that are read, and what building that year writes beside them and removes. */
  staged: 4,
  building: 8,
  /** What stays. */
  vintage: 4,
};

export type MonthSize = {
  period: Period;
  /** Bytes of its archive; undefined where nobody says. */
  archive: number | undefined;
  /** How many of them are here. */
  here: number;
};

export type DiskNeed = {
  /** In the folder of downloads, and in that of the data. */
  downloads: number;
  data: number;
};

/** What these months will need beside what is here. `keeps`: archives stay when their month is in. */
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

/** How much the disk of a folder has free, and which disk that is. */
export type Free = (dir: string) => Promise<{ device: number; bytes: number }>;

const freeOf: Free = async (dir) => {
  const { bavail, bsize } = await statfs(dir);
  return { device: (await stat(dir)).dev, bytes: bavail * bsize };
};

/** Refuses where a folder's disk has less free than is needed; folders on one disk need it together. */
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
      `${disk.dirs.join(" and ")} need about ${disk.bytes} bytes and have ${disk.free} free: free some, ask for fewer months, let archives go with --discard, or name other folders by --out and DATA_DIR; nothing was fetched`,
    );
  }
}
