/** A lock file has one owner at a time, even if earlier ones died with it and many processes come at once. */
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clearAbandoned, lockFolder } from "../src/adapters/folder-lock.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-lock-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A dead process's file: no process has such a pid. */
const dead = (n: number) => `4194999-${n}`;

test("of many processes that find a dead process's lock, one has it at a time, and no other file is left", async () => {
  const path = join(folder, "dead");
  let [inside, most, rounds] = [0, 0, 0];
  const enter = async () => {
    for (let n = 0; n < 10; n++) {
      await lockFolder(path);
      most = Math.max(most, ++inside);
      await pause(1);
      inside--;
      await writeFile(path, dead(++rounds));
    }
  };
  await Promise.all(Array.from({ length: 6 }, enter));
  expect({ most, rounds }).toEqual({ most: 1, rounds: 60 });
  const release = await lockFolder(path);
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test("a slow process does not remove the lock of one that took over meanwhile", async () => {
  const path = join(folder, "slow to see");
  await writeFile(path, dead(0));
  const release = await lockFolder(path);
  await clearAbandoned(path, dead(0));
  expect(await readdir(folder)).toEqual(["slow to see"]);
  await release();
  // Nor if its next owner has died as well.
  await writeFile(path, dead(1));
  await clearAbandoned(path, dead(0));
  expect(await readdir(folder)).toEqual(["slow to see"]);
  await clearAbandoned(path, dead(1));
  expect(await readdir(folder)).toEqual([]);
});

test("a process waits for a lock in use, and a slow process removes nobody else's", async () => {
  const path = join(folder, "slow");
  const slow = await lockFolder(path);
  let isNext = false;
  const next = lockFolder(path).then((release) => {
    isNext = true;
    return release;
  });
  await pause(300);
  expect(isNext).toBe(false);
  // Four minutes have passed.
  const then = new Date(Date.now() - 240_000);
  await utimes(path, then, then);
  const release = await next;
  await slow();
  expect(await readdir(folder)).toEqual(["slow"]);
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test("a file with our pid that this process did not create is abandoned, as is one without a name", async () => {
  for (const left of [String(process.pid), `${process.pid}-0123456789abcdef`, ""]) {
    const path = join(folder, "left");
    await writeFile(path, left);
    const release = await lockFolder(path);
    await release();
  }
  expect(await readdir(folder)).toEqual([]);
});
