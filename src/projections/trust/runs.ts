/**
 * In which order events can be folded so that many of a kind are folded at once. Two kinds change places only where none of their events
 * touches what the other's do: a tenant's money, a payment, a wallet, an agent or its name.
 */
import type pg from "pg";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as node from "../../domain/compute/node.ts";
import * as task from "../../domain/compute/task.ts";
import * as agent from "../../domain/identity/agent.ts";
import * as account from "../../domain/payments/account.ts";
import * as payment from "../../domain/payments/payment.ts";
import * as attestation from "../../domain/trust/attestation.ts";
import * as trust from "../../domain/trust/trust.ts";
import { taskIn } from "../../domain/trust/work.ts";
import type { Said } from "./edges.ts";
import type { OfKeys } from "./spending.ts";
import type { OfWork, Reversed } from "./work.ts";

export type Event =
  | PositionedEvent<typeof payment | typeof agent | typeof attestation | typeof trust>
  | OfWork;
type OfAgent = PositionedEvent<typeof agent>;
type OfPayment = PositionedEvent<typeof payment>;
type OfTrust = PositionedEvent<typeof trust>;

/** Events of one kind, in their order. */
export type Run =
  | { kind: "said"; events: Said[] }
  | { kind: "trust"; events: OfTrust[] }
  | { kind: "payments"; events: OfPayment[] }
  | { kind: "keys"; events: OfKeys[] }
  | { kind: "agents"; events: OfAgent[] }
  | { kind: "work"; events: OfWork[] }
  | { kind: "reversals"; events: Reversed[] };

type Kind = Run["kind"];

/** What the database knows of what events name. */
type Known = {
  payments: Map<string, { tenant: string; payer: string }>;
  requesters: Map<string, string>;
  agents: Map<string, number>;
};

/** An event, what it touches, and whether it may touch more than can be told. */
type Step = { kind: Kind; touches: string[]; isBarrier?: boolean };

const isOf = ({ events }: { events: object }, { type }: Event) => Object.hasOwn(events, type);

export async function runsOf(tx: pg.ClientBase, events: readonly Event[]): Promise<Run[]> {
  const known = await knownOf(tx, events);
  const runs: Run[] = [];
  const open = new Map<Kind, { events: Event[]; touched: Set<string> }>();
  const close = (kind: Kind) => {
    runs.push({ kind, events: open.get(kind)!.events } as Run);
    open.delete(kind);
  };
  for (const event of events) {
    const step = stepOf(event, known);
    if (!step) continue;
    for (const [kind, { touched }] of [...open]) {
      const isAnother = kind !== step.kind || isBegunAnew(event);
      if (isAnother && (step.isBarrier || step.touches.some((one) => touched.has(one)))) close(kind);
    }
    const run = open.get(step.kind) ?? { events: [], touched: new Set<string>() };
    open.set(step.kind, run);
    run.events.push(event);
    for (const one of step.touches) run.touched.add(one);
    if (step.isBarrier) close(step.kind);
  }
  for (const kind of [...open.keys()]) close(kind);
  return runs;
}

/** What was said of an agent before it was registered was said of nobody. */
const isBegunAnew = ({ type }: Event) => type === "AgentRegistered";

function stepOf(event: Event, known: Known): Step | undefined {
  if (isOf(payment, event)) return { kind: "payments", touches: touchedByPayment(event as OfPayment, known) };
  if (event.type === "AttestationMade" || event.type === "AttestationRevoked")
    return { kind: "said", touches: [] };
  // What a chain has of an attestation counts nothing: the log alone does.
  if (isOf(attestation, event)) return undefined;
  if (isOf(trust, event)) return { kind: "trust", touches: [] };
  if (isOf(agent, event)) return stepOfAgent(event as OfAgent, known);
  if (event.type === "AccountCreditReversed") {
    const { source } = event.data;
    return { kind: "reversals", touches: [money(event.tenant), source] };
  }
  return stepOfWork(event as OfWork, known);
}

