/**
 * Processes sell and sign while the database is set back to an older state: nothing may continue a log that its signatures
 * contradict. The checks, the signing and the tree are the service's own.
 */
import { createHash } from "node:crypto";
import { registry } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { openSigner } from "../../src/adapters/signing-key.ts";
import { createLogAcceptance } from "../../src/anchoring/log-acceptance.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { leafHash, rootOver } from "../../src/anchoring/tree.ts";
import { type App, type AppParts, createApp } from "../../src/core/app.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import type { StoredHead } from "../../src/core/model/ports/signed-heads.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { BEGIN_MS, numbersOf, VirtualClock } from "./clock.ts";
import { Host } from "./host.ts";
import { ModelLog, modelStore } from "./model-store.ts";
import { type RunResult, resultOf, type Timed } from "./result.ts";
import * as till from "./till.ts";

export type Step = Timed &
  (
    | { do: "sell" | "sign"; process: number }
    | { do: "set back"; events: number }
    | { do: "put back" }
    | { do: "die" | "pause"; process: number; for_ms: number }
    | { do: "database away" | "answers lost"; for_ms: number }
  );

const PROCESSES = 3;
const END_MS = 40_000;
const LAST_MS = 30_000;

export function storyOf(seed: number): Step[] {
  const random = numbersOf(seed ^ 0x815);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const steps: Step[] = [];
  const at = () => between(0, 25_000);
  const process = () => between(0, PROCESSES - 1);
  for (let n = between(5, 30); n > 0; n--) steps.push({ at: at(), do: "sell", process: process() });
  for (let n = between(1, 4); n > 0; n--) steps.push({ at: at(), do: "sign", process: process() });
  for (let n = between(0, 2); n > 0; n--) steps.push({ at: at(), do: "set back", events: between(1, 8) });
  if (random() < 0.4) steps.push({ at: at(), do: "put back" });
  for (let n = between(0, 3); n > 0; n--) {
    const for_ms = between(200, 6_000);
    const what = (["die", "pause", "database away", "answers lost"] as const)[between(0, 3)]!;
    if (what === "die" || what === "pause") steps.push({ at: at(), do: what, process: process(), for_ms });
    else steps.push({ at: at(), do: what, for_ms });
  }
  return steps.sort((a, b) => a.at - b.at);
}

type Answer = { marks: string; answer(values: readonly unknown[], log: ModelLog): object[] };

const leaves = ({ events }: ModelLog, after: number, to: number) =>
  events.slice(after, to).map(({ event_hash }) => leafHash(Buffer.from(event_hash)));

/** Stories are shorter than a tile, so the tree has no stored ones. Edited rows and others' heads are not modelled. */
const ANSWERS: readonly Answer[] = [
  { marks: "coalesce(max(tile_index) + 1, 0)", answer: () => [{ tiles: 0 }] },
  {
    marks: "string_agg(event_hash, '' order by position)",
    answer: ([, first, limit], { events }) => {
      const found = events.slice(Number(first) - 1, Number(first) - 1 + Number(limit));
      const hashes = Buffer.concat(found.map(({ event_hash }) => event_hash));
      return [found.length === 0 ? { last: null, hashes: null } : { last: found.at(-1)!.position, hashes }];
    },
  },
  {
    marks: "as wanted(level, tile_index, ordinal)",
    answer: ([, levels, places], log) =>
      (levels as number[]).map((level, n) => {
        const first = (places as number[])[n]! * 256;
        const found = level === 0 ? leaves(log, first, first + 256) : [];
        return { hashes: found.length === 0 ? null : Buffer.concat(found) };
      }),
  },
  {
    marks: "select recorded_at_us from eventstore.events",
    answer: ([, signed, , anchoring], { events }) =>
      events
        .filter(({ position, stream_id }) => position > Number(signed) && stream_id !== anchoring)
        .slice(0, 1),
  },
  ...["gate.proven_heads_v1", "fault_position is not null", "commit_size is not null", "payload_hash"].map(
    (marks) => ({ marks, answer: () => [] }),
  ),
];

type Signed = StoredHead & { at: number };
type Process = { host: Host; app: App };

const signer = await openSigner(
  "key",
  Buffer.concat([
    Buffer.from("302e020100300506032b657004220420", "hex"),
    createHash("sha256").update("the key of the simulation").digest(),
  ]).toString("base64"),
);

class Run {
  readonly clock: VirtualClock;
  readonly log: ModelLog;
  readonly trace: string[] = [];
  readonly broken: string[] = [];
  /** All heads ever signed; the machine's own file has the largest. */
  readonly #signed: Signed[] = [];
  readonly #processes: Process[] = [];
  #gone: { events: RecordedEvent[]; from: number } | undefined;
  #begun = 0;
  #sales = 0;

