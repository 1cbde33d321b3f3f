import type { App } from "../../core/app.ts";
import { currentReferences } from "../../projections/reference/releases.ts";
import { currentReleases } from "../../projections/trade/releases.ts";

/** The datasets and tables that were released or announced, and that this process has not opened yet. */
export async function missingData(app: App): Promise<string[]> {
  const released = [...(await currentReleases(app.pool)), ...(await currentReferences(app.pool))];
  const open = new Set(
    [...app.data.vintages.open(), ...app.data.reference.open()].map(({ dataset }) => dataset),
  );
  const wanted = new Set([...app.vintage_store.awaited(), ...released].map(({ dataset }) => dataset));
  return [...wanted].filter((dataset) => !open.has(dataset));
}
