/**
 * The cost of 10, 100 and 1,000 times the load, with tenants spread over several logs (docs/decisions/0041):
 * processes, servers, bytes, gas and money.
 *
 *     npx tsx bench/many-logs.ts [--calls 100] [--crossing 0.05] [--cores 8] [--seconds 20]
 *                                [--core-month 20] [--gb-month 0.1] [--gwei 0.02] [--ether 3000]
 *
 * One log and its processes are simulated call by call, with the costs in bench/RESULTS.md; its maximum is searched
 * for, and the rest is counted in such logs. `--calls` a second is the load of 1, `--crossing` the share of writing
 * calls that touch a second log, `--cores` those of a database server. Prices are assumptions, to be replaced: a
 * month of a core and of a gigabyte in EUR, gas in gwei, ether in EUR.
 */
import { parseArgs } from "node:util";

const number = (value: string) => ({ type: "string" as const, default: value });
const { values: given } = parseArgs({
  options: {
    calls: number("100"),
    crossing: number("0.05"),
    cores: number("8"),
    seconds: number("20"),
    "core-month": number("20"),
    "gb-month": number("0.1"),
    gwei: number("0.02"),
    ether: number("3000"),
  },
});
const numberOf = (name: keyof typeof given) => Number(given[name]);

/**
 * CPU time in ms: of the service's one thread, and of the database besides the append. `commits`: each one's
 * events, and its delay after the previous one.
 */
type Kind = { name: string; share: number; thread_ms: number; database_ms: number; commits: Commit[] };
type Commit = { events: number; after_ms: number };

const at_once = (events: number): Commit[] => [{ events, after_ms: 0 }];
/** Measured on the machine of bench/RESULTS.md, sections HTTP, Passports, Rolls, Paid calls and Orders. */
const KINDS: Kind[] = [
  { name: "answers from a cache", share: 0.55, thread_ms: 0.35, database_ms: 0.02, commits: [] },
  { name: "questions to read models", share: 0.15, thread_ms: 0.6, database_ms: 0.3, commits: [] },
  { name: "commands by key", share: 0.2, thread_ms: 0.55, database_ms: 0.15, commits: at_once(1) },
  {
    name: "paid calls",
    share: 0.08,
    thread_ms: 2,
    database_ms: 0.6,
    commits: [...at_once(1), { events: 2, after_ms: 500 }],
  },
  { name: "orders and tasks", share: 0.02, thread_ms: 2.4, database_ms: 1.2, commits: at_once(3) },
];
/**
 * A call of the append functions locks the log for this long, plus this time per event (section Appending: 1 and 64
 * callers).
 */
const CALL_MS = 0.55;
const EVENT_MS = 0.033;
/** A call's commit has at most this many events (eventstore/combiner.ts). */
const MOST_EVENTS = 512;
/** A pack of a million events has 1.2 GB (section Verifying); rows and their indexes take about the same again. */
const BYTES_AN_EVENT = 2_400;
/** Section Anchoring on chain, at a million leaves. */
const GAS_AN_ANCHOR = 58_000;
const ANCHORS_A_DAY = 86_400 / 600;
/** Each log's checkpoint is recorded in the first log every minute, as an event. */
const NOTES_A_DAY = 86_400 / 60;
/** The highest load of a process or server, and the highest latency of the slowest of twenty calls. */
const MOST_BUSY = 0.7;
const MOST_P95_MS = 50;
/** The second half of a call that crosses logs: a reactor reads it and commits once in the other log. */
const CROSSED: Commit = { events: 2, after_ms: 50 };
const CROSSED_THREAD_MS = 0.5;

/** The same numbers in every run (Lehmer, modulus 2^31 - 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

type QueuedCommit = { ready: number; begun: number; events: number };
type Simulated = { p95_ms: number; lock_busy: number; thread_busy: number; database_busy: number };

/**
 * One log, with calls per second at several processes: each call waits for its process's thread, then for an append
 * call.
 */
function simulate(calls_a_second: number, processes: number): Simulated {
  const draw = numbers(7);
  const end = numberOf("seconds") * 1_000;
  const free = new Array<number>(processes).fill(0);
  const queues: QueuedCommit[][] = free.map(() => []);
  const late: number[] = [];
  let [thread, database] = [0, 0];
  for (let now = 0; now < end; now += (-Math.log(1 - draw()) * 1_000) / calls_a_second) {
    const kind = kindAt(draw());
    const crosses = kind.commits.length > 0 && draw() < numberOf("crossing");
    const own = kind.thread_ms + (crosses ? CROSSED_THREAD_MS : 0);
    const at = free.indexOf(Math.min(...free));
    const done = Math.max(now, free[at]!) + own;
    free[at] = done;
    thread += own;
    database += kind.database_ms;
    // Incoming calls from other logs equal the outgoing ones.
    const commits = crosses ? [...kind.commits, CROSSED] : kind.commits;
    let ready = done;
    for (const [n, commit] of commits.entries()) {
      ready += commit.after_ms;
      // Only the first commit delays a caller by milliseconds: a settlement waits for its block.
      queues[at]!.push({ ready, begun: n === 0 ? now : Number.NaN, events: commit.events });
    }
    if (commits.length === 0) late.push(done - now);
  }
  const lock = appended(queues, late);
  late.sort((a, b) => a - b);
  return {
    p95_ms: late[Math.floor(late.length * 0.95)]!,
    lock_busy: lock / end,
    thread_busy: thread / end / processes,
    database_busy: (database + lock) / end / numberOf("cores"),
  };
}

