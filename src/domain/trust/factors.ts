/**
 * What is measured of an agent beside its score: shares of one in millionths, floored, over the last 180 days. Evidence comes from tasks:
 * leases that were kept or not, results that an audit or a quorum judged, and how much of its time each result took.
 */

/** A task that was leased, and whether a result came in time. Days count from 1970-01-01. */
export type Lease = { day: number; kept: boolean };
/** A result that was held against others, and whether it agreed. */
export type Judged = { day: number; agreed: boolean };
/** What a result took of the time that its task had, in milliseconds. */
export type Timed = { day: number; limit_ms: number; used_ms: number };

export type Measured = {
  /** The UTC day of the computation. */
  day: number;
  leases: readonly Lease[];
  judged: readonly Judged[];
  timed: readonly Timed[];
  /** Micro-points that attestations come to, before the caps, and how many attestors give them. */
  attested: { points: number; attestors: number };
};

/** In millionths of one; null where there is no sample. */
export type Factor = { value: number | null; n: number };
export const factorNames = ["reliability", "speed", "accuracy", "consistency", "collaboration"] as const;
export type Factors = Record<(typeof factorNames)[number], Factor>;

const ONE = 1_000_000;
const DAYS = 180;
const WEEKS = 12;

export function factorsOf({ day, leases, judged, timed, attested }: Measured): Factors {
  const recent = <One extends { day: number }>(all: readonly One[]) =>
    all.filter((one) => day - one.day <= DAYS);
  const kept = recent(leases);
  const held = recent(judged);
  const used = recent(timed);
  return {
    reliability: share(kept.filter((one) => one.kept).length, kept.length),
    accuracy: share(held.filter((one) => one.agreed).length, held.length),
    speed: speedOf(used),
    consistency: consistencyOf(day, leases),
    collaboration: {
      value: attested.attestors === 0 ? null : Math.min(ONE, Math.floor(attested.points / 100)),
      n: attested.attestors,
    },
  };
}

const share = (k: number, n: number): Factor => ({ value: n === 0 ? null : wilson(k, n), n });

/**
 * The lower bound of Wilson's interval (E. B. Wilson 1927) at z² = 3.8416, of k in n, in millionths and floored, exactly:
 * in doubles two roundings would put it above the bound.
 */
export function wilson(k: number, n: number): number {
  const [of, kept] = [BigInt(n), BigInt(k)];
  const z2 = 38_416n;
  const under = 10n ** 12n * z2 * of * (z2 * of + 40_000n * kept * (of - kept));
  const over = 1_000_000n * of * (20_000n * kept + z2) - rootUp(under);
  return Number(over / (2n * of * (10_000n * of + z2)));
}

/** The square root, rounded up; by Newton's steps from above. */
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

function speedOf(timed: readonly Timed[]): Factor {
  const sum = timed.reduce(
    (all, { limit_ms, used_ms }) =>
      all + Math.floor((ONE * (limit_ms - Math.min(used_ms, limit_ms))) / limit_ms),
    0,
  );
  return { value: timed.length === 0 ? null : Math.floor(sum / timed.length), n: timed.length };
}

/** Of the last twelve sevens of days, those in which something was kept and nothing broken. */
function consistencyOf(day: number, leases: readonly Lease[]): Factor {
  const sevens = new Map<number, boolean>();
  for (const one of leases) {
    const seven = Math.floor(Math.max(0, day - one.day) / 7);
    if (seven < WEEKS) sevens.set(seven, (sevens.get(seven) ?? true) && one.kept);
  }
  const good = [...sevens.values()].filter((clean) => clean).length;
  return { value: sevens.size === 0 ? null : Math.floor((ONE * good) / WEEKS), n: sevens.size };
}
