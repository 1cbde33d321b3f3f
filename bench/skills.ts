/**
 * A skill's run over HTTP compared with its steps, each called separately over HTTP with the same input, of a
 * second process of the service, without cached answers; both are idle after their start, and warm from other
 * questions of the kind. Also the catalogue of skills, alternating with a bare Express route that sends the same
 * bytes.
 *
 *     npx tsx bench/skills.ts [--scale 0.02] [--each 6] [--warm 5] [--seconds 5]
 *
 * Claims: a run takes at most 1.1 times its steps, and the catalogue is answered within 2 ms at p95.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { pathOf } from "../src/api/declare/operation-facts.ts";
import { offered } from "../src/api/operations/skills/callable.ts";
import { askAt } from "../src/cli/report.ts";
import { sizeAt } from "../src/datasets/sandbox.ts";
import type { SkillResult } from "../src/domain/skills/result.ts";
import { issueKey } from "../src/operator/keys.ts";
import { releaseSandboxTables } from "../src/operator/reference.ts";
import { releaseSandbox } from "../src/operator/releases.ts";
import { startBareExpress } from "./bare-express.ts";
import { database, withDatabase, withService } from "./load.ts";
import { paced } from "./paced.ts";
import { median, startServiceProcess, untilAtRest } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    scale: { type: "string", default: "0.02" },
    each: { type: "string", default: "6" },
    warm: { type: "string", default: "5" },
    seconds: { type: "string", default: "5" },
  },
});
const EACH = Number(values.each);

const COUNTRIES = ["Latvia", "Germany", "France", "Italy", "Spain", "Poland", "Sweden", "Estonia"];
const GOODS = ["27", "30", "39", "84", "85", "87"];
const country = (n: number) => COUNTRIES[Math.floor(n / GOODS.length) % COUNTRIES.length]!;
/** 48 markets. */
const good = (n: number) => `HS ${GOODS[n % GOODS.length]!}`;

const TASKS: Record<string, (n: number) => string> = {
  oracle: (n) => `What exports of ${good(n)} are to be expected of ${country(n)}?`,
  spider: (n) => `Gather a profile of ${country(n)} with its partners and goods in 2024`,
  tracker: (n) => `What was unusual of late in imports of ${good(n)}?`,
  diplomat: (n) => `How do trade figures between ${country(n)} and ${country(n + GOODS.length)} differ?`,
  sniper: (n) => `What opportunity is the market of ${good(n)} in ${country(n)}, by growth and price?`,
  strategist: (n) => `How dependent is ${country(n)} on imports of ${good(n)}, and who could replace them?`,
};

/** Both warm up with these, which answer nothing measured. */
const EARLIER: typeof TASKS = {
  oracle: (n) => `What imports of ${good(n)} are to be expected of ${country(n)}?`,
  spider: (n) => `Gather a profile of ${country(n)} with its partners and goods in ${2022 + (n % 2)}`,
  tracker: (n) => `What was unusual of late in exports of ${good(n)} of ${country(n)}?`,
  diplomat: (n) => `${TASKS.diplomat!(n)} In 2023?`,
  sniper: (n) => `${TASKS.sniper!(n)} In 2022-2023?`,
  strategist: (n) => `${TASKS.strategist!(n)} In 2023?`,
};

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, T]> {
  const began = performance.now();
  const made = await work();
  return [performance.now() - began, made];
}

await withDatabase(async (bare) => {
  // Tasks are sealed.
  const env = { ...bare, SUBJECT_KEYS_URL: await database(bare.DATABASE_URL!, "vault") };
  const secret = await withService(env, async (app) => {
    const limits = { threads: 2, memory_mb: 2_048 };
    await releaseSandbox(app, { data_dir: bare.DATA_DIR!, limits, size: sizeAt(Number(values.scale)) });
    await releaseSandboxTables(app, bare.DATA_DIR!);
    const quota = { daily: null, monthly: null, label: null };
    const issued = await issueKey(app, {
      tenant: "acme",
      space: "live",
      scopes: ["read", "skill"],
      ...quota,
    });
    return issued.secret;
  });
  const service = await startServiceProcess(env);
  const other = await startServiceProcess(env);
  const headers = { Authorization: `Bearer ${secret}` };
  const again = askAt(other.url, secret);
  // Data from the log has no vintage to name.
  const logged = offered.operations.filter((one) => one.vintage === undefined);
  const ask = async ({ operation, input, vintage }: SkillResult["steps"][number]): Promise<boolean> => {
    const found = logged.find((one) => one.name === operation);
    if (!found) return "answer" in (await again({ operation, input, vintage }));
    const fields = Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await fetch(`${other.url}${pathOf(found)}?${new URLSearchParams(fields)}`, { headers });
    await answer.json();
    return answer.ok;
  };
  const run = async (agent: string, task: string): Promise<SkillResult> => {
    const answer = await fetch(`${service.url}/v1/agent/skills/run`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ agent, task, format: "json" }),
    });
    const body = (await answer.json()) as { data: { status: string; result: SkillResult }; detail?: string };
    if (body.data?.status !== "finished") throw new Error(`${agent}: ${body.detail ?? body.data?.status}`);
    return body.data.result;
  };
  const isOpen = (url: string) =>
    fetch(`${url}/v1/agent/trade/balance?reporter=LV&hs=84`, { headers }).then(({ ok }) => ok);
  try {
    // A release opens within a moment.
    for (const { url } of [service, other]) while (!(await isOpen(url))) await pause(100);
    // V8 compiles what runs first, in both.
    for (let round = 0; round < Number(values.warm); round++)
      for (const [agent, taskOf] of Object.entries(EARLIER))
        for (const step of (await run(agent, taskOf(round * 7))).steps) await ask(step);
    for (const one of [service, other]) await untilAtRest(one);
    const result: Record<string, object> = {};
    for (const [place, agent] of Object.keys(TASKS).entries()) {
      const ratios: number[] = [];
      const runs: number[] = [];
      for (let n = 0; n < EACH; n++) {
        // No two skills use one market, because answers are cached.
        const [ms, { steps }] = await timed(() => run(agent, TASKS[agent]!(n * 7 + place)));
        let sum = 0;
        for (const step of steps) {
          // A method over earlier answers is no operation, and takes its own time.
          const [alone, isAnswered] = await timed(() => ask(step));
          if (isAnswered) sum += alone;
        }
        ratios.push(ms / sum);
        runs.push(ms);
      }
      result[agent] = { "run, ms": median(runs).toFixed(1), "÷ its steps": median(ratios).toFixed(2) };
    }
    console.table(result);
    const load = { rps: 200, seconds: Number(values.seconds), connections: 16 };
    const catalogue = () => ({ path: "/v1/agent/skills/catalog", headers });
    await paced(service.url, catalogue, { ...load, seconds: 2 });
    const bytes = await fetch(service.url + catalogue().path, { headers }).then((answer) => answer.text());
    const bare = await startBareExpress(bytes);
    await paced(bare.url, catalogue, { ...load, seconds: 2 });
    const rows: Record<string, object> = {};
    for (let round = 1; round <= 2; round++) {
      rows[`the catalogue, ${round}`] = await paced(service.url, catalogue, load);
      rows[`a bare Express route, ${round}`] = await paced(bare.url, catalogue, load);
    }
    bare.stop();
    console.table(rows);
  } finally {
    await other.stop();
    await service.stop();
  }
});
