import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { cursor, limit, time } from "../../../core/model/fields.ts";
import { refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { isSandboxId, sxId } from "../../../domain/identity/fields.ts";
import * as passports from "../../../domain/identity/passports.ts";
import { levelOf, levels, shareOf } from "../../../domain/trust/score.ts";
import { activityOf, activityProjection, lastActive } from "../../../projections/identity/activity.ts";
import {
  agentsProjection,
  countActive,
  countAgents,
  newestAgents,
} from "../../../projections/identity/agents.ts";
import { isWalkable, type RankedAgent, rankedAgents, scoresOf } from "../../../projections/trust/ranks.ts";
import { computedAt, newestStored } from "../../../projections/trust/scores.ts";
import { actorsOf, agentNamed, id, namesOf, statusField } from "../../agents/agents.ts";
import { json, open, operation } from "../../declare/index.ts";
import type { Context } from "../../declare/operation.ts";
import { before, nextCursor, pageOf } from "../../declare/page.ts";

const DAY_MS = 86_400_000;

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const daysBefore = (at: Date, days: number) => dayOf(new Date(at.getTime() - days * DAY_MS));

/**
 * The cursor of a list sorted by trust: the computation that the first page used, the last agent's score and number,
 * and how many agents were shown.
 */
const WALK = /^(\d{1,15})\.(\d{1,9})\.(\d{1,7})\.(\d{1,7})$/;
const NEWEST = /^[1-9]\d{0,6}$/;

const directory = operation({
  name: "soul_leaderboard",
  route: "GET /soul/directory",
  summary: "The directory of agents, by trust or newest first",
  description:
    "Agents with passports and scores, by page; `next_cursor` gets the next one. By trust, all pages use the first page's scores, even if " +
    "newer ones exist, for up to an hour: no agent is repeated or skipped. Agents " +
    "without a score come last, then new registrations; by newest, later pages do not show these. Revoked passports are left out; an erased name is null.",
  access: [open()],
  lists: agentsProjection,
  input: z.object({
    limit: limit("How many to list, 1 to 100"),
    sort: z
      .enum(["trust", "newest"], "is trust or newest")
      .default("trust")
      .describe("trust: falling score, older passport first among equals; newest: latest registration first"),
    cursor: cursor(new RegExp(`${NEWEST.source}|${WALK.source}`)),
  }),
  output: json(
    z.object({
      agents: z.array(
        z.object({
          rank: z.int().nullable().describe("Its rank by trust, from 1; null for newest first"),
          sx_id: z.string(),
          agent_id: z.string(),
          display_name: z.string().nullable(),
          trust_score: z.number().describe("0 to 1, six decimals, floored"),
          trust_level: z.enum(levels),
          status: statusField,
          proven: z.boolean().describe("It has proven a key"),
          synthetic: z.boolean().describe("true: invented, from the sandbox"),
          registered_at: time,
        }),
      ),
      computed_event: z
        .string()
        .nullable()
        .describe("The event with the digest of these scores; null before the first computation"),
      next_cursor: nextCursor,
    }),
  ),
  example: { limit: 5 },
  handle: (context) => (context.input.sort === "newest" ? byAge(context) : byTrust(context)),
});

type Page = Pick<Context<{ limit: number; cursor?: string | undefined }>, "input" | "app" | "subjects">;

const refuseCursor = (message: string): never => refuseField("cursor", message);

const OTHER_SORT = "is the next_cursor of another sort; omit it to start again";

async function byTrust({ input: { limit, cursor }, app, subjects }: Page) {
  const newest = await newestStored(app.pool, "newest");
  const read = cursor === undefined ? undefined : (WALK.exec(cursor) ?? refuseCursor(OTHER_SORT));
  const [position = newest?.position ?? 0, score, sx, shown = 0] = read?.slice(1).map(Number) ?? [];
  if (newest && position !== newest.position && !(await isWalkable(app.pool, position, newest)))
    refuseCursor("is of scores that have expired; omit it to start again");
  const after = score === undefined || sx === undefined ? undefined : { score, sx };
  const rows = await rankedAgents(app.pool, { position, after, limit: limit + 1 });
  const { page, next_cursor } = pageOf(rows, limit, (last) =>
    [position, last.score, last.sx_number, shown + limit].join("."),
  );
  const computed = position === newest?.position ? newest : await computedAt(app.pool, position);
  return {
    agents: await listed(subjects, page, (at) => shown + at + 1),
    computed_event: computed?.event_id ?? null,
    next_cursor,
  };
}

async function byAge({ input: { limit, cursor }, app, subjects }: Page) {
  if (cursor !== undefined && !NEWEST.test(cursor)) refuseCursor(OTHER_SORT);
  const rows = await newestAgents(app.pool, { before: before(cursor), limit: limit + 1 });
  const { page, next_cursor } = pageOf(rows, limit, ({ sx_number }) => String(sx_number));
  const newest = await newestStored(app.pool, "newest");
  const scores = await scoresOf(
    app.pool,
    newest?.position ?? 0,
    page.map(({ sx_number }) => sx_number),
  );
  const scored = page.map((row) => ({ ...row, score: scores.get(row.sx_number) ?? 0 }));
  return {
    agents: await listed(subjects, scored, () => null),
    computed_event: newest?.event_id ?? null,
    next_cursor,
  };
}

async function listed(
  subjects: Page["subjects"],
  rows: readonly RankedAgent[],
  rank: (at: number) => number | null,
) {
  const names = await namesOf(
    subjects,
    rows.map(({ state }) => state),
  );
  return rows.map(({ sx_number, agent_id, status, registered_at, state, score }, at) => ({
    rank: rank(at),
    sx_id: sxId(sx_number),
    agent_id,
    display_name: names[at]!,
    trust_score: shareOf(score),
    trust_level: levelOf(score, status),
    status,
    proven: state.keys.length > 0,
    synthetic: isSandboxId(agent_id),
    registered_at,
  }));
}

const stats = operation({
  name: "soul_stats",
  route: "GET /soul/stats",
  summary: "How many passports are issued and left",
  description:
    "Passports issued and left in the campaign of 1,000,000 free ones; also agents with a proven key and those active in 30 days. Counted once a minute.",
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
    const [issued, proven, active_30d] = await Promise.all([
      app.load(passports, passports.target),
      countAgents(app.pool, "proven"),
      activeAgents(app),
    ]);
    return { issued, remaining: passports.MOST_PASSPORTS - issued, proven, active_30d };
  },
});

