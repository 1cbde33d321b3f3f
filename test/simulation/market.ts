/** Nodes pull tasks from several processes, do them and are paid, and their trust is folded: pulls and folds are the service's own. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { registry } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import type { Caller } from "../../src/api/declare/caller.ts";
import { JSON_FORM } from "../../src/api/declare/forms/form.ts";
import type { Operation } from "../../src/api/declare/operation.ts";
import { workOperations } from "../../src/api/operations/compute/work.ts";
import { type Call, requestDigest } from "../../src/api/serve/call.ts";
import { unpaid } from "../../src/api/serve/unpaid.ts";
import { type App, type AppParts, createApp } from "../../src/core/app.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { isOf, positionedEvent } from "../../src/core/read-models/typed-events.ts";
import * as nodes from "../../src/domain/compute/node.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as agents from "../../src/domain/identity/agent.ts";
import * as passports from "../../src/domain/identity/passports.ts";
import { soulTenant } from "../../src/domain/identity/soul-tenant.ts";
import * as account from "../../src/domain/payments/account.ts";
import { canTake } from "../../src/projections/compute/tasks.ts";
import { foldWork } from "../../src/projections/trust/work.ts";
import { stepTask } from "../../src/reactors/compute/steps.ts";
import { BEGIN_MS, numbersOf, VirtualClock } from "./clock.ts";
import { Host } from "./host.ts";
import { TASK_ANSWERS, TaskList, TrustTables, timeOf } from "./market-tables.ts";
import { ModelLog, modelStore } from "./model-store.ts";
import { type RunResult, resultOf, type Timed } from "./result.ts";

export type Step = Timed &
  (
    | { do: "submit"; requester: number; price: number; process: number }
    | { do: "pull"; node: number; wait_s: number; named: boolean; process: number }
    | { do: "change offer"; node: number; rate: number; process: number }
    | { do: "die" | "pause"; process: number; for_ms: number }
    | { do: "database away" | "answers lost"; for_ms: number }
  );

const PROCESSES = 2;
const NODES = 2;
const REQUESTERS = 2;
const BEGIN_AT_MS = 2_000;
const END_MS = 60_000;
const LIMIT_S = 600;
/** A task stays reserved for two seconds for a pull that failed, or lost it to another. */
const RESERVED_MS = 2_500;
/** The list of tasks is at most this old while the database is there. */
const LAG_MS = 200;

const meta = { actor: "simulation", operation: "simulation" };
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const pull = { ...workOperations[0], area: "compute" } as unknown as Operation;

export function storyOf(seed: number): Step[] {
  const random = numbersOf(seed ^ 0x3a4c);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const steps: Step[] = [];
  const at = () => between(BEGIN_AT_MS, 25_000);
  const process = () => between(0, PROCESSES - 1);
  const node = () => between(0, NODES - 1);
  for (let n = between(3, 9); n > 0; n--) {
    const price = between(12, 40) * 1_000;
    steps.push({ at: at(), do: "submit", requester: between(0, REQUESTERS - 1), price, process: process() });
  }
  for (let n = between(3, 10); n > 0; n--) {
    const one = { at: at(), node: node(), process: process() };
    steps.push({ ...one, do: "pull", wait_s: random() < 0.5 ? 0 : 5, named: random() < 0.4 });
    if (random() < 0.5)
      steps.push({
        ...one,
        at: one.at + between(0, 80),
        do: "change offer",
        rate: between(30, 70) * 1_000,
        process: process(),
      });
  }
  for (let n = between(0, 2); n > 0; n--) {
    const for_ms = between(100, 4_000);
    const what = (["die", "pause", "database away", "answers lost"] as const)[between(0, 3)]!;
    if (what === "die" || what === "pause") steps.push({ at: at(), do: what, process: process(), for_ms });
    else steps.push({ at: at(), do: what, for_ms });
  }
  return steps.sort((a, b) => a.at - b.at);
}

const entities = [passports, agents, nodes, tasks, account];
const schemas = registry(entities.map(({ events }) => events));

