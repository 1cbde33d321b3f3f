/**
 * A node withdraws its stake while a wrong result is checked, at two processes and in many orders: the slash finds its
 * money.
 */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import type { Reactor } from "../../src/core/background/reactor.ts";
import * as account from "../../src/domain/payments/account.ts";
import * as withdrawal from "../../src/domain/payments/withdrawal.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { caller } from "../identity/agents.ts";
import { SCALE, scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { type ComputeSetup, openComputeSetup, sha256, type TestNode } from "./compute-setup.ts";
import { movedClock } from "./moved-clock.ts";

let clock: Awaited<ReturnType<typeof movedClock>>;
let setup: ComputeSetup;
let second: Service;
let apps: App[];
beforeAll(async () => {
  clock = await movedClock();
  setup = await openComputeSetup({ database_url: clock.url });
  second = await startService({ beside: setup.service, chain: "embedded", env: { TRUST_PROXY: "1" } });
  apps = [setup.app, second.app];
});
afterAll(async () => {
  await second?.stop();
  await setup?.service.stop();
  await clock?.drop();
});

const [DAY_S, STAKE_MICRO, PRICE_MICRO] = [86_400, 5_000, 1_000];
const deeds = [
  "asks its stake back",
  "stakes again",
  "withdraws",
  "time passes",
  "what is due happens",
] as const;
type Step = { does: (typeof deeds)[number]; at: 0 | 1; with_next: boolean };
type Life = { leaves_before: boolean; meanwhile: Step[]; checked: Step[] };

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...deeds),
  at: fc.constantFrom(0 as const, 1 as const),
  with_next: fc.boolean(),
});
/** The stake is free, and the other process releases it. */
const comesFree: Step[] = [
  { does: "time passes", at: 0, with_next: false },
  { does: "what is due happens", at: 1, with_next: false },
];
const life: fc.Arbitrary<Life> = fc.record({
  leaves_before: fc.boolean(),
  meanwhile: fc.array(step, { maxLength: 2 }),
  checked: fc
    .tuple(fc.boolean(), fc.array(step, { minLength: 2, maxLength: 5, size: "max" }))
    .map(([isFree, steps]) => [...(isFree ? comesFree : []), ...steps]),
});

class Thief {
  readonly #node: TestNode;
  readonly tenant: string;

  constructor(node: TestNode) {
    this.#node = node;
    this.tenant = `soul:${node.sx}`;
  }

  stakes = (micro: number, at = 0) =>
    caller([setup.service.url, second.url][at]!).post(
      "/soul/node/register",
      {
        ...{ agent_id: this.#node.agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.06, max_concurrent: 8 },
        stake_usdc: micro / 1e6,
      },
      this.#node.headers,
    );

  funds = () => setup.account(this.tenant);

  async does({ does, at }: Step): Promise<unknown> {
    switch (does) {
      case "asks its stake back":
        return this.stakes(0, at);
      case "stakes again":
        return this.stakes((await this.funds()).available, at);
      case "withdraws": {
        const now = apps[at]!.clock.now().toISOString();
        const amount_micro = withdrawal.withdrawable(await this.funds(), now);
        if (amount_micro === 0) return undefined;
        const to = `0x${"7".repeat(40)}` as const;
        const request = { withdrawal_id: randomUUID(), to, payer: to, amount_micro, seen_block: 1 };
        const target = account.targetOf(this.tenant);
        return apps[at]!.decide(account, target, withdrawal.requestWithdrawal(request, now), {
          meta: { actor: "test" },
        });
      }
      case "time passes":
        return clock.moves(DAY_S, apps);
      case "what is due happens":
        return takes(computeReactor, at);
    }
  }

  /** Runs the steps, concurrent ones together; a refused step changes nothing. */
  async live(steps: readonly Step[]): Promise<void> {
    let together: Step[] = [];
    for (const [n, one] of steps.entries()) {
      together.push(one);
      if (one.with_next && n < steps.length - 1) continue;
      const results = await Promise.allSettled(together.map((step) => this.does(step)));
      for (const one of results)
        if (one.status === "rejected" && one.reason.name !== "Refusal") throw one.reason;
      together = [];
    }
  }
}

async function takes({ name, begin }: Reactor, at: number, app = apps[at]!): Promise<void> {
  await setup.folded();
  // A separate name for each process, as if one had lost its lease unknowingly.
  const { status, reason } = await turnOf(app, `${name}.${at}`, begin());
  expect({ failed: status === "failed", reason }).toEqual({ failed: false, reason: undefined });
}

/** The service; `work` happens during its first run of a task. */
function during(work: () => Promise<void>): App {
  let isFirst = true;
  const run: App["executor"]["run"] = async (of) => {
    if (isFirst) {
      isFirst = false;
      await work();
    }
    return setup.app.executor.run(of);
  };
  return { ...setup.app, executor: { engine_sha256: setup.app.executor.engine_sha256, run } };
}

async function lived({ leaves_before, meanwhile, checked }: Life): Promise<void> {
  const name = `node-${randomUUID().slice(0, 8)}`;
  const node = await setup.node(name);
  const thief = new Thief(node);
  await setup.requester(thief.tenant, STAKE_MICRO);
  expect((await thief.stakes(STAKE_MICRO)).status).toBe(200);
  if (leaves_before) {
    await thief.stakes(0);
    // Almost the week after which the stake is free.
    await clock.moves(7 * DAY_S - 3_600, apps);
  }
  const headers = await setup.requester(`of-${name}`);
  const input_data = { seed: sha256(name), n: 3 };
  const { body } = await setup.submit(headers, {
    ...{ task_type: "sha256-chain", input_data, max_price_usd: 0.02, assign: `agent:${name}` },
  });
  await node.beat();
  await setup.folded();
  const leasedTask = await node.pull("?wait_s=30");
  const isTimeless = ({ does }: Step) => does !== "time passes";
  await Promise.all([
    thief.live(meanwhile.filter(isTimeless)),
    node.gives(leasedTask, { hash: "00".repeat(32) }).then(({ status }) => expect(status).toBe(200)),
  ]);
  await takes(
    auditReactor,
    0,
    during(() => thief.live(checked)),
  );
  const { task_id } = body;
  expect(await setup.task(`of-${name}`, task_id)).toMatchObject({ audit: { verdict: "mismatch" } });
  expect(await setup.account(`of-${name}`)).toMatchObject({ available: 1_000_000 + PRICE_MICRO, held: 0 });
  // A week later it has the rest, and no more.
  await thief.stakes(0);
  await clock.moves(8 * DAY_S, apps);
  await takes(computeReactor, 0);
  const { available, withdrawn, held } = await thief.funds();
  expect({ left: available + withdrawn, held }).toEqual({ left: STAKE_MICRO - PRICE_MICRO, held: 0 });
}

test("whatever its node does with its stake during the check of a wrong result, the requester gets the price", {
  timeout: 600_000 * Math.max(1, SCALE),
}, async () => {
  await fc.assert(fc.asyncProperty(life, lived), {
    ...{ numRuns: scaled(8), endOnFailure: true },
    examples: [[{ leaves_before: true, meanwhile: [], checked: comesFree }]],
  });
});
