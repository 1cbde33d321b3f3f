/** The checks of an API key. They form a list, so that a test can leave out one at a time. */
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CallLimit } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { quotaWindows } from "../../../domain/access/quota.ts";
import { digestOf, spaceOf } from "../../../domain/access/secret.ts";
import type { KeyRow, KeyWithDigest } from "../../../projections/access/keys.ts";
import { addressBlock } from "../address.ts";
import type { Caller } from "../caller.ts";
import { type AccessParts, type Attempt, BEARER, type Keys, type SecuritySchemes, type Way } from "./way.ts";

type KeyAttempt = {
  secret: string;
  digest: Buffer;
  key: KeyWithDigest | undefined;
};

const WHERE_FROM =
  "the operator's `tallystick keys issue` makes one, POST /soul/register one of an agent, and a wallet pays without one";

export const KEY_UNKNOWN = `this key is unknown here; ${WHERE_FROM}`;

/** Only `key` ways check the scope. */
export type KeyCheck =
  | { name: string; refuses(attempt: KeyAttempt): void }
  | { name: "scope"; lacks(key: KeyRow, scope: Scope): void };

export const keyChecks: KeyCheck[] = [
  {
    name: "form",
    refuses: ({ secret }) => {
      if (!spaceOf(secret))
        refuse(
          "unauthorized",
          `this is not a whole key: a key is sk_live_, sk_test_ or sk_soul_ and 43 characters; ${WHERE_FROM}`,
        );
    },
  },
  {
    name: "known",
    refuses: ({ digest, key }) => {
      if (!key || !timingSafeEqual(key.secret_sha256, digest)) refuse("unauthorized", KEY_UNKNOWN);
    },
  },
  {
    name: "space",
    refuses: ({ secret, key }) => {
      if (key && key.space !== spaceOf(secret)) refuse("unauthorized", KEY_UNKNOWN);
    },
  },
  {
    name: "revoked",
    refuses: ({ key }) => {
      if (key?.revoked_at) refuse("unauthorized", `this key was revoked at ${key.revoked_at}`);
    },
  },
  {
    name: "scope",
    lacks: (key, scope) => {
      if (!key.scopes.includes(scope))
        refuse("forbidden", `this key lacks the scope ${scope}; it has ${key.scopes.join(", ")}`);
    },
  },
];

/** How long a key is trusted without a query; a revocation takes effect within this time. */
const KEY_TTL_MS = 1_000;

const GUESSES: CallLimit = { name: "key-guesses", calls: 100, per: "minute" };

export async function lookUp<Found>(
  { limits }: Pick<AccessParts, "limits">,
  ip: string,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const block = addressBlock(ip);
  if (limits.isSpent(GUESSES, block)) {
    refuse(coreProblems["rate-limited"], "too many unknown keys from this address; retry in a minute", {
      retry_after_s: 60,
    });
  }
  const found = await find();
  if (!found) limits.add(GUESSES, block);
  return found;
}

export function createKeys(
  parts: Pick<AccessParts, "findKey" | "limits">,
  checks: readonly KeyCheck[] = keyChecks,
): Keys {
  // `maxSize` instead of `max`, which would allocate all slots at the start.
  const cache = new LRUCache<string, KeyWithDigest>({
    maxSize: 100_000,
    sizeCalculation: () => 1,
    ttl: KEY_TTL_MS,
  });

  const look = async (digest: Buffer, find: () => Promise<KeyWithDigest | undefined>) => {
    const name = digest.toString("base64");
    const cachedKey = cache.get(name);
    if (cachedKey) return cachedKey;
    const found = await find();
    if (found) cache.set(name, found);
    return found;
  };

  const keyOf = (secret: string, digest: Buffer, key: KeyWithDigest | undefined): KeyWithDigest => {
    for (const check of checks) if ("refuses" in check) check.refuses({ secret, digest, key });
    // A test may leave out the check `known`; an unknown key must not become a caller even then.
    return key ?? refuse("unauthorized", KEY_UNKNOWN);
  };

  return {
    async identify(secret, ip) {
      const digest = digestOf(secret);
      const found = await look(digest, () => lookUp(parts, ip, () => parts.findKey(digest)));
      const key = keyOf(secret, digest, found);
      if (key.space === "soul") return refuse("unauthorized", KEY_UNKNOWN);
      const { key_id, tenant, scopes, space } = key;
      const caller: Caller = { kind: "key", tenant, key_id, scopes, space };
      return { caller, key };
    },
    allow(key, scope) {
      for (const check of checks) if ("lacks" in check) check.lacks(key, scope);
    },
    async confirm(secret) {
      const digest = digestOf(secret);
      keyOf(secret, digest, await look(digest, () => parts.findKey(digest)));
    },
    forget: () => cache.clear(),
  };
}

export const keySchemes: SecuritySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key: sk_live_… or sk_test_…" },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
};

export const keySecurity: Way["security"] = [{ bearer: [] }, { apiKey: [] }];

export const key = (scope: Scope): Way => ({
  kind: "key",
  scope,
  security: keySecurity,
  schemes: keySchemes,
  statuses: [403],
  invitation: "an API key: Authorization: Bearer sk_…",
  challenge: BEARER,
  admit: (attempt, parts) => admitKey(attempt, parts, scope),
});

export async function admitKey(
  { identity }: Pick<Attempt, "identity">,
  parts: Pick<AccessParts, "quotas" | "clock"> & { keys: Keys },
  scope: Scope,
) {
  if (!identity.key) return undefined;
  parts.keys.allow(identity.key, scope);
  return { caller: identity.caller, pays: false, headers: await counted(identity.key, parts) };
}

async function counted(
  key: KeyRow,
  { quotas, clock }: Pick<AccessParts, "quotas" | "clock">,
): Promise<Record<string, string>> {
  if (key.daily === null && key.monthly === null) return {};
  const { granted, usage } = await quotas.take(key);
  const windows = quotaWindows(key, usage, clock.now());
  if (!granted) {
    const spent = windows
      .filter((window) => window.remaining === 0)
      .sort((a, b) => b.reset_s - a.reset_s)[0]!;
    refuse(
      "quota_exceeded",
      `the ${spent.name} quota of ${spent.limit} calls is used up; wait, or repeat the call without the key and pay for it`,
      { retry_after_s: spent.reset_s },
    );
  }
  return {
    RateLimit: windows.map((w) => `"${w.name}";r=${w.remaining};t=${w.reset_s}`).join(", "),
    "RateLimit-Policy": windows.map((w) => `"${w.name}";q=${w.limit};w=${w.window_s}`).join(", "),
  };
}
