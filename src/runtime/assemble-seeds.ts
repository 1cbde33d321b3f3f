import { join } from "node:path";
import type pg from "pg";
import type { EventStore } from "../../eventstore/store.ts";
import { createSeedUses } from "../adapters/seed-uses.ts";
import { openSeedVault } from "../adapters/seed-vault.ts";
import { storedSecret } from "../adapters/stored-secret.ts";
import type { SeedUses, SeedVault } from "../core/model/ports/seeds.ts";
import type { Config } from "./config.ts";

type SeedParts = { pool: pg.Pool; store: EventStore; onError: (error: Error) => void };

export async function openSeeds(
  config: Config,
  { pool, store, onError }: SeedParts,
): Promise<{ seeds: SeedVault; seed_uses: SeedUses }> {
  const secret = config.SEED_SECRET ?? (await storedSecret(join(config.DATA_DIR, "seeds.secret")));
  const { origin } = await store.identity();
  return { seeds: openSeedVault(secret, origin), seed_uses: createSeedUses(pool, onError) };
}
