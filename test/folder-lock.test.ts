/** A lock that is a file: one holder at a time, also where those before it died holding it and many come at once. */
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockFolder } from "../src/adapters/folder-lock.ts";
import { compile, startProgram } from "./support/compiled.ts";

let folder: string;
beforeAll(async () => {
  compile();
  folder = await mkdtemp(join(tmpdir(), "tallystick-lock-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("of many processes that find the lock of one that died, one has it at a time, and no other file is left", async () => {
  const path = join(folder, "dead");
  const processes = Array.from({ length: 4 }, () =>
    startProgram("test/folder-lock-process.ts", [path, "10"], { stdio: "inherit" }),
  );
  const ends = await Promise.all(processes.map((child) => once(child, "exit")));
  expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
  const release = await lockFolder(path);
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test("whoever holds it is waited for, and one that was too slow removes nobody else's", async () => {
  const path = join(folder, "slow");
  const slow = await lockFolder(path);
  let isNext = false;
  const next = lockFolder(path).then((release) => {
    isNext = true;
    return release;
  });
  await pause(300);
  expect(isNext).toBe(false);
  // Four minutes have gone by.
  const then = new Date(Date.now() - 240_000);
  await utimes(path, then, then);
  const release = await next;
  await slow();
  expect(await readdir(folder)).toEqual(["slow"]);
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test("a file of the same pid that this process did not make was left by one before it, as was one without a name", async () => {
  for (const left of [String(process.pid), `${process.pid}-0123456789abcdef`, ""]) {
    const path = join(folder, "left");
    await writeFile(path, left);
    const release = await lockFolder(path);
    await release();
  }
  expect(await readdir(folder)).toEqual([]);
});
