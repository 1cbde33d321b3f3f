import { LRUCache } from "lru-cache";

/** The most recently used entries, up to `most`. With `max`, LRUCache would allocate all places at once: 100,000 take 15 ms. */
export const growingCache = <Value extends {}>(most: number, ttl_ms?: number): LRUCache<string, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...(ttl_ms !== undefined && { ttl: ttl_ms }) });
