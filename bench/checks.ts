/**
 * Claim: checks are created over HTTP at least half as fast as the log appends single events, with equally many
 * callers. Two limits of the path follow: a bare Express route that reads the same body and sends an answer of the
 * same bytes, and one that also appends an event.
 *
 *     npx tsx bench/checks.ts [--seconds 5] [--rounds 3] [--connections 64]
 *
 * Figures are medians over alternating rounds. A call is complete: its key, its input, the guard that the chain is
 * followed, and the projection.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startAppendingExpress, startBareExpress } from "./bare-express.ts";
import { appendRate, orderKey, posts, takeTurns, tellRates, withDatabase, withService } from "./load.ts";
import { startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
  },
});
const load = { connections: Number(values.connections), seconds: Number(values.seconds) };

const BODY = JSON.stringify({
  from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  amount: "12.50",
});

await withDatabase(async (env) => {
  const headers = await withService(env, (app) => orderKey(app, "acme"));
  const service = await startServiceProcess(env);
  const url = `${service.url}/v1/agent/checks/create`;
  const first = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: BODY };
  // Checks can be created once the service has seen the chain.
  while (!(await fetch(url, first)).ok) await pause(200);
  const check = await fetch(url, first).then((answer) => answer.text());
  const bare = await startBareExpress(check);
  const appending = await startAppendingExpress(env, check);
  const post = () => ({ headers, body: BODY });
  const APPENDS = "the log: appends of one event";
  const APPENDING = "a bare Express route that appends";
  const rates = await takeTurns(
    [
      [APPENDS, () => appendRate(env, load)],
      ["a bare Express route", () => posts(bare.url, post, load)],
      [APPENDING, () => posts(appending.url, post, load)],
      ["checks created over HTTP", () => posts(url, post, load)],
    ],
    Number(values.rounds),
  );
  tellRates(rates, { "÷ appends": APPENDS, "÷ route that appends": APPENDING });
  bare.stop();
  appending.stop();
  await service.stop();
});
