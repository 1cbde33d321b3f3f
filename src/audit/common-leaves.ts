/** A valid consistency proof: the tree of `second` leaves begins with that of `first`, which is not larger. */
export type Link = { first: number; second: number };

/**
 * The number of leaves that each tree provably shares with the tree of `base` leaves. A chain of links carries its
 * smallest link, and the best chain counts. Trees without a chain are left out.
 */
export function commonLeaves(base: number, links: readonly Link[]): ReadonlyMap<number, number> {
  const common = new Map([[base, base]]);
  const groups = new Map<number, number[]>();
  const groupOf = (size: number): number[] => {
    const group = groups.get(size) ?? [size];
    groups.set(size, group);
    return group;
  };
  // Strongest first: trees grouped so far share more leaves than the current link carries.
  for (const { first, second } of links.toSorted((a, b) => b.first - a.first)) {
    const [small, large] = [groupOf(first), groupOf(second)].sort((a, b) => a.length - b.length);
    if (small === large) continue;
    if (common.has(first) !== common.has(second)) {
      const reached = common.has(first) ? groupOf(second) : groupOf(first);
      for (const size of reached) common.set(size, first);
    }
    for (const size of small!) {
      large!.push(size);
      groups.set(size, large!);
    }
  }
  return common;
}
