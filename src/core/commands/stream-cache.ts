import { LRUCache } from "lru-cache";
import type { Sent } from "../../../eventstore/types.ts";

type Cached = { state: unknown; version: number; stale?: boolean };

/** What a stream becomes if a commit on its way is appended. */
export type Ahead = { state: unknown; version: number; sent: Sent };

/** More are not held, however small they are: the cache makes its places when it begins. */
const MOST_STATES = 20_000;
/** What the cache itself needs for an entry. */
const ENTRY_BYTES = 200;
/** A value in an object, an array or a map, with its place and its header: so that a payment weighs the three kilobytes that it takes. */
const VALUE_BYTES = 56;
/** A state is weighed by so many of its values: weighing what has thousands each time it changes would cost more than it tells. */
const WEIGHED = 256;

/**
 * Folded states by stream, those that commits on their way will leave, and the line in which this process's writers of one stream
 * stand. States are never mutated.
 */
export class StreamCache {
  readonly #states: LRUCache<string, Cached>;
  readonly #ahead = new Map<string, Ahead>();
  readonly #lines = new Map<string, Line>();

  /** `max_bytes`: about so much of states and their names is held; those that were not needed for longest go first. */
  constructor(max_bytes = 32 * 1024 * 1024) {
    this.#states = new LRUCache({
      max: MOST_STATES,
      maxSize: max_bytes,
      sizeCalculation: ({ state }, key) => ENTRY_BYTES + key.length + bytesOf(state),
    });
  }

  /** How many states are held, and about how many bytes they are. */
  get held(): { states: number; bytes: number } {
    return { states: this.#states.size, bytes: this.#states.calculatedSize };
  }

  get(key: string): Cached | undefined {
    return this.#states.get(key);
  }

  /** Remembers a newer state; an older one than the one held is ignored. */
  keep(key: string, cached: { state: unknown; version: number }): void {
    const held = this.#states.get(key);
    if (!held || held.version <= cached.version) this.#states.set(key, cached);
  }

  /** Says that the log has moved past the state held. */
  mark(key: string): void {
    const held = this.#states.get(key);
    if (held) this.#states.set(key, { ...held, stale: true });
  }

  /** The state that the last commit on its way leaves; undefined where none is. Whoever decides upon it rests on that commit. */
  ahead(key: string): Ahead | undefined {
    return this.#ahead.get(key);
  }

  /**
   * Remembers what a commit that was sent leaves, until it arrives; ignored where it does not come after the last one on its way, or after
   * what is known: then it was decided upon what is past.
   */
  expect(key: string, ahead: Ahead, after: Sent | undefined): void {
    const last = this.#ahead.get(key);
    if (ahead.version <= (this.#states.peek(key)?.version ?? 0)) return;
    if (!last || last.sent === after) this.#ahead.set(key, ahead);
  }

  /** Says that a commit is not on its way any more. */
  arrived(key: string, sent: Sent): void {
    if (this.#ahead.get(key)?.sent === sent) this.#ahead.delete(key);
  }

  /** Whether somebody has the first place in a stream's line. */
  isBusy(key: string): boolean {
    return this.#lines.has(key);
  }

  /** For how long the one who has waited longest at the end of a stream's line has, in milliseconds; 0 where nobody does. */
  waitedFor(key: string): number {
    const since = this.#lines.get(key)?.last[0]?.since;
    return since === undefined ? 0 : performance.now() - since;
  }

  /** Waits for the first place in a stream's line; the answer leaves it and may be called twice. */
  async queue(key: string, place: "last" | "first" = "last"): Promise<() => void> {
    const line = this.#lines.get(key);
    if (!line) this.#lines.set(key, { first: [], last: [] });
    else await new Promise<void>((begin) => line[place].push({ since: performance.now(), begin }));
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

/** Who waits for a stream behind the one whose turn it is, those that lost a turn before the others. */
type Line = Record<"first" | "last", { since: number; begin: () => void }[]>;

/** About how many bytes a state takes. */
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

/** How many values stand in an object, and these. */
function membersOf(one: object): [number, Iterable<unknown>] {
  if (one instanceof Map) return [2 * one.size, flat(one)];
  if (one instanceof Set) return [one.size, one];
  const members = Array.isArray(one) ? one : Object.values(one);
  return [members.length, members];
}

function* flat(map: Map<unknown, unknown>): Iterable<unknown> {
  for (const entry of map) yield* entry;
}
