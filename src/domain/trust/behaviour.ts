/**
 * Character of an agent from its acts: seven dimensions in millionths, each a count over a count, so anybody can
 * recount them from the events. A dimension without a measurement is null, never 0.
 */

import { speedOf, type WorkDay } from "./factors.ts";

export const dimensions = ["risk", "curiosity", "rigor", "speed", "social", "memory", "creativity"] as const;
export type Dimension = (typeof dimensions)[number];

/** In millionths; null = not measured. */
export type Dna = Record<Dimension, number | null>;

/** Days of a profile. */
export const WINDOW_DAYS = 90;
/** Fewer events give no profile. */
export const LEAST_EVENTS = 10;
/** From this value on a dimension is a trait. */
const TRAIT_PPM = 600_000;

const WHOLE = 1_000_000;
/** This many operations are full curiosity; HALF_SOCIAL counterparties are half of social. */
const MANY_OPERATIONS = 40;
const HALF_SOCIAL = 20;
/** One verifying call per five paid calls is full rigor. */
const RIGOR = 5;
export const MEMORY_WEEKS = 26;
const WEEK = 7;

const BETS: ReadonlySet<string> = new Set(["lounge_keno", "lounge_roulette", "lounge_dice"]);
/** Calls that check an answer against its proof: soul_verify, rng_verify, log_proof and the like. */
const VERIFYING = /(?:^|_)(?:verify|proof)(?:_|$)/;

/** Calls of one operation on one day (days since 1970-01-01). */
export type DailyCalls = { day: number; operation: string; events: number };

/** The input of an agent's profiles; `work` is its node's, for the factor speed. */
export type Activity = {
  doings: readonly DailyCalls[];
  /** Paid calls that were not refunded. */
  paid: readonly { day: number; calls: number }[];
  /** Agents that it attested, that attested it, or that it delegated to. */
  contacts: readonly { day: number; other: number }[];
  work: readonly WorkDay[];
};

/** `dna` is null below LEAST_EVENTS. */
export type Profile = { events: number; dna: Dna | null };

/** Prepares once for the profiles of many days; each covers the `days` that end with `day`. */
export function profiler(activity: Activity): (day: number, days?: number) => Profile {
  const doings = byDay(activity.doings);
  const paid = byDay(activity.paid);
  const contacts = byDay(activity.contacts);
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
    const others = new Set(within(contacts, day, days).map(({ other }) => other)).size;
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
        speed: speedOf(activity.work, day).value,
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
    const existing = days.get(one.day);
    if (existing) existing.push(one);
    else days.set(one.day, [one]);
  }
  return days;
}

/** Counts the seven-day spans, back from this day, with any act. */
function activeWeeks(doings: ReadonlyMap<number, DailyCalls[]>, day: number): number {
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

/** The largest dimension, the first listed of equal ones; without a profile: newcomer. */
export function characterOf({ dna }: Profile): Character {
  if (!dna) return { archetype: "newcomer", traits: [] };
  const existing = dimensions.filter((name) => dna[name] !== null);
  const archetype = existing.reduce((best, name) => (dna[name]! > dna[best]! ? name : best));
  return { archetype, traits: existing.filter((name) => dna[name]! >= TRAIT_PPM) };
}

/** Drift compares the last `days` with the `against_days` before them; each side needs `events`. */
export const DRIFT = { days: 30, against_days: 90, events: 50, drifted_ppm: 150_000 } as const;

/** `deltas` and `distance_ppm` in millionths; null if a side has too few events or lacks the dimension. */
export type Drift = {
  recent: Profile;
  before: Profile;
  verdict: "drifted" | "steady" | "not_enough";
  deltas: Dna | null;
  distance_ppm: number | null;
};

/** Memory counts the weeks up to the end of each period. */
export function driftOf(activity: Activity, day: number): Drift {
  const profile = profiler(activity);
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

/** Events by weekday and hour, UTC: 7 rows of 24, Monday first. */
export function seasonalityOf(doings: readonly { day: number; hours: readonly number[] }[]): number[][] {
  const week = weekdays.map(() => new Array<number>(24).fill(0));
  // 1970-01-01 was a Thursday.
  for (const { day, hours } of doings)
    hours.forEach((events, hour) => {
      week[(day + 3) % WEEK]![hour]! += events;
    });
  return week;
}

/** Earned / spent − 1 in millionths, floored; null if nothing was spent, or nothing can be earned yet. */
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
