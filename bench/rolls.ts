/**
 * Claims: rolls over HTTP, one at a time and in batches, beside a bare HMAC loop and the log's own appends in the same run; and
 * a million rolls of each game are even by chi-square and have no memory by a serial test.
 *
 *     npx tsx bench/rolls.ts [--seconds 5] [--rounds 3] [--connections 64] [--fair 1000000]
 *
 * Figures are medians over the rounds. `--fair 0` leaves the statistics out.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { withHouse } from "../src/compose.ts";
import { readConfig } from "../src/config.ts";
import { ByteStream } from "../src/domain/rng/bytes.ts";
import { firstDrawn, type GameName, play, readParams } from "../src/domain/rng/games.ts";
import { CELLS, cellOf, chiSquare, shareOf } from "../src/domain/rng/statistics.ts";
import { issueKey } from "../src/operator/keys.ts";
import { median, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    fair: { type: "string", default: "1000000" },
  },
});
const seconds = Number(values.seconds);

/** How often a second `work` is done, one after the other. */
function rateOf(work: (n: number) => void): number {
  const end = performance.now() + 1_000;
  let done = 0;
  while (performance.now() < end) for (let n = 0; n < 100; n++) work(done++);
  return done;
}

const seed = randomBytes(32);
const bareHmac = (n: number) => void createHmac("sha256", seed).update(`v1:acme:dice:bench:${n}:0`).digest();
const drawOnly = (n: number) =>
  void play(
    "dice",
    { sides: 6, count: 1 },
    new ByteStream(seed, { tenant: "acme", game: "dice", client_seed: "bench", nonce: n }),
  );

const BATCH = 100;
const batch = JSON.stringify({ rolls: Array.from({ length: BATCH }, (_, n) => ({ client_seed: `${n}` })) });

/** Requests a second that were answered 200. */
async function requests(url: string, headers: Record<string, string>, bodyOf: () => string): Promise<number> {
  const answer = await new Promise<autocannon.Result>((done, fail) =>
    autocannon(
      {
        url,
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        connections: Number(values.connections),
        duration: seconds,
        requests: [{ setupRequest: (request) => ({ ...request, body: bodyOf() }) }],
      },
      (error, result) => (error ? fail(error) : done(result)),
    ),
  );
  if (answer.non2xx + answer.errors > 0) throw new Error(`${answer.non2xx + answer.errors} refusals`);
  return answer["2xx"] / answer.duration;
}

/** Appends a second of one event each, as many at once as there are connections. */
async function appendRate(env: Record<string, string>): Promise<number> {
  return withHouse(readConfig(env), pino({ level: "silent" }), async ({ app }) => {
    const end = performance.now() + seconds * 1_000;
    let done = 0;
    const worker = async () => {
      while (performance.now() < end) {
        const payload = { seed_hash: randomBytes(32).toString("hex"), asked_at: new Date().toISOString() };
        await app.store.append({
          appends: [
            {
              tenant: "acme",
              stream_id: randomUUID(),
              expected_version: 0,
              events: [{ type: "SeedCommitmentAsked", payload }],
            },
          ],
        });
        done++;
      }
    };
    await Promise.all(Array.from({ length: Number(values.connections) }, worker));
    return done / seconds;
  });
}

async function speed(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  const env = {
    DATABASE_URL: server.ownerUrl,
    DATA_DIR: join(dir, "data"),
    LOG_LEVEL: "error",
    SEED_ROLLS: "1000000000",
  };
  try {
    const { secret } = await withHouse(readConfig(env), pino({ level: "silent" }), ({ app }) =>
      issueKey(app, {
        tenant: "acme",
        space: "live",
        scopes: ["read", "order"],
        daily: null,
        monthly: null,
        label: null,
      }),
    );
    const service = await startServiceProcess(env);
    const headers = { Authorization: `Bearer ${secret}` };
    const ready = () =>
      fetch(`${service.url}/v1/agent/rng/seed`, { headers }).then(({ status }) => status === 200);
    while (!(await ready())) await pause(200);
    let at = 0;
    const contenders: [string, () => Promise<number>][] = [
      ["bare HMAC loop", async () => rateOf(bareHmac)],
      ["a die drawn, nothing recorded", async () => rateOf(drawOnly)],
      ["the log: appends of one event", () => appendRate(env)],
      [
        "rolls over HTTP, one a request",
        () =>
          requests(`${service.url}/v1/agent/rng/roll`, headers, () =>
            JSON.stringify({ client_seed: `${at++}` }),
          ),
      ],
      [
        `rolls over HTTP, ${BATCH} a request`,
        async () => BATCH * (await requests(`${service.url}/v1/agent/rng/roll/batch`, headers, () => batch)),
      ],
    ];
    const rates = new Map<string, number[]>();
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [name, measure] of contenders)
        rates.set(name, [...(rates.get(name) ?? []), await measure()]);
    const middle = (name: string) => median(rates.get(name)!);
    console.table(
      contenders.map(([name]) => ({
        what: name,
        "a second": Math.round(middle(name)),
        "÷ bare HMAC": (middle(name) / middle("bare HMAC loop")).toFixed(4),
        "÷ appends": (middle(name) / middle("the log: appends of one event")).toFixed(2),
      })),
    );
    await service.stop();
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

const FAIR: [GameName, object][] = [
  ["dice", { sides: 6 }],
  ["dice", { sides: 1_000 }],
  ["coin", {}],
  ["range", { min: -3, max: 996 }],
  ["float", {}],
  ["shuffle", { items: ["a", "b", "c", "d", "e", "f", "g"] }],
  ["pick", { items: ["a", "b", "c"] }],
];

/** Chi-square of the first numbers drawn, and of pairs of cells, each roll in one of them (the serial test of Knuth, TAOCP 2, 3.3.2 B). */
function fairness(count: number): void {
  const rows = FAIR.map(([game, given]) => {
    const params = readParams(game, given);
    const cells = Array.from({ length: CELLS }, () => ({ observed: 0, expected: 0 }));
    const pairs = Array.from({ length: CELLS * CELLS }, () => ({ observed: 0, expected: 0 }));
    let before = 0;
    let of = 1;
    for (let nonce = 0; nonce < count; nonce++) {
      const bytes = new ByteStream(seed, { tenant: "acme", game, client_seed: "bench", nonce });
      const drawn = firstDrawn(game, params, play(game, params, bytes));
      of = drawn.of;
      const cell = cellOf(drawn.value, of);
      cells[cell]!.observed++;
      if (nonce % 2 === 1) pairs[before * CELLS + cell]!.observed++;
      before = cell;
    }
    for (let one = 0; one < CELLS; one++) {
      cells[one]!.expected = count * shareOf(one, of);
      for (let two = 0; two < CELLS; two++)
        pairs[one * CELLS + two]!.expected = Math.floor(count / 2) * shareOf(one, of) * shareOf(two, of);
    }
    const [even, serial] = [chiSquare(cells)!, chiSquare(pairs)!];
    return {
      game: `${game} ${JSON.stringify(given)}`,
      rolls: count,
      "X²": even.statistic.toFixed(1),
      df: even.df,
      p: even.p.toFixed(3),
      "serial X²": serial.statistic.toFixed(1),
      "serial df": serial.df,
      "serial p": serial.p.toFixed(3),
    };
  });
  console.table(rows);
}

await speed();
if (Number(values.fair) > 0) fairness(Number(values.fair));
