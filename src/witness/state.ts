/**
 * What a witness has cosigned last of each log: the one thing that it must never forget. It stands in a file of JSON with a
 * number; the next one is linked under the number after that, which succeeds once, whoever else tries. So no lock can be
 * left behind or lost, and what is answered is on the disk before.
 */
import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const seen = z.strictObject({
  size: z.int().nonnegative(),
  /** Base64, as in the note. */
  root: z.string(),
  /** The signed note itself: with another one of the log that contradicts it, it is proof. */
  note: z.string(),
  cosigned_at: z.iso.datetime(),
});

/** The newest checkpoint of a log that was cosigned. */
export type Seen = z.infer<typeof seen>;

/** By the log's origin. */
export type Memory = Map<string, Seen>;

export type WitnessState = {
  read(): Promise<Memory>;
  /** What `work` changes is durable when this resolves, and nobody else has changed it meanwhile, in whatever process; it may be called again. */
  update<T>(work: (memory: Memory) => { isChanged: boolean; answer: T }): Promise<T>;
};

const fileOf = (dir: string, number: number) => join(dir, `state.${number}.json`);

/** The numbers of the states that are there, the newest last. */
async function numbersIn(dir: string): Promise<number[]> {
  const numbers = (await readdir(dir)).map((name) => /^state\.(\d{1,15})\.json$/.exec(name)?.[1]);
  return numbers
    .flatMap((number) => number ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export const hasState = async (dir: string): Promise<boolean> => (await numbersIn(dir)).length > 0;

/** Opens the memory in a folder, and starts it where there is none. Rejects when it cannot be read. */
export async function openState(dir: string): Promise<WitnessState> {
  if (!(await hasState(dir))) await put(dir, 0, new Map());
  await newestIn(dir);

  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => (await newestIn(dir)).memory,
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
      // A newer one has taken its place since.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
    }
  }
}

/** Throws where that is no state. */
function memoryIn(value: unknown): Memory {
  z.record(z.string(), seen).parse(value);
  // What a record answers lacks a member called __proto__, and a log may be called so.
  return new Map(Object.entries(value as object).map(([origin, one]) => [origin, seen.parse(one)]));
}

/** Answers false when another process was faster. */
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
  // The number was free because this process slept while it was taken and left behind.
  if (numbers.at(-1) !== number) {
    await rm(fileOf(dir, number), { force: true });
    return false;
  }
  await syncFolder(dir);
  for (const earlier of numbers.slice(0, -1)) await rm(fileOf(dir, earlier), { force: true });
  return true;
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
