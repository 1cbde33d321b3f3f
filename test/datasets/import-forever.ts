/** Imports a file and stops just before publishing, for a test to kill: node --import tsx import-forever.ts <data dir> <vintage> <file> */
import { takeBuildSpace } from "../../src/datasets/build-space.ts";
import { buildImport } from "../../src/datasets/import.ts";

const [dataDir, vintage, file] = process.argv.slice(2) as [string, string, string];
const space = await takeBuildSpace(dataDir);
await buildImport(space, {
  files: [file],
  reporters: ["DE"],
  limits: { threads: 1, memory_mb: 256 },
  currentVintage: async () => vintage,
});
process.stdout.write("built\n");
setInterval(() => {}, 1_000);
