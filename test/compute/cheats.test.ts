/** How soon a cheat is found, by the audit probabilities and their draws. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { auditMicro } from "../../src/domain/compute/pricing.ts";
import { ByteStream, below } from "../../src/domain/games/bytes.ts";

/** A task's draw by docs/compute.md. */
function draws(run: number, task: number): number {
  const secret = createHash("sha256").update("a seed that nobody knew").digest();
  const place = { tenant: "soul:7", game: "audit", client_seed: `${run}-${task}`, nonce: 1 };
  return below(new ByteStream(secret, place), 1_000_000);
}

/** Whether the cheat bends this result, from a separate random source. */
const bends = (run: number, task: number, rate: number) =>
  createHash("sha256").update(`cheat ${run} ${task}`).digest().readUInt32BE() / 2 ** 32 < rate;

test.each([
  // Valid audits in a row, price, stake at risk, share of wrong results.
  [10, 1_000, 0, 0.5],
  [20, 1_000, 100_000, 0.5],
  [1_000, 1_000, 9_000, 0.2],
])(
  "a node with a share r of wrong results is found after 1/(p·r) tasks: v %d, price %d, S %d, r %d",
  (v, price, S, r) => {
    const p_micro = auditMicro(v, price, S);
    const q = (p_micro / 1e6) * r;
    const RUNS = 1_000;
    let tasks = 0;
    for (let run = 0; run < RUNS; run++)
      for (let task = 1; ; task++) {
        tasks++;
        if (bends(run, task, r) && draws(run, task) < p_micro) break;
      }
    const sigma = Math.sqrt(1 - q) / q / Math.sqrt(RUNS);
    expect(Math.abs(tasks / RUNS - 1 / q)).toBeLessThan(3 * sigma);
  },
);
