/** Tasks that callers of this process are about to take: those who look at one moment look together, and each is given another one. */
import { gathered } from "../../../../eventstore/gathered.ts";
import type { App } from "../../../app.ts";
import {
  mayTake,
  type NamedTask,
  type Ready,
  readyForAny,
  type Taker,
} from "../../../projections/compute/tasks.ts";

/** By then what was taken is in the read model, or was not taken. */
const KEEP_MS = 2_000;
/** Tasks that are read at one look beside one for each who looks. */
const SHOWN = 64;

/** `by`: the command, which may be decided anew and is then given what it was given. `passed`: what it was given and could not have. */
type Looking = { taker: Taker; by: string; passed: readonly string[] };

class Dispenser {
  readonly #given = new Map<string, { by: string; until: number }>();
  readonly #next = gathered((pool, all: readonly Looking[]) => this.#shareOut(pool, all));

  /** A task that a node may take, kept from all others; undefined where there is none. */
  next(pool: App["pool"], looking: Looking): Promise<NamedTask | undefined> {
    return this.#next(pool, looking);
  }

  /** Whether a task that is known already is for this node, which keeps it from all others then. */
  keeps(task: Ready, looking: Looking): boolean {
    return mayTake(looking.taker, task) && this.#reserve(task, looking);
  }

  release({ task_id }: NamedTask): void {
    this.#given.delete(task_id);
  }

  async #shareOut(pool: App["pool"], all: readonly Looking[]) {
    const most = SHOWN + all.length;
    const takers = all.map(({ taker }) => taker);
    const shown = await readyForAny(pool, takers, most, [...this.#givenToOthers(all), ...commonly(all)]);
    return all.map((looking) => {
      const own = shown.filter((one) => mayTake(looking.taker, one));
      const found = own.find((one) => this.#reserve(one, looking));
      // A page may be full of what others alone may take, or have taken meanwhile.
      const isAll = shown.length < most || (all.length === 1 && own.length === 0);
      return found ?? (isAll ? undefined : this.#alone(pool, looking));
    });
  }

  async #alone(pool: App["pool"], looking: Looking): Promise<NamedTask | undefined> {
    const [found] = await this.#shareOut(pool, [looking]);
    return found;
  }

  /** What others than these were given. */
  #givenToOthers(all: readonly Looking[]): string[] {
    const now = performance.now();
    for (const [task_id, { until }] of this.#given) if (until <= now) this.#given.delete(task_id);
    const asking = new Set(all.map(({ by }) => by));
    return [...this.#given].flatMap(([task_id, { by }]) => (asking.has(by) ? [] : [task_id]));
  }

  /** False where another was faster. */
  #reserve({ task_id }: NamedTask, { by, passed }: Looking): boolean {
    const holder = this.#given.get(task_id)?.by;
    if ((holder !== undefined && holder !== by) || passed.includes(task_id)) return false;
    this.#given.set(task_id, { by, until: performance.now() + KEEP_MS });
    return true;
  }
}

/** What none of them may be given again. */
const commonly = (all: readonly Looking[]): string[] =>
  all[0]!.passed.filter((task_id) => all.every(({ passed }) => passed.includes(task_id)));

/** That of a service: its tail is one a process. */
const dispensers = new WeakMap<App["tail"], Dispenser>();

export function dispenserOf({ tail }: App): Dispenser {
  const known = dispensers.get(tail) ?? new Dispenser();
  dispensers.set(tail, known);
  return known;
}
