import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { time } from "../../../core/model/fields.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { utc } from "../../../core/read-models/times.ts";
import * as nodes from "../../../domain/compute/node.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { leaseDigest, leaseEndsAt } from "../../../domain/compute/work-lease.ts";
import { agentRef } from "../../../domain/identity/fields.ts";
import * as account from "../../../domain/payments/account.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { findNode } from "../../../projections/compute/nodes.ts";
import { recordOf } from "../../../projections/compute/records.ts";
import { owedTo, taskOfLease, tasksProjection } from "../../../projections/compute/tasks.ts";
import { stepStake } from "../../../reactors/compute/steps.ts";
import { agentNamed } from "../../agents/agents.ts";
import { json, key, operation, subject } from "../../declare/index.ts";
import { fundsShown, shownFunds } from "../payments/funds.ts";
import { actingAgent, microOf, nodeShown, nowOf, shownNode, sxOf, usd } from "./fields.ts";

const ownAgent = agentRef.describe("The agent of the key you send: its agent_id or SX#<number>");

const hourlyRate = usd(0, 1_000).describe(
  "The node's hourly price in dollars, which a task pays for its whole time limit",
);

const registerNode = operation({
  name: "compute_node_register",
  route: "POST /soul/node/register",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Register a node: an agent that works for others",
  description:
    "Use the agent's own key. A repeat replaces the node's offer. A node gets work once it sends heartbeats, every 30 seconds (docs/compute.md).",
  access: [subject("node", { calls: 60, per: "hour" })],
  input: z.object({
    agent_id: ownAgent,
    capabilities: z
      .array(z.enum(nodes.capabilities, `is one of ${nodes.capabilities.join(", ")}`))
      .min(1, "has at least one")
      .max(nodes.capabilities.length, "has each capability at most once")
      .refine((all) => new Set(all).size === all.length, "has each capability at most once")
      .describe("Its hardware: cpu, gpu, memory"),
    hourly_rate_usd: hourlyRate,
    max_concurrent: z
      .int(`is a whole number from 1 to ${nodes.MOST_CONCURRENT}`)
      .min(1, "is at least 1")
      .max(nodes.MOST_CONCURRENT, `is at most ${nodes.MOST_CONCURRENT}`)
      .describe("Tasks that it runs at once"),
    kinds: z
      .array(nodes.kindName)
      .max(nodes.MOST_KINDS, `has at most ${nodes.MOST_KINDS}`)
      .default([])
      .describe("The accepted task_types; none: any"),
    stake_usdc: usd(0, nodes.MOST_STAKE_MICRO / 1e6)
      .optional()
      .describe(
        "Its total stake, taken from its account; a stake means fewer audits. 0: the stake is returned in a week",
      ),
  }),
  output: json(nodeShown),
  moves_money: true,
  refuses: [403, 409],
  example: {
    agent_id: "weather-scout",
    capabilities: ["cpu"],
    hourly_rate_usd: 0.06,
    max_concurrent: 4,
    kinds: ["js", "summarize"],
  },
  handle: async ({ input, app, unit, ...context }) => {
    const { facts } = await actingAgent({ app, unit, ...context }, input.agent_id);
    const offered = {
      capabilities: input.capabilities,
      kinds: input.kinds,
      hourly_rate_micro: microOf(input.hourly_rate_usd),
      max_concurrent: input.max_concurrent,
      registered_at: nowOf(app),
    };
    const sx = facts.sx_number;
    const { state } = await unit.decide(nodes, nodes.targetOf(sx), nodes.register(offered));
    const { stake_usdc } = input;
    if (stake_usdc === undefined) return shownNode(facts.agent_id, sx, nodes.registered(state));
    const decision = nodes.stake(sx, microOf(stake_usdc), offered.registered_at);
    return shownNode(facts.agent_id, sx, await stepStake(unit, sx, decision));
  },
});

/** The most heartbeats that a node may send within BEAT_S. */
const MOST_BEATS = 10;

