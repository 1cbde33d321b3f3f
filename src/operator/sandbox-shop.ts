/** The sandbox's shop: four synthetic products with prices and stock, for purchases with worthless money. */
import { type App, operatorMeta } from "../core/app.ts";
import type { InUnit } from "../core/commands/unit.ts";
import type { ProductFacts, UnitName } from "../domain/commerce/product.ts";
import * as product from "../domain/commerce/product.ts";
import * as stock from "../domain/commerce/stock.ts";
import { type ShopSpace, shopTenant } from "./shop.ts";

type SandboxProduct = Omit<ProductFacts, "product_id" | "cn_code" | "vat_bp" | "listed_at"> & {
  /** Euro cents without tax, by unit. */
  net_cents: Partial<Record<UnitName, number>>;
  /** Base units by location. */
  stock: Record<string, number>;
};

const fuel = {
  base_unit: "bag" as const,
  units: [
    { unit: "bag" as const, base: 1 },
    { unit: "pallet" as const, base: 65 },
  ],
  kg_per_base: 15,
};
const wood = {
  base_unit: "pallet" as const,
  units: [{ unit: "pallet" as const, base: 1 }],
  kwh_per_kg: null,
};

const INVENTED: readonly SandboxProduct[] = [
  {
    ...fuel,
    slug: "granulas-premium",
    type: "granulas",
    name: "Premium wood pellets, 6 mm (sandbox)",
    kwh_per_kg: 4.8,
    net_cents: { bag: 495, pallet: 29_900 },
    stock: { riga: 2_600, liepaja: 1_300 },
  },
  {
    ...fuel,
    slug: "briketes-ozols",
    type: "briketes",
    name: "Oak briquettes (sandbox)",
    kwh_per_kg: 4.6,
    net_cents: { bag: 425, pallet: 25_900 },
    stock: { riga: 1_950 },
  },
  {
    ...wood,
    slug: "saplaksnis-berzs",
    type: "saplaksnis",
    name: "Birch plywood 18 mm, pallet (sandbox)",
    kg_per_base: 1_100,
    net_cents: { pallet: 118_000 },
    stock: { liepaja: 40 },
  },
  {
    ...wood,
    slug: "finieris-ozols",
    type: "finieris",
    name: "Oak veneer 0.6 mm, pallet (sandbox)",
    kg_per_base: 650,
    net_cents: { pallet: 210_000 },
    stock: { liepaja: 12 },
  },
];

/** 21 %, the standard rate of Latvia. */
const VAT_BP = 2_100;

/**
 * Opens missing shops: always for test keys, and also the live one where money is worthless. Each shop is one
 * commit, so an interrupted start leaves it complete or absent.
 */
export async function openSandboxShop(app: App): Promise<void> {
  const spaces: readonly ShopSpace[] = app.embedded_chain ? ["live", "test"] : ["test"];
  for (const space of spaces) {
    const tenant = shopTenant(space);
    if (await app.load(product, { tenant, id: "1" })) continue;
    const at = app.clock.now().toISOString();
    await app.commit((unit) => open(unit, tenant, at), { meta: operatorMeta("shop.sandbox") });
  }
}

async function open({ decide }: Pick<InUnit, "decide">, tenant: string, at: string): Promise<void> {
  for (const [index, { net_cents, stock: lying, ...about }] of INVENTED.entries()) {
    const product_id = index + 1;
    const target = { tenant, id: String(product_id) };
    const cn_code = product.CN_CODES[about.type];
    const facts = { ...about, product_id, cn_code, vat_bp: VAT_BP, listed_at: at };
    // A concurrently starting process may have been faster.
    const { events } = await decide(product, target, (state) => (state ? [] : product.list(facts)(state)));
    if (events.length === 0) return;
    for (const { unit } of about.units)
      await decide(
        product,
        target,
        product.price({ unit, net_cents: net_cents[unit]!, from: at, set_at: at }),
      );
    for (const [location, quantity] of Object.entries(lying))
      await decide(
        stock,
        target,
        stock.receive({ location, quantity, reference: "sandbox", received_at: at }),
      );
  }
}