const money = (tenant: string) => `money ${tenant}`;
const walletOf = (wallet: string) => `wallet ${wallet}`;
const agentOf = (sx: number) => `agent ${sx}`;

function touchedByPayment(event: OfPayment, { payments }: Known): string[] {
  const { id, type, data } = event;
  const before = payments.get(id);
  if (type === "PaymentClaimed") payments.set(id, { tenant: data.tenant, payer: data.payer });
  const after = payments.get(id);
  return [before, after].flatMap((row) =>
    row ? [money(row.tenant), walletOf(row.payer), account.paymentSource(id)] : [],
  );
}

function stepOfAgent(event: OfAgent, { agents }: Known): Step | undefined {
  const { id, type, data } = event;
  const name = `name ${id}`;
  if (type === "AgentRegistered") {
    if (!agents.has(id)) agents.set(id, data.sx_number);
    return { kind: "keys", touches: [name] };
  }
  const sx = agents.get(id);
  if (sx === undefined) return undefined;
  const touches = [name, agentOf(sx)];
  switch (type) {
    case "AgentKeyProven":
      return data.kind === "evm" ? { kind: "keys", touches: [...touches, walletOf(data.public)] } : undefined;
    case "AgentKeyRevoked":
      return { kind: "agents", touches: [...touches, walletOf(data.kid)] };
    case "AgentDelegated":
      return { kind: "agents", touches: [...touches, agentOf(data.to)] };
    case "AgentSuspended":
    case "AgentReinstated":
      return { kind: "agents", touches };
    case "AgentDelegationRevoked":
    case "PassportRevoked":
      return { kind: "agents", touches, isBarrier: true };
    default:
      return undefined;
  }
}

function stepOfWork(event: OfWork, { requesters }: Known): Step | undefined {
  const task_id = aboutOf(event);
  if (task_id === undefined) return undefined;
  if (event.type === "TaskSubmitted") requesters.set(task_id, event.tenant);
  const requester = requesters.get(task_id);
  if (requester === undefined) return undefined;
  const [kind, name] = requester.split(":", 2) as [string, string | undefined];
  return {
    kind: "work",
    touches: [
      money(requester),
      ...(kind === "wallet" ? [walletOf(name!)] : []),
      ...(kind === "soul" ? [agentOf(Number(name))] : []),
      ...(event.type === "TaskLeased" ? [agentOf(event.data.sx)] : []),
    ],
  };
}

/** The task that an event is about. */
export const aboutOf = (event: OfWork): string | undefined =>
  isOf(task, event) ? event.id : taskIn(event as PositionedEvent<typeof node | typeof account>);

async function knownOf(tx: pg.ClientBase, events: readonly Event[]): Promise<Known> {
  const ids = (of: (event: Event) => string | undefined) => [
    ...new Set(events.flatMap((event) => of(event) ?? [])),
  ];
  const [paid, tasks, names] = [
    ids((event) => (isOf(payment, event) ? event.id : undefined)),
    ids((event) =>
      isOf(task, event) || isOf(node, event) || isOf(account, event) ? aboutOf(event as OfWork) : undefined,
    ),
    ids((event) => (isOf(agent, event) ? event.id : undefined)),
  ];
  const read = async <Row extends pg.QueryResultRow>(text: string, names: string[]) =>
    names.length === 0 ? [] : (await tx.query<Row>(text, [names])).rows;
  const payments = await read<{ id: string; tenant: string; payer: string }>(
    "select id, tenant, payer from read.trust_payments_v3 where id = any($1)",
    paid,
  );
  const requesters = await read<{ task_id: string; requester: string }>(
    "select task_id, requester from read.trust_tasks_v3 where task_id = any($1)",
    tasks,
  );
  const agents = await read<{ lower_id: string; sx: number }>(
    "select lower_id, sx from read.trust_agents_v3 where lower_id = any($1)",
    names,
  );
  return {
    payments: new Map(payments.map((row) => [row.id, row])),
    requesters: new Map(requesters.map(({ task_id, requester }) => [task_id, requester])),
    agents: new Map(agents.map(({ lower_id, sx }) => [lower_id, sx])),
  };
}
