/** The reference tables a process has in memory: of each the real one where it was imported, else its sandbox. */
import { LRUCache } from "lru-cache";
import { refuse } from "../../core/model/refusal.ts";
import { tradeProblems } from "../../domain/trade/problems.ts";
import { readReference } from "./files.ts";
import { type Reference, type ReferenceTable, sandboxOf } from "./table.ts";

/** Who is told what is looked at. */
export type TableWatcher = {
  /** A table, or a table's dataset, by its name; undefined where it is not there, which is part of what an answer rests on. */
  onLook?: (name: string, found: Reference<object> | undefined) => void;
  /** All that are open. */
  onList?: (open: readonly Reference<object>[]) => void;
};

/** Before the name of a dataset whose table was looked for, and not a table in whatever dataset. */
export const OF_DATASET = "of ";

type StoreOptions = TableWatcher & { data_dir: string; allow_synthetic: boolean };

const MOST_PAST = 16;

/** A table's dataset and its sandbox: where one of them is named, the other does not answer for it. */
function kindsOf(dataset: string): string[] {
  const name = dataset.replace(sandboxOf({ name: "" }), "");
  return [name, sandboxOf({ name })];
}

export class ReferenceStore {
  readonly #options: StoreOptions;
  readonly #open: Map<string, Reference<object>>;
  /** Tables that were asked for by their vintage, the last ones. */
  readonly #past = new LRUCache<string, Promise<Reference<object>>>({ max: MOST_PAST });

  /** The datasets that are to be open; `unknown` until the log was looked through for them. */
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

  /** Tells which datasets are to be served from now on. */
  expect(datasets: readonly string[] | "unknown"): void {
    this.#expected = datasets === "unknown" ? datasets : new Set(datasets);
  }

  /** Whether a table that is not there is still to be opened, as far as is known. */
  isAwaited(table: { name: string }): boolean {
    if (this.find(table as ReferenceTable<object>)) return false;
    const answering = this.#options.allow_synthetic ? kindsOf(table.name) : [table.name];
    const expected = this.#expected;
    return expected === "unknown" || answering.some((dataset) => expected.has(dataset));
  }

  /** A state of a table, current or not; `unavailable` (dataset-missing) when its file is not usable. */
  async read(vintage: string): Promise<Reference<object>> {
    const open = this.open().find((table) => table.vintage === vintage);
    if (open) return open;
    const reading = this.#past.get(vintage) ?? readReference(this.#options.data_dir, vintage);
    this.#past.set(vintage, reading);
    reading.catch(() => this.#past.delete(vintage));
    return reading;
  }

  /** These states in place of those that are open, the others as they are; with `alone`, no others. */
  with(named: readonly Reference<object>[], { alone }: { alone: boolean }): ReferenceStore {
    const replaced = new Set(named.flatMap(({ dataset }) => kindsOf(dataset)));
    const others = alone ? [] : this.open().filter(({ dataset }) => !replaced.has(dataset));
    return new ReferenceStore(this.#options, [...others, ...named], alone ? new Set() : this.#expected);
  }

  /** The same tables as they are open now, watched. */
  watched({ onLook, onList }: TableWatcher): ReferenceStore {
    // Whoever watched before is told, too.
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

  /** Serves a vintage from now on in place of its dataset's earlier one; `unavailable` leaves the earlier one served. */
  async serve(vintage: string): Promise<void> {
    const read = await readReference(this.#options.data_dir, vintage);
    this.#open.set(read.dataset, read);
  }

  /**
   * Serves these vintages from now on, all at once, each in place of its dataset's earlier one: an answer over several tables
   * must not find some of them only. `onError` is told of one that is not usable, whose earlier one stays.
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

  /** All that are open, the sandbox's among them. */
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

  /** The table of a dataset, the sandbox's where that is named. */
  named(dataset: string): Reference<object> | undefined {
    const found = this.#open.get(dataset);
    this.#options.onLook?.(OF_DATASET + dataset, found);
    return found;
  }

  /** As `find`; `unavailable` (dataset-missing) where there is none. */
  get<Row extends object>(table: ReferenceTable<Row>): Reference<Row> {
    const found = this.find(table);
    if (found) return found;
    return refuse(tradeProblems["dataset-missing"], `the table ${table.name} is not loaded (yet)`, {
      retry_after_s: 5,
    });
  }

  /** Names the states of these tables that an answer rests on; undefined while none of them is open. */
  vintages(tables: readonly { name: string }[]): string | undefined {
    const names = tables.map((table) => this.find(table as ReferenceTable<object>)?.vintage ?? "");
    return names.some((name) => name !== "") ? names.join("+") : undefined;
  }
}
