/** Deterministic pseudo-random numbers for synthetic rows. */
/** A number from −1 to 1 that depends on its name alone (FNV-1a, its bits mixed as MurmurHash3 ends). */
export function swing(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) / 2 ** 31;
}

export const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));

/** Mondays to Fridays of a range of years, both included, as YYYY-MM-DD. */
export function workdays(from: number, to: number): string[] {
  const days: string[] = [];
  for (let day = Date.UTC(from, 0, 1); day < Date.UTC(to + 1, 0, 1); day += 86_400_000) {
    const date = new Date(day);
    if (date.getUTCDay() % 6 !== 0) days.push(date.toISOString().slice(0, 10));
  }
  return days;
}
