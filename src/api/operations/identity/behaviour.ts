import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { lowerCase } from "../../../core/model/fields.ts";
import type { Agent } from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import {
  type Activity,
  archetypes,
  characterOf,
  type Dna,
  DRIFT,
  dimensions,
  driftOf,
  LEAST_EVENTS,
  MEMORY_WEEKS,
  profiler,
  returnOf,
  seasonalityOf,
  WINDOW_DAYS,
  weekdays,
} from "../../../domain/trust/behaviour.ts";
import { FACTOR_DAYS } from "../../../domain/trust/factors.ts";
import { findNode } from "../../../projections/compute/nodes.ts";
import { activityOf, activityProjection } from "../../../projections/identity/activity.ts";
import { contactsOf, paidCalls, spentBy } from "../../../projections/trust/contacts.ts";
import { dateOf, dayOfDate, dayOfTime } from "../../../projections/trust/days.ts";
import { workDays } from "../../../projections/trust/work.ts";
import { actorsOf, agentNamed, agentOf, id } from "../../agents/agents.ts";
import { json, key, open, operation, subject } from "../../declare/index.ts";
import { composed } from "../../serve/composed.ts";
import { dayRangeFields, dayRangeOf, daysOf, MOST_DAYS } from "../trust/day-range.ts";
import { trustHistory } from "../trust/scores.ts";

const named = { agent_id: z.string(), sx_id: z.string() };
const namesOf = ({ facts }: Agent) => ({ agent_id: facts.agent_id, sx_id: sxId(facts.sx_number) });

const share = z.number().nullable();
const dnaField = z
  .object(
    Object.fromEntries(dimensions.map((name) => [name, share])) as Record<
      (typeof dimensions)[number],
      typeof share
    >,
  )
  .nullable()
  .describe(`Each 0 to 1, six decimals, floored; null if unmeasured. All null below ${LEAST_EVENTS} events`);
const events = z.int().describe(`Calls in ${WINDOW_DAYS} days that the log recorded`);

const shareOf = (ppm: number | null) => (ppm === null ? null : ppm / 1e6);
const dnaShown = (of: Dna | null) =>
  of && Object.fromEntries(dimensions.map((name) => [name, shareOf(of[name])]));

const walletsOf = ({ keys }: Agent) =>
  keys.filter(({ kind }) => kind === "evm").map((one) => lowerCase(one.public));

/** A profile looks back over this many days, so the data begin this long before `from`. */
const BACK_DAYS = MEMORY_WEEKS * 7;

/** The data for an agent's profiles on every day of the range. */
export async function activityIn(
  { pool }: App,
  agent: Agent,
  { from, to }: { from: number; to: number },
): Promise<Activity> {
  const days = { from: from - BACK_DAYS + 1, to };
  const [rows, paid, attested, work] = await Promise.all([
    activityOf(pool, actorsOf(agent), dateOf(days.from), dateOf(days.to)),
    paidCalls(pool, walletsOf(agent), days),
    contactsOf(pool, agent.facts.sx_number, days),
    workDays(pool, { sx: agent.facts.sx_number, from: days.from - FACTOR_DAYS, to }),
  ]);
  const delegated = agent.delegations.map(({ to: other, delegated_at }) => ({
    other,
    day: dayOfTime(new Date(delegated_at)),
  }));
  return {
    doings: rows.map(({ day, operation, events }) => ({ day: dayOfDate(day), operation, events })),
    paid,
    contacts: [...attested, ...delegated],
    work,
  };
}

/** The profile of the last 90 days. */
async function profileOf(app: App, agent: Agent) {
  const day = dayOfTime(app.clock.now());
  return { day, profile: profiler(await activityIn(app, agent, { from: day, to: day }))(day) };
}

const FORMULAS = `risk = bets / events. curiosity = distinct operations / 40. rigor = 5 · verify and proof calls / paid calls. speed = the trust factor of that name. social = c / (c + 20) of c agents that it attested, was attested by or delegated to. memory = active weeks of ${MEMORY_WEEKS}. creativity = 1 − Σnᵢ²/N² over operations. None is above 1.`;

