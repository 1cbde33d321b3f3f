/** A link to the snapshot of the vintage that is open, as the input of the operation that it leads to. */
import { linkTo } from "../../src/api/operations/replay/snapshots.ts";
import type { App } from "../../src/core/app.ts";

export function linkExample(app: App): { vintage: string; expires: number; signature: string } {
  const { vintage } = app.data.vintages.open()[0]!;
  const { searchParams } = new URL(linkTo(app, vintage).url);
  return { vintage, expires: Number(searchParams.get("expires")), signature: searchParams.get("signature")! };
}
