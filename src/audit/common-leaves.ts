/** A consistency proof that holds: the tree of `second` leaves begins with that of `first`, which is no larger. */
export type Link = { first: number; second: number };

/**
 * With how many leaves each tree is shown to begin as the tree of `base` leaves does: along a chain of links as many as its
 * smallest link carries over, and of several chains the best counts. Trees that no chain reaches are left out.
 */
export function commonLeaves(base: number, links: readonly Link[]): ReadonlyMap<number, number> {
  const common = new Map([[base, base]]);
  const groups = new Map<number, number[]>();
  const groupOf = (size: number): number[] => {
    const group = groups.get(size) ?? [size];
    groups.set(size, group);
    return group;
  };
  // The strongest first: whatever is grouped by then has more leaves in common than the link at hand carries over.
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
