/**
 * Takes the lock of a file so many times and leaves it behind each time as one that was killed does. Its event loop stands still for most
 * of the time, as that of a process that starts on a busy machine. Ends with 1 where somebody else was in at the same time.
 */
import { open, rm, writeFile } from "node:fs/promises";
import { lockFolder } from "../src/adapters/folder-lock.ts";

const [path, rounds] = process.argv.slice(2) as [string, string];
const BUSY_MS = 30;

const busy = setInterval(() => {
  for (const end = performance.now() + BUSY_MS * Math.random(); performance.now() < end; );
}, 1);
for (let n = 0; n < Number(rounds); n++) {
  await lockFolder(path);
  await (await open(`${path}.inside`, "wx")).close();
  await rm(`${path}.inside`);
  // No process has such a number.
  await writeFile(path, `4194999-${process.pid}-${n}`);
}
clearInterval(busy);
