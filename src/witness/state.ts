/**
 * What a witness has cosigned last of each log: the one thing that it must never forget. It stands in a file of JSON that is
 * replaced whole, and is on the disk before anybody is answered.
 */
import { existsSync } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { lockFolder } from "../adapters/folder-lock.ts";

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
  /** Has nobody else read or write meanwhile, in whatever process; what `work` changes is durable when this resolves. */
  update<T>(work: (memory: Memory) => { isChanged: boolean; answer: T }): Promise<T>;
};

export const stateFile = (dir: string) => join(dir, "state.json");

/** Starts the memory of a new witness, which has seen nothing. */
export async function startState(dir: string): Promise<void> {
  if (!existsSync(stateFile(dir))) await replace(stateFile(dir), "{}\n");
}

/** Rejects when the file cannot be read. */
export async function openState(dir: string): Promise<WitnessState> {
  const path = stateFile(dir);
  const read = async (): Promise<Memory> => {
    try {
      const logs = z.record(z.string(), seen).parse(JSON.parse(await readFile(path, "utf8")));
      return new Map(Object.entries(logs));
    } catch (error) {
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
    }
  };
  const write = (memory: Memory) => replace(path, `${JSON.stringify(Object.fromEntries(memory), null, 2)}\n`);
  await read();

  let last: Promise<unknown> = Promise.resolve();
  return {
    read,
    update: (work) => {
      const turn = last.then(async () => {
        const unlock = await lockFolder(join(dir, "state.lock"));
        try {
          const memory = await read();
          const { isChanged, answer } = work(memory);
          if (isChanged) await write(memory);
          return answer;
        } finally {
          await unlock();
        }
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** Whoever reads finds the old text or the new one, also after a power cut. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
