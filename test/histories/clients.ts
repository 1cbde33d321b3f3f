/**
 * Clients of one process: each runs transactions over a few lists, by the service's own unit of work, and prints a
 * line for each start and each outcome. They end when their standard input does.
 */

import { AppendUnknown } from "../../eventstore/errors.ts";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import type { Commit } from "../../eventstore/types.ts";
import { absentSubjects } from "../../src/adapters/subject-vault.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { foldAfresh } from "../../src/core/commands/stream-folds.ts";
import { StreamLocks } from "../../src/core/commands/stream-locks.ts";
import { transact } from "../../src/core/commands/transact.ts";
import type { UnitParts } from "../../src/core/commands/unit.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { untied } from "../support/around-commits.ts";
import type { Op, Transaction } from "./list-append.ts";
import * as lists from "./lists.ts";

const {
  url,
  name,
  first,
  clients,
  lists: count,
  leaves_out,
} = JSON.parse(process.argv[2]!) as lists.ListFixture;
/** A longer list is replaced by the next, so that reads stay short. */
const LONG = 40;

const schemas = registry([lists.events]);
const pool = openPool(url);
const store = createEventStore(pool, { schemas });
const parts: UnitParts = {
  store: { ...store, send: (commit) => store.send(without(commit)) },
  schemas,
  cache: new StreamCache(),
  locks: new StreamLocks(pool),
  subjects: absentSubjects(),
  objects: { put: () => Promise.reject(new Error("nothing is stored here")) },
};
const generations = new Array<number>(count).fill(0);
let value = first;
let begun = 0;
let isOver = false;
process.stdin.on("end", () => {
  isOver = true;
});
process.stdin.resume();

/** The checks that bind a commit to its basis can be left out, for the checker to notice. */
function without(commit: Commit): Commit {
  if (leaves_out === "guards") return { ...commit, guards: [] };
  return leaves_out === "ties" ? untied(commit) : commit;
}

/** By a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const tell = (transaction: Transaction) => process.stdout.write(`${JSON.stringify(transaction)}\n`);
const anyPlace = () => Math.floor(Math.random() * count);
const keyAt = (place: number) => `${place}.${generations[place]}`;

await Promise.all(Array.from({ length: clients }, work));
await store.close();
process.exit(0);

async function work(): Promise<void> {
  while (!isOver) {
    const id = `${name}.${++begun}`;
    const places = [...new Set([anyPlace(), anyPlace(), anyPlace()])];
    const keys = places.map(keyAt);
    const transaction = Math.random() < 0.2 ? read(id, keys[0]!) : write(id, keys);
    for (const op of await transaction) if ("read" in op && op.values.length >= LONG) next(op.read);
  }
}

function next(key: string): void {
  const [place, generation] = key.split(".").map(Number) as [number, number];
  generations[place] = Math.max(generations[place]!, generation + 1);
}

async function read(id: string, key: string): Promise<readonly Op[]> {
  const at = now();
  const { state } = await foldAfresh(parts, lists, lists.targetOf(key));
  const ops: Op[] = [{ read: key, values: state }];
  tell({ id, ops, outcome: "ok", begun: at, ended: now() });
  return ops;
}

/** Reads all of the lists, and appends to the first and perhaps to others. */
async function write(id: string, keys: readonly string[]): Promise<readonly Op[]> {
  const appends = keys
    .filter((_, n) => n === 0 || Math.random() < 0.4)
    .map((key) => ({ append: key, value: value++ }));
  const at = now();
  // If the process is killed, this remains known.
  tell({ id, ops: appends, outcome: "unknown", begun: at });
  let ops: Op[] = [];
  try {
    await transact(parts, { meta: { actor: name } }, async ({ decide, watch }) => {
      ops = [];
      for (const key of keys) {
        const own = appends.find(({ append }) => append === key);
        const target = lists.targetOf(key);
        if (!own) ops.push({ read: key, values: await watch(lists, target) });
        else {
          // A unit may run a decision several times: it commits on the last state.
          let decidedOn: readonly number[] = [];
          await decide(lists, target, (state) => {
            decidedOn = state;
            return lists.append(own.value);
          });
          ops.push({ read: key, values: decidedOn }, own);
        }
      }
    });
    tell({ id, ops, outcome: "ok", begun: at, ended: now() });
    return ops;
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof AppendUnknown)) throw error;
    // A refusal appended nothing.
    tell({
      id,
      ops: appends,
      outcome: error instanceof Refusal ? "failed" : "unknown",
      begun: at,
      ended: now(),
    });
    return [];
  }
}
