/**
 * Claims: rolls over HTTP, single and batched, next to a bare HMAC loop and the log's own appends in the same run;
 * a million rolls of each game are even by chi-square and without memory by a serial test.
 *
 *     npx tsx bench/rolls.ts [--seconds 5] [--rounds 3] [--connections 64] [--fair 1000000]
 *
 * Figures are medians over the rounds. `--fair 0` omits the statistics.
 */
import { createHmac, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { ByteStream } from "../src/domain/games/bytes.ts";
import { type DrawnName, firstDrawn, play, readParams } from "../src/domain/games/drawn.ts";
import { CELLS, cellOf, chiSquare, shareOf } from "../src/domain/rng/statistics.ts";
import {
  appendRate,
  orderKey,
  posts,
  startDrawingService,
  takeTurns,
  withDatabase,
  withService,
} from "./load.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    fair: { type: "string", default: "1000000" },
  },
});
const seconds = Number(values.seconds);

/** The rate of `work` in sequence. */
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

async function speed(): Promise<void> {
  const load = { seconds, connections: Number(values.connections) };
  await withDatabase(async (env) => {
    const headers = await withService(env, (app) => orderKey(app, "acme"));
    const service = await startDrawingService(env, headers);
    const url = `${service.url}/v1/agent/rng/roll`;
    let at = 0;
    const next = () => ({ headers, body: JSON.stringify({ client_seed: `${at++}` }) });
    const [HMAC, APPENDS] = ["bare HMAC loop", "the log: appends of one event"];
    const rates = await takeTurns(
      [
        [HMAC, async () => rateOf(bareHmac)],
        ["a die drawn, nothing recorded", async () => rateOf(drawOnly)],
        ["rolls over HTTP, one a request", () => posts(url, next, load)],
        [
          `rolls over HTTP, ${BATCH} a request`,
          async () => BATCH * (await posts(`${url}/batch`, () => ({ headers, body: batch }), load)),
        ],
        // Last, because read models lag after it and would slow the rolls.
        [APPENDS, () => appendRate(env, load)],
      ],
      Number(values.rounds),
    );
    console.table(
      [...rates].map(([what, rate]) => ({
        what,
        "a second": Math.round(rate),
        "÷ bare HMAC": (rate / rates.get(HMAC)!).toFixed(4),
        "÷ appends": (rate / rates.get(APPENDS)!).toFixed(2),
      })),
    );
    await service.stop();
  });
}

const FAIR: [DrawnName, object][] = [
  ["dice", { sides: 6 }],
  ["dice", { sides: 1_000 }],
  ["coin", {}],
  ["range", { min: -3, max: 996 }],
  ["float", {}],
  ["shuffle", { items: ["a", "b", "c", "d", "e", "f", "g"] }],
  ["pick", { items: ["a", "b", "c"] }],
  ["keno", { numbers: [1] }],
  ["roulette", { bet_type: "red" }],
  ["lounge-dice", { direction: "under", target: 50 }],
];

/**
 * Chi-square of the first numbers drawn, and of pairs of cells, each roll in one of them (the serial test of Knuth,
 * TAOCP 2, 3.3.2 B).
 */
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
