/** The record of an agent up to a position, each value with the events that show it. A document has nothing else. */
import type { AgentStatus } from "../identity/agent.ts";
import type { Provider } from "../identity/fields.ts";

/** An event that shows a value. */
export type Evidence = { event_id: string; position: number; type: string };

/** Events of one type that the agent's own keys and wallets caused. */
export type Activity = { type: string; count: number; first_at: string; last_at: string; newest: Evidence[] };

/** Events that they caused by one operation in one month, YYYY-MM. */
export type MonthlyCalls = { month: string; operation: string; count: number; newest: Evidence[] };

/** Paid answers and reports over one vintage. */
export type VintageUse = { vintage: string; count: number; newest: Evidence[] };

/** Its score by one computation, in millionths of a point of 100. */
export type MonthlyScore = { day: string; points_micro: number; event: Evidence };

export type AgentRecord = {
  agent_id: string;
  sx_number: number;
  as_of_position: number;
  /** The day of the event at that position, YYYY-MM-DD. */
  day: string;
  registered: { at: string; event: Evidence };
  passport_hash: string;
  status: { is: AgentStatus; event: Evidence };
  /** `about`: its owner's statement of its purpose and provider; "erased" after an erasure. */
  description: {
    about: { purpose: string | null; provider: Provider | null } | "erased";
    version: string | null;
    services: { name: string; endpoint: string }[];
    at: string;
    event: Evidence;
  } | null;
  /** Live keys only. */
  keys: { kid: string; kind: string; at: string; event: Evidence }[];
  delegations: { to: number; scopes: string[]; expires_at: string; event: Evidence }[];
  /** Suspensions, reinstatements and revocations, the oldest first. */
  measures: { type: string; at: string; reason: string; event: Evidence }[];
  links: { kind: string; ref: string; event: Evidence }[];
  attested: { by: number; skill: string; event: Evidence }[];
  activity: Activity[];
  calls: MonthlyCalls[];
  vintageUses: VintageUse[];
  /** Rejections and disputes of others' tasks that its nodes worked on. */
  worked: Activity[];
  /** The last computation of each month, the oldest first. */
  scores: MonthlyScore[];
  /** The counts stopped at their limit. */
  is_cut: boolean;
  last: { at: string; event: Evidence };
  checkpoint: { size: number; root: string; at: string; event: Evidence } | null;
  anchor: { size: number; transaction: string; network: string; event: Evidence } | null;
  computation: { result_sha256: string; at: string; event: Evidence } | null;
};
