/** The reference tables in a process's memory: the imported one of each, otherwise its sandbox. */
import { LRUCache } from "lru-cache";
import { refuse } from "../../core/model/refusal.ts";
import { tradeProblems } from "../../domain/trade/problems.ts";
import { readReference } from "./files.ts";
import { type Reference, type ReferenceTable, sandboxOf } from "./table.ts";

/** Receives each look-up. */
export type TableWatcher = {
  /** A table, or a table's dataset, by name; undefined if missing, which is part of an answer's basis. */
  onLook?: (name: string, found: Reference<object> | undefined) => void;
  /** All open tables. */
  onList?: (open: readonly Reference<object>[]) => void;
};

/** The prefix for a look-up of a dataset's table, as opposed to a table of any dataset. */
export const OF_DATASET = "of ";

type StoreOptions = TableWatcher & { data_dir: string; allow_synthetic: boolean };

const MOST_PAST = 16;

/** A table's dataset and its sandbox: where one is named, the other does not answer for it. */
function kindsOf(dataset: string): string[] {
  const name = dataset.replace(sandboxOf({ name: "" }), "");
  return [name, sandboxOf({ name })];
}

export class ReferenceStore {
  readonly #options: StoreOptions;
  readonly #open: Map<string, Reference<object>>;
  /** Recently used tables requested by vintage. */
  readonly #past = new LRUCache<string, Promise<Reference<object>>>({ max: MOST_PAST });

  /** The datasets that should be open; `unknown` until they were read from the log. */
  #expected: ReadonlySet<string> | "unknown";

  constructor(
    options: StoreOptions,
    open: readonly Reference<object>[] = [],
    expected: ReadonlySet<string> | "unknown" = new Set(),
  ) {
    this.#options = options;
    this.#open = new Map(open.map((table) => [table.dataset, table]));
    this.#expected = expected;
  }

  /** Sets the datasets to serve from now on. */
  expect(datasets: readonly string[] | "unknown"): void {
    this.#expected = datasets === "unknown" ? datasets : new Set(datasets);
  }

  /** True if a missing table is known to be opening. */
  isAwaited(table: { name: string }): boolean {
    if (this.find(table as ReferenceTable<object>)) return false;
    const answering = this.#options.allow_synthetic ? kindsOf(table.name) : [table.name];
    const expected = this.#expected;
    return expected === "unknown" || answering.some((dataset) => expected.has(dataset));
  }

  /** A table's state, current or not; `unavailable` (dataset-missing) if its file is unusable. */
  async read(vintage: string): Promise<Reference<object>> {
    const open = this.open().find((table) => table.vintage === vintage);
    if (open) return open;
    const reading = this.#past.get(vintage) ?? readReference(this.#options.data_dir, vintage);
    this.#past.set(vintage, reading);
    reading.catch(() => this.#past.delete(vintage));
    return reading;
  }

  /** Replaces open tables by these states, and leaves the others; with `alone`, there are no others. */
  with(named: readonly Reference<object>[], { alone }: { alone: boolean }): ReferenceStore {
    const replaced = new Set(named.flatMap(({ dataset }) => kindsOf(dataset)));
    const others = alone ? [] : this.open().filter(({ dataset }) => !replaced.has(dataset));
    return new ReferenceStore(this.#options, [...others, ...named], alone ? new Set() : this.#expected);
  }

  /** The same open tables, watched. */
  watched({ onLook, onList }: TableWatcher): ReferenceStore {
    // Earlier watchers are called too.
    const before = this.#options;
    const both: TableWatcher = {
      onLook: (name, found) => {
        before.onLook?.(name, found);
        onLook?.(name, found);
      },
      onList: (open) => {
        before.onList?.(open);
        onList?.(open);
      },
    };
    return new ReferenceStore({ ...before, ...both }, [...this.#open.values()], this.#expected);
  }

  /** Serves a vintage instead of its dataset's earlier one; `unavailable` leaves the earlier one. */
  async serve(vintage: string): Promise<void> {
    const read = await readReference(this.#options.data_dir, vintage);
    this.#open.set(read.dataset, read);
  }

  /**
   * Serves these vintages at once, each instead of its dataset's earlier one: an answer over several tables must
   * not find only some. `onError` receives an unusable one, whose earlier one stays.
   */
  async serveTogether(
    vintages: readonly string[],
    onError: (vintage: string, error: Error) => void,
  ): Promise<void> {
    const read = await Promise.allSettled(
      vintages.map((vintage) => readReference(this.#options.data_dir, vintage)),
    );
    for (const [at, outcome] of read.entries()) {
      if (outcome.status === "fulfilled") this.#open.set(outcome.value.dataset, outcome.value);
      else onError(vintages[at]!, outcome.reason as Error);
    }
  }

  /** All open tables, the sandbox's included. */
  open(): Reference<object>[] {
    const open = [...this.#open.values()];
    this.#options.onList?.(open);
    return open;
  }

  find<Row extends object>(table: ReferenceTable<Row>): Reference<Row> | undefined {
    const { allow_synthetic, onLook } = this.#options;
    const found =
      this.#open.get(table.name) ?? (allow_synthetic ? this.#open.get(sandboxOf(table)) : undefined);
    onLook?.(table.name, found);
    return found as Reference<Row> | undefined;
  }

  /** A dataset's table, or the sandbox's if that is named. */
  named(dataset: string): Reference<object> | undefined {
    const found = this.#open.get(dataset);
    this.#options.onLook?.(OF_DATASET + dataset, found);
    return found;
  }

  /** Like `find`; `unavailable` (dataset-missing) if there is none. */
  get<Row extends object>(table: ReferenceTable<Row>): Reference<Row> {
    const found = this.find(table);
    if (found) return found;
    return refuse(tradeProblems["dataset-missing"], `the table ${table.name} is not loaded (yet)`, {
      retry_after_s: 5,
    });
  }

  /** The states of these tables on which an answer rests; undefined while none is open. */
  vintages(tables: readonly { name: string }[]): string | undefined {
    const names = tables.map((table) => this.find(table as ReferenceTable<object>)?.vintage ?? "");
    return names.some((name) => name !== "") ? names.join("+") : undefined;
  }
}