const heartbeat = operation({
  name: "compute_node_heartbeat",
  route: "POST /soul/node/heartbeat",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  is_paid_work: true,
  summary: "Report that a node is alive and works on its leases",
  description:
    "Send one every 30 seconds. After 90 seconds of silence a node is offline. A lease that no heartbeat names for 90 seconds expires, and another node gets the task. `lost: true` means: stop working on that lease.",
  access: [subject("node", { calls: 60, per: "minute" })],
  input: z.object({
    agent_id: ownAgent,
    leases: z
      .array(z.string().min(1, "is a lease_id").max(128, "is a lease_id of compute_pull"))
      .max(nodes.MOST_CONCURRENT, `has at most ${nodes.MOST_CONCURRENT}`)
      .default([])
      .describe("The lease_id of each task in progress"),
  }),
  output: json(
    z.object({
      next_in_s: z.int().describe("Seconds until the next heartbeat"),
      leases: z.array(z.object({ lease_id: z.string(), expires_at: time.nullable(), lost: z.boolean() })),
    }),
  ),
  secrets: ["leases"],
  refuses: [409],
  example: { agent_id: "weather-scout", leases: [] },
  handle: async ({ input, app, unit, ...context }) => {
    const { facts } = await actingAgent({ app, unit, ...context }, input.agent_id);
    const sx = facts.sx_number;
    const target = nodes.targetOf(sx);
    nodes.registered(await app.load(nodes, target));
    await beat(app, sx);
    const isCaughtUp = input.leases.length === 0 || (await app.caughtUp(tasksProjection));
    const leases = [];
    for (const lease_id of new Set(input.leases))
      leases.push(await renewLease(app, { sx, isCaughtUp }, lease_id));
    await unit.decide(nodes, target, nodes.goOnline(nowOf(app)));
    return { next_in_s: nodes.BEAT_S, leases };
  },
});

/** Records a node's heartbeat. Refuses if there are too many. */
async function beat({ pool }: App, sx: number): Promise<void> {
  const text = `insert into compute.nodes_heard as h values ($1, clock_timestamp(), clock_timestamp(), 1)
    on conflict (sx) do update set heard_at = clock_timestamp(),
      window_at = case when h.window_at < clock_timestamp() - make_interval(secs => ${nodes.BEAT_S}) then clock_timestamp() else h.window_at end,
      beats = case when h.window_at < clock_timestamp() - make_interval(secs => ${nodes.BEAT_S}) then 1 else h.beats + 1 end
    returning beats`;
  const { rows } = await pool.query<{ beats: number }>({ name: "compute_beat", text, values: [sx] });
  if (rows[0]!.beats > MOST_BEATS)
    refuse(
      coreProblems["rate-limited"],
      `send a heartbeat every ${nodes.BEAT_S} seconds, and at most ${MOST_BEATS} in that time`,
      {
        retry_after_s: nodes.BEAT_S,
      },
    );
}

/** Records a worker's heartbeat for its live lease. */
async function renewLease(
  app: App,
  { sx, isCaughtUp }: { sx: number; isCaughtUp: boolean },
  lease_id: string,
) {
  const lease_sha256 = leaseDigest(lease_id);
  const found = await taskOfLease(app.pool, lease_sha256);
  const state = found && (await app.load(tasks, tasks.targetOf(found.tenant, found.task_id)));
  const lease = state && tasks.workLease(state);
  // If the read model may not show the lease yet, the lease counts as live, and its heartbeat is stored.
  const isLive = found ? lease?.lease_sha256 === lease_sha256 && lease.sx === sx : !isCaughtUp;
  if (!isLive) return { lease_id, expires_at: null, lost: true };
  const text = `insert into compute.leases_heard values ($1, clock_timestamp())
    on conflict (lease_sha256) do update set heard_at = clock_timestamp() returning ${utc("heard_at")} as heard_at`;
  const { rows } = await app.pool.query<{ heard_at: string }>({
    name: "compute_heard",
    text,
    values: [lease_sha256],
  });
  return { lease_id, expires_at: lease ? leaseEndsAt(lease, rows[0]!.heard_at) : null, lost: false };
}