/** Serves the commits: one call locks at a time, and takes what waits at its process. Returns the time of the lock. */
function appended(queues: QueuedCommit[][], late: number[]): number {
  for (const queue of queues) queue.sort((a, b) => a.ready - b.ready);
  const next = queues.map(() => 0);
  let [now, held] = [0, 0];
  for (;;) {
    const firsts = queues.map((queue, at) => queue[next[at]!]?.ready ?? Number.POSITIVE_INFINITY);
    const soonest = Math.min(...firsts);
    if (soonest === Number.POSITIVE_INFINITY) return held;
    now = Math.max(now, soonest);
    const at = firsts.indexOf(soonest);
    const queue = queues[at]!;
    const taken: QueuedCommit[] = [];
    let events = 0;
    while (next[at]! < queue.length && queue[next[at]!]!.ready <= now && events < MOST_EVENTS) {
      const commit = queue[next[at]!++]!;
      taken.push(commit);
      events += commit.events;
    }
    const took = CALL_MS + events * EVENT_MS;
    now += took;
    held += took;
    for (const { begun } of taken) if (!Number.isNaN(begun)) late.push(now - begun);
  }
}

function kindAt(drawn: number): Kind {
  let sum = 0;
  for (const kind of KINDS) {
    sum += kind.share;
    if (sum > drawn) return kind;
  }
  return KINDS.at(-1)!;
}

const isWell = ({ p95_ms, lock_busy, thread_busy, database_busy }: Simulated) =>
  p95_ms <= MOST_P95_MS && Math.max(lock_busy, thread_busy, database_busy) <= MOST_BUSY;

/** The fewest processes that serve this rate well on one log; undefined if none do. */
function processesFor(calls: number): { processes: number; simulated: Simulated } | undefined {
  const least = Math.ceil((calls * meanOf(({ thread_ms }) => thread_ms)) / 1_000 / MOST_BUSY);
  for (let processes = Math.max(1, least); processes <= least + 2; processes++) {
    const simulated = simulate(calls, processes);
    if (isWell(simulated)) return { processes, simulated };
  }
  return undefined;
}

const meanOf = (of: (kind: Kind) => number) => KINDS.reduce((sum, kind) => sum + kind.share * of(kind), 0);
const eventsOf = ({ commits }: Kind) => commits.reduce((sum, { events }) => sum + events, 0);
const crossing = meanOf(({ commits }) => Math.sign(commits.length)) * numberOf("crossing");
const events_a_call = meanOf(eventsOf) + crossing * CROSSED.events;

/** The highest rate of one log, to a twentieth. */
function mostOfOneLog(): number {
  let well = numberOf("calls");
  if (!processesFor(well)) throw new Error(`one log does not take ${well} calls a second`);
  while (processesFor(well * 2)) well *= 2;
  for (let step = well / 2; step >= well / 20; step /= 2) if (processesFor(well + step)) well += step;
  return Math.round(well);
}

const most = mostOfOneLog();
console.log(
  `one log takes ${most} calls a second (${Math.round(most * events_a_call)} events), a database server of ${numberOf("cores")} cores, a thread a process`,
);
const table = [1, 10, 100, 1_000].map((times) => {
  const calls = numberOf("calls") * times;
  const logs = Math.ceil(calls / most);
  const { processes, simulated } = processesFor(calls / logs)!;
  const events_a_day = calls * events_a_call * 86_400;
  const notes_a_day = logs === 1 ? 0 : logs * NOTES_A_DAY;
  const gb_a_month = ((events_a_day + notes_a_day) * 30 * BYTES_AN_EVENT) / 1e9;
  const gas_a_day = ANCHORS_A_DAY * GAS_AN_ANCHOR;
  // Each log has a standby; the first log, which records the others, is one of them.
  const cores = logs * (processes + 2 * numberOf("cores"));
  return {
    load: `${times} ×`,
    "calls /s": calls,
    "events /s": Math.round(calls * events_a_call),
    logs,
    processes: logs * processes,
    "database servers": 2 * logs,
    "p95 ms": Number(simulated.p95_ms.toFixed(1)),
    "lock busy": Number(simulated.lock_busy.toFixed(2)),
    "GB a month": Math.round(gb_a_month),
    "notes a day": notes_a_day,
    "Mgas a day": Number((gas_a_day / 1e6).toFixed(1)),
    "gas EUR a month": Number((gas_a_day * 30 * numberOf("gwei") * 1e-9 * numberOf("ether")).toFixed(0)),
    "machines EUR a month": Math.round(cores * numberOf("core-month") + gb_a_month * numberOf("gb-month")),
  };
});
console.table(table);