  constructor(seed: number) {
    this.clock = new VirtualClock(seed);
    this.log = new ModelLog(this.clock);
    this.log.onCommit = (sent_at, by) => {
      if (this.#isContradicted(sent_at))
        this.broken.push("a process continued a log that its signatures contradict");
      this.#note(`${by} appends; the log has ${this.log.events.length} events`);
    };
    for (let n = 0; n < PROCESSES; n++) this.#processes.push(this.#start(n));
  }

  /** True if the log is not the one that was signed before a time. */
  #isContradicted(before: number): boolean {
    const { events } = this.log;
    return this.#signed.some(({ size, root, at }) => {
      if (at >= before) return false;
      return size > events.length || `0x${rootOver(leaves(this.log, 0, size)).toString("hex")}` !== root;
    });
  }

  #start(place: number): Process {
    const host = new Host(this.clock, `p${place + 1}.${this.#begun++}`);
    const app = createApp(this.#partsOf(host, () => app));
    return { host, app };
  }

  #partsOf(host: Host, app: () => App): AppParts {
    const { clock, log } = this;
    const silent = { info() {}, warn() {}, error() {} };
    const { precondition, ...accepting } = createLogAcceptance(app, silent);
    const schemas = registry([till.events, anchors.events]);
    const store = { ...modelStore(log, host, precondition), schemas };
    const read = async <T>(answer: () => T): Promise<T> => {
      await host.io(1, 10);
      if (clock.now < log.away_until) throw new Error("the database is away");
      return answer();
    };
    const pool = {
      query: (sql: string, values: readonly unknown[]) =>
        read(() => {
          const found = ANSWERS.find(({ marks }) => sql.includes(marks));
          if (!found) throw new Error(`the model of the log's tables does not know: ${sql.slice(0, 80)}`);
          const rows = found.answer(values, log);
          return { rows, rowCount: rows.length };
        }),
    };
    const seen = { position: 0 };
    const tail = {
      get position() {
        seen.position = Math.max(seen.position, clock.now < log.away_until ? 0 : log.events.length);
        return seen.position;
      },
      since: (after: number) => read(() => log.events.slice(after, after + 500)),
    };
    const newest = () =>
      this.#signed.reduce<Signed | undefined>((a, b) => (a && a.size > b.size ? a : b), undefined);
    const parts: Partial<Record<keyof AppParts, unknown>> = {
      ...{ store, pool, tail, accepting, signer },
      unit: { store, schemas, cache: new StreamCache(1 << 20), subjects: {}, objects: {} },
      clock: { now: () => new Date(BEGIN_MS + clock.now) },
      signed: {
        origins: async () => [],
        last: async () => newest(),
        advance: async (_origin: string, head: StoredHead) => {
          await host.io(1, 10);
          if (this.#signed.some(({ size, root }) => size === head.size && root !== head.root))
            this.broken.push("two histories were signed");
          this.#signed.push({ ...head, at: clock.now });
          this.#note(`${host.name} signs ${head.size} events`);
          await host.io(1, 10);
        },
      },
      settings: {},
    };
    return parts as AppParts;
  }

  begin(steps: readonly Step[]): void {
    for (const step of steps) this.clock.at(step.at, () => this.#take(step));
    this.clock.at(END_MS, () => {
      for (const place of this.#processes.keys()) void this.#sellAtLast(place);
    });
  }

  #note(line: string): void {
    this.trace.push(`${String(this.clock.now).padStart(6)} ms  ${line}`);
  }

  #take(step: Step): void {
    const { clock, log } = this;
    switch (step.do) {
      case "sell":
        void this.#sell(this.#processes[step.process]!);
        break;
      case "sign":
        void this.#sign(this.#processes[step.process]!);
        break;
      case "set back": {
        // A second restore is of the log as it is then.
        const position = Math.max(1, log.events.length - step.events);
        this.#gone = { events: log.cut(position), from: position };
        this.#note(`the log is set back to ${log.events.length} events`);
        break;
      }
      case "put back":
        if (this.#gone?.from === log.events.length) {
          log.putBack(this.#gone.events);
          this.#note(`the log has its ${log.events.length} events again`);
        }
        break;
      case "pause": {
        const { host } = this.#processes[step.process]!;
        host.paused_until = Math.max(host.paused_until, clock.now + step.for_ms);
        this.#note(`${host.name} pauses`);
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

  async #sign({ host, app }: Process): Promise<void> {
    const outcome = await signTick(app, { checkpoint_every_ms: 0 }).catch((error: Error) => error);
    this.#note(`${host.name}: a turn of signing ends: ${saidOf(outcome)}`);
  }

  /** True if the sale is in the log. */
  async #sell({ host, app }: Process): Promise<boolean> {
    const name = `sale ${this.#sales++}`;
    const command = {
      meta: { actor: "buyer", operation: "sell" },
      idempotency: { idem_key: name, request_hash: createHash("sha256").update(name).digest() },
    };
    const decision = () => [{ type: "Sold" as const, data: { name, payment_id: "" } }];
    try {
      await app.accepting.check();
      await app.decide(till, { tenant: "acme", id: "a" }, decision, command);
      this.#note(`${host.name} has sold ${name}`);
      return true;
    } catch (error) {
      this.#note(`${host.name} refuses ${name}: ${saidOf(error)}`);
      const { name: kind, message } = error as Error;
      const isExpected =
        error instanceof Refusal ||
        ["StoreUnavailable", "AppendUnknown"].includes(kind) ||
        /away/.test(message);
      if (!isExpected) this.broken.push((error as Error).stack ?? message);
      return false;
    }
  }

  /** Once the world is calm, a process sells exactly if the log is the signed one. */
  async #sellAtLast(place: number): Promise<void> {
    for (let n = 0; n < 5; n++) {
      if (await this.#sell(this.#processes[place]!)) return;
      await this.clock.sleep(2_500);
    }
    if (!this.#isContradicted(this.clock.now))
      this.broken.push("a process refuses sales of the log that was signed");
  }
}

const saidOf = (outcome: unknown): string =>
  outcome instanceof Error ? outcome.message : JSON.stringify(outcome);

export async function simulate(seed: number, steps: readonly Step[] = storyOf(seed)): Promise<RunResult> {
  const run = new Run(seed);
  await run.clock.governing(async () => {
    run.begin(steps);
    await run.clock.runUntil(END_MS + LAST_MS);
  });
  const lines = run.log.events.map(({ type, payload }) => `${type} ${JSON.stringify(payload)}`);
  return resultOf(run.broken, run.trace, lines);
}
