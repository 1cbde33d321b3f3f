/** An anonymous call, and admission parts without any callers, for tests to extend. */
import type { AccessParts, Credentials } from "../../src/api/declare/access/way.ts";
import { unlimitedCalls } from "./limits.ts";

export const bareCall: Credentials = {
  secret: undefined,
  payment: undefined,
  wallet_proof: undefined,
  on_behalf_of: undefined,
  internal_token: undefined,
  is_local: false,
  ip: "192.0.2.7",
  method: "GET",
  path: "/v1/agent/count",
};

const unreachable = () => {
  throw new Error("nobody asks the chain here");
};

export const bareParts: AccessParts = {
  findKey: async () => undefined,
  quotas: { take: async () => ({ granted: true, usage: { day_used: 1, month_used: 1 } }) },
  limits: unlimitedCalls,
  clock: { now: () => new Date("2026-11-21T12:00:00Z") },
  app: {
    chain: { read: unreachable, heads: unreachable } as unknown as AccessParts["app"]["chain"],
    recover: unreachable,
    link_secret: Buffer.alloc(32),
    settings: {
      public_url: "https://api.example.org",
      custody: { open: true, account_micro: 0, total_micro: 0 },
    },
  },
  open_per_minute: 100,
  internal: { token: undefined, is_remote_allowed: false },
};
