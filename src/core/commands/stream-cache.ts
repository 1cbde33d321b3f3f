import { LRUCache } from "lru-cache";
import type { CommitInFlight } from "../../../eventstore/types.ts";

type CachedState = { state: unknown; version: number; stale?: boolean };

/** The state of a stream if a commit in flight succeeds. */
export type StateInFlight = { state: unknown; version: number; sent: CommitInFlight };

/** The LRU cache allocates all its slots at construction, so their number is limited. */
const MOST_STATES = 20_000;
const ENTRY_BYTES = 200;
/** The assumed size of one value, measured on a payment's state, which takes three kilobytes. */
const VALUE_BYTES = 56;
/** The size of a larger state is estimated from this many members: an exact size would cost more than it helps. */
const WEIGHED = 256;

/** Cached states are never mutated. */
export class StreamCache {
  readonly #states: LRUCache<string, CachedState>;
  readonly #ahead = new Map<string, StateInFlight>();
  readonly #lines = new Map<string, WriterQueue>();

  constructor(max_bytes = 32 * 1024 * 1024) {
    this.#states = new LRUCache({
      max: MOST_STATES,
      maxSize: max_bytes,
      sizeCalculation: ({ state }, key) => ENTRY_BYTES + key.length + bytesOf(state),
    });
  }

  get size(): { states: number; bytes: number } {
    return { states: this.#states.size, bytes: this.#states.calculatedSize };
  }

  get(key: string): CachedState | undefined {
    return this.#states.get(key);
  }

  keep(key: string, newer: { state: unknown; version: number }): void {
    const cached = this.#states.get(key);
    if (!cached || cached.version <= newer.version) this.#states.set(key, newer);
  }

  mark(key: string): void {
    const cached = this.#states.get(key);
    if (cached) this.#states.set(key, { ...cached, stale: true });
  }

  /** The state that the last commit in flight produces. A decision on this state depends on that commit. */
  ahead(key: string): StateInFlight | undefined {
    return this.#ahead.get(key);
  }

  /**
   * Ignores a state that does not follow the last commit in flight, or is not newer than the cached state: its decision
   * used an old state.
   */
  expect(key: string, ahead: StateInFlight, after: CommitInFlight | undefined): void {
    const last = this.#ahead.get(key);
    if (ahead.version <= (this.#states.peek(key)?.version ?? 0)) return;
    if (!last || last.sent === after) this.#ahead.set(key, ahead);
  }

  arrived(key: string, sent: CommitInFlight): void {
    if (this.#ahead.get(key)?.sent === sent) this.#ahead.delete(key);
  }

  isBusy(key: string): boolean {
    return this.#lines.has(key);
  }

  waitedFor(key: string): number {
    const since = this.#lines.get(key)?.last[0]?.since;
    return since === undefined ? 0 : performance.now() - since;
  }

  /** The returned function leaves the queue and may be called twice. */
  async queue(key: string, end: "last" | "first" = "last"): Promise<() => void> {
    const line = this.#lines.get(key);
    if (!line) this.#lines.set(key, { first: [], last: [] });
    else await new Promise<void>((begin) => line[end].push({ since: performance.now(), begin }));
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const { first, last } = this.#lines.get(key)!;
      const next = first.shift() ?? last.shift();
      if (next) next.begin();
      else this.#lines.delete(key);
    };
  }
}

type WriterQueue = Record<"first" | "last", { since: number; begin: () => void }[]>;

function bytesOf(state: unknown): number {
  const open: unknown[] = [state];
  let bytes = VALUE_BYTES;
  for (let n = 0; open.length > 0; n++) {
    const one = open.pop();
    if (typeof one === "string") bytes += one.length;
    else if (ArrayBuffer.isView(one)) bytes += one.byteLength;
    else if (typeof one === "object" && one !== null) {
      const [size, members] = membersOf(one);
      bytes += VALUE_BYTES * size;
      for (const member of members) {
        if (n + open.length >= WEIGHED) break;
        open.push(member);
      }
    }
  }
  return bytes;
}

function membersOf(one: object): [number, Iterable<unknown>] {
  if (one instanceof Map) return [2 * one.size, flat(one)];
  if (one instanceof Set) return [one.size, one];
  const members = Array.isArray(one) ? one : Object.values(one);
  return [members.length, members];
}

function* flat(map: Map<unknown, unknown>): Iterable<unknown> {
  for (const entry of map) yield* entry;
}
