/** Downloads Eurostat's monthly bulk files of Comext and checks that they are complete. */
import { mkdir, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { refuse } from "../core/model/refusal.ts";
import { addMonths, monthsBetween, monthText, type Period } from "../domain/trade/units.ts";
import type { MonthSize } from "./disk-need.ts";
import { bytesHere, type Download, type DownloadedFile, download, sizeAt } from "./download.ts";
import { sevenZip } from "./seven-zip.ts";

/** Eurostat's file service; `{period}` is the month as YYYYMM. */
export const COMEXT_URL =
  "https://ec.europa.eu/eurostat/api/dissemination/files?file=comext%2FCOMEXT_DATA%2FPRODUCTS%2Ffull_v2_{period}.7z";

export type ComextRequest = Pick<Download, "again" | "progress" | "signal" | "pause"> & {
  from: Period;
  to: Period;
  dir: string;
  /** A mirror's address with {period} in it. */
  url?: string;
  now: Date;
  /** Called before each month. */
  begin?: (period: Period) => void;
  /** Called when each month is complete. */
  done?: (period: Period, file: DownloadedFile) => void;
};

/** The months of a range; refuses months that are not over. */
export function monthsAsked({ from, to, now }: Pick<ComextRequest, "from" | "to" | "now">): Period[] {
  if (from > to)
    refuse("invalid", `${monthText(from)} comes after ${monthText(to)}: name the earlier month first`);
  if (to >= monthOf(now)) refuse("invalid", `${monthText(to)} is not over: ${likely(now)}`);
  return monthsBetween(from, to);
}

const fileName = (period: Period) => `full_v2_${period}.7z`;
const addressOf = (url: string, period: Period) => url.replaceAll("{period}", String(period));

/** The path of a month's archive in a download folder. */
export const archivePath = (dir: string, period: Period) => join(dir, fileName(period));

/** The archives' sizes, by HEAD for missing ones. A server that states none is not queried again. */
export async function sizesOf(
  periods: readonly Period[],
  { dir, url = COMEXT_URL, signal }: Pick<ComextRequest, "dir" | "url" | "signal">,
): Promise<MonthSize[]> {
  let says = true;
  const found: MonthSize[] = [];
  for (const period of periods) {
    const path = archivePath(dir, period);
    const here = await bytesHere(path);
    let size: number | "absent" | undefined;
    if (await isThere(path)) size = here;
    else if (says) {
      size = await sizeAt(addressOf(url, period), signal);
      says = size !== undefined;
    }
    found.push({ period, archive: size === "absent" ? 0 : size, here });
  }
  return found;
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Downloads the months in order, except those that exist with their digest. */
export async function fetchComext(request: ComextRequest): Promise<DownloadedFile[]> {
  const { from, to, dir, url = COMEXT_URL, now, begin, done, ...options } = request;
  const months = monthsAsked({ from, to, now });
  await mkdir(dir, { recursive: true });
  const files: DownloadedFile[] = [];
  for (const period of months) {
    begin?.(period);
    const name = fileName(period);
    const file = await download({
      ...options,
      url: addressOf(url, period),
      path: join(dir, name),
      absent: `${name} is not there (404): ${likely(now)}`,
      check: (part) => checkArchive(part, name, options.signal),
    });
    done?.(period, file);
    files.push(file);
  }
  return files;
}

const monthOf = (day: Date): Period => day.getUTCFullYear() * 100 + day.getUTCMonth() + 1;

/** Approximate delay from a month's end to its detailed publication. */
const DAYS_TO_PUBLISH = 70;

/** The last month that is probably published. */
export const lastLikelyMonth = (now: Date): Period =>
  addMonths(monthOf(new Date(now.getTime() - DAYS_TO_PUBLISH * 86_400_000)), -1);

const likely = (now: Date) =>
  `a month is published about ten weeks after its end, so the newest that is likely available is ${monthText(lastLikelyMonth(now))}`;

/**
 * Signature, version, checksum of the rest, then offset, size and checksum of the end header (7zFormat.txt of the
 * 7-Zip SDK).
 */
const START_HEADER = 32;
const SIGNATURE = "377abcaf271c";

/** Refuses a file that is not a 7z archive, is truncated, or has wrong checksums. */
async function checkArchive(path: string, name: string, signal?: AbortSignal): Promise<void> {
  const { size } = await stat(path);
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(START_HEADER);
    const { bytesRead } = await file.read(head, 0, START_HEADER, 0);
    if (bytesRead < START_HEADER || head.toString("hex", 0, 6) !== SIGNATURE) {
      const begins = JSON.stringify(head.toString("latin1", 0, Math.min(bytesRead, 24)));
      refuse("invalid", `${name} is not a 7z archive: it begins with ${begins}. Check the address`);
    }
    const damaged = (why: string) =>
      refuse("invalid", `${name} is damaged (${why}) and was deleted: fetch it again`);
    if (crc32(head.subarray(12)) !== head.readUInt32LE(8)) damaged("the checksum of its start header");
    const ends = START_HEADER + Number(head.readBigUInt64LE(12)) + Number(head.readBigUInt64LE(20));
    if (ends !== size) damaged(`it has ${size} bytes and should have ${ends}`);
  } finally {
    await file.close();
  }
  const dir = `${path}.checking`;
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir);
  try {
    const test = (await sevenZip(dir, signal))(path, name, ["t"]);
    test.child.stdout.resume();
    await test.ended;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
