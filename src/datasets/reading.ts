/** The data that one answer reads, and the record of what it read. An answer names them, so that it can be repeated. */
import { OF_DATASET, type ReferenceStore } from "./reference/store.ts";
import type { ReferenceTable } from "./reference/table.ts";
import type { Lease, Vintages } from "./vintage-store.ts";

/** Datasets and reference tables. `allow_synthetic`: synthetic ones may answer. */
export type Data = { vintages: Vintages; reference: ReferenceStore; allow_synthetic: boolean };

/** Listed among vintages for tables that were missing. */
export const NONE = "none";

/** The record of reads. */
export type ReadRecord = {
  data: Data;
  /**
   * The vintages of datasets, then of tables, then `none` if a table was missing; comma-separated, as the input
   * `vintage` accepts it.
   */
  restsOn(): string;
  /** Each state that was looked up, missing ones included. It grows with further reads. */
  read: ReadonlySet<string>;
  /** Each look-up and its result; it grows too. */
  looks: ReadonlyMap<string, LookUp>;
};

/** One look-up: of all datasets or tables, or one by name. */
export type LookUp = { at: "datasets" | "dataset" | "tables" | "table"; name: string; found: string };

const stateOf = (found: { vintage: string } | undefined) => found?.vintage ?? NONE;
const statesOf = (all: readonly { vintage: string }[]) => all.map(({ vintage }) => vintage).join(",");

/** Repeats the look-ups in other data; true if each has the same result. */
export function isFoundAgain(looks: Iterable<LookUp>, data: Data): boolean {
  try {
    for (const look of looks) if (again(look, data) !== look.found) return false;
    return true;
  } catch {
    // Missing data refuse.
    return false;
  }
}

function again({ at, name }: LookUp, { vintages, reference }: Pick<Data, "vintages" | "reference">): string {
  switch (at) {
    case "datasets":
      return statesOf(vintages.open());
    case "dataset": {
      const lease = vintages.lease(name);
      lease.release();
      return lease.manifest.vintage;
    }
    case "tables":
      return statesOf(reference.open());
    case "table":
      return stateOf(
        name.startsWith(OF_DATASET)
          ? reference.named(name.slice(OF_DATASET.length))
          : reference.find({ name } as ReferenceTable<object>),
      );
  }
}

/** The same data, watched. Reads through nested watchers are recorded by each. */
export function watched({ vintages, reference, allow_synthetic }: Data): ReadRecord {
  const datasets = new Set<string>();
  const tables = new Set<string>();
  const read = new Set<string>();
  const looks = new Map<string, LookUp>();
  const look = (at: LookUp["at"], name: string, found: string) =>
    void looks.set(`${at} ${name}`, { at, name, found });
  let missing = false;
  const data: Data = {
    allow_synthetic,
    vintages: {
      open: () => {
        const open = vintages.open();
        read.add("datasets that are open");
        look("datasets", "", statesOf(open));
        for (const { vintage } of open) read.add(`vintage ${vintage}`);
        return open;
      },
      awaited: () => vintages.awaited(),
      lease: (dataset) => {
        const lease = vintages.lease(dataset);
        const { vintage } = lease.manifest;
        datasets.add(vintage);
        read.add(`vintage ${vintage}`);
        look("dataset", dataset, vintage);
        return lease;
      },
    },
    reference: reference.watched({
      onList: (open) => {
        read.add("tables that are open");
        look("tables", "", statesOf(open));
      },
      onLook: (name, found) => {
        read.add(`table ${name}, ${stateOf(found)}`);
        look("table", name, stateOf(found));
        if (found) tables.add(found.vintage);
        else missing = true;
      },
    }),
  };
  const restsOn = () =>
    [...[...datasets].sort(), ...[...tables].sort(), ...(missing ? [NONE] : [])].join(",");
  return { data, restsOn, read, looks };
}

/**
 * Runs `work` on data without figures: to its end, to its refusal, or to its first query, which nothing answers.
 * Reference tables are in memory, and stay.
 */
export async function upToFigures(
  { vintages, ...others }: Data,
  work: (data: Data) => Promise<unknown>,
): Promise<void> {
  let reached: () => void = () => {};
  const firstQuery = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const query = () => {
    reached();
    return new Promise<never>(() => {});
  };
  // Work that waits for a query never ends, so its lease ends here.
  const lease = (dataset: string): Lease => {
    const { manifest, partitions, release } = vintages.lease(dataset);
    release();
    const unread = partitions.map((one) => ({ ...one, rollup: undefined }));
    return { manifest, partitions: unread, query, release: () => undefined };
  };
  const data = {
    ...others,
    vintages: { open: () => vintages.open(), awaited: () => vintages.awaited(), lease },
  };
  await Promise.race([work(data), firstQuery]);
}

/** The same data, fixed until released: each dataset stays at the vintage of its first read. */
export function pinned({ vintages, reference, allow_synthetic }: Data): { data: Data; release(): void } {
  const leases = new Map<string, Lease>();
  const lease = (dataset: string) => {
    const found = leases.get(dataset) ?? vintages.lease(dataset);
    leases.set(dataset, found);
    return { ...found, release: () => undefined };
  };
  return {
    data: {
      allow_synthetic,
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