const availability = operation({
  name: "compute_node_availability",
  route: "POST /soul/node/availability",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Set the availability or the hourly rate of a node",
  description: "`paused` and `draining` nodes get no more work; running leases continue at their price.",
  access: [subject("node", { calls: 60, per: "hour" })],
  input: z.object({
    agent_id: ownAgent,
    status: z
      .enum(nodes.availabilities, `is one of ${nodes.availabilities.join(", ")}`)
      .describe("available takes work; paused takes none; draining only finishes its leases"),
    hourly_rate_usd: hourlyRate.optional(),
  }),
  output: json(nodeShown),
  refuses: [409],
  example: { agent_id: "weather-scout", status: "available", hourly_rate_usd: 0.06 },
  handle: async ({ input, app, unit, ...context }) => {
    const { facts } = await actingAgent({ app, unit, ...context }, input.agent_id);
    const { status, hourly_rate_usd } = input;
    const change = {
      status,
      ...(hourly_rate_usd !== undefined && { hourly_rate_micro: microOf(hourly_rate_usd) }),
    };
    const decision = nodes.changeOffer(change, nowOf(app));
    const { state } = await unit.decide(nodes, nodes.targetOf(facts.sx_number), decision);
    return shownNode(facts.agent_id, facts.sx_number, nodes.registered(state));
  },
});

const nodeStatus = operation({
  name: "compute_node_status",
  route: "GET /soul/node/status/{agent_id}",
  summary: "A node: its offer, its record, and for its owner its leases and money",
  description: "Only the agent's own key sees money.",
  access: [subject("read"), key("read")],
  input: z.object({ agent_id: agentRef }),
  output: json(
    z.object({
      node: nodeShown,
      running: z.int().describe("Number of running leases; may be a few seconds old"),
      uptime: z.number().describe("Share of the last 30 days online, 0 to 1"),
      uptime_n: z.int().describe("Seconds that uptime covers: 30 days, or fewer since registration"),
      online_s: z.int().describe("Seconds online in all"),
      settled: z.int().describe("Tasks it was paid for"),
      slashes: z.int().describe("Results that failed an audit"),
      valid_audits: z.int().describe("Valid audits in a row; from 10 on, audits are random"),
      earned_usd: z.string().nullable().describe("Total earnings; only its owner sees them"),
      earnings: z
        .object({
          settled: z.string().describe("Earned USDC: earned_usd"),
          pending: z.string().describe("Its pay for results that are not settled or refunded yet, in USDC"),
          available: z
            .string()
            .describe(
              "The free balance of its account, in USDC; it can be spent at once, and withdrawn after a day (account.maturing_usdc)",
            ),
        })
        .nullable()
        .describe("For its owner only"),
      account: fundsShown.nullable(),
    }),
  ),
  refuses: [404],
  example: { agent_id: "weather-scout" },
  handle: async ({ input, app, caller }) => {
    const { facts } = await agentNamed(app, input.agent_id);
    const sx = facts.sx_number;
    const node = await app.load(nodes, nodes.targetOf(sx));
    if (!node) return refuse("not_found", `${facts.agent_id} runs no node`);
    const isOwn = sxOf(caller) === sx;
    const now = nowOf(app);
    const [row, record] = await Promise.all([findNode(app.pool, sx), recordOf(app.pool, sx, now)]);
    const { n, online_s } = record;
    const earned_usd = decimalUsdc(row?.earned_micro ?? 0);
    const funds = isOwn ? await app.load(account, account.targetOf(caller.tenant)) : null;
    return {
      node: shownNode(facts.agent_id, sx, node),
      running: row?.running ?? 0,
      uptime: n === 0 ? 0 : Math.round(Math.min(1, online_s / n) * 1e4) / 1e4,
      uptime_n: Math.floor(n),
      online_s: nodes.onlineSeconds(node, now),
      settled: row?.settled ?? 0,
      slashes: node.slashes,
      valid_audits: row?.valid_audits ?? 0,
      earned_usd: isOwn ? earned_usd : null,
      earnings: funds && {
        settled: earned_usd,
        pending: decimalUsdc(await owedTo(app.pool, sx)),
        available: decimalUsdc(funds.available),
      },
      account: funds && shownFunds(funds, now),
    };
  },
});

export const nodeOperations = [registerNode, heartbeat, availability, nodeStatus];
