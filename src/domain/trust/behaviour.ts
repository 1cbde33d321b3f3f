/**
 * What an agent is like, from what it did: seven dimensions in millionths, each a count over a count, so that anybody who counts the
 * same events comes to the same figures. A dimension that nothing was measured of is null and never zero.
 */

import { speedOf, type WorkDay } from "./factors.ts";

export const dimensions = ["risk", "curiosity", "rigor", "speed", "social", "memory", "creativity"] as const;
export type Dimension = (typeof dimensions)[number];

/** In millionths; null where there is nothing to measure it by. */
export type Dna = Record<Dimension, number | null>;

/** Days that a profile looks back. */
export const WINDOW_DAYS = 90;
/** Below so many events there is no profile. */
export const LEAST_EVENTS = 10;
/** A dimension from here on is a trait. */
export const TRAIT_PPM = 600_000;

const WHOLE = 1_000_000;
/** Operations that make a whole of curiosity, and acquaintances that make a half of social. */
const MANY_OPERATIONS = 40;
const HALF_SOCIAL = 20;
/** A paid call in five that verifies is all the rigor there is. */
const RIGOR = 5;
/** Weeks that memory counts. */
export const MEMORY_WEEKS = 26;
const WEEK = 7;

const BETS: ReadonlySet<string> = new Set(["lounge_keno", "lounge_roulette", "lounge_dice"]);
/** Calls that hold something against its proof: soul_verify, rng_verify, log_proof and their like. */
const VERIFYING = /(?:^|_)(?:verify|proof)(?:_|$)/;

/** Calls of one operation on one day, counted from 1970-01-01. */
export type Doing = { day: number; operation: string; events: number };

/** All that profiles of an agent are made from; `work`: of its node, for the trust score's factor speed. */
export type Happened = {
  doings: readonly Doing[];
  /** Calls that were paid for and kept. */
  paid: readonly { day: number; calls: number }[];
  /** Whom it attested, was attested by, or delegated to. */
  dealings: readonly { day: number; other: number }[];
  work: readonly WorkDay[];
};

/** `dna` is null below LEAST_EVENTS. */
export type Profile = { events: number; dna: Dna | null };

/** Answers profiles of the `days` that end with a day; made once for many of them. */
export function profiler(happened: Happened): (day: number, days?: number) => Profile {
  const doings = byDay(happened.doings);
  const paid = byDay(happened.paid);
  const dealings = byDay(happened.dealings);
  const within = <One>(of: ReadonlyMap<number, One[]>, day: number, days: number): One[] =>
    Array.from({ length: days }, (_, back) => of.get(day - back) ?? []).flat();

  return (day, days = WINDOW_DAYS) => {
    const counts = new Map<string, number>();
    for (const { operation, events } of within(doings, day, days))
      counts.set(operation, (counts.get(operation) ?? 0) + events);
    const events = sum(counts.values());
    if (events < LEAST_EVENTS) return { events, dna: null };
    const of = (fits: (operation: string) => boolean) =>
      sum([...counts].map(([operation, count]) => (fits(operation) ? count : 0)));
    const calls = sum(within(paid, day, days).map((one) => one.calls));
    const others = new Set(within(dealings, day, days).map(({ other }) => other)).size;
    let squares = 0;
    for (const count of counts.values()) squares += count * count;
    return {
      events,
      dna: {
        risk: part(
          of((operation) => BETS.has(operation)),
          events,
        ),
        curiosity: part(Math.min(MANY_OPERATIONS, counts.size), MANY_OPERATIONS),
        rigor: calls === 0 ? null : Math.min(WHOLE, part(RIGOR * of((one) => VERIFYING.test(one)), calls)),
        speed: speedOf(happened.work, day).value,
        social: part(others, others + HALF_SOCIAL),
        memory: part(activeWeeks(doings, day), MEMORY_WEEKS),
        creativity: part(events * events - squares, events * events),
      },
    };
  };
}

