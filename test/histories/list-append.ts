/**
 * Judges histories of list-append transactions like Elle (K. Kingsbury and P. Alvaro, "Elle: Inferring Isolation
 * Anomalies from Experimental Observations", VLDB 2020): since each value is appended once and lists keep their
 * order, reads reveal the order of transactions. A cycle of these orders is an anomaly; with the real-time order in
 * it, the history is serialisable but not strictly so.
 */

export type Op = { append: string; value: number } | { read: string; values: readonly number[] };

/** `unknown`: the caller left, or got an unknown outcome. Its appends count if somebody has read them. */
export type Transaction = {
  id: string;
  ops: readonly Op[];
  outcome: "ok" | "failed" | "unknown";
  /** By one clock for all, which does not go back; `ended` if an answer came. */
  begun: number;
  ended?: number;
};

/**
 * `G0` a cycle of writes alone; `G1a` a failed write was read; `G1b` a transaction's middle was read; `G1c` a cycle of writes and reads of them; `G-single` a cycle with one read that
 * missed a write; `G2` with several. `…-realtime`: only the order of real time closes it.
 */
export type AnomalyName =
  | "G0"
  | "G1a"
  | "G1b"
  | "G1c"
  | "G-single"
  | "G2"
  | "G0-realtime"
  | "G1c-realtime"
  | "G-single-realtime"
  | "G2-realtime"
  | "internal"
  | "duplicate"
  | "incompatible order"
  | "unwritten"
  | "lost";

export type Anomaly = { name: AnomalyName; of: readonly string[]; why: string };

/**
 * Each way in which the history is not strictly serialisable; one cycle of each kind. Keys whose last state was
 * read at the end also show losses.
 */
export function anomaliesOf(history: readonly Transaction[]): Anomaly[] {
  const found: Anomaly[] = [];
  const tell = (name: AnomalyName, of: readonly Transaction[], why: string) =>
    found.push({ name, of: of.map(({ id }) => id), why });
  const writers = writersOf(history, tell);
  const orders = ordersOf(history, tell);
  checkReads(history, writers, tell);
  checkOrders(history, writers, orders, tell);
  const graph = graphOf(history, writers, orders);
  found.push(...cyclesIn(graph));
  return found;
}

type Tell = (name: AnomalyName, of: readonly Transaction[], why: string) => void;
type Append = { by: Transaction; isLast: boolean };
type Writers = Map<string, Append>;

const at = (key: string, value: number) => `${key} ${value}`;
const appendsOf = ({ ops }: Transaction) => ops.flatMap((op) => ("append" in op ? [op] : []));
const readsOf = ({ ops, outcome }: Transaction) =>
  outcome === "ok" ? ops.flatMap((op) => ("read" in op ? [op] : [])) : [];

function writersOf(history: readonly Transaction[], tell: Tell): Writers {
  const writers: Writers = new Map();
  for (const by of history) {
    const last = new Map(appendsOf(by).map(({ append, value }) => [append, value]));
    for (const { append, value } of appendsOf(by)) {
      const known = writers.get(at(append, value));
      if (known) tell("duplicate", [known.by, by], `${value} is appended to ${append} twice`);
      writers.set(at(append, value), { by, isLast: last.get(append) === value });
    }
  }
  return writers;
}

/** The longest read list of each key: all others must be its beginning. */
function ordersOf(history: readonly Transaction[], tell: Tell): Map<string, readonly number[]> {
  const longest = new Map<string, { values: readonly number[]; by: Transaction }>();
  // A transaction's reads include its own earlier appends, which may be rolled back.
  const reads = history.flatMap((by) => readsOf(by).map((op) => ({ ...op, by })));
  for (const { read, values, by } of reads)
    if (values.length > (longest.get(read)?.values.length ?? -1)) longest.set(read, { values, by });
  for (const { read, values, by } of reads) {
    const known = longest.get(read)!;
    const differs = values.findIndex((value, n) => value !== known.values[n]);
    if (differs >= 0)
      tell(
        "incompatible order",
        [by, known.by],
        `${read}: ${values[differs]} and ${known.values[differs]} at place ${differs}`,
      );
    if (new Set(values).size < values.length) tell("duplicate", [by], `${read} has a value twice: ${values}`);
  }
  return new Map([...longest].map(([key, { values }]) => [key, values]));
}

