/**
 * Values by name, for states that may come to hold thousands: kept in so many small objects that another state, which shares all but one of
 * them, costs little. Plain data, and the same values are the same data, however they came in.
 */
export type Buckets<Value> = readonly Readonly<Record<string, Value>>[];

const COUNT = 256;
const NONE = {};

export const emptyBuckets = <Value>(): Buckets<Value> => Array<Record<string, Value>>(COUNT).fill(NONE);

export const valueAt = <Value>(buckets: Buckets<Value>, name: string): Value | undefined =>
  buckets[placeOf(name)]?.[name];

/** The same with another value of this name; undefined takes it out. */
export function withValue<Value>(
  buckets: Buckets<Value>,
  name: string,
  value: Value | undefined,
): Buckets<Value> {
  const place = placeOf(name);
  const { [name]: _, ...others } = buckets[place] ?? {};
  return buckets.with(place, value === undefined ? others : { ...others, [name]: value });
}

export const entriesOf = <Value>(buckets: Buckets<Value>): [name: string, value: Value][] =>
  buckets.flatMap((bucket) => Object.entries(bucket));

/** The same for a name in every process. */
function placeOf(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (Math.imul(sum, 31) + name.charCodeAt(at)) >>> 0;
  return sum % COUNT;
}
