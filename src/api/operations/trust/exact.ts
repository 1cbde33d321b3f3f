import type { App } from "../../../core/app.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { trustProblems } from "../../../domain/trust/problems.ts";
import { dateOf, dayOfTime } from "../../../projections/trust/days.ts";
import {
  dayAt,
  EXACT_A_DAY,
  type ExactScore,
  exactScore,
  movedBy,
} from "../../../projections/trust/exact.ts";
import { trustProjection } from "../../../projections/trust/trust.ts";
import type { Caller } from "../../declare/caller.ts";

const DAY_S = 86_400;
/** After this time, another exact computation has usually ended. */
const SOON_S = 2;

type ExactInput = { sx: number; position: number | undefined; day: string | undefined };

/**
 * Computes an exact score. Refuses a caller without a key, a day before that of the position, and a second
 * computation at the same time.
 */
export async function exactAnswer(
  app: App,
  caller: Caller,
  { sx, ...input }: ExactInput,
): Promise<ExactScore & { position: number; day: number }> {
  if (caller.kind !== "key" && caller.kind !== "subject")
    return refuse(
      "unauthorized",
      "exact=true runs a computation for you: send an API key, or an agent's own key",
    );
  const position = input.position ?? (await app.store.head()).position;
  const own_day = await dayAt(app.pool, position);
  if (own_day === undefined)
    return refuse("not_found", `the log has no event at position ${position}; omit it for the newest`);
  if (!(await app.caughtUp(trustProjection, { position })))
    return refuse("unavailable", "the trust scores lag behind the log; retry shortly", {
      retry_after_s: SOON_S,
    });
  const today = dayOfTime(app.clock.now());
  const day = input.day === undefined ? own_day : Math.floor(Date.parse(input.day) / (DAY_S * 1_000));
  if (day < own_day || day > Math.max(own_day, today))
    refuseField("day", `is a day from ${dateOf(own_day)}, the day of the position, to ${dateOf(today)}`);
  const { key_id } = caller;
  const moved = await movedBy(app.pool, position);
  const found = await exactScore(app.pool, { sx, position: moved, day, key_id, today });
  if (found === "computing")
    return refuse(trustProblems["trust-computing"], "another exact computation is running; retry later", {
      retry_after_s: SOON_S,
    });
  if (found === "spent")
    return refuse(
      coreProblems["rate-limited"],
      `a key has ${EXACT_A_DAY} exact computations a UTC day; earlier results stay available`,
      { retry_after_s: Math.ceil(DAY_S - ((app.clock.now().getTime() / 1_000) % DAY_S)) },
    );
  return { ...found, position, day };
}
