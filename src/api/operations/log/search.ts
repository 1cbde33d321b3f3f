/** One search over the log: by position, event, transaction, payment, agent, type of event, or stream. */

import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { type EventFacts, eventAt, eventById, lastOf } from "../../../projections/anchoring/events.ts";
import { anchorsBy } from "../../../projections/anchoring/heads.ts";
import { settledPayments } from "../../../projections/payments/ledger.ts";
import { agentNamed } from "../../agents/agents.ts";
import { json, open, operation } from "../../declare/index.ts";
import { readerOf, shownEvent, streamOf } from "./events.ts";

const match = z.object({
  kind: z.enum(["event", "transaction", "payment", "agent", "type", "stream"]).describe("The kind of thing"),
  title: z.string().describe("Its name"),
  about: z.string().describe("A description in a few words"),
  page: z.string().describe("Its page on this service"),
});
type Match = z.infer<typeof match>;

const MOST_TYPES = 6;
/** With fewer letters, too many types of events match. */
const LEAST_LETTERS = 3;

export const logSearch = operation({
  name: "log_search",
  route: "GET /log/search",
  reads: "log",
  summary: "Search the log",
  description:
    "Finds an event by position or id, anchors and payments by transaction, a payment by id, and an agent. " +
    "Event types and streams are found by part of their name; with an API key, so are your own streams.",
  access: [open()],
  lists: "none",
  input: z.object({
    q: z
      .string()
      .trim()
      .min(1, "is at least one letter or digit")
      .max(300, "is at most 300 characters")
      .describe("A position, event id, transaction hash, payment id, agent, type of event or stream"),
  }),
  output: json(
    z.object({ found: z.array(match).describe("The best first; empty if nothing has this name") }),
  ),
  example: { q: "1" },
  handle: async ({ input: { q }, app, caller }) => {
    const reader = readerOf(caller);
    const found = await Promise.all([
      byPosition(app, q),
      byId(app, q),
      byTransaction(app, q),
      byPayment(app, q),
      byAgent(app, q),
      Promise.resolve(byType(app, q)),
      byStream(app, q, reader),
    ]);
    return { found: found.flat() };
  },
});

const eventMatch = ({
  event_id,
  type,
  position,
}: Pick<EventFacts, "event_id" | "type" | "position">): Match => ({
  kind: "event",
  title: type,
  about: `event ${position}`,
  page: `/log#events/${event_id}`,
});

async function byPosition({ pool }: App, q: string): Promise<Match[]> {
  const digits = q.replaceAll(/[,_ ]/g, "");
  if (!/^[1-9]\d{0,14}$/.test(digits)) return [];
  const event = await eventAt(pool, Number(digits));
  return event ? [eventMatch(event)] : [];
}

async function byId({ pool }: App, q: string): Promise<Match[]> {
  const event = z.uuid().safeParse(q).success ? await eventById(pool, q) : undefined;
  return event ? [eventMatch(event)] : [];
}

async function byTransaction({ pool }: App, q: string): Promise<Match[]> {
  const hash = q.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(hash)) return [];
  const [anchors, payments] = await Promise.all([
    anchorsBy(pool, hash),
    settledPayments(pool, { transaction: hash }),
  ]);
  return events(pool, [
    ...anchors.map((position) => ({ position, kind: "transaction" as const, about: "anchors the log" })),
    ...payments.map(({ ledger_position, operation, status }) => ({
      position: ledger_position!,
      kind: "payment" as const,
      about: `paid for ${operation}, ${status}`,
    })),
  ]);
}

async function byPayment({ pool }: App, q: string): Promise<Match[]> {
  if (!q.startsWith("eip155:")) return [];
  const payments = await settledPayments(pool, { id: q.toLowerCase() });
  return events(
    pool,
    payments.map(({ ledger_position, operation, status }) => ({
      position: ledger_position!,
      kind: "payment" as const,
      about: `paid for ${operation}, ${status}`,
    })),
  );
}

async function events(
  pool: App["pool"],
  places: readonly { position: number; kind: Match["kind"]; about: string }[],
): Promise<Match[]> {
  const facts = await Promise.all(places.map(({ position }) => eventAt(pool, position)));
  return places.flatMap(({ kind, about, position }, at) => {
    const event = facts[at];
    return event ? [{ ...eventMatch(event), kind, about: `${about}, event ${position}` }] : [];
  });
}

async function byAgent(app: App, q: string): Promise<Match[]> {
  // A bare number is a position of the log, not an agent.
  if (!agentRef.safeParse(q).success || /^\d+$/.test(q)) return [];
  const agent = await agentNamed(app, q).catch((error) => {
    if (error instanceof Refusal && error.code === "not_found") return undefined;
    throw error;
  });
  if (!agent) return [];
  const { sx_number, agent_id } = agent.facts;
  return [{ kind: "agent", title: sxId(sx_number), about: agent_id, page: `/soul/${sx_number}` }];
}

function byType({ unit }: App, q: string): Match[] {
  const letters = q.toLowerCase();
  if (letters.length < LEAST_LETTERS) return [];
  return Object.entries(unit.schemas.meanings())
    .filter(([type]) => type.toLowerCase().includes(letters))
    .toSorted(([a], [b]) => a.length - b.length)
    .slice(0, MOST_TYPES)
    .map(([type, means]) => ({
      kind: "type",
      title: type,
      about: means,
      page: `/log#events?type=${encodeURIComponent(type)}`,
    }));
}

async function byStream(app: App, q: string, reader: string | undefined): Promise<Match[]> {
  const { only, ...stream } = await streamOf(app, q, reader);
  const last = await lastOf(app.pool, stream);
  if (!last || (only && !only.includes(last.type))) return [];
  const { stream: title } = shownEvent(app, last, reader);
  return [
    {
      kind: "stream",
      title,
      about: `stream, last ${last.type}`,
      page: `/log#events?stream=${encodeURIComponent(q)}`,
    },
  ];
}
