/** Processes of one machine lock a folder, and die, pause and get the pid of a dead one. */
import source from "compiled:src/adapters/folder-lock.ts";
import { numbersOf, VirtualClock } from "./clock.ts";
import { Host } from "./host.ts";
import { loaded, ModelDisk, seededBytes } from "./model-disk.ts";
import { type RunResult, resultOf, type Timed } from "./result.ts";

export type Step = Timed &
  (
    | { do: "enter"; process: number; for_ms: number }
    | { do: "die"; process: number; for_ms: number }
    | { do: "pause"; process: number; for_ms: number }
  );

type Locks = { lockFolder(path: string): Promise<() => Promise<void>> };
type Process = { host: Host; pid: number; locks: Locks };

const PROCESSES = 4;
const PIDS = 6;
const PATH = "/data/starting";
const END_MS = 120_000;
/** A lock of a dead process whose pid is alive again ends after three minutes; nobody waits longer than one. */
const LAST_MS = 300_000;

export function storyOf(seed: number): Step[] {
  const random = numbersOf(seed ^ 0xf01de4);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const steps: Step[] = [];
  const process = () => between(0, PROCESSES - 1);
  for (let burst = between(1, 3); burst > 0; burst--) {
    const at = between(0, 40_000);
    for (let n = between(1, 4); n > 0; n--)
      steps.push({ at: at + between(0, 400), do: "enter", process: process(), for_ms: between(1, 4_000) });
    if (random() < 0.7)
      steps.push({ at: at + between(0, 4_000), do: "die", process: process(), for_ms: between(50, 8_000) });
    if (random() < 0.4)
      steps.push({
        at: at + between(0, 2_000),
        do: "pause",
        process: process(),
        for_ms: between(50, 30_000),
      });
  }
  return steps.sort((a, b) => a.at - b.at);
}

class Run {
  readonly clock: VirtualClock;
  readonly disk: ModelDisk;
  readonly trace: string[] = [];
  readonly broken: string[] = [];
  readonly #inside = new Set<Host>();
  readonly #processes: Process[];
  #begun = 0;

  constructor(seed: number) {
    this.clock = new VirtualClock(seed);
    this.disk = new ModelDisk(this.clock);
    this.#processes = [];
    for (let n = 0; n < PROCESSES; n++) this.#processes.push(this.#start());
  }

  /** Takes any pid that no live process has. */
  #start(): Process {
    const live = new Set(
      this.#processes.filter(({ host }) => host.died_at === undefined).map(({ pid }) => pid),
    );
    const free = Array.from({ length: PIDS }, (_, n) => 100 + n).filter((pid) => !live.has(pid));
    const pid = free[this.clock.between(0, free.length - 1)]!;
    const host = new Host(this.clock, `${pid}/${this.#begun++}`);
    const isLive = (pid: number) =>
      this.#processes.some((one) => one.pid === pid && one.host.died_at === undefined);
    const process = {
      pid,
      kill: (other: number) => {
        if (other !== pid && !isLive(other))
          throw Object.assign(new Error("no such process"), { code: "ESRCH" });
      },
    };
    const modules = {
      "node:crypto": { randomBytes: seededBytes(this.clock) },
      "node:fs/promises": this.disk.of(host),
    };
    return { host, pid, locks: loaded<Locks>(source, process, modules) };
  }

  begin(steps: readonly Step[]): void {
    for (const step of steps) this.clock.at(step.at, () => this.#take(step));
    this.clock.at(END_MS, () => void this.#enter(this.#start(), 1, true));
  }

  #note(line: string): void {
    this.trace.push(`${String(this.clock.now).padStart(6)} ms  ${line}`);
  }

  #take(step: Step): void {
    const process = this.#processes[step.process]!;
    const { host } = process;
    if (host.died_at !== undefined) return;
    switch (step.do) {
      case "enter":
        void this.#enter(process, step.for_ms);
        break;
      case "pause":
        host.paused_until = Math.max(host.paused_until, this.clock.now + step.for_ms);
        this.#note(`${host.name} pauses`);
        break;
      case "die":
        host.died_at = this.clock.now;
        this.#inside.delete(host);
        this.#note(`${host.name} dies`);
        this.clock.at(this.clock.now + step.for_ms, () => {
          this.#processes[step.process] = this.#start();
        });
    }
  }

  /** `isLast`: once nothing happens any more, the lock must be free for one that keeps trying. */
  async #enter(process: Process, for_ms: number, isLast = false): Promise<void> {
    const { host, locks } = process;
    try {
      const release = await locks.lockFolder(PATH);
      await host.io(0, 0);
      this.#note(`${host.name} has the lock`);
      if (this.#inside.size > 0) this.broken.push("two processes have a folder's lock");
      this.#inside.add(host);
      await host.io(for_ms, for_ms);
      this.#note(`${host.name} releases it`);
      this.#inside.delete(host);
      await release();
    } catch (error) {
      const { message } = error as Error;
      this.#note(`${host.name} gives up: ${message}`);
      if (!/has held .* for over a minute$/.test(message)) this.broken.push(message);
      if (isLast && this.clock.now < END_MS + LAST_MS / 2) return this.#enter(process, for_ms, isLast);
      if (isLast) this.broken.push("a lock that nobody has is never free again");
    }
  }
}

export async function simulate(seed: number, steps: readonly Step[] = storyOf(seed)): Promise<RunResult> {
  const run = new Run(seed);
  await run.clock.governing(async () => {
    run.begin(steps);
    await run.clock.runUntil(END_MS + LAST_MS);
  });
  return resultOf(run.broken, run.trace, [...run.disk.files.keys()]);
}
