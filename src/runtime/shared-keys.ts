/**
 * All processes of a log must sign, pay and draw with the same keys. Different keys would undo each other's work, so a process
 * that differs from the live ones is refused.
 */

import type { App } from "../core/app.ts";
import { ConfigError } from "./config.ts";

/** `of`: a public form of the key. `file`: in DATA_DIR, where the setting is empty. */
const KEYS = {
  SIGNING_KEY: { file: "signing.key", of: ({ signer }: App) => signer.kid },
  // The head of a chain that is never published.
  SEED_SECRET: { file: "seeds.secret", of: ({ seeds }: App) => seeds.head("live", 0) },
  GAS_KEY: { file: "gas.key", of: ({ attester }: App) => attester.address.toLowerCase() },
  REFUND_KEY: { file: "pay-to.key", of: ({ refunds }: App) => refunds.address.toLowerCase() },
  PAY_TO: { file: "pay-to.key", of: ({ pay_to }: App) => pay_to.toLowerCase() },
} as const;
type Setting = keyof typeof KEYS;

/** Throws ConfigError where a live process has another key. */
export async function agreeOnKeys(app: App): Promise<void> {
  const own = Object.fromEntries(Object.entries(KEYS).map(([setting, { of }]) => [setting, of(app)]));
  const sql = "select to_jsonb(access.enter_keys($1, $2)) as differing";
  const { rows } = await app.pool.query<{ differing: Setting[] }>(sql, [app.presence.name, own]);
  const { differing } = rows[0]!;
  if (differing.length === 0) return;
  const named = differing.map((setting) => `${setting} (or ${KEYS[setting].file} in DATA_DIR)`);
  throw new ConfigError(
    `${named.join(", ")}: another process on this database has a different value; give all the same, or stop them before you change it`,
  );
}
