/**
 * Factors of an agent next to its score: shares of one in millionths, floored, over the last 180 days. The evidence is
 * its tasks: leases met or missed, results that an audit or a quorum judged, and the time that each result took. Tasks
 * of its own tenant, wallet or delegation do not count.
 */

/**
 * A node's work on a day (since 1970-01-01). `kept`, `lost`: leases with and without a result in time; `agreed`,
 * `differed`: results by verdict of an audit or a quorum; `speed_ppm`: the sum of each result's unused time, in
 * millionths.
 */
export type WorkDay = {
  day: number;
  kept: number;
  lost: number;
  agreed: number;
  differed: number;
  speed_ppm: number;
};

export const nothingOn = (day: number): WorkDay => ({
  ...{ day, kept: 0, lost: 0, agreed: 0, differed: 0, speed_ppm: 0 },
});

export type Measured = {
  /** The UTC day of the computation. */
  day: number;
  /** Each day once, in any order. */
  work: readonly WorkDay[];
  /** Micro-points from attestations before the caps, and the number of attestors. */
  attested: { points: number; attestors: number };
};

/** In millionths of one; null = no sample. */
export type Factor = { value: number | null; n: number };
export const factorNames = ["reliability", "speed", "accuracy", "consistency", "collaboration"] as const;
export type Factors = Record<(typeof factorNames)[number], Factor>;

const ONE = 1_000_000;
export const FACTOR_DAYS = 180;
const WEEKS = 12;

export function factorsOf({ day, work, attested }: Measured): Factors {
  const sum = sumsOf(work, day);
  return {
    reliability: share(sum.kept, sum.kept + sum.lost),
    accuracy: share(sum.agreed, sum.agreed + sum.differed),
    speed: speedOf(work, day),
    consistency: consistencyOf(day, work),
    collaboration: {
      value: attested.attestors === 0 ? null : Math.min(ONE, Math.floor(attested.points / 100)),
      n: attested.attestors,
    },
  };
}

function sumsOf(work: readonly WorkDay[], day: number): WorkDay {
  const sum = nothingOn(day);
  for (const one of work) {
    if (one.day > day || day - one.day > FACTOR_DAYS) continue;
    for (const count of ["kept", "lost", "agreed", "differed", "speed_ppm"] as const)
      sum[count] += one[count];
  }
  return sum;
}

const share = (k: number, n: number): Factor => ({ value: n === 0 ? null : wilson(k, n), n });

/**
 * Lower bound of Wilson's interval (E. B. Wilson 1927) at z² = 3.8416, of k in n, in millionths, floored. Exact: two
 * roundings of doubles would put it above the bound.
 */
export function wilson(k: number, n: number): number {
  const [of, kept] = [BigInt(n), BigInt(k)];
  const z2 = 38_416n;
  const under = 10n ** 12n * z2 * of * (z2 * of + 40_000n * kept * (of - kept));
  const over = 1_000_000n * of * (20_000n * kept + z2) - rootUp(under);
  return Number(over / (2n * of * (10_000n * of + z2)));
}

/** Newton's method from above gives the square root, rounded up. */
function rootUp(square: bigint): bigint {
  if (square < 2n) return square;
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return root * root === square ? root : root + 1n;
}

/** The unused part of a task's time limit, in millionths. */
export const speedPpm = (limit_ms: number, used_ms: number): number =>
  Math.floor((ONE * (limit_ms - Math.min(Math.max(0, used_ms), limit_ms))) / limit_ms);

export function speedOf(work: readonly WorkDay[], day: number): Factor {
  const { kept, speed_ppm } = sumsOf(work, day);
  return { value: kept === 0 ? null : Math.floor(speed_ppm / kept), n: kept };
}

/** Counts the seven-day spans among the last twelve with a lease met and none missed. */
function consistencyOf(day: number, work: readonly WorkDay[]): Factor {
  const sevens = new Map<number, boolean>();
  for (const { day: of, kept, lost } of work) {
    const seven = Math.floor((day - of) / 7);
    if (of <= day && seven < WEEKS && kept + lost > 0)
      sevens.set(seven, (sevens.get(seven) ?? true) && lost === 0);
  }
  const good = [...sevens.values()].filter((clean) => clean).length;
  return { value: sevens.size === 0 ? null : Math.floor((ONE * good) / WEEKS), n: sevens.size };
}