function byDay<One extends { day: number }>(all: readonly One[]): Map<number, One[]> {
  const days = new Map<number, One[]>();
  for (const one of all) {
    const known = days.get(one.day);
    if (known) known.push(one);
    else days.set(one.day, [one]);
  }
  return days;
}

/** Of the sevens of days that end with this one, those in which something was done. */
function activeWeeks(doings: ReadonlyMap<number, Doing[]>, day: number): number {
  let active = 0;
  for (let week = 0; week < MEMORY_WEEKS; week++)
    if (Array.from({ length: WEEK }, (_, back) => day - week * WEEK - back).some((one) => doings.has(one)))
      active++;
  return active;
}

const sum = (values: Iterable<number>) => {
  let all = 0;
  for (const value of values) all += value;
  return all;
};

/** Floored to millionths. */
const part = (of: number, all: number) => Math.floor((of * WHOLE) / all);

export const archetypes = [...dimensions, "newcomer"] as const;
export type Character = { archetype: (typeof archetypes)[number]; traits: Dimension[] };

/** The largest dimension, of equals the first that is listed; whoever has no profile is a newcomer. */
export function characterOf({ dna }: Profile): Character {
  if (!dna) return { archetype: "newcomer", traits: [] };
  const known = dimensions.filter((name) => dna[name] !== null);
  const archetype = known.reduce((best, name) => (dna[name]! > dna[best]! ? name : best));
  return { archetype, traits: known.filter((name) => dna[name]! >= TRAIT_PPM) };
}

/** Days that drift looks at, days before them that it holds them against, and events that each needs. */
export const DRIFT = { days: 30, against_days: 90, events: 50, drifted_ppm: 150_000 } as const;

/** `deltas` and `distance_ppm` in millionths, null where either side has too little; of a dimension that one side lacks, null. */
export type Drift = {
  recent: Profile;
  before: Profile;
  verdict: "drifted" | "steady" | "not_enough";
  deltas: Dna | null;
  distance_ppm: number | null;
};

/** The last 30 days held against the 90 before them. Memory counts the weeks up to the end of each. */
export function driftOf(happened: Happened, day: number): Drift {
  const profile = profiler(happened);
  const recent = profile(day, DRIFT.days);
  const before = profile(day - DRIFT.days, DRIFT.against_days);
  const [now, then] = [recent.dna, before.dna];
  if (!now || !then || Math.min(recent.events, before.events) < DRIFT.events)
    return { recent, before, verdict: "not_enough", deltas: null, distance_ppm: null };
  const delta = (name: Dimension) =>
    now[name] === null || then[name] === null ? null : now[name] - then[name];
  const deltas = Object.fromEntries(dimensions.map((name) => [name, delta(name)])) as Dna;
  const distance_ppm = Math.floor(
    sum(dimensions.map((name) => Math.abs(deltas[name] ?? 0))) / dimensions.length,
  );
  const verdict = distance_ppm >= DRIFT.drifted_ppm ? "drifted" : "steady";
  return { recent, before, verdict, deltas, distance_ppm };
}

export const weekdays = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** How often something was done at each hour of each weekday, UTC: 7 rows of 24, Monday first. */
export function seasonalityOf(doings: readonly { day: number; hours: readonly number[] }[]): number[][] {
  const week = weekdays.map(() => new Array<number>(24).fill(0));
  // 1970-01-01 was a Thursday.
  for (const { day, hours } of doings)
    hours.forEach((events, hour) => {
      week[(day + 3) % WEEK]![hour]! += events;
    });
  return week;
}

/** Earned over spent less one, in millionths, floored; null where nothing was spent, or nothing can be earned yet. */
export const returnOf = ({
  spent_micro,
  earned_micro,
}: {
  spent_micro: number;
  earned_micro: number | null;
}) =>
  spent_micro === 0 || earned_micro === null
    ? null
    : Math.floor(((earned_micro - spent_micro) * WHOLE) / spent_micro);
