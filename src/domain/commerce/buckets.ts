/**
 * A map of thousands of values as many small objects, so a changed copy costs little: it shares all others. Plain data,
 * independent of the order of insertion.
 */
export type Buckets<Value> = readonly Readonly<Record<string, Value>>[];

const COUNT = 256;
const NONE = {};

export const emptyBuckets = <Value>(): Buckets<Value> => Array<Record<string, Value>>(COUNT).fill(NONE);

export const valueAt = <Value>(buckets: Buckets<Value>, name: string): Value | undefined =>
  buckets[bucketOf(name)]?.[name];

/** A copy with the value under this name; undefined removes it. */
export function withValue<Value>(
  buckets: Buckets<Value>,
  name: string,
  value: Value | undefined,
): Buckets<Value> {
  const bucket = bucketOf(name);
  const { [name]: _, ...others } = buckets[bucket] ?? {};
  return buckets.with(bucket, value === undefined ? others : { ...others, [name]: value });
}

export const entriesOf = <Value>(buckets: Buckets<Value>): [name: string, value: Value][] =>
  buckets.flatMap((bucket) => Object.entries(bucket));

/** The bucket of a name, equal in every process. */
function bucketOf(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (Math.imul(sum, 31) + name.charCodeAt(at)) >>> 0;
  return sum % COUNT;
}