export const dna = operation({
  name: "soul_dna",
  route: "GET /soul/{id}/dna",
  summary: "An agent's behaviour in seven dimensions",
  description: `Covers calls by the agent's own key and live wallets in the last ${WINDOW_DAYS} days. ${FORMULAS}`,
  access: [open()],
  lists: activityProjection,
  input: z.object({ id }),
  output: json(z.object({ ...named, day: z.string(), window_days: z.int(), events, dna: dnaField })),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const { day, profile } = await profileOf(app, agent);
    return {
      ...namesOf(agent),
      day: dateOf(day),
      window_days: WINDOW_DAYS,
      events: profile.events,
      dna: dnaShown(profile.dna),
    };
  },
});

const character = operation({
  name: "soul_character",
  route: "GET /soul/{id}/character",
  summary: "An agent's archetype and traits",
  description: `The archetype is the largest dimension of soul_dna, or the first of equal ones; traits are dimensions of 0.6 or more. Below ${LEAST_EVENTS} events in ${WINDOW_DAYS} days an agent is a newcomer.`,
  access: [open()],
  lists: activityProjection,
  input: z.object({ id }),
  output: json(
    z.object({
      ...named,
      archetype: z.enum(archetypes),
      traits: z.array(z.enum(dimensions)),
      events,
      dna: dnaField,
    }),
  ),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const { profile } = await profileOf(app, agent);
    return {
      ...namesOf(agent),
      ...characterOf(profile),
      events: profile.events,
      dna: dnaShown(profile.dna),
    };
  },
});

const history = operation({
  name: "soul_dna_history",
  route: "GET /soul/{id}/dna/history",
  summary: "An agent's behaviour, day by day",
  description: `For each day the seven dimensions of soul_dna over the ${WINDOW_DAYS} days up to it, at most ${MOST_DAYS} points. Only the agent's current keys count.`,
  access: [subject("read"), key("read")],
  lists: activityProjection,
  input: z.object({ id, ...dayRangeFields }),
  output: json(
    z.object({
      ...named,
      window_days: z.int(),
      points: z.array(z.object({ day: z.string(), events: z.int(), dna: dnaField })),
    }),
  ),
  refuses: [404],
  example: { id: "SX#1", step: "week" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const stretch = dayRangeOf(input, app.clock.now());
    const profile = profiler(await activityIn(app, agent, stretch));
    return {
      ...namesOf(agent),
      window_days: WINDOW_DAYS,
      points: daysOf(stretch, input.step).map((day) => {
        const of = profile(day);
        return { day: dateOf(day), events: of.events, dna: dnaShown(of.dna) };
      }),
    };
  },
});

const side = z.object({ days: z.int(), events: z.int(), dna: dnaField });

const drift = operation({
  name: "soul_drift",
  route: "GET /soul/{id}/drift",
  summary: "Compare an agent's behaviour of 30 days with the 90 before",
  description: `Compares the seven dimensions of the last ${DRIFT.days} days with the ${DRIFT.against_days} before. The distance is the sum of the differences over seven; from ${DRIFT.drifted_ppm / 1e6} on the agent has drifted. Below ${DRIFT.events} events on either side: not_enough. Memory counts the ${MEMORY_WEEKS} weeks up to the end of each. A dimension missing on either side adds nothing.`,
  access: [subject("read"), key("read")],
  lists: activityProjection,
  input: z.object({ id }),
  output: json(
    z.object({
      ...named,
      verdict: z.enum(["drifted", "steady", "not_enough"]),
      distance: share,
      deltas: dnaField.describe("The last 30 days minus the 90 before, each -1 to 1"),
      recent: side,
      before: side.describe("The 90 days before"),
    }),
  ),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const day = dayOfTime(app.clock.now());
    const drifted = driftOf(await activityIn(app, agent, { from: day - DRIFT.days, to: day }), day);
    const shown = (of: typeof drifted.recent, days: number) => ({
      days,
      events: of.events,
      dna: dnaShown(of.dna),
    });
    return {
      ...namesOf(agent),
      verdict: drifted.verdict,
      distance: shareOf(drifted.distance_ppm),
      deltas: dnaShown(drifted.deltas),
      recent: shown(drifted.recent, DRIFT.days),
      before: shown(drifted.before, DRIFT.against_days),
    };
  },
});

