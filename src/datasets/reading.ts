/** The data that one answer reads, and what of it was read: named in the answer, it can be asked for again. */
import type { ReferenceStore } from "./reference/store.ts";
import type { Lease, Vintages } from "./vintage-store.ts";

/** Datasets and the tables beside them. */
export type Data = { vintages: Vintages; reference: ReferenceStore };

/** Stands among vintages for tables that were looked for and were not there. */
export const NONE = "none";

/** What was read of some data. */
export type Watching = {
  data: Data;
  /**
   * The vintages of datasets, then those of tables, and `none` at the end where a table was missing; by comma, as the input `vintage`
   * takes it.
   */
  restsOn(): string;
  /** Each state that was looked at, also of what was not there. It grows as more is read. */
  read: ReadonlySet<string>;
};

/** The same data, watched. Who watches what is watched already sees what is read through it, and so does the other. */
export function watched({ vintages, reference }: Data): Watching {
  const leased = new Set<string>();
  const tables = new Set<string>();
  const read = new Set<string>();
  let missing = false;
  const data: Data = {
    vintages: {
      open: () => {
        const open = vintages.open();
        read.add("datasets that are open");
        for (const { vintage } of open) read.add(`vintage ${vintage}`);
        return open;
      },
      awaited: () => vintages.awaited(),
      lease: (dataset) => {
        const lease = vintages.lease(dataset);
        leased.add(lease.manifest.vintage);
        read.add(`vintage ${lease.manifest.vintage}`);
        return lease;
      },
    },
    reference: reference.watched({
      onList: () => read.add("tables that are open"),
      onLook: (name, found) => {
        read.add(`table ${name}, ${found?.vintage ?? NONE}`);
        if (found) tables.add(found.vintage);
        else missing = true;
      },
    }),
  };
  const restsOn = () => [...[...leased].sort(), ...[...tables].sort(), ...(missing ? [NONE] : [])].join(",");
  return { data, restsOn, read };
}

/** The same data as they are now until they are released: each dataset stays in the vintage in which it is first read. */
export function held({ vintages, reference }: Data): { data: Data; release(): void } {
  const leases = new Map<string, Lease>();
  const lease = (dataset: string) => {
    const found = leases.get(dataset) ?? vintages.lease(dataset);
    leases.set(dataset, found);
    return { ...found, release: () => undefined };
  };
  return {
    data: {
      vintages: {
        open: () => vintages.open().map((manifest) => leases.get(manifest.dataset)?.manifest ?? manifest),
        awaited: () => vintages.awaited(),
        lease,
      },
      reference: reference.watched({}),
    },
    release: () => {
      for (const one of leases.values()) one.release();
    },
  };
}
