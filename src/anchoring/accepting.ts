/** A log that contradicts what was signed or anchored of it takes nothing more: whatever came next would be disputed too. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { refuse } from "../domain/refusal.ts";
import { anchorStatus } from "./status.ts";
import { openTree } from "./tile-store.ts";

/** What was found is believed for so long: a few queries every two seconds, however many calls there are. */
const BELIEVED_MS = 2_000;

type Look = { at: number; found: Promise<string | null> };

const looks = new WeakMap<App["pool"], Look>();

/** Why the log is not the one that was signed or anchored, as a sentence; null where nothing shows that. At most two seconds old. */
export function contradictionNow(app: App): Promise<string | null> {
  const now = performance.now();
  const last = looks.get(app.pool);
  if (last && now - last.at < BELIEVED_MS) return last.found;
  const look = { at: now, found: found(app) };
  looks.set(app.pool, look);
  // A database that is away says nothing; who asks next looks again.
  look.found.catch(() => looks.delete(app.pool));
  return look.found;
}

async function found(app: App): Promise<string | null> {
  if ((await anchorStatus(app)).contradiction === null) return null;
  // A tree that lacks rows is made anew of the events; a log that was cut or rewritten stays so.
  await openTree(app.pool, MAIN_LOG)
    .grow()
    .catch(() => undefined);
  return (await anchorStatus(app)).contradiction;
}

/** Call before anything is appended or sold. Refuses while the log contradicts what was signed or anchored of it. */
export async function checkAccepting(app: App): Promise<void> {
  // What cannot be looked at shows nothing: signing tells of it, and a database that is away refuses the append by itself.
  const reason = await contradictionNow(app).catch(() => null);
  if (reason !== null)
    refuse(
      logProblems["log-contradicted"],
      `${reason}; nothing is recorded or sold until its operator has restored it, and reading goes on`,
    );
}
