/**
 * Reserves tasks for the callers of this process. Concurrent callers share one query, and each gets a different task.
 */
import { batched } from "../../../../eventstore/query-batch.ts";
import type { App } from "../../../core/app.ts";
import {
  canTake,
  type ReadyTask,
  readyForAny,
  type Taker,
  type TaskKey,
  tasksProjection,
} from "../../../projections/compute/tasks.ts";

/** A reservation ends after this time. By then the read model shows the task's lease, or no lease was made. */
const RESERVE_MS = 2_000;
/** A query reads this many tasks more than there are callers. */
const PAGE_SIZE = 128;
/** Later callers may use a query's result for this long. Then the read model has moved on. */
const PAGE_MS = 50;
/**
 * A caller of the last second will probably search again, so queries include tasks for it. At most MOST_TAKERS
 * callers are included.
 */
const AGAIN_MS = 1_000;
const MOST_TAKERS = 128;

/** `by`: the command, which gets the same task if it runs again. `passed`: tasks that the command could not lease. */
type TaskRequest = { taker: Taker; by: string; passed: readonly string[] };

/** Tasks from one query that are not reserved: the callers they were read for, and the read model's position. */
type Page = { takers: ReadonlySet<string>; left: ReadyTask[]; position: number; until: number };

type Reservation = { task: TaskKey; by: string; until: number };

export class Dispenser {
  readonly #app: Pick<App, "pool" | "runner">;
  readonly #reserved = new Map<string, Reservation>();
  /** The last reservation of each command. */
  readonly #reservedBy = new Map<string, Reservation>();
  /** Keyed by name. The most recent caller is last. */
  readonly #takers = new Map<string, { taker: Taker; until: number }>();
  #page: Page | undefined;
  readonly #next = batched((_pool, all: readonly TaskRequest[]) => this.#shareOut(all));

  constructor(app: Pick<App, "pool" | "runner">) {
    this.#app = app;
  }

  /** Reserves a task for this node; undefined if there is none. */
  async next(request: TaskRequest): Promise<TaskKey | undefined> {
    this.#remember(request.taker);
    // Earlier results may lack new tasks, so only the caller's own query may conclude that no task is ready.
    return this.#earlier(request) ?? this.#fromPage(request) ?? this.#next(this.#app.pool, request);
  }

  /** Reserves an offered task if it suits this node. */
  tryReserve(task: ReadyTask, request: TaskRequest): boolean {
    return canTake(request.taker, task) && this.#reserve(task, request);
  }

  release({ task_id }: TaskKey): void {
    this.#forget(task_id);
  }

  /** A command that runs again gets its earlier task; otherwise that task would stay reserved and unused. */
  #earlier({ by, passed }: TaskRequest): TaskKey | undefined {
    const task = this.#reservedBy.get(by)?.task;
    return task && !passed.includes(task.task_id) ? task : undefined;
  }

  #forget(task_id: string): void {
    const reservation = this.#reserved.get(task_id);
    this.#reserved.delete(task_id);
    if (reservation && this.#reservedBy.get(reservation.by) === reservation)
      this.#reservedBy.delete(reservation.by);
  }

  #fromPage(request: TaskRequest): TaskKey | undefined {
    const page = this.#page;
    if (!page || page.until < performance.now() || page.position !== this.#position) return undefined;
    if (!page.takers.has(nameOf(request.taker))) return undefined;
    const at = page.left.findIndex((one) => this.tryReserve(one, request));
    return at === -1 ? undefined : page.left.splice(at, 1)[0];
  }

  /** The position that the read model has certainly reached. */
  get #position(): number {
    return this.#app.runner.knownPosition(tasksProjection);
  }

  async #shareOut(all: readonly TaskRequest[]) {
    const most = PAGE_SIZE + all.length;
    const [position, until] = [this.#position, performance.now() + PAGE_MS];
    const takers = this.#takersFor(all);
    const but = [...this.#reservedByOthers(all), ...passedByAll(all)];
    const page = await readyForAny(this.#app.pool, [...takers.values()], most, but);
    const found = all.map((request) => page.find((one) => this.tryReserve(one, request)));
    const left = page.filter(({ task_id }) => !this.#reserved.has(task_id));
    this.#page = { takers: new Set(takers.keys()), left, position, until };
    return all.map((request, at) => found[at] ?? (page.length < most ? undefined : this.#readAlone(request)));
  }

  /** Queries for this caller alone, because a shared page may contain only tasks that it cannot take. */
  async #readAlone(request: TaskRequest): Promise<TaskKey | undefined> {
    for (;;) {
      const but = [...this.#reservedByOthers([request]), ...request.passed];
      const page = await readyForAny(this.#app.pool, [request.taker], PAGE_SIZE, but);
      const own = page.filter((one) => canTake(request.taker, one));
      const found = own.find((one) => this.#reserve(one, request));
      if (found || own.length === 0 || page.length < PAGE_SIZE) return found;
    }
  }

  /** The callers of this query, and those who will probably search again soon. */
  #takersFor(all: readonly TaskRequest[]): Map<string, Taker> {
    const takers = new Map([...this.#takers].map(([name, { taker }]) => [name, taker]));
    for (const { taker } of all) takers.set(nameOf(taker), taker);
    return takers;
  }

  #remember(taker: Taker): void {
    const now = performance.now();
    const name = nameOf(taker);
    this.#takers.delete(name);
    this.#takers.set(name, { taker, until: now + AGAIN_MS });
    for (const [name, { until }] of this.#takers) {
      if (until > now && this.#takers.size <= MOST_TAKERS) break;
      this.#takers.delete(name);
    }
  }

  /** Tasks that are reserved for commands other than these. */
  #reservedByOthers(all: readonly TaskRequest[]): string[] {
    const now = performance.now();
    const commands = new Set(all.map(({ by }) => by));
    const others: string[] = [];
    for (const [task_id, { by, until }] of this.#reserved) {
      if (until <= now) this.#forget(task_id);
      else if (!commands.has(by)) others.push(task_id);
    }
    return others;
  }

  /** Reserves a task; false if another command reserved it first, or if the command has passed it. */
  #reserve(task: TaskKey, { by, passed }: TaskRequest): boolean {
    const { task_id } = task;
    const owner = this.#reserved.get(task_id)?.by;
    if ((owner !== undefined && owner !== by) || passed.includes(task_id)) return false;
    const reservation = { task, by, until: performance.now() + RESERVE_MS };
    this.#reserved.set(task_id, reservation);
    this.#reservedBy.set(by, reservation);
    return true;
  }
}

/** Callers with equal names may take the same tasks. */
const nameOf = ({ sx, bound, kinds, hourly_rate_micro, trust }: Taker): string =>
  `${sx} ${hourly_rate_micro} ${trust} ${kinds.join(" ")} ${bound.join(" ")}`;

/** Tasks that every caller has passed. */
const passedByAll = (all: readonly TaskRequest[]): string[] =>
  all[0]!.passed.filter((task_id) => all.every(({ passed }) => passed.includes(task_id)));

export const dispenserOf = (app: App): Dispenser => app.once("compute: dispenser", () => new Dispenser(app));
