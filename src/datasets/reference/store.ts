/** The reference tables a process has in memory: of each the real one where it was imported, else its sandbox. */

import { refuse } from "../../domain/refusal.ts";
import { tradeProblems } from "../../domain/trade/problems.ts";
import { noteRead } from "../reads.ts";
import { readReference } from "./files.ts";
import { type Reference, type ReferenceTable, sandboxOf } from "./table.ts";

export class ReferenceStore {
  readonly #dataDir: string;
  readonly #allowSynthetic: boolean;
  readonly #open = new Map<string, Reference<object>>();

  constructor(options: { data_dir: string; allow_synthetic: boolean }) {
    this.#dataDir = options.data_dir;
    this.#allowSynthetic = options.allow_synthetic;
  }

  /** Serves a vintage from now on in place of its dataset's earlier one; `unavailable` leaves the earlier one served. */
  async serve(vintage: string): Promise<void> {
    const read = await readReference(this.#dataDir, vintage);
    this.#open.set(read.dataset, read);
  }

  /** All that are open, the sandbox's among them. */
  open(): Reference<object>[] {
    noteRead("tables that are open");
    return [...this.#open.values()];
  }

  find<Row extends object>(table: ReferenceTable<Row>): Reference<Row> | undefined {
    const found =
      this.#open.get(table.name) ?? (this.#allowSynthetic ? this.#open.get(sandboxOf(table)) : undefined);
    // That a table is not there is part of what an answer rests on.
    noteRead(`table ${table.name}, ${found?.vintage ?? "none"}`);
    return found as Reference<Row> | undefined;
  }

  /** The table of a dataset, the sandbox's where that is named. */
  named(dataset: string): Reference<object> | undefined {
    const found = this.#open.get(dataset);
    noteRead(`table of ${dataset}, ${found?.vintage ?? "none"}`);
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
