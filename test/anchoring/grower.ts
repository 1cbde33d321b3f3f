/** Grows the tree of a log tile by tile, for a test to kill: node --import tsx grower.ts <database url> <log id> */
import { openPool } from "../../eventstore/pool.ts";
import { openTree } from "../../src/anchoring/tile-store.ts";

const [url, log_id] = process.argv.slice(2) as [string, string];
const pool = openPool(url, { max: 1 });
const leaves = await openTree(pool, Number(log_id)).grow({ tiles_at_once: 1 });
process.stdout.write(`${leaves}\n`);
await pool.end();
