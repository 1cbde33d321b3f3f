import type { AppParts } from "../core/app.ts";
import { ownAddress } from "./address.ts";
import { anchoringOf, type Config, custodyOf } from "./config.ts";

type Money = Pick<AppParts, "embedded_chain">;

/** Synthetic data needs a setting, or the chain whose money is worthless. */
export const allowsSynthetic = (config: Config, { embedded_chain }: Money): boolean =>
  config.ALLOW_SYNTHETIC || embedded_chain;

export const appSettings = (config: Config, money: Money): AppParts["settings"] => ({
  public_url: ownAddress(config),
  erc8004_agent: config.REGISTRY_AGENT_ID,
  allow_synthetic: allowsSynthetic(config, money),
  started_at: new Date(),
  read_wait_ms: config.READ_WAIT_MS,
  custody: custodyOf(config, money.embedded_chain),
  seeds: { max_rolls: config.SEED_ROLLS, seconds: config.SEED_SECONDS },
  trust_seconds: config.TRUST_SECONDS,
  anchoring: config.ANCHORING ? anchoringOf(config) : undefined,
});