/** `pulls`: how many began; `running`: how many have not ended. Until `unclear_until`, a task may be reserved for a pull that is over. */
type Process = { host: Host; app: App; pulls: number; running: number; unclear_until: number };
/** `isRepeat`: an earlier call of this name may have leased a task. */
type Pull = { sx: number; wait_s: number; name: string | undefined; isRepeat: boolean };
type Pulled = { name: string | undefined; task_id: string; lease_sha256: string };

class Run {
  readonly clock: VirtualClock;
  readonly log: ModelLog;
  readonly list: TaskList;
  readonly trace: string[] = [];
  readonly broken: string[] = [];
  readonly #pulled: Pulled[] = [];
  readonly #processes: Process[] = [];
  #trust = { tables: new TrustTables(), position: 0 };
  #begun = 0;
  #names = 0;

  constructor(seed: number) {
    this.clock = new VirtualClock(seed);
    this.log = new ModelLog(this.clock);
    this.list = new TaskList(this.log);
    for (let n = 0; n < PROCESSES; n++) this.#processes.push(this.#start(n));
  }

  #start(place: number): Process {
    const host = new Host(this.clock, `p${place + 1}.${this.#begun++}`);
    return { host, app: createApp(this.#partsOf(host)), pulls: 0, running: 0, unclear_until: 0 };
  }

  #partsOf(host: Host): AppParts {
    const { clock, log, list } = this;
    const store = { ...modelStore(log, host), schemas };
    const pool = {
      query: async ({ name, values = [] }: { name: string; values?: unknown[] }) => {
        await host.io(1, 15);
        if (clock.now < log.away_until) throw new Error("the database is away");
        const answer = TASK_ANSWERS[name];
        if (!answer) throw new Error(`the model of the market does not know the statement ${name}`);
        const rows = answer(values, list);
        return { rows, rowCount: rows.length };
      },
    };
    const reached = async (_: unknown, position: number, timeout_ms: number) => {
      for (const end = clock.now + timeout_ms; list.position < position; await clock.sleep(10))
        if (clock.now >= end) return false;
      return true;
    };
    const tail = {
      get position() {
        return log.events.length;
      },
      async *subscribe({ after, signal }: { after: number; signal: AbortSignal }) {
        for (let position = after; !signal.aborted; await host.io(10, 60)) {
          const events = log.events.slice(position);
          position += events.length;
          if (events.length > 0) yield events;
        }
      },
    };
    const parts: Partial<Record<keyof AppParts, unknown>> = {
      ...{ store, pool, tail },
      unit: { store, schemas, cache: new StreamCache(1 << 20), subjects: {}, objects: {} },
      runner: { reached, knownPosition: () => list.position, positionOf: async () => list.position },
      readers: { fresh: async () => undefined, appended() {}, newestOf: () => 0 },
      clock: { now: () => new Date(BEGIN_MS + clock.now) },
      random: { bytes: (length: number) => Uint8Array.from({ length }, () => clock.between(0, 255)) },
      objects: { get: async () => Buffer.from("{}") },
      answers: { find: async () => undefined },
      link_secret: Buffer.from("secret"),
      settings: { read_wait_ms: 500 },
    };
    return parts as AppParts;
  }

  begin(steps: readonly Step[]): void {
    for (const step of steps) this.clock.at(step.at, () => this.#take(step));
    void this.#setUp();
    const fold = () => {
      if (this.clock.now >= this.log.away_until) this.list.fold();
      if (this.clock.now < END_MS) this.clock.at(this.clock.now + this.clock.between(5, LAG_MS / 2), fold);
    };
    fold();
    for (const place of this.#processes.keys()) this.#foldsTrust(place);
  }

  #note(line: string): void {
    this.trace.push(`${String(this.clock.now).padStart(6)} ms  ${line}`);
  }

  async #setUp(): Promise<void> {
    const { app } = this.#processes[0]!;
    const at = timeOf(this.clock);
    for (let n = 1; n <= NODES; n++) {
      const agent_id = `node.no-${n}`;
      await app.decide(passports, passports.target, passports.issue(agent_id), { meta });
      const facts = { agent_id, sx_number: n, display_name: null, registered_at: at };
      const passport_hash = agents.passportHash({
        agent_id,
        issued_at: at,
        origin: "simulated",
        sx_number: n,
      });
      await app.decide(agents, agents.targetOf(agent_id), agents.register({ ...facts, passport_hash }), {
        meta,
      });
      const offer = {
        hourly_rate_micro: 60_000,
        max_concurrent: 4,
        capabilities: ["cpu" as const],
        kinds: [],
      };
      await app.decide(nodes, nodes.targetOf(n), nodes.register({ ...offer, registered_at: at }), { meta });
    }
    for (let n = 0; n < REQUESTERS; n++) {
      const credit = account.credit({ source: "simulated", amount_micro: 100_000_000, at });
      await app.decide(account, account.targetOf(requester(n)), credit, { meta });
    }
  }

