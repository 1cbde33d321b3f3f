/** Tasks that callers of this process are about to take: of many that look at the same moment, each is shown another one. */
import type { App } from "../../../app.ts";
import type { NamedTask } from "../../../projections/compute/tasks.ts";

/** By then what was taken is in the read model, or was not taken. */
const KEEP_MS = 5_000;

class Dispenser {
  readonly #until = new Map<string, number>();

  /** The tasks that are not to be shown now. */
  taken(): string[] {
    const now = performance.now();
    for (const [task_id, until] of this.#until) if (until <= now) this.#until.delete(task_id);
    return [...this.#until.keys()];
  }

  /** Keeps a task from all others; false where another was faster. */
  reserve({ task_id }: NamedTask): boolean {
    if (this.#until.has(task_id)) return false;
    this.#until.set(task_id, performance.now() + KEEP_MS);
    return true;
  }

  release({ task_id }: NamedTask): void {
    this.#until.delete(task_id);
  }
}

/** That of a service: its tail is one a process. */
const dispensers = new WeakMap<App["tail"], Dispenser>();

export function dispenserOf({ tail }: App): Dispenser {
  const known = dispensers.get(tail) ?? new Dispenser();
  dispensers.set(tail, known);
  return known;
}