function checkReads(history: readonly Transaction[], writers: Writers, tell: Tell): void {
  for (const reader of history) {
    checkInternal(reader, tell);
    for (const { read, values } of readsOf(reader)) {
      for (const value of values) {
        const writer = writers.get(at(read, value));
        if (!writer) tell("unwritten", [reader], `${read} has ${value}, which nobody appended`);
        else if (writer.by.outcome === "failed")
          tell("G1a", [reader, writer.by], `${value} of ${read} was read, and had failed`);
      }
      const last = values.at(-1);
      const writer = last === undefined ? undefined : writers.get(at(read, last));
      if (writer && writer.by !== reader && !writer.isLast)
        tell("G1b", [reader, writer.by], `${read} was read up to ${last}, and its writer had appended more`);
    }
  }
}

/** A repeated read returns the earlier one, plus its own appends since. */
function checkInternal(reader: Transaction, tell: Tell): void {
  if (reader.outcome !== "ok") return;
  const expected = new Map<string, number[]>();
  for (const op of reader.ops)
    if ("append" in op) expected.get(op.append)?.push(op.value);
    else {
      const before = expected.get(op.read);
      if (before && before.join() !== op.values.join())
        tell("internal", [reader], `${op.read} was [${before}] to it, and then [${op.values}]`);
      expected.set(op.read, [...op.values]);
    }
}

/** An acknowledged append is in every read that began after its end. */
function checkOrders(
  history: readonly Transaction[],
  writers: Writers,
  orders: ReadonlyMap<string, readonly number[]>,
  tell: Tell,
): void {
  const newest = new Map<string, number>();
  for (const reader of history)
    for (const { read } of readsOf(reader)) newest.set(read, Math.max(newest.get(read) ?? 0, reader.begun));
  const seen = new Set([...orders].flatMap(([key, values]) => values.map((value) => at(key, value))));
  for (const [name, { by }] of writers) {
    const key = name.slice(0, name.lastIndexOf(" "));
    if (by.outcome !== "ok" || seen.has(name)) continue;
    if ((newest.get(key) ?? 0) > by.ended!)
      tell("lost", [by], `${name} was acknowledged, and is in no later read`);
  }
}

/** ww: the next append to a key; wr: a read of it; rw: a read that did not see it yet; rt: begun after the other had ended. */
type Order = "ww" | "wr" | "rw" | "rt";
type Graph = { transactions: readonly Transaction[]; edges: Map<Order, Set<number>[]> };

function graphOf(
  history: readonly Transaction[],
  writers: Writers,
  orders: ReadonlyMap<string, readonly number[]>,
): Graph {
  const seen = new Set<Transaction>();
  for (const [key, values] of orders)
    for (const value of values) {
      const writer = writers.get(at(key, value));
      if (writer) seen.add(writer.by);
    }
  // A failed transaction is not part of the order, unless it was read: that is reported separately.
  const transactions = history.filter(
    (one) => one.outcome === "ok" || (one.outcome === "unknown" && seen.has(one)),
  );
  const places = new Map(transactions.map((one, place) => [one, place]));
  const edges = new Map<Order, Set<number>[]>(
    (["ww", "wr", "rw", "rt"] as const).map((order) => [order, transactions.map(() => new Set<number>())]),
  );
  const link = (order: Order, from: Transaction | undefined, to: Transaction | undefined) => {
    const [a, b] = [from && places.get(from), to && places.get(to)];
    if (a !== undefined && b !== undefined && a !== b) edges.get(order)![a]!.add(b);
  };
  for (const [key, values] of orders) {
    const by = values.map((value) => writers.get(at(key, value))?.by);
    for (let n = 1; n < by.length; n++) link("ww", by[n - 1], by[n]);
  }
  for (const reader of transactions)
    for (const { read, values } of readsOf(reader)) {
      const order = orders.get(read) ?? [];
      const last = values.at(-1);
      if (last !== undefined) link("wr", writers.get(at(read, last))?.by, reader);
      const next = order[values.length];
      if (next !== undefined) link("rw", reader, writers.get(at(read, next))?.by);
    }
  linkRealTime(transactions, (from, to) => edges.get("rt")![from]!.add(to));
  return { transactions, edges };
}

/** Only from the last that had ended: earlier ends are ordered before that. */
function linkRealTime(transactions: readonly Transaction[], link: (from: number, to: number) => void): void {
  const moments = transactions.flatMap(({ begun, ended, outcome }, place) => [
    { time: begun, place, isEnd: false },
    ...(outcome === "ok" ? [{ time: ended!, place, isEnd: true }] : []),
  ]);
  // An end and a start at one moment are unordered.
  moments.sort((a, b) => a.time - b.time || Number(a.isEnd) - Number(b.isEnd));
  const before = new Map<number, readonly number[]>();
  let frontier: readonly number[] = [];
  for (const { place, isEnd } of moments)
    if (isEnd) {
      const covered = new Set(before.get(place));
      frontier = [...frontier.filter((one) => !covered.has(one)), place];
    } else {
      for (const one of frontier) link(one, place);
      before.set(place, frontier);
    }
}