  #take(step: Step): void {
    const { clock, log } = this;
    switch (step.do) {
      case "submit":
        void this.#tries(step.process, ({ app }) => this.#submit(app, step));
        break;
      case "pull":
        void this.#pull(step);
        break;
      case "change offer":
        void this.#tries(step.process, ({ app }) => {
          const change = { status: "available" as const, hourly_rate_micro: step.rate };
          const decision = nodes.changeOffer(change, timeOf(clock));
          return app.decide(nodes, nodes.targetOf(step.node + 1), decision, { meta });
        });
        break;
      case "pause": {
        const { host } = this.#processes[step.process]!;
        host.paused_until = Math.max(host.paused_until, clock.now + step.for_ms);
        break;
      }
      case "die": {
        const { host } = this.#processes[step.process]!;
        host.died_at ??= clock.now;
        this.#note(`${host.name} dies`);
        clock.at(clock.now + step.for_ms, () => {
          this.#processes[step.process] = this.#start(step.process);
        });
        break;
      }
      case "database away":
        log.away_until = Math.max(log.away_until, clock.now + step.for_ms);
        break;
      case "answers lost":
        log.silent_until = Math.max(log.silent_until, clock.now + step.for_ms);
        break;
    }
  }

  /** Work of a client that gives up at the first failure. Only the failures of a broken world are allowed. */
  async #tries<T>(place: number, work: (process: Process) => Promise<T>): Promise<T | undefined> {
    const process = this.#processes[place]!;
    try {
      return await work(process);
    } catch (error) {
      const { name, message, stack } = error as Error;
      this.#note(`${process.host.name} refuses: ${message}`);
      const isExpected =
        error instanceof Refusal ||
        ["StoreUnavailable", "AppendUnknown"].includes(name) ||
        /is away/.test(message);
      if (!isExpected) this.broken.push(stack ?? message);
      return undefined;
    }
  }

  async #submit(app: App, step: Extract<Step, { do: "submit" }>): Promise<void> {
    const submitted_at = timeOf(this.clock);
    const task_id = digestOf(`task ${this.#names++}`).slice(0, 32);
    const tenant = requester(step.requester);
    const deadline_at = new Date(Date.parse(submitted_at) + 86_400_000).toISOString();
    const terms = {
      ...{ max_price_micro: step.price, limit_s: LIMIT_S, verify: "requester" as const, quorum: null },
      ...{ assign: null, min_trust: 0, window_s: 3_600, deadline_at },
    };
    const facts = {
      ...{ task_id, kind: "any", submitted_at, terms, copy_of: null },
      ...{ input_sha256: digestOf("{}"), input_bytes: 2 },
    };
    await app.commit(
      async ({ decide }) => {
        const hold = { hold_id: tasks.holdOf(task_id), amount_micro: step.price, for: "a task" };
        await decide(account, account.targetOf(tenant), account.hold(hold, submitted_at));
        await decide(tasks, tasks.targetOf(tenant, task_id), tasks.submit(facts as never));
      },
      { meta },
    );
    this.#note(`${tenant} submits ${task_id.slice(0, 4)} for ${step.price}`);
  }

  async #pull({ node, wait_s, named, process }: Extract<Step, { do: "pull" }>): Promise<void> {
    const sx = node + 1;
    const name = named ? `pull-${this.#names++}` : undefined;
    for (let n = 0; n < (named ? 4 : 1); n++, await this.clock.sleep(1_000)) {
      const place = (process + n) % PROCESSES;
      const answer = await Promise.race([
        this.#tries(place, (one) => this.#pullOnce(one, { sx, wait_s, name, isRepeat: n > 0 })),
        this.clock.sleep(15_000),
      ]);
      if (answer?.task === undefined) continue;
      if (answer.task) void this.#work(sx, answer.task.task_id, answer.task.lease_sha256);
      return;
    }
  }

  async #pullOnce(process: Process, { sx, wait_s, name, isRepeat }: Pull) {
    const { host, app } = process;
    const { clock } = this;
    const began = clock.now;
    const nth = ++process.pulls;
    const isFirst = process.running++ === 0 && process.unclear_until <= began;
    const parts = {
      app,
      catalogue: [] as never,
      onBroken: () => {},
      finished: new LRUCache<string, never>({ max: 1 }),
    };
    let isWhole = false;
    const seen = new Set(this.#offers(sx).map(({ task_id }) => task_id));
    try {
      const { made } = await unpaid(parts as never, callOf(app, sx, wait_s, name));
      const { task } = JSON.parse((made as { body: Buffer }).body.toString()) as { task: Pulled | null };
      isWhole = true;
      this.#note(`${host.name} gives node ${sx} ${task ? task.task_id.slice(0, 4) : "nothing"}`);
      if (name !== undefined) this.#checkCommit(sx, name, task);
      if (task) this.#pulled.push({ name, task_id: task.task_id, lease_sha256: task.lease_sha256 });
      const better = this.#offers(sx).find(({ task_id }) => seen.has(task_id));
      const isAlone = !isRepeat && isFirst && process.pulls === nth && !this.#wasAway(began);
      if (isAlone && better) {
        const leased = task && this.list.rows.get(task.task_id)?.state.facts.terms.max_price_micro;
        if (!leased || better.max_price_micro > leased)
          this.broken.push("a pull left a task to nobody that it was given first");
      }
      return { task };
    } finally {
      process.running--;
      if (!isWhole || !isFirst || process.pulls !== nth) process.unclear_until = clock.now + RESERVED_MS;
    }
  }

  /** The answer of a named pull is its commit's, however often it is repeated. */
  #checkCommit(sx: number, name: string, task: Pulled | null): void {
    const commit = this.log.commits.get(`${soulTenant(sx)}/${digestOf(name)}`);
    const leased = commit?.events.find(({ type }) => type === "TaskLeased")?.stream_id;
    if (leased !== (task ? tasks.streamOf(task.task_id) : undefined))
      this.broken.push("a repeated pull gets another answer than its commit's");
  }

  #wasAway = (since: number) => this.log.away_until > since - LAG_MS || this.log.silent_until > since;

  /** The tasks that the list has had for a while and that suit a node at its dearest offer. */
  #offers(sx: number) {
    const taker = { sx, bound: [soulTenant(sx)], kinds: [], hourly_rate_micro: 70_000, trust: 0 };
    const isOpen = (task_id: string, tenant: string) =>
      !this.log.stream(tenant, tasks.streamOf(task_id)).some(({ type }) => type === "TaskLeased");
    return this.list
      .ready(timeOf(this.clock))
      .filter((task) => canTake(taker, task) && isOpen(task.task_id, task.tenant));
  }

  /** The worker returns a result, and the requester pays for it. */
  async #work(sx: number, task_id: string, lease_sha256: string): Promise<void> {
    await this.clock.sleep(this.clock.between(300, 3_000));
    const row = this.list.rows.get(task_id);
    if (!row) return;
    const place = this.clock.between(0, PROCESSES - 1);
    await this.#tries(place, async ({ app, host }) => {
      const at = timeOf(this.clock);
      const result = {
        ...{ output_sha256: digestOf(task_id), output_bytes: 2, exit: "ok" as const, used_ms: null },
        ...{ receipt: null, seed: null, submitted_at: at },
      };
      await app.commit(
        async (unit) => {
          await stepTask(unit, row, tasks.takeResult(lease_sha256, result));
          await stepTask(unit, row, tasks.accept("requester", at, { by: "key" }));
          await stepTask(unit, row, tasks.settle(at));
        },
        { meta },
      );
      this.#note(`${host.name} settles ${task_id.slice(0, 4)} of node ${sx}`);
    });
  }

  /** Either process folds what is new, in one transaction, as its lease allows. */
  #foldsTrust(place: number): void {
    const again = async () => {
      const { host } = this.#processes[place]!;
      const from = this.#trust;
      const isUp = host.died_at === undefined && this.clock.now >= this.log.away_until;
      if (isUp && this.log.events.length > from.position) {
        const tables = from.tables.copy();
        const events = this.log.events.slice(from.position);
        await Promise.race([
          foldWork(
            tables.client(() => host.io(1, 5)),
            workIn(events),
          ).then(() => {
            if (this.#trust === from) this.#trust = { tables, position: events.at(-1)!.position };
          }),
          this.clock.sleep(20_000),
        ]);
      }
      if (this.clock.now < END_MS)
        this.clock.at(this.clock.now + this.clock.between(100, 3_000), () => void again());
    };
    this.clock.at(this.clock.between(0, 1_000), () => void again());
  }

  /** Everything that must hold at the end. */
  async violations(): Promise<string[]> {
    const found = [...this.broken];
    const leases = this.log.events.filter(({ type }) => type === "TaskLeased");
    for (const { task_id, lease_sha256 } of this.#pulled) {
      const own = leases.filter(({ payload }) => payload.lease_sha256 === lease_sha256);
      if (own.length !== 1) found.push(`a pull was given ${own.length} tasks`);
      if (own.some(({ stream_id }) => stream_id !== tasks.streamOf(task_id)))
        found.push("a pull was told another task than the log leases to it");
    }
    const named = this.#pulled.filter(({ name }) => name !== undefined);
    for (const one of named)
      if (named.some((other) => other.name === one.name && other.task_id !== one.task_id))
        found.push("a repeated pull got another task");
    const { tables, position } = this.#trust;
    if (position !== this.log.events.length) found.push("trust is not folded to the end of the log");
    const whole = new TrustTables();
    await foldWork(
      whole.client(async () => {}),
      workIn(this.log.events),
    );
    if (tables.evidence().join("\n") !== whole.evidence().join("\n"))
      found.push("a score's evidence does not follow from the log");
    return found;
  }

  get evidence(): string[] {
    return this.#trust.tables.evidence();
  }
}

