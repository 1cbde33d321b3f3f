/** The sandbox, and Latvia at CN8 split from it, as customs questions find them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { limits } from "../datasets/workshop.ts";
import { latviaIn } from "../support/sandbox.ts";

export async function openLatvia() {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const { sandbox: basis, latvia } = await latviaIn(dir);
  const vintages = openVintages({ ...limits, dataDir: dir });
  // Opened in this order, so that the result does not depend on being first.
  await vintages.serve(latvia);
  await vintages.serve(basis);
  const trade: TradeData = { vintages, allow_synthetic: true };
  const close = async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
  return { dir, basis, trade, close };
}