function cyclesIn(graph: Graph): Anomaly[] {
  const kinds: [AnomalyName, AnomalyName, readonly Order[], rw: "none" | "one" | "many"][] = [
    ["G0", "G0-realtime", ["ww"], "none"],
    ["G1c", "G1c-realtime", ["ww", "wr"], "none"],
    ["G-single", "G-single-realtime", ["ww", "wr"], "one"],
    ["G2", "G2-realtime", ["ww", "wr", "rw"], "many"],
  ];
  if (!circleOf(graph, ["ww", "wr", "rw", "rt"])) return [];
  const found: Anomaly[] = [];
  // The weakest is reported, because it implies the stronger ones.
  for (const time of [[], ["rt"]] as const) {
    for (const [name, inTime, orders, rw] of kinds) {
      if (found.length > 0) break;
      const along = [...orders, ...time];
      const cycle = rw === "one" ? cycleWithOne(graph, along) : cycleAlong(graph, along);
      if (!cycle) continue;
      const of = cycle.map((place) => graph.transactions[place]!.id);
      found.push({ name: time.length === 0 ? name : inTime, of, why: of.join(" → ") });
    }
  }
  return found;
}

/** A cycle of these orders with one rw edge: a read that missed an earlier write. */
function cycleWithOne(graph: Graph, along: readonly Order[]): number[] | undefined {
  for (const [from, missed] of graph.edges.get("rw")!.entries())
    for (const to of missed) {
      const path = shortest(graph, along, to, from);
      if (path) return path;
    }
  return undefined;
}

function cycleAlong(graph: Graph, along: readonly Order[]): number[] | undefined {
  const component = circleOf(graph, along);
  if (!component) return undefined;
  const [from] = component;
  for (const next of nextOf(graph, along, from!)) {
    const path = shortest(graph, along, next, from!);
    if (path) return path;
  }
  return undefined;
}

const nextOf = ({ edges }: Graph, along: readonly Order[], from: number): number[] =>
  along.flatMap((order) => [...edges.get(order)![from]!]);

/** From one to the other, both included. */
function shortest(graph: Graph, along: readonly Order[], from: number, to: number): number[] | undefined {
  const came = new Map<number, number | undefined>([[from, undefined]]);
  const queue = [from];
  for (let n = 0; n < queue.length; n++) {
    const one = queue[n]!;
    if (one === to) {
      const path: number[] = [];
      for (let step: number | undefined = to; step !== undefined; step = came.get(step)) path.unshift(step);
      return path;
    }
    for (const next of nextOf(graph, along, one))
      if (!came.has(next)) {
        came.set(next, one);
        queue.push(next);
      }
  }
  return undefined;
}

/**
 * Strongly connected components of more than one transaction; by R. Tarjan's algorithm (1972) with an explicit
 * stack, because histories are long.
 */
function circleOf(graph: Graph, along: readonly Order[]): number[] | undefined {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const isOn = new Set<number>();
  for (const root of graph.transactions.keys()) {
    if (index.has(root)) continue;
    const work: { one: number; next: number[]; done: number }[] = [];
    const enter = (one: number) => {
      index.set(one, index.size);
      low.set(one, index.get(one)!);
      stack.push(one);
      isOn.add(one);
      work.push({ one, next: nextOf(graph, along, one), done: 0 });
    };
    enter(root);
    while (work.length > 0) {
      const top = work.at(-1)!;
      const { one, next } = top;
      const to = next[top.done++];
      if (to !== undefined) {
        if (!index.has(to)) enter(to);
        else if (isOn.has(to)) low.set(one, Math.min(low.get(one)!, index.get(to)!));
        continue;
      }
      work.pop();
      const above = work.at(-1)?.one;
      if (above !== undefined) low.set(above, Math.min(low.get(above)!, low.get(one)!));
      if (low.get(one) !== index.get(one)) continue;
      const component: number[] = [];
      for (let last = stack.pop()!; ; last = stack.pop()!) {
        isOn.delete(last);
        component.push(last);
        if (last === one) break;
      }
      if (component.length > 1) return component;
    }
  }
  return undefined;
}
