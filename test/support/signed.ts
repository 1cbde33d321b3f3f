/** A link to the open vintage's snapshot, as the input of its operation. */
import { linkTo } from "../../src/api/operations/replay/snapshots.ts";
import type { App } from "../../src/core/app.ts";

export function linkExample(app: App): { vintage: string; expires: number; signature: string } {
  const { vintage } = app.data.vintages.open()[0]!;
  const { searchParams } = new URL(linkTo(app, vintage).url);
  return { vintage, expires: Number(searchParams.get("expires")), signature: searchParams.get("signature")! };
}
