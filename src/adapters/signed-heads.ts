/**
 * Remembers the last checkpoint signed of each log, by its own key or a witness. A signer must never forget it,
 * whatever happens to a database. It is a numbered JSON file. The next state is linked under the next number, which
 * succeeds only once. So no lock can be abandoned or lost, and a checkpoint is on disk before it is published.
 */

import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { syncFile } from "../../eventstore/system/sync-file.ts";
import { time } from "../core/model/fields.ts";
import type { StoredHeads } from "../core/model/ports/signed-heads.ts";

const signedHead = z.strictObject({
  size: z.int().nonnegative(),
  /** Base64, as in the note. */
  root: z.string(),
  /** The signed note. Together with a contradicting note of the same log, it is proof. */
  note: z.string(),
  signed_at: time,
});

/** The newest signed checkpoint of a log. */
export type SignedHead = z.infer<typeof signedHead>;

/** By the log's origin. */
export type Memory = Map<string, SignedHead>;

export type SignedHeads = {
  /** Read-only. Synchronous, because a thread for one folder listing would cost more. */
  read(): Promise<ReadonlyMap<string, SignedHead>>;
  /**
   * Resolves when `work`'s changes are durable and no other process changed the state meanwhile; `work` may be
   * called again.
   */
  update<T>(work: (memory: Memory) => { isChanged: boolean; answer: T }): Promise<T>;
};

const fileOf = (dir: string, number: number) => join(dir, `state.${number}.json`);

/** The numbers of the state files, newest last. */
function numbersOf(names: readonly string[]): number[] {
  const numbers = names.map((name) => /^state\.(\d{1,15})\.json$/.exec(name)?.[1]);
  return numbers
    .flatMap((number) => number ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

const numbersIn = async (dir: string): Promise<number[]> => numbersOf(await readdir(dir));

export const hasSignedHeads = async (dir: string): Promise<boolean> => (await numbersIn(dir)).length > 0;

/** Opens the memory in a folder, or creates it. Rejects when it cannot be read. */
export async function openSignedHeads(dir: string): Promise<SignedHeads> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (!(await hasSignedHeads(dir))) await put(dir, 0, new Map());
  let read = await newestIn(dir);

  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => {
      // A numbered state never changes.
      if (numbersOf(readdirSync(dir)).at(-1) !== read.number) read = await newestIn(dir);
      return read.memory;
    },
    update: (work) => {
      const turn = last.then(async () => {
        for (;;) {
          const { number, memory } = await newestIn(dir);
          const { isChanged, answer } = work(memory);
          if (!isChanged || (await put(dir, number + 1, memory))) return answer;
        }
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function newestIn(dir: string): Promise<{ number: number; memory: Memory }> {
  for (;;) {
    const number = (await numbersIn(dir)).at(-1);
    if (number === undefined) throw new Error(`${dir} has no state.<number>.json any more`);
    const path = fileOf(dir, number);
    try {
      return { number, memory: memoryIn(JSON.parse(await readFile(path, "utf8"))) };
    } catch (error) {
      // A newer state has replaced it since.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
    }
  }
}

/** Throws for an invalid state. */
function memoryIn(value: unknown): Memory {
  z.record(z.string(), signedHead).parse(value);
  // A parsed record lacks a member `__proto__`, which a log may be named.
  return new Map(Object.entries(value as object).map(([origin, one]) => [origin, signedHead.parse(one)]));
}

/** False if another process was faster. */
async function put(dir: string, number: number, memory: Memory): Promise<boolean> {
  const aside = join(dir, `state.${randomUUID()}.new`);
  try {
    await writeFile(aside, `${JSON.stringify(Object.fromEntries(memory), null, 2)}\n`, { flush: true });
    await link(aside, fileOf(dir, number));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
  const numbers = await numbersIn(dir);
  // The number was free only because this process paused while others used and removed it.
  if (numbers.at(-1) !== number) {
    await rm(fileOf(dir, number), { force: true });
    return false;
  }
  await syncFile(dir);
  for (const earlier of numbers.slice(0, -1)) await rm(fileOf(dir, earlier), { force: true });
  return true;
}

/** The port over a folder of this machine. */
export async function storedHeads(dir: string): Promise<StoredHeads> {
  const heads = await openSignedHeads(dir);
  return {
    origins: async () => [...(await heads.read()).keys()],
    last: async (origin) => {
      const head = (await heads.read()).get(origin);
      if (!head) return undefined;
      const { size, root, note } = head;
      return { size, root: `0x${Buffer.from(root, "base64").toString("hex")}`, note };
    },
    advance: (origin, { size, root, note, signed_at }) =>
      heads.update((memory) => {
        const isChanged = (memory.get(origin)?.size ?? -1) <= size;
        const base64 = Buffer.from(root.slice(2), "hex").toString("base64");
        if (isChanged) memory.set(origin, { size, root: base64, note, signed_at });
        return { isChanged, answer: undefined };
      }),
  };
}
