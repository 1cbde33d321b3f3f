/**
 * The answers of the operations under /soul, as far as the agents' pages use them. All text in them is a
 * stranger's.
 */

export type AgentPassport = {
  passport: {
    sx_id: string;
    agent_id: string;
    passport_hash: string;
    issued_at: string;
    origin: string;
  };
  display_name: string | null;
  erased: boolean;
  synthetic: boolean;
  status: string;
  reason: string | null;
  keys: { kid: string; kind: string; did: string; method: string; proven_at: string }[];
  delegations: { delegation_id: string; to: string; scopes: string[]; expires_at: string }[];
  links: { link: string; agent_id: string | null; domain: string | null; linked_at: string }[];
  events: { event_id: string; type: string; about: string | null }[];
};

type Line = { event_id: string; kind: string; points_micro: number; shown_by: string };

export type Explanation = {
  score_micro: number;
  seeded_micro: number;
  seeded_event: string | null;
  base: Line[];
  attestations: {
    from: string;
    event_ids: string[];
    shown_by: string[];
    attestor_points_micro: number;
    weights_micro: number[];
    counted_micro: number;
    points_micro: number;
  }[];
  penalties: Line[];
  cuts: { cap: string; points_micro: number }[];
  independent_attestors: number;
  reciprocal_share: number | null;
  clique: boolean;
};

export type AgentTrust = {
  status: string;
  trust_level: string;
  samples: Record<string, number>;
  method: string;
  as_of: {
    position: number;
    computed_event: string;
    computed_at: string;
    result_sha256: string;
  } | null;
  explanation: Explanation | null;
};

export type Directory = {
  agents: {
    rank: number | null;
    sx_id: string;
    agent_id: string;
    display_name: string | null;
    trust_score: number;
    trust_level: string;
    status: string;
    synthetic: boolean;
    registered_at: string;
  }[];
  computed_event: string | null;
  next_cursor: string | null;
};

export type MarketSums = {
  online: number;
  free_slots: number;
  queued: number;
  active: number;
  hourly_rate_usd: { median: string } | null;
  settled: number;
  settled_usd: string;
  audited: number;
  mismatches: number;
};

export type Nodes = {
  nodes: { sx_id: string; kinds: string[]; hourly_rate_usd: string; free: number }[];
};

export type Bounties = {
  bounties: {
    bounty_id: string;
    title: string | null;
    description: string | null;
    reward_usd: string;
    status: string;
    claims: number;
    deadline: string;
  }[];
};

export type Stack = {
  items: {
    item_id: string;
    kind: string;
    title: string | null;
    summary: string | null;
    price_usd: string;
    author: { sx_id: string };
    sales: number;
    validations: { works: number };
  }[];
};

export type Settlements = {
  settlements: {
    event_id: string;
    kind: "task" | "bounty" | "sale";
    to: string | null;
    paid_usd: string;
    at: string;
  }[];
  next_cursor: string | null;
};