const COUNTED_FOR_MS = 60_000;

/**
 * The number of agents active within 30 days. Computed at most once a minute, because the query reads all agents'
 * activity.
 */
function activeAgents({ pool, clock, once }: App): Promise<number> {
  const now = clock.now();
  const counted = once(
    "identity: active agents",
    (): { last?: { at: number; active: Promise<number> } } => ({}),
  );
  const { last } = counted;
  if (last && Math.abs(now.getTime() - last.at) < COUNTED_FOR_MS) return last.active;
  const active = countActive(pool, daysBefore(now, 29));
  counted.last = { at: now.getTime(), active };
  active.catch(() => delete counted.last);
  return active;
}

/** The status after a time without activity: idle after a day, dormant after thirty days. */
const statusAfter = (idle_ms: number | null) =>
  idle_ms === null || idle_ms >= 30 * DAY_MS ? "dormant" : idle_ms < DAY_MS ? "active" : "idle";

const pulse = operation({
  name: "soul_pulse",
  route: "GET /soul/{id}/pulse",
  summary: "An agent's activity",
  description:
    "The agent's last activity, and its recorded calls within one, seven and thirty days. Calls count if made by its own key " +
    "or paid by a wallet that is its live key. `events_24h` counts whole UTC hours.",
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
        most_used: z.array(z.string()).describe("Its most called operations in 30 days, at most five"),
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

/** The number of active hours among the current hour and the 23 before it. */
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
