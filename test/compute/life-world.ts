/**
 * A life of the compute market: two processes over one database, honest actors and thieves, and a record of their acts.
 */
import { randomUUID } from "node:crypto";
import { type App, withParts } from "../../src/core/app.ts";
import type { Reactor } from "../../src/core/background/reactor.ts";
import type { ExecutionResult, Executor } from "../../src/core/model/ports/executor.ts";
import * as nodes from "../../src/domain/compute/node.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as account from "../../src/domain/payments/account.ts";
import * as withdrawal from "../../src/domain/payments/withdrawal.ts";
import { decideDispute } from "../../src/operator/disputes.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { computeReactor } from "../../src/reactors/compute/due.ts";
import { quorumReactor } from "../../src/reactors/compute/quorum.ts";
import { stepTask } from "../../src/reactors/compute/steps.ts";
import { caller } from "../identity/agents.ts";
import type { Service } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import {
  type Answer,
  type ComputeSetup,
  chainOf,
  type LeasedTask,
  receiptOf,
  sha256,
  type TestNode,
} from "./compute-setup.ts";
import {
  type At,
  HONEST_NODES,
  NODES,
  type NodeName,
  REQUESTERS,
  type RequesterName,
  type Step,
  THIEVES,
  type ThiefAnswer,
  type ThiefName,
  type Work,
} from "./life-plan.ts";
import type { movedClock } from "./moved-clock.ts";

export type LifeSetup = {
  setup: ComputeSetup;
  second: Service;
  clock: Awaited<ReturnType<typeof movedClock>>;
  executor: LifeExecutor;
};

/** Initial micro-USDC of each. */
const FUNDS: Record<NodeName, number> = {
  known: 60_000,
  thin: 8_000,
  poor: 900,
  "thief-1": 40_000,
  "thief-2": 15_000,
  "thief-3": 3_000,
};
const REQUESTER_FUNDS = 5_000_000;

const input_data = { seed: sha256("a life"), n: 3 };
const WORKS: Record<Work, { task_type: string; input_data: object; right: object }> = {
  "sha256-chain": { task_type: "sha256-chain", input_data, right: chainOf(input_data) },
  js: { task_type: "js", input_data: { code: "return args.a + 1", args: { a: 41 } }, right: { value: 42 } },
  sql: { task_type: "sql", input_data: { query: "select 40 + 2 as n" }, right: { rows: [{ n: 42 }] } },
  flaky: { task_type: "js", input_data: { code: "return 'flaky'" }, right: { value: 1 } },
  opaque: { task_type: "opaque", input_data: { text: "hello" }, right: { text: "bonjour" } },
};

/**
 * The service's sandbox runs each program once. It fails while `runs` is false; a flaky program has another result each
 * time.
 */
export class LifeExecutor implements Executor {
  readonly #sandbox: Executor;
  readonly #ran = new Map<string, ReturnType<Executor["run"]>>();
  #times = 1;
  runs = true;

  constructor(sandbox: Executor) {
    this.#sandbox = sandbox;
  }

  get engine_sha256() {
    return this.#sandbox.engine_sha256;
  }

