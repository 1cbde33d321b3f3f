import { LRUCache } from "lru-cache";

type Cached = { state: unknown; version: number; stale?: boolean };

/** Folded states by stream, and the line in which this process's writers of one stream stand. States are never mutated. */
export class StreamCache {
  readonly #states: LRUCache<string, Cached>;
  readonly #lines = new Map<string, Promise<void>>();

  constructor(max = 50_000) {
    this.#states = new LRUCache({ max });
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

  /** Waits for this caller's turn on a stream; the answer ends the turn and may be called twice. */
  async queue(key: string): Promise<() => void> {
    const before = this.#lines.get(key);
    let leave!: () => void;
    const mine = new Promise<void>((done) => {
      leave = done;
    });
    const line = before ? before.then(() => mine) : mine;
    this.#lines.set(key, line);
    await before;
    return () => {
      leave();
      if (this.#lines.get(key) === line) this.#lines.delete(key);
    };
  }
}