const requester = (n: number) => `requester-${n}`;

const workIn = (events: readonly RecordedEvent[]) =>
  [tasks, nodes, account]
    .flatMap((entity) =>
      events
        .filter((event) => isOf(entity, event))
        .map((event) => positionedEvent(schemas, entity, event) as never),
    )
    .sort((a: { position: number }, b: { position: number }) => a.position - b.position);

function callOf(app: App, sx: number, wait_s: number, name: string | undefined): Call {
  const input = { wait_s, kinds: [] };
  const { signal } = new AbortController();
  const lasting = { checkAnswer: async () => {}, check: async () => true, signal, endAt() {} };
  const tenant = soulTenant(sx);
  const caller: Caller = {
    kind: "subject",
    tenant,
    key_id: `key-${sx}`,
    subject: `node.no-${sx}`,
    scopes: ["node"],
  };
  return {
    ...{ operation: pull, app, data: {} as never, input, caller, form: JSON_FORM },
    request_sha256: requestDigest(pull, input),
    ...{ idempotency_key: name, min_position: 0, if_none_match: undefined, last_event_id: undefined },
    ...{ wire: undefined as never, request_id: "simulated", lasting: lasting as never },
  };
}

export async function simulate(seed: number, steps: readonly Step[] = storyOf(seed)): Promise<RunResult> {
  const run = new Run(seed);
  await run.clock.governing(async () => {
    run.begin(steps);
    await run.clock.runUntil(END_MS + 30_000);
  });
  const lines = run.log.events.map(
    ({ type, stream_id, payload }) => `${type} ${stream_id} ${JSON.stringify(payload)}`,
  );
  return resultOf(await run.violations(), run.trace, [...lines, ...run.evidence]);
}
