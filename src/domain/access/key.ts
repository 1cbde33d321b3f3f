/** An API key: a secret that the operator issues to a tenant, with scopes and quotas, until it is revoked. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";

/**
 * The rights of a key: read = every GET and pure calculation, order = everything that appends for the caller, and so
 * on.
 */
export const scopes = ["read", "quote", "order", "skill", "skill_sensitive", "node", "admin"] as const;
export const scope = z.enum(scopes);
export type Scope = z.infer<typeof scope>;

/** Calls per UTC day or UTC calendar month; null = no limit. */
export const quota = z.int().positive().nullable();

export const DAILY_QUOTA = 1_000;
export const MONTHLY_QUOTA = 10_000;

/** Tenants without keys: the operator owns the releases, and callers without credentials are anonymous. */
const RESERVED = ["operator", "anonymous"];

/** Names a tenant of the operator: lower-case letters, digits and hyphens. Test keys live in `test:<name>`. */
export const tenantName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    "a tenant is 1-63 lower-case letters, digits or inner hyphens",
  )
  .refine((name) => !RESERVED.includes(name), `these names are reserved: ${RESERVED.join(", ")}`);

/** A tenant as the log names it: by its name, or `test:<name>` for the tenant of its test keys. */
export const loggedTenant = z
  .string()
  .refine(
    (text) => tenantName.safeParse(text.replace(/^test:/, "")).success,
    "is a tenant's name such as acme; the tenant of its test keys is test:acme",
  );

const issued = {
  key_id: z.string(),
  tenant: z.string(),
  space: z.enum(["live", "test"]),
  label: z.string().max(100).nullable(),
  scopes: z.array(scope).min(1),
  daily: quota,
  monthly: quota,
  secret_sha256: sha256.describe("SHA-256 of the secret, hex. The secret itself is stored nowhere."),
  issued_at: time,
};

/** live and test: keys of tenants; soul: an agent's own, in the tenant soul:<number of its passport>. */
const spaces = ["live", "test", "soul"] as const;
export type KeySpace = (typeof spaces)[number];

export const events = {
  KeyIssued: {
    means: "An API key was issued.",
    1: z.strictObject(issued),
    2: z.strictObject({ ...issued, space: z.enum(spaces) }),
    upcast: { 1: <Payload>(old: Payload) => old },
  },
  KeyRevoked: {
    means: "An API key was revoked.",
    1: z.strictObject({ key_id: z.string(), revoked_at: time }),
  },
};

export type KeyFacts = DataOf<typeof events, "KeyIssued">;
export type KeyEvent = EventOf<typeof events>;

export type KeyState =
  | { status: "active"; facts: KeyFacts }
  | { status: "revoked"; facts: KeyFacts; revoked_at: string }
  | undefined;

export const prefix = "key-";

export const streamOf = (keyId: string) => prefix + keyId;

/** The tenant whose space a key opens: test keys never meet live data. */
export const tenantOf = (tenant: string, space: KeySpace) => (space === "test" ? `test:${tenant}` : tenant);

export const initialState = (): KeyState => undefined;

export function evolve(state: KeyState, event: KeyEvent): KeyState {
  switch (event.type) {
    case "KeyIssued":
      return { status: "active", facts: event.data };
    case "KeyRevoked":
      return state?.status === "active"
        ? { ...state, status: "revoked", revoked_at: event.data.revoked_at }
        : state;
  }
}

export const issue =
  (facts: KeyFacts) =>
  (state: KeyState): KeyEvent[] => {
    if (state) refuse("conflict", `key ${facts.key_id} exists already`);
    return [{ type: "KeyIssued", data: facts }];
  };

export const revoke =
  (at: string) =>
  (state: KeyState): KeyEvent[] => {
    if (!state) return refuse("not_found", "there is no such key");
    if (state.status === "revoked") return [];
    return [{ type: "KeyRevoked", data: { key_id: state.facts.key_id, revoked_at: at } }];
  };
