/**
 * Reorders events so that many of a kind fold at once. Two kinds swap only if their events touch no common money,
 * payment, wallet, agent or name.
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
import { taskOfEvent } from "../../domain/trust/work.ts";
import type { AttestationChange } from "./edges.ts";
import type { KeyEvent } from "./spending.ts";
import type { ReversalEvent, WorkLogEvent } from "./work.ts";

export type Event =
  | PositionedEvent<typeof payment | typeof agent | typeof attestation | typeof trust>
  | WorkLogEvent;
type AgentEvent = PositionedEvent<typeof agent>;
type PaymentEvent = PositionedEvent<typeof payment>;
type TrustEvent = PositionedEvent<typeof trust>;

export type Run =
  | { kind: "said"; events: AttestationChange[] }
  | { kind: "trust"; events: TrustEvent[] }
  | { kind: "payments"; events: PaymentEvent[] }
  | { kind: "keys"; events: KeyEvent[] }
  | { kind: "agents"; events: AgentEvent[] }
  | { kind: "work"; events: WorkLogEvent[] }
  | { kind: "reversals"; events: ReversalEvent[] };

type Kind = Run["kind"];

/** Rows of the database that events refer to. */
type Lookups = {
  payments: Map<string, { tenant: string; payer: string }>;
  requesters: Map<string, string>;
  agents: Map<string, number>;
};

/** A barrier may touch more than `touches` lists. */
type Step = { kind: Kind; touches: string[]; isBarrier?: boolean };

const isOf = ({ events }: { events: object }, { type }: Event) => Object.hasOwn(events, type);

export async function runsOf(tx: pg.ClientBase, events: readonly Event[]): Promise<Run[]> {
  const lookups = await lookUp(tx, events);
  const runs: Run[] = [];
  const open = new Map<Kind, { events: Event[]; touched: Set<string> }>();
  const close = (kind: Kind) => {
    runs.push({ kind, events: open.get(kind)!.events } as Run);
    open.delete(kind);
  };
  for (const event of events) {
    const step = stepOf(event, lookups);
    if (!step) continue;
    for (const [kind, { touched }] of [...open]) {
      const isAnother = kind !== step.kind || isRegistration(event);
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

/** A registration starts over: earlier events of the id do not apply to it. */
const isRegistration = ({ type }: Event) => type === "AgentRegistered";

function stepOf(event: Event, lookups: Lookups): Step | undefined {
  if (isOf(payment, event))
    return { kind: "payments", touches: touchedByPayment(event as PaymentEvent, lookups) };
  if (event.type === "AttestationMade" || event.type === "AttestationRevoked")
    return { kind: "said", touches: [] };
  // The chain's status of an attestation does not count; only the log does.
  if (isOf(attestation, event)) return undefined;
  if (isOf(trust, event)) return { kind: "trust", touches: [] };
  if (isOf(agent, event)) return stepOfAgent(event as AgentEvent, lookups);
  if (event.type === "AccountCreditReversed") {
    const { source } = event.data;
    return { kind: "reversals", touches: [money(event.tenant), source] };
  }
  return stepOfWork(event as WorkLogEvent, lookups);
}

const money = (tenant: string) => `money ${tenant}`;
const walletOf = (wallet: string) => `wallet ${wallet}`;
const agentOf = (sx: number) => `agent ${sx}`;

function touchedByPayment(event: PaymentEvent, { payments }: Lookups): string[] {
  const { id, type, data } = event;
  const before = payments.get(id);
  if (type === "PaymentClaimed") payments.set(id, { tenant: data.tenant, payer: data.payer });
  const after = payments.get(id);
  return [before, after].flatMap((row) =>
    row ? [money(row.tenant), walletOf(row.payer), account.paymentSource(id)] : [],
  );
}

function stepOfAgent(event: AgentEvent, { agents }: Lookups): Step | undefined {
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

function stepOfWork(event: WorkLogEvent, { requesters }: Lookups): Step | undefined {
  const task_id = taskOfWork(event);
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

const taskOfWork = (event: WorkLogEvent): string | undefined =>
  isOf(task, event) ? event.id : taskOfEvent(event as PositionedEvent<typeof node | typeof account>);

async function lookUp(tx: pg.ClientBase, events: readonly Event[]): Promise<Lookups> {
  const ids = (of: (event: Event) => string | undefined) => [
    ...new Set(events.flatMap((event) => of(event) ?? [])),
  ];
  const [paid, tasks, names] = [
    ids((event) => (isOf(payment, event) ? event.id : undefined)),
    ids((event) =>
      isOf(task, event) || isOf(node, event) || isOf(account, event)
        ? taskOfWork(event as WorkLogEvent)
        : undefined,
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
