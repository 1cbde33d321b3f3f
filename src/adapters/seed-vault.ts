/** Derives chains of seeds from one secret: only 32 bytes are stored, however many seeds there are. */
import { createHash, createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { SeedVault } from "../core/model/ports/seeds.ts";

/** Links of a chain: at one seed a day, enough for 27 years. */
const LENGTH = 10_000;

/**
 * `secret` is any unguessable text. The last link of a chain is HMAC-SHA256(secret,
 * "seeds:<origin>:<space>:<chain>"); each earlier link is the SHA-256 of the next. The origin prevents a new log
 * from using seeds that an old log has revealed.
 */
export function openSeedVault(secret: string, origin: string, length = LENGTH): SeedVault {
  const chains = new LRUCache<string, Buffer[]>({ max: 8 });
  const linksOf = (space: string, chain: number): Buffer[] => {
    const name = `${space}:${chain}`;
    const kept = chains.get(name);
    if (kept) return kept;
    const links = [createHmac("sha256", secret).update(`seeds:${origin}:${name}`).digest()];
    while (links.length <= length) links.push(createHash("sha256").update(links.at(-1)!).digest());
    links.reverse();
    chains.set(name, links);
    return links;
  };
  return {
    length,
    head: (space, chain) => linksOf(space, chain)[0]!.toString("hex"),
    seed: (space, chain, index) => {
      const seed = linksOf(space, chain)[index + 1];
      if (!seed) throw new RangeError(`chain ${chain} has no seed ${index}`);
      return seed;
    },
  };
}
