/**
 * Scores as of a position equal those of a log that ends there, whatever is appended later; CUT_RUNS sets the number of
 * histories.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { computeTrust, type Input } from "../../src/domain/trust/score.ts";
import { inputAt } from "../../src/projections/trust/evidence.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { scaled } from "../support/scale.ts";
import { startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { type Agency, agencyOf, walletOf } from "./agency.ts";

const AGENTS = 6;
const DAY = Math.floor(Date.now() / 86_400_000) + 1;

type WalletRecord = { payments: string[]; attestations: { id: string; from: number }[] };
type Move = (agency: Agency, held: WalletRecord, a: number, b: number) => Promise<unknown>;

const lastOf = <One>(list: One[], at: number): One | undefined => list[list.length - 1 - (at % 3)];

/** Moves between two agents. A refused move appends nothing, and the history goes on. */
const moves: Record<string, Move> = {
  pay: async (agency, held, a, b) => held.payments.push(await agency.pay(walletOf(a), b / 2)),
  reorg: async (agency, held, a) => {
    const id = lastOf(held.payments, a);
    if (id) await agency.reorg(id);
  },
  settle: async (agency, held, a) => {
    const id = lastOf(held.payments, a);
    if (id) await agency.settle(id, false);
  },
  refund: async (agency, held, a) => {
    const id = lastOf(held.payments, a);
    if (id) await agency.refund(id);
  },
  prove: (agency, _, a) => agency.prove(a),
  unprove: (agency, _, a) => agency.unprove(a),
  attest: async (agency, held, a, b) =>
    held.attestations.push({ id: await agency.attest(a, b, 1 + ((a + b) % 10)), from: a }),
  takeBack: async (agency, held, a) => {
    const made = lastOf(held.attestations, a);
    if (made) await agency.takeBack(made.id, made.from);
  },
  seed: (agency, _, a, b) => agency.seed(a, 10 * b),
  suspend: (agency, _, a) => agency.suspend(a),
  reinstate: (agency, _, a) => agency.reinstate(a),
  revoke: (agency, _, a) => agency.revoke(a),
  delegate: (agency, _, a, b) => agency.delegate(a, b, walletOf(a)),
};
const REVOKED_SELDOM = Object.keys(moves).flatMap((name) => (name === "revoke" ? [name] : [name, name]));

const number = fc.integer({ min: 1, max: AGENTS });
const history = fc.array(fc.tuple(fc.constantFrom(...REVOKED_SELDOM), number, number), {
  minLength: 60,
  maxLength: 80,
});

const sorted = ({ edges, evidence, seeds, silent }: Input) =>
  [edges, evidence, [...seeds], [...silent]].map((rows) => rows.map((row) => JSON.stringify(row)).sort());

test("scores as of a position equal those of a log that ends there", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (answer) => {
      const service = await startService();
      try {
        const { store, runner, pool } = service.app;
        const agency = agencyOf(service.app);
        for (let n = 1; n <= AGENTS; n++) {
          await agency.register(n);
          await agency.prove(n);
        }
        const held: WalletRecord = { payments: [], attestations: [] };
        const cuts: { position: number; input: Input }[] = [];
        for (const [name, a, b] of answer) {
          await moves[name]!(agency, held, a, b).catch(refusedOnly);
          const { position } = await store.head();
          expect(await runner.reached(trustProjection, position, LIMIT_MS)).toBe(true);
          cuts.push({ position, input: await inputAt(pool, position, DAY) });
        }
        for (const { position, input } of cuts) {
          const since = await inputAt(pool, position, DAY);
          expect(sorted(since)).toEqual(sorted(input));
          expect(computeTrust(since)).toEqual(computeTrust(input));
        }
      } finally {
        await service.stop();
      }
    }),
    { numRuns: scaled(3), endOnFailure: true },
  );
});

function refusedOnly(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}