  async run(work: Parameters<Executor["run"]>[0]): ReturnType<Executor["run"]> {
    if (!this.runs) return { exit: "failed", reason: "it took too long" };
    const name = JSON.stringify([work.kind, work.input]);
    if (name.includes("flaky"))
      return { exit: "ok", output: { value: ++this.#times } } satisfies ExecutionResult;
    const known = this.#ran.get(name) ?? this.#sandbox.run(work);
    this.#ran.set(name, known);
    return known;
  }
}

export type SubmittedTask = { tenant: string; task_id: string; by: RequesterName; work: Work };
/** An accepted result. `at_stake`: its node's possible loss then, if nothing else happened at the same time. */
export type GivenResult = { task_id: string; by: NodeName; is_right: boolean; at_stake: number };
type HeldLease = { leasedTask: LeasedTask; by: NodeName; of: SubmittedTask };

type Actor = { tenant: string; headers: Record<string, string>; sent: number; node?: TestNode };

export class Life {
  readonly actors = new Map<NodeName | RequesterName | "history", Actor>();
  readonly submitted: SubmittedTask[] = [];
  readonly given: GivenResult[] = [];
  /** Running and lost leases of nodes. */
  readonly held: HeldLease[] = [];
  readonly #lost: HeldLease[] = [];
  /** Answers that are the service's own faults. */
  readonly faults: string[] = [];
  readonly #parts: LifeSetup;
  readonly #apps: App[];
  readonly #urls: string[];

  private constructor(parts: LifeSetup) {
    this.#parts = parts;
    const { setup, second, executor } = parts;
    this.#apps = [setup.app, second.app].map((app) => withParts(app, { executor }));
    this.#urls = [setup.service.url, second.url];
  }

  /** A new life with its own agents. */
  static async begun(parts: LifeSetup): Promise<Life> {
    const life = new Life(parts);
    const name = randomUUID().slice(0, 8);
    const { setup } = parts;
    await Promise.all(
      NODES.map(async (who, n) => {
        // One thief charges nothing, and each honest node the rate of the least price.
        const hourly_rate_usd = who === "thief-3" ? 0 : 0.06;
        const node = await setup.node(`${who}-${name}`, { hourly_rate_usd, max_concurrent: 16 });
        const tenant = `soul:${node.sx}`;
        await life.#credit(tenant, FUNDS[who], `life-${n}`);
        life.actors.set(who, { tenant, headers: node.headers, sent: FUNDS[who], node });
      }),
    );
    const tenant = `honest-${name}`;
    const headers = await setup.requester(tenant, REQUESTER_FUNDS);
    life.actors.set("honest-requester", { tenant, headers, sent: REQUESTER_FUNDS });
    await life.#history(`history-${name}`);
    return life;
  }

  actor(who: NodeName | RequesterName | "history"): Actor {
    return this.actors.get(who)!;
  }

  get app(): App {
    return this.#apps[0]!;
  }

  now = () => this.app.clock.now().toISOString();

  taskOf = async ({ tenant, task_id }: { tenant: string; task_id: string }) =>
    tasks.existing(await this.app.load(tasks, tasks.targetOf(tenant, task_id)));

  accountOf = (tenant: string) => this.app.load(account, account.targetOf(tenant));

  /** The tasks of this life and all copies of them. */
  async allTasks(): Promise<{ of: SubmittedTask; task: tasks.Task }[]> {
    const all = [];
    for (const of of this.submitted) {
      const task = await this.taskOf(of);
      all.push({ of, task });
      for (let n = 1; n <= task.copies; n++) {
        const copy = { ...of, task_id: `${of.task_id}.${n}` };
        all.push({ of: copy, task: await this.taskOf(copy) });
      }
    }
    return all;
  }

  /** Runs the steps, concurrent ones together. */
  async live(steps: readonly Step[]): Promise<void> {
    let together: Step[] = [];
    for (const [n, step] of steps.entries()) {
      together.push(step);
      const next = steps[n + 1];
      // Time passes only after honest actors have done their part.
      if (step.with_next && next && step.does !== "passes" && next.does !== "passes") continue;
      const isAlone = together.length === 1;
      await Promise.all(together.map((one) => this.#take(one, isAlone)));
      together = [];
    }
  }

  /** Ends everything: honest actors finish, checks run, and a month passes. */
  async ends(): Promise<void> {
    this.#parts.executor.runs = true;
    for (const who of NODES) await this.#call(who, "first", "/soul/node/register", this.#offer(who, 0));
    for (const days of [0, 2, 9, 16, 9, 16, 2]) {
      await this.#passes(days * 86_400, "both");
      for (const reactor of [quorumReactor, auditReactor, computeReactor, quorumReactor])
        await this.#turn(reactor, "first");
    }
  }

  async #take(step: Step, isAlone: boolean): Promise<void> {
    switch (step.does) {
      case "submits":
        return this.#submits(step);
      case "pulls":
        return void (await this.#pulls(step.who, step.at));
      case "works": {
        const held = await this.#pulls(step.who, step.at);
        return held && this.#gives(held, step.says, step.at, isAlone);
      }
      case "gives": {
        const held = pick(this.#heldBy(step.who), step.which);
        return held && this.#gives(held, step.says, step.at, isAlone);
      }
      case "fails": {
        const held = pick(this.#heldBy(step.who), step.which);
        if (!held) return;
        const { task_id, lease_id } = held.leasedTask;
        this.#drop(held);
        return void (await this.#call(step.who, step.at, "/soul/compute/result", {
          task_id,
          lease_id,
          error: "no",
        }));
      }
      case "gives late": {
        const lost = pick(
          this.#lost.filter(({ by }) => by === step.who),
          step.which,
        );
        return lost && this.#gives(lost, step.says, step.at, false);
      }
      case "empties its account":
        return this.#empties(step.who, step.how, step.at);
      case "stakes": {
        const { available } = await this.accountOf(this.actor(step.who).tenant);
        const offer = this.#offer(step.who, Math.floor(available * step.part));
        return void (await this.#call(step.who, step.at, "/soul/node/register", offer));
      }
      case "judges": {
        const task = pick(
          this.submitted.filter(({ by }) => by === step.who),
          step.which,
        );
        return task && this.#settles(step.who, task.task_id, step.accepts, step.at);
      }
      case "cancels": {
        const task = pick(
          this.submitted.filter(({ by }) => by === step.who),
          step.which,
        );
        return void (
          task && (await this.#call(step.who, step.at, "/soul/compute/cancel", { task_id: task.task_id }))
        );
      }
      case "claims": {
        const given = pick(
          this.given.filter(({ by }) => by === step.who),
          step.which,
        );
        return given && this.#settles(step.who, given.task_id, true, step.at);
      }
      case "disputes": {
        const given = pick(
          this.given.filter(({ by }) => by === step.who),
          step.which,
        );
        return void (
          given && (await this.#call(step.who, step.at, "/soul/compute/dispute", { task_id: given.task_id }))
        );
      }
      case "decides":
        return this.#decides(step.which);
      case "checks":
        this.#parts.executor.runs = step.runs;
        await Promise.all([this.#turn(quorumReactor, step.at), this.#turn(auditReactor, step.at)]);
        this.#parts.executor.runs = true;
        return;
      case "ends what is due":
        return this.#turn(computeReactor, step.at);
      case "passes":
        return this.#passes(step.seconds, step.reportedTo);
    }
  }

  async #submits({
    who,
    work,
    verify,
    price,
    deadline_s,
    assign,
    at,
  }: Step & { does: "submits" }): Promise<void> {
    // An honest requester has checkable work checked, judges the rest itself, and trusts no majority of strangers.
    const isHonest = who === "honest-requester";
    if (isHonest && work === "flaky") return;
    const kept = isHonest && (work === "opaque" || verify === "requester") ? "usual" : verify;
    const { task_type, input_data } = WORKS[work];
    const body = {
      ...{ task_type, input_data, max_price_usd: price, deadline_s, window_s: 3_600 },
      ...(kept !== "usual" && { verify: kept }),
      ...(kept !== "quorum" && assign && { assign: `agent:${this.actor(assign).node!.agent_id}` }),
    };
    for (const { status, body: answer } of await this.#call(who, at, "/soul/compute/submit", body))
      if (status === 201)
        this.submitted.push({ tenant: this.actor(who).tenant, task_id: answer.task_id, by: who, work });
  }

  async #pulls(who: NodeName, at: At): Promise<HeldLease | undefined> {
    await this.#parts.setup.folded();
    let last: HeldLease | undefined;
    for (const { status, body } of await this.#call(who, at, "/soul/compute/pull")) {
      const leasedTask = status === 200 ? (body.task as LeasedTask | null) : null;
      const of =
        leasedTask && this.submitted.find(({ task_id }) => leasedTask.task_id.split(".")[0] === task_id);
      if (!leasedTask || !of) continue;
      last = { leasedTask, by: who, of };
      this.held.push(last);
    }
    return last;
  }

  async #gives(held: HeldLease, says: ThiefAnswer, at: At, isAlone: boolean): Promise<void> {
    const { by, leasedTask, of } = held;
    const { right } = WORKS[of.work];
    const is_right = says === "right" || isHonest(by);
    const result = is_right ? right : says === "wrong" ? { wrong: true } : { odd: by };
    const at_stake = isAlone ? await this.#atStake(by, leasedTask) : 0;
    const node = this.actor(by).node!;
    const { task_id, lease_id } = leasedTask;
    const body = { task_id, lease_id, result, receipt: receiptOf(node, leasedTask, result) };
    const results = await this.#call(by, at, "/soul/compute/result", body);
    this.#drop(held);
    if (results.some(({ status }) => status === 200)) this.given.push({ task_id, by, is_right, at_stake });
  }

  /** A wrong result's cost to its node by docs/compute.md: the price, if that much is there. */
  async #atStake(by: NodeName, leasedTask: LeasedTask & { price_usd?: string }): Promise<number> {
    const { tenant, node } = this.actor(by);
    const funds = await this.accountOf(tenant);
    const stake = funds.debt > 0 ? 0 : (funds.holds.get(nodes.stakeHoldOf(node!.sx))?.amount_micro ?? 0);
    return Math.min(
      Math.round(Number(leasedTask.price_usd) * 1e6),
      account.maturingAt(funds, this.now()) + stake,
    );
  }

  async #empties(who: ThiefName, how: string, at: At): Promise<void> {
    const { tenant } = this.actor(who);
    const funds = await this.accountOf(tenant);
    if (how === "a stake") {
      const offer = this.#offer(who, funds.available);
      return void (await this.#call(who, at, "/soul/node/register", offer));
    }
    if (how === "a withdrawal") {
      const amount_micro = withdrawal.withdrawable(funds, this.now());
      if (amount_micro === 0) return;
      const to = `0x${"7".repeat(40)}` as const;
      const wanted = { withdrawal_id: randomUUID(), to, payer: to, amount_micro, seen_block: 1 };
      const leaves = withdrawal.requestWithdrawal(wanted, this.now());
      return this.#tries(
        this.app.decide(account, account.targetOf(tenant), leaves, { meta: { actor: "test" } }),
      );
    }
    const fellow = THIEVES[(THIEVES.indexOf(who) + 1) % THIEVES.length]!;
    const step = { does: "submits", who, work: "opaque", verify: "usual", at, with_next: false } as const;
    return this.#submits({ ...step, price: funds.available / 1e6, deadline_s: 3_600, assign: fellow });
  }

  async #settles(who: NodeName | RequesterName, task_id: string, accept: boolean, at: At): Promise<void> {
    await this.#call(who, at, "/soul/compute/settle", { task_id, accept });
  }

  /** The operator decides correctly. */
  async #decides(which?: number): Promise<void> {
    const open = [];
    for (const { of, task } of await this.allTasks())
      if (task.status === "disputed" && of.work === "opaque") open.push(task);
    const chosen = which === undefined ? open : [pick(open, which)];
    for (const task of chosen) {
      if (!task) continue;
      const { task_id } = task.facts;
      const is_right = this.given.some((one) => one.task_id === task_id && one.is_right);
      const decided = {
        verdict: is_right ? ("worker" as const) : ("requester" as const),
        reason: "it was looked at",
      };
      await this.#parts.setup.folded();
      await this.#tries(decideDispute(this.app, task_id, decided));
    }
  }

  /** Honest actors are in time: they submit, judge and dispute before time passes. */
  async #duties(): Promise<void> {
    for (const held of [...this.held])
      if (isHonest(held.by)) await this.#gives(held, "right", "first", false);
    for (const { of, task } of await this.allTasks()) {
      const { task_id, terms } = task.facts;
      const given = this.given.find((one) => one.task_id === task_id);
      if (!given) continue;
      if (of.by === "honest-requester" && task.status === "submitted" && terms.verify === "requester")
        await this.#settles("honest-requester", task_id, given.is_right, "first");
      if (isHonest(given.by) && task.status === "rejected")
        await this.#call(given.by, "first", "/soul/compute/dispute", { task_id });
    }
  }

  async #passes(seconds: number, reportedTo: At): Promise<void> {
    await this.#duties();
    const reached = { first: [0], second: [1], both: [0, 1] }[reportedTo].map((n) => this.#apps[n]!);
    await this.#parts.clock.moves(seconds, reached);
    // A thief's lease may be over by now.
    for (const held of this.held.filter(({ by }) => !isHonest(by))) if (seconds >= 60) this.#drop(held);
  }

  #heldBy = (who: NodeName) => this.held.filter(({ by }) => by === who);

  #drop(held: HeldLease): void {
    const at = this.held.indexOf(held);
    if (at !== -1) this.#lost.push(...this.held.splice(at, 1));
  }

