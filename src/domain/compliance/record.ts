/** What the log has of an agent up to a position: each thing with the events that show it. Nothing else goes into a document. */
import type { AgentStatus } from "../identity/agent.ts";
import type { Provider } from "../identity/fields.ts";

/** An event that shows something. */
export type Evidence = { event_id: string; position: number; type: string };

/** Events of one type that the agent's own keys and wallets caused: how many, and the newest of them. */
export type Activity = { type: string; count: number; first_at: string; last_at: string; newest: Evidence[] };

/** What they caused by an operation in a month, YYYY-MM. */
export type Calls = { month: string; operation: string; count: number; newest: Evidence[] };

/** A state of data that answers they paid for, or reports they had made, rest on. */
export type Bought = { vintage: string; count: number; newest: Evidence[] };

/** Its score by a computation, in micro-points of 100. */
export type Scored = { day: string; points_micro: number; event: Evidence };

export type AgentRecord = {
  agent_id: string;
  sx_number: number;
  as_of_position: number;
  /** The day of the event at that position, YYYY-MM-DD. */
  day: string;
  registered: { at: string; event: Evidence };
  passport_hash: string;
  status: { is: AgentStatus; event: Evidence };
  /** `about`: what its owner says of its purpose and of who answers for it; "erased" where nobody can open it any more. */
  description: {
    about: { purpose: string | null; provider: Provider | null } | "erased";
    version: string | null;
    services: { name: string; endpoint: string }[];
    at: string;
    event: Evidence;
  } | null;
  /** Live ones. */
  keys: { kid: string; kind: string; at: string; event: Evidence }[];
  delegations: { to: number; scopes: string[]; expires_at: string; event: Evidence }[];
  /** Suspended, reinstated, revoked: all of them, the oldest first. */
  measures: { type: string; at: string; reason: string; event: Evidence }[];
  links: { kind: string; ref: string; event: Evidence }[];
  attested: { by: number; skill: string; event: Evidence }[];
  activity: Activity[];
  calls: Calls[];
  bought: Bought[];
  /** What became of others' tasks that its nodes worked on. */
  worked: Activity[];
  /** By the last computation of each month, the oldest first. */
  scores: Scored[];
  /** There are more events than were counted. */
  is_cut: boolean;
  last: { at: string; event: Evidence };
  checkpoint: { size: number; root: string; at: string; event: Evidence } | null;
  anchor: { size: number; transaction: string; network: string; event: Evidence } | null;
  computation: { result_sha256: string; at: string; event: Evidence } | null;
};
