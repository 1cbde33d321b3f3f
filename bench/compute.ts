/**
 * Tasks per second pulled, and pulled, answered and settled, in process: a call's work and commit without HTTP. For
 * comparison: bare appends of one event on the same Postgres, and two queues that fetch one job at a time:
 *
 *   pg-boss           fetch, and fetch with complete; it completes any active job with the id
 *   graphile-worker   fetch with complete; it deletes by id
 *
 * Neither fences: a worker that has lost its job ends another's. Neither moves money.
 *
 *     npx tsx bench/compute.ts [--tasks 4000] [--workers 64] [--rounds 3]
 *
 * The contenders alternate; figures are medians over the rounds.
 */
import { parseArgs } from "node:util";
import { bareAppends, type Contender, graphileWorker, openMarket, openPgBoss } from "./compute-contenders.ts";
import { takeTurns, tellRates, withDatabase, withService } from "./load.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "4000" },
    workers: { type: "string", default: "64" },
    rounds: { type: "string", default: "3" },
  },
});
const TASKS = Number(values.tasks);
const WORKERS = Number(values.workers);

const rate = (contender: Contender) => async () => TASKS / (await contender.seconds(TASKS, WORKERS));

await withDatabase((env) =>
  withService(env, async (app) => {
    const market = await openMarket(app, WORKERS);
    const boss = await openPgBoss(env.DATABASE_URL!, WORKERS);
    const rates = await takeTurns(
      [
        ["bare append", rate(bareAppends(app))],
        ["pull", rate(market.pulls)],
        ["pg-boss: fetch", rate(boss.pulls)],
        ["pull, result and settle", rate(market.works)],
        ["pg-boss: fetch and complete", rate(boss.works)],
        ["graphile-worker: fetch and complete", rate(graphileWorker(env.DATABASE_URL!))],
      ],
      Number(values.rounds),
    );
    await boss.close();
    tellRates(rates, { "÷ appends": "bare append" });
  }),
);
