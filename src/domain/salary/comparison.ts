/** The year for a comparison: the one with most known values, the latest of those. Undefined without any. */
export function commonYear(known: readonly (readonly number[])[]): number | undefined {
  const counts = new Map<number, number>();
  for (const years of known) for (const year of new Set(years)) counts.set(year, (counts.get(year) ?? 0) + 1);
  let best: [year: number, count: number] | undefined;
  for (const [year, count] of counts) {
    if (!best || count > best[1] || (count === best[1] && year > best[0])) best = [year, count];
  }
  return best?.[0];
}