  #offer(who: NodeName, stake_micro: number): object {
    const { agent_id } = this.actor(who).node!;
    const hourly_rate_usd = who === "thief-3" ? 0 : 0.06;
    return {
      agent_id,
      capabilities: ["cpu"],
      hourly_rate_usd,
      max_concurrent: 16,
      stake_usdc: stake_micro / 1e6,
    };
  }

  /** The same call at one process, or at both at the same time. */
  async #call(who: NodeName | RequesterName, at: At, path: string, body?: object): Promise<Answer[]> {
    const { headers } = this.actor(who);
    const urls = { first: [0], second: [1], both: [0, 1] }[at].map((n) => this.#urls[n]!);
    const results: Answer[] = await Promise.all(
      urls.map((url) => (body ? caller(url).post(path, body, headers) : caller(url).get(path, headers))),
    );
    for (const { status, body: said } of results)
      if (status >= 500) this.faults.push(`${path} of ${who}: ${status} ${JSON.stringify(said)}`);
    return results;
  }

  /** A tick at one process; at both at once, as if one had lost its lease unknowingly. */
  async #turn({ name, begin }: Reactor, at: At): Promise<void> {
    await this.#parts.setup.folded();
    const chosen = { first: [0], second: [1], both: [0, 1] }[at];
    await Promise.all(
      chosen.map(async (n) => {
        const { status, reason } = await turnOf(this.#apps[n]!, n === 0 ? name : `${name}.second`, begin());
        if (status === "failed") this.faults.push(`${name}: ${reason}`);
      }),
    );
    await this.#parts.setup.folded();
  }

  async #tries(work: Promise<unknown>): Promise<void> {
    await work.catch((error) => {
      if (error.name !== "Refusal") throw error;
    });
  }

  async #credit(tenant: string, amount_micro: number, source: string): Promise<void> {
    const credit = account.credit({ source: `task:${source}`, amount_micro, at: this.now() });
    await this.app.decide(account, account.targetOf(tenant), credit, { meta: { actor: "test" } });
  }

  /** Ten results of the known node that a check found valid. */
  async #history(tenant: string): Promise<void> {
    const price = 1_000;
    this.actors.set("history", { tenant, headers: {}, sent: 10 * price });
    await this.#credit(tenant, 10 * price, tenant);
    const { sx } = this.actor("known").node!;
    const at = this.now();
    const terms = {
      ...{
        max_price_micro: price,
        limit_s: 60,
        verify: "rerun" as const,
        quorum: null,
        assign: sx,
        min_trust: 0,
      },
      ...{ window_s: 60, deadline_at: new Date(Date.parse(at) + 3_600_000).toISOString() },
    };
    for (let n = 0; n < 10; n++) {
      const task_id = sha256(`${tenant} ${n}`).slice(0, 32);
      const facts = {
        task_id,
        kind: "js",
        input_sha256: sha256("in"),
        input_bytes: 2,
        terms,
        copy_of: null,
        submitted_at: at,
      };
      const made = {
        output_sha256: sha256("out"),
        output_bytes: 2,
        exit: "ok" as const,
        used_ms: 1,
        receipt: null,
        seed: null,
      };
      const audited = {
        verdict: "valid" as const,
        expected_sha256: sha256("out"),
        engine_sha256: sha256("e"),
        draw: null,
        audited_at: at,
      };
      const hold = { hold_id: tasks.holdOf(task_id), amount_micro: price, for: "a task" };
      await this.app.commit(
        async (unit) => {
          await unit.decide(account, account.targetOf(tenant), account.hold(hold, at));
          const lease_sha256 = sha256(task_id);
          for (const decision of [
            tasks.submit(facts),
            tasks.lease({ sx, hourly_rate_micro: 60_000, lease_sha256, bound: [] }, tenant, at),
            tasks.takeResult(lease_sha256, { ...made, submitted_at: at }),
            tasks.audit(audited),
          ])
            await stepTask(unit, { tenant, task_id }, decision);
        },
        { meta: { actor: "test" } },
      );
      this.submitted.push({ tenant, task_id, by: "honest-requester", work: "js" });
      this.given.push({ task_id, by: "known", is_right: true, at_stake: 0 });
    }
  }
}

export const isHonest = (who: NodeName): boolean => (HONEST_NODES as readonly string[]).includes(who);

export const everyone = [...new Set([...NODES, ...REQUESTERS])];

const pick = <Of>(all: readonly Of[], which: number): Of | undefined => all[which % Math.max(1, all.length)];
