import { z } from "zod";
import { MAIN_LOG } from "../../../../eventstore/types.ts";
import { headsOf } from "../../../anchoring/heads.ts";
import { type StreamReport, verifyStream } from "../../../audit/verify-stream.ts";
import type { App } from "../../../core/app.ts";
import { forEach } from "../../../core/coordination/concurrency.ts";
import { chainHash, sha256, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import * as attestations from "../../../domain/trust/attestation.ts";
import { attestationsBy } from "../../../projections/trust/evidence.ts";
import {
  agentStreamsProjection,
  type StreamRow,
  streamsOfAgent,
} from "../../../projections/trust/streams.ts";
import { trustProjection } from "../../../projections/trust/trust.ts";
import { statusField } from "../../agents/agents.ts";
import { json, operation, pay, reads } from "../../declare/index.ts";
import { firmness } from "../log/fields.ts";
import { findAgent } from "./agents.ts";

/** For longer histories, auditors use an export. */
const MOST_EVENTS = 100_000;

const verifyChain = operation({
  name: "soul_verify_chain",
  route: "POST /soul/{id}/verify-chain",
  effect: reads,
  summary: "Re-hash an agent's history, event by event",
  description: `Checks the agent's own stream, its attestations, and all events that its own key caused. The auditors' verifier computes every hash, link
and commit from the stored bytes. Here the service checks itself; you can check an export without the service (log_proof, docs/trust.md). More than ${MOST_EVENTS} events are refused.`,
  again_to: "anybody",
  access: [pay("0.10")],
  input: z.object({ id: agentRef }),
  output: json(
    z.object({
      agent_id: z.string(),
      sx_id: z.string(),
      status: statusField,
      valid: z.boolean().describe("No fault was found"),
      events: z.int().describe("Number of hashed events"),
      streams: z.int().describe("Number of streams with these events"),
      first_bad: z
        .object({
          stream_id: z.string(),
          version: z.int().describe("Number of the event in its stream"),
          reason: z.string(),
        })
        .nullable()
        .describe("The first fault of the first faulty stream"),
      head: z
        .object({
          stream_id: z.string(),
          version: z.int().describe("Number of the event in its stream"),
          event_hash: sha256,
        })
        .nullable()
        .describe("Head of the agent's own stream; save it: the next answer continues it"),
      checkpoint: z
        .object({ size: z.int(), root: sha256, signed_at: time, covers_all: z.boolean() })
        .nullable()
        .describe("The newest signed checkpoint, and whether it covers all these events"),
      anchor: z
        .object({
          size: z.int(),
          network: z.string(),
          contract: z.string(),
          transaction: chainHash,
          firmness,
          covers_all: z.boolean(),
        })
        .nullable()
        .describe("The newest anchor on chain, and whether it covers all these events"),
    }),
  ),
  refuses: [404, 409],
  example: { id: "SX#1" },
  handle: async ({ input, app }) => {
    const agent = await findAgent(app, input.id);
    const { agent_id, sx_number } = agent.facts;
    const streams = await streamsOf(app, agent_id, sx_number);
    const count = streams.reduce((sum, { events }) => sum + events, 0);
    if (count > MOST_EVENTS)
      refuse(
        "conflict",
        `${sxId(sx_number)} has ${count} events, more than ${MOST_EVENTS}: ask the operator for an export and verify it`,
      );
    const reports = await forEach(streams, async ({ tenant, stream_id, events: eventCount }) => ({
      stream_id,
      ...(await verifyStream(app.pool, { log_id: MAIN_LOG, tenant, stream_id, had: eventCount })),
    }));
    const bad = reports.find(({ first_bad }) => first_bad !== null);
    return {
      agent_id,
      sx_id: sxId(sx_number),
      status: agents.statusOf(agent),
      valid: !bad,
      events: reports.reduce((sum, { events }) => sum + events, 0),
      streams: reports.length,
      first_bad: bad ? { stream_id: bad.stream_id, ...bad.first_bad! } : null,
      head: headOf(reports[0]),
      ...(await provenBy(app, Math.max(...streams.map(({ last_position }) => last_position)))),
    };
  },
});

/** The streams that concern an agent, its own stream first. */
async function streamsOf(app: App, agent_id: string, sx_number: number): Promise<StreamRow[]> {
  await Promise.all([app.caughtUp(agentStreamsProjection), app.caughtUp(trustProjection)]);
  const own = agents.streamOf(agents.targetOf(agent_id).id);
  const ids = await attestationsBy(app.pool, sx_number);
  const names = [own, ...ids.map(attestations.streamOf)];
  const rows = await streamsOfAgent(app.pool, { tenant: soulTenant(sx_number), names });
  const isOwn = ({ stream_id }: StreamRow) => stream_id === own;
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))];
}

const headOf = (report: (StreamReport & { stream_id: string }) | undefined) =>
  report?.head ? { stream_id: report.stream_id, ...report.head } : null;

/** The newest signed and anchored heads. */
async function provenBy(app: App, last_position: number) {
  const { state } = await headsOf(app);
  const { checkpoint, anchors: anchoredHeads } = state;
  const anchor = anchoredHeads.at(-1);
  return {
    checkpoint: checkpoint
      ? {
          size: checkpoint.size,
          root: checkpoint.root.slice(2),
          signed_at: checkpoint.signed_at,
          covers_all: checkpoint.size >= last_position,
        }
      : null,
    anchor: anchor
      ? {
          size: anchor.size,
          network: anchor.network,
          contract: anchor.contract,
          transaction: anchor.transaction,
          firmness: anchor.final ? ("final" as const) : ("mined" as const),
          covers_all: anchor.size >= last_position,
        }
      : null,
  };
}

export const chainOperations = [verifyChain];
