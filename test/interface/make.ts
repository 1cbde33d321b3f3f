/** Writes the interface of a checkout as a fixture: npx tsx test/interface/make.ts <checkout> <file.json.gz> */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [checkout = ".", file = ""] = process.argv.slice(2);
// An older release has its own sources, and may lack this folder.
const folder = join(resolve(checkout), "test/interface");
await mkdir(folder, { recursive: true });
for (const name of ["surface.ts", "today.ts"])
  if (folder !== import.meta.dirname) await cp(join(import.meta.dirname, name), join(folder, name));
const { interfaceOfToday } = (await import(pathToFileURL(join(folder, "today.ts")).href)) as {
  interfaceOfToday(): object;
};
await writeFile(file, gzipSync(JSON.stringify(interfaceOfToday()), { level: 9 }));
