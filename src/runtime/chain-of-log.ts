/** Prevents opening a development chain over a log whose payments and anchors are on another chain. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { compareChain } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import * as following from "../domain/checks/following.ts";
import * as confirmation from "../domain/payments/confirmation.ts";
import { BASE } from "../domain/payments/usdc.ts";
import { type Config, ConfigError } from "./config.ts";

/** `join` is called once the chain is open, and refuses another log's. */
export type ChainClaim = { join(app: App): Promise<void> };

const REMEDY =
  "set BASE_RPC_URL to a node of the network that the log was made with; or, where that was a development chain, restore DATA_DIR/chain and DATA_DIR/chain.log";

/**
 * A log with an anchor or a confirmed payment gets no new chain. The first start writes the log's origin to DATA_DIR/chain.log,
 * to distinguish another log's chain from a truncated chain of this log.
 */
export async function claimChain(config: Config, url: string): Promise<ChainClaim> {
  const place = join(config.DATA_DIR, "chain.log");
  const log = await logAt(url);
  const noted = (await readFile(place, "utf8").catch(() => "")).trim();
  const isOther = log?.knows_chain && noted !== log.origin;
  if (isOther && !existsSync(join(config.DATA_DIR, "chain")))
    throw new ConfigError(
      `BASE_RPC_URL is empty, which would open a development chain, but the log ${log.origin} is anchored or paid on another chain: ${REMEDY}`,
    );
  return {
    async join(app) {
      const { origin } = await app.store.identity();
      if (noted === origin) return;
      const compared = isOther && noted !== "" ? await compareChain(app) : undefined;
      if (compared && compared.status !== "same")
        throw new ConfigError(
          `BASE_RPC_URL is empty, and the development chain in DATA_DIR/chain is not the chain of the log ${origin}: ${compared.reason}. Or ${REMEDY}`,
        );
      await writeFile(place, `${origin}\n`);
    },
  };
}

/** Undefined before the log exists. */
async function logAt(url: string): Promise<{ origin: string; knows_chain: boolean } | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ origin: string; knows_chain: boolean }>(KNOWN, [
      anchors.prefix,
      [confirmation.prefix, following.prefix].map((prefix) => `${prefix}${BASE.network}`),
    ]);
    return rows[0];
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_TABLE) return undefined;
    throw error;
  } finally {
    await client.end();
  }
}

const UNDEFINED_TABLE = "42P01";

const KNOWN = `
select origin, exists (select from eventstore.events e where e.log_id = l.log_id and e.tenant = 'operator'
    and e.stream_id = $1 || l.origin and e.type = 'Anchored')
  or exists (select from eventstore.events e where e.log_id = l.log_id and e.tenant = 'operator'
    and e.stream_id = any ($2)) as knows_chain
from eventstore.logs l order by log_id limit 1`;
