/** Imports the shop's sales from before its orders were in the log. */
import type { App } from "../core/app.ts";
import { readReference } from "../datasets/reference/files.ts";
import { type ShopSale, shopSales } from "../datasets/reference/shop-sales.ts";
import { catalogueProjection, listProducts } from "../projections/commerce/catalogue.ts";
import { importReference, type ReferenceRelease } from "./reference.ts";
import { shopTenant } from "./shop.ts";

/** `unlisted`: products in the file that the shop does not sell yet; their rows are used once it does. */
export type SalesImport = ReferenceRelease & { unlisted: string[] };

/** Imports the sales as the table's next vintage; the file is the whole table. */
export async function importSales(app: App, dataDir: string, path: string): Promise<SalesImport> {
  const released = await importReference(app, dataDir, [path], { only: shopSales });
  const { rows } = await readReference<ShopSale>(dataDir, released.facts.vintage);
  await app.caughtUp(catalogueProjection);
  const listed = await listProducts(app.pool, { tenant: shopTenant("live") });
  const slugs = new Set(listed.map(({ facts }) => facts.slug));
  const named = new Set(rows.map(({ product_slug }) => product_slug));
  return { ...released, unlisted: [...named].filter((slug) => !slugs.has(slug)) };
}
