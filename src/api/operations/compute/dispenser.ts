/** Tasks that callers of this process are about to take: those who look at one moment look together, and each is given another one. */
import { batched } from "../../../../eventstore/query-batch.ts";
import type { App } from "../../../core/app.ts";
import {
  mayTake,
  type NamedTask,
  type Ready,
  readyForAny,
  type Taker,
  tasksProjection,
} from "../../../projections/compute/tasks.ts";

/** By then what was taken is in the read model, or was not taken. */
const KEEP_MS = 2_000;
/** Tasks that are read at one look beside one for each who looks. */
const SHOWN = 128;
/** What one look has read is given to others too, for so long at most: by then the read model has moved on wherever it is kept. */
const PAGE_MS = 50;
/** Who has looked within so long is likely to look again, and has its tasks read along; so many of them at most. */
const AGAIN_MS = 1_000;
const MOST_TAKERS = 128;

/** `by`: the command, which may be decided anew and is then given what it was given. `passed`: what it was given and could not have. */
type Looking = { taker: Taker; by: string; passed: readonly string[] };

/** What was read for some takers, as the read model had it at a position, and nobody was given yet. */
type Page = { takers: ReadonlySet<string>; left: Ready[]; position: number; until: number };

type Given = { task: NamedTask; by: string; until: number };

/** Gives the ready tasks of one page to those who look at the same time. */
export class Dispenser {
  readonly #app: Pick<App, "pool" | "runner">;
  readonly #given = new Map<string, Given>();
  /** The same by the command that was given it, the last where it was given several. */
  readonly #givenBy = new Map<string, Given>();
  /** By name, those who looked last at the end. */
  readonly #takers = new Map<string, { taker: Taker; until: number }>();
  #page: Page | undefined;
  readonly #next = batched((_pool, all: readonly Looking[]) => this.#shareOut(all));

  constructor(app: Pick<App, "pool" | "runner">) {
    this.#app = app;
  }

  /** A task that a node may take, kept from all others; undefined where there is none. */
  async next(looking: Looking): Promise<NamedTask | undefined> {
    this.#expect(looking.taker);
    // That there is nothing is told only by who has looked for it.
    return this.#givenTo(looking) ?? this.#fromPage(looking) ?? this.#next(this.#app.pool, looking);
  }

  /** Whether a task that is known already is for this node, which keeps it from all others then. */
  keeps(task: Ready, looking: Looking): boolean {
    return mayTake(looking.taker, task) && this.#reserve(task, looking);
  }

  release({ task_id }: NamedTask): void {
    this.#forget(task_id);
  }

  /** What it was given before: another would leave that one to nobody for a while. */
  #givenTo({ by, passed }: Looking): NamedTask | undefined {
    const task = this.#givenBy.get(by)?.task;
    return task && !passed.includes(task.task_id) ? task : undefined;
  }

  #forget(task_id: string): void {
    const given = this.#given.get(task_id);
    this.#given.delete(task_id);
    if (given && this.#givenBy.get(given.by) === given) this.#givenBy.delete(given.by);
  }

  #fromPage(looking: Looking): NamedTask | undefined {
    const page = this.#page;
    if (!page || page.until < performance.now() || page.position !== this.#position) return undefined;
    if (!page.takers.has(nameOf(looking.taker))) return undefined;
    const at = page.left.findIndex((one) => this.keeps(one, looking));
    return at === -1 ? undefined : page.left.splice(at, 1)[0];
  }

  /** How far the read model is known to have come. */
  get #position(): number {
    return this.#app.runner.knownPosition(tasksProjection);
  }

  async #shareOut(all: readonly Looking[]) {
    const most = SHOWN + all.length;
    const [position, until] = [this.#position, performance.now() + PAGE_MS];
    const takers = this.#takersFor(all);
    const but = [...this.#givenToOthers(all), ...commonly(all)];
    const shown = await readyForAny(this.#app.pool, [...takers.values()], most, but);
    const found = all.map((looking) => shown.find((one) => this.keeps(one, looking)));
    const left = shown.filter(({ task_id }) => !this.#given.has(task_id));
    this.#page = { takers: new Set(takers.keys()), left, position, until };
    return all.map((looking, at) => found[at] ?? (shown.length < most ? undefined : this.#alone(looking)));
  }

  /** A page may be full of what others alone may take, or have taken meanwhile. */
  async #alone(looking: Looking): Promise<NamedTask | undefined> {
    for (;;) {
      const but = [...this.#givenToOthers([looking]), ...looking.passed];
      const shown = await readyForAny(this.#app.pool, [looking.taker], SHOWN, but);
      const own = shown.filter((one) => mayTake(looking.taker, one));
      const found = own.find((one) => this.#reserve(one, looking));
      if (found || own.length === 0 || shown.length < SHOWN) return found;
    }
  }

  /** Those who look, and who is likely to look again before the read model moves on. */
  #takersFor(all: readonly Looking[]): Map<string, Taker> {
    const takers = new Map([...this.#takers].map(([name, { taker }]) => [name, taker]));
    for (const { taker } of all) takers.set(nameOf(taker), taker);
    return takers;
  }

  #expect(taker: Taker): void {
    const now = performance.now();
    const name = nameOf(taker);
    this.#takers.delete(name);
    this.#takers.set(name, { taker, until: now + AGAIN_MS });
    for (const [name, { until }] of this.#takers) {
      if (until > now && this.#takers.size <= MOST_TAKERS) break;
      this.#takers.delete(name);
    }
  }

  /** What others than these were given. */
  #givenToOthers(all: readonly Looking[]): string[] {
    const now = performance.now();
    const asking = new Set(all.map(({ by }) => by));
    const others: string[] = [];
    for (const [task_id, { by, until }] of this.#given) {
      if (until <= now) this.#forget(task_id);
      else if (!asking.has(by)) others.push(task_id);
    }
    return others;
  }

  /** False where another was faster. */
  #reserve(task: NamedTask, { by, passed }: Looking): boolean {
    const { task_id } = task;
    const holder = this.#given.get(task_id)?.by;
    if ((holder !== undefined && holder !== by) || passed.includes(task_id)) return false;
    const given = { task, by, until: performance.now() + KEEP_MS };
    this.#given.set(task_id, given);
    this.#givenBy.set(by, given);
    return true;
  }
}

/** Who may take the same. */
const nameOf = ({ sx, bound, kinds, hourly_rate_micro, trust }: Taker): string =>
  `${sx} ${hourly_rate_micro} ${trust} ${kinds.join(" ")} ${bound.join(" ")}`;

/** What none of them may be given again. */
const commonly = (all: readonly Looking[]): string[] =>
  all[0]!.passed.filter((task_id) => all.every(({ passed }) => passed.includes(task_id)));

export const dispenserOf = (app: App): Dispenser => app.once("compute: dispenser", () => new Dispenser(app));
