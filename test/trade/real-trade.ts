/** The real Eurostat files, imported into a dataset, and independent figures of them. */
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { importFiles, limits } from "../datasets/workshop.ts";
import { madeOnce } from "../support/made-once.ts";
import { independentFigures } from "./independent-figures.ts";

/** The folder of real files. */
export const shared = resolve(
  process.env.SHARED_DATA ?? new URL("../../../shared/data", import.meta.url).pathname,
);
export const filesIn = (folder: string) =>
  readdirSync(join(shared, folder)).map((name) => join(shared, folder, name));
const codeOf = (path: string) => /CN_(\d{8})/.exec(path)![1]!;

/** Whether this machine has the files; logs a missing folder. */
export const here = existsSync(join(shared, "comext-bilateral"));
if (!here) console.warn(`no real data in ${shared} (set SHARED_DATA): its tests are left out`);

/** Imports the files with two commands: the second, of WORLD rows, builds upon the first. */
export const realTradeIn = (dataDir: string) =>
  madeOnce("real-trade", dataDir, async (dir) => {
    const bilateral = await importFiles(dir, filesIn("comext-bilateral"));
    const replaces = bilateral.manifest.vintage;
    const world = await importFiles(dir, filesIn("comext-world"), { replaces });
    return {
      bilateral: replaces,
      world: world.manifest.vintage,
      rows_read: [bilateral.report.rows_read, world.report.rows_read],
    };
  });

export async function openRealTrade() {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const made = await realTradeIn(dir);
  const vintages = await openVintages({ ...limits, dataDir: dir });
  await vintages.serve(made.world);
  const trade: TradeData = { vintages, allow_synthetic: true };
  const world = new Set(filesIn("comext-world").map(codeOf));
  const inBoth = filesIn("comext-bilateral")
    .map(codeOf)
    .filter((code) => world.has(code));
  const figures = await independentFigures(join(shared, "comext_cn8_2023_2025.parquet"), inBoth);
  const close = async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
  return { trade, figures, rows_read: made.rows_read, close };
}