const seasonality = operation({
  name: "soul_seasonality",
  route: "GET /soul/{id}/seasonality",
  summary: "When in the week an agent acts",
  description: `The agent's calls in the last ${WINDOW_DAYS} days by hour and weekday, UTC: seven rows of 24 counts.`,
  access: [subject("read"), key("read")],
  lists: activityProjection,
  input: z.object({ id }),
  output: json(
    z.object({
      ...named,
      window_days: z.int(),
      events,
      week: z
        .array(
          z.object({
            weekday: z.enum(weekdays),
            hours: z.array(z.int()).length(24).describe("From 00 to 23 UTC"),
          }),
        )
        .describe("Events by weekday, Monday first"),
    }),
  ),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const day = dayOfTime(app.clock.now());
    const from = dateOf(day - WINDOW_DAYS + 1);
    const rows = await activityOf(app.pool, actorsOf(agent), from, dateOf(day));
    const week = seasonalityOf(rows.map(({ day: date, hours }) => ({ day: dayOfDate(date), hours })));
    return {
      ...namesOf(agent),
      window_days: WINDOW_DAYS,
      events: rows.reduce((sum, row) => sum + row.events, 0),
      week: week.map((hours, at) => ({ weekday: weekdays[at]!, hours })),
    };
  },
});

const usdc = z.string().describe("USDC");

const roi = operation({
  name: "soul_roi",
  route: "GET /soul/analytics/roi",
  summary: "Your agent's spending and earnings",
  description: `Only for your own agent, by area and month: payments of its live wallets, less refunds, and its node's pay for tasks. Earnings and return are null for an agent without a node.`,
  access: [subject("read")],
  lists: activityProjection,
  input: z.object({}),
  output: json(
    z.object({
      ...named,
      spent_usdc: usdc,
      earned_usdc: usdc.nullable(),
      roi: share.describe("Earnings divided by spending, minus one; null without spending or a node"),
      by_area: z.array(
        z.object({
          area: z.string().describe("none: the operation was removed"),
          month: z.string().describe("YYYY-MM, UTC"),
          calls: z.int(),
          spent_usdc: usdc,
        }),
      ),
    }),
  ),
  refuses: [403, 404],
  example: {},
  handle: async ({ app, caller, catalogue }) => {
    const agent = await agentOf(app, caller);
    const areaOf = new Map(catalogue.operations.map(({ name, area }) => [name, area]));
    const sums = new Map<string, { area: string; month: string; calls: number; spent_micro: number }>();
    for (const { month, operation: name, calls, spent_micro } of await spentBy(app.pool, walletsOf(agent))) {
      const area = areaOf.get(name) ?? "none";
      const sum = sums.get(`${month} ${area}`) ?? { area, month, calls: 0, spent_micro: 0 };
      sum.calls += calls;
      sum.spent_micro += spent_micro;
      sums.set(`${month} ${area}`, sum);
    }
    const by_area = [...sums.values()];
    const spent_micro = by_area.reduce((sum, one) => sum + one.spent_micro, 0);
    const node = await findNode(app.pool, agent.facts.sx_number);
    const earned_micro = node?.earned_micro ?? null;
    return {
      ...namesOf(agent),
      spent_usdc: decimalUsdc(spent_micro),
      earned_usdc: earned_micro === null ? null : decimalUsdc(earned_micro),
      roi: shareOf(returnOf({ spent_micro, earned_micro })),
      by_area: by_area.map(({ spent_micro: spent, ...rest }) => ({
        ...rest,
        spent_usdc: decimalUsdc(spent),
      })),
    };
  },
});

const whole = composed<{ id: string }>({
  trust_history: { of: trustHistory, ask: (request) => ({ ...request, step: "week" }) },
  dna_history: { of: history, ask: (request) => ({ ...request, step: "week" }) },
  drift: { of: drift, ask: (request) => request },
  seasonality: { of: seasonality, ask: (request) => request },
});

const analytics = operation({
  name: "soul_analytics",
  route: "GET /soul/{id}/analytics",
  summary: "An agent over time: trust and behaviour by week, drift, and active hours",
  description:
    "Combines soul_trust_history and soul_dna_history by weeks of the last 90 days, soul_drift and soul_seasonality.",
  access: [subject("read"), key("read")],
  input: z.object({ id }),
  output: json(whole.schema),
  refuses: [404],
  example: { id: "SX#1" },
  handle: whole.handle,
});

export const behaviourOperations = [dna, character, history, drift, seasonality, analytics, roi];
