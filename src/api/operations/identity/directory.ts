/** All agents, how many there are, and how lively one is. */
import { z } from "zod";
import { cursor, limit, time } from "../../../domain/fields.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import * as passports from "../../../domain/identity/passports.ts";
import { activityOf, activityProjection, lastActive } from "../../../projections/identity/activity.ts";
import {
  agentsProjection,
  countActive,
  countAgents,
  newestAgents,
} from "../../../projections/identity/agents.ts";
import { json, open, operation } from "../../operation.ts";
import { actorsOf, agentNamed, id, namesOf, statusField } from "./agents.ts";

const DAY_MS = 86_400_000;

export const dayOf = (at: Date) => at.toISOString().slice(0, 10);
export const daysBefore = (at: Date, days: number) => dayOf(new Date(at.getTime() - days * DAY_MS));

const directory = operation({
  name: "soul_leaderboard",
  route: "GET /soul/directory",
  summary: "The directory of agents, newest first",
  description:
    "Agents with their passports, a page at a time; `next_cursor` asks for the next one. Whoever registers meanwhile is on no later page, " +
    "so that none is shown twice. Revoked passports are left out, and a name that was erased is null.",
  access: [open()],
  lists: agentsProjection,
  input: z.object({
    limit: limit("How many to list, 1 to 100"),
    cursor: cursor(/^[1-9]\d{0,6}$/),
  }),
  output: json(
    z.object({
      agents: z.array(
        z.object({
          sx_id: z.string(),
          agent_id: z.string(),
          display_name: z.string().nullable(),
          status: statusField,
          proven: z.boolean().describe("It has proven a key"),
          registered_at: time,
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input, app }) => {
    const before = input.cursor === undefined ? undefined : Number(input.cursor);
    const rows = await newestAgents(app.pool, { before, limit: input.limit });
    const names = await namesOf(
      app,
      rows.map(({ state }) => state),
    );
    const last = rows.at(-1);
    return {
      agents: rows.map(({ sx_number, agent_id, status, registered_at, state }, at) => ({
        sx_id: sxId(sx_number),
        agent_id,
        display_name: names[at]!,
        status,
        proven: state.keys.length > 0,
        registered_at,
      })),
      next_cursor: last && rows.length === input.limit ? String(last.sx_number) : null,
    };
  },
});

const stats = operation({
  name: "soul_stats",
  route: "GET /soul/stats",
  summary: "How many passports are issued, and how many are left",
  description:
    "Of the campaign of 1,000,000 free passports; how many agents have proven a key, and how many did something in 30 days.",
  access: [open()],
  lists: agentsProjection,
  input: z.object({}),
  output: json(
    z.object({
      issued: z.int(),
      remaining: z.int(),
      proven: z.int(),
      active_30d: z.int(),
    }),
  ),
  example: {},
  handle: async ({ app }) => {
    const [{ issued, proven }, active_30d] = await Promise.all([
      countAgents(app.pool),
      countActive(app.pool, daysBefore(app.clock.now(), 29)),
    ]);
    return { issued, remaining: passports.MOST_PASSPORTS - issued, proven, active_30d };
  },
});

/** Idle after a day without anything, dormant after thirty. */
const statusAfter = (idle_ms: number | null) =>
  idle_ms === null || idle_ms >= 30 * DAY_MS ? "dormant" : idle_ms < DAY_MS ? "active" : "idle";

const pulse = operation({
  name: "soul_pulse",
  route: "GET /soul/{id}/pulse",
  summary: "How lively an agent is",
  description:
    "When it did something last, and how often in the last day, seven and thirty days: calls that left something in the log, by its own key " +
    "or from a wallet that is a live key of it. `events_24h` counts whole UTC hours.",
  access: [open()],
  lists: activityProjection,
  input: z.object({ id }),
  output: json(
    z.object({
      sx_id: z.string(),
      agent_id: z.string(),
      last_active: time.nullable(),
      events_24h: z.int(),
      events_7d: z.int(),
      events_30d: z.int(),
      activity: z
        .enum(["active", "idle", "dormant"])
        .describe("active: within a day; idle: within thirty; dormant: longer ago, or never"),
      profile: z.object({
        status: statusField,
        registered_at: time,
        live_keys: z.int(),
        most_used: z
          .array(z.string())
          .describe("The operations that it called most in 30 days, at most five"),
      }),
    }),
  ),
  refuses: [404],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await agentNamed(app, input.id);
    const actors = actorsOf(agent);
    const now = app.clock.now();
    const [rows, last_us] = await Promise.all([
      activityOf(app.pool, actors, daysBefore(now, 29), dayOf(now)),
      lastActive(app.pool, actors),
    ]);
    const counts = new Map<string, number>();
    for (const { operation, events } of rows) counts.set(operation, (counts.get(operation) ?? 0) + events);
    const since = (day: string) => rows.reduce((sum, row) => (row.day >= day ? sum + row.events : sum), 0);
    return {
      sx_id: sxId(agent.facts.sx_number),
      agent_id: agent.facts.agent_id,
      last_active: last_us === null ? null : new Date(last_us / 1_000).toISOString(),
      events_24h: lastDay(rows, now),
      events_7d: since(daysBefore(now, 6)),
      events_30d: since(daysBefore(now, 29)),
      activity: statusAfter(last_us === null ? null : now.getTime() - last_us / 1_000),
      profile: {
        status: agents.statusOf(agent),
        registered_at: agent.facts.registered_at,
        live_keys: agent.keys.length,
        most_used: [...counts]
          .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
          .slice(0, 5)
          .map(([name]) => name),
      },
    };
  },
});

/** The running hour of today and the 23 before it. */
function lastDay(rows: { day: string; hours: number[] }[], now: Date): number {
  const today = dayOf(now);
  const yesterday = daysBefore(now, 1);
  const hour = now.getUTCHours();
  const of = (day: string, from: number, to: number) =>
    rows
      .filter((row) => row.day === day)
      .reduce((sum, { hours }) => sum + hours.slice(from, to).reduce((a, b) => a + b, 0), 0);
  return of(today, 0, hour + 1) + of(yesterday, hour + 1, 24);
}

export const directoryOperations = [directory, stats, pulse];
