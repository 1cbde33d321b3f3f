/**
 * Admission: who is calling, and may they. Its checks are a list that tests iterate over, so that none of them is
 * there for show: with any one switched off, some call that must be refused gets through.
 */

import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import type { Scope } from "../domain/access/key.ts";
import { quotaWindows } from "../domain/access/quota.ts";
import { digestOf, spaceOf } from "../domain/access/secret.ts";
import type { Clock, Quotas } from "../domain/ports.ts";
import { coreProblems } from "../domain/problem.ts";
import { refuse } from "../domain/refusal.ts";
import type { KeyRow, KeyWithDigest } from "../projections/access/keys.ts";
import { addressBlock } from "./address.ts";
import { anonymous, type Caller } from "./caller.ts";
import { type Access, type OperationDeclaration, paymentOf } from "./operation.ts";

/** What a caller shows of itself, from headers alone. */
export type Presented = {
  secret: string | undefined;
  /** An x402 payment as it came: encoded in a header, or the object of an MCP call. */
  payment: string | object | undefined;
  ip: string;
};

export type Admission = {
  /** Whoever pays without a key is known once the payment has been read. */
  caller: Caller;
  /** The call is to be charged to the payment it brought. */
  pays: boolean;
  /** RateLimit and RateLimit-Policy, where a quota was counted. */
  headers: Record<string, string>;
};

/** `pay` means that nothing was presented which opens a priced operation: the answer is its 402. */
export type Verdict = Admission | "pay";

export type GateParts = {
  findKey: (digest: Buffer) => Promise<KeyWithDigest | undefined>;
  quotas: Quotas;
  clock: Clock;
  /** Calls a minute to open operations, per address. */
  open_per_minute: number;
};

type KeyAttempt = {
  secret: string;
  digest: Buffer;
  operation: OperationDeclaration;
  key: KeyWithDigest | undefined;
};

/** One reason to turn a presented key away. */
export type KeyCheck = { name: string; refuses(attempt: KeyAttempt): void };

export const keyChecks: KeyCheck[] = [
  {
    name: "form",
    refuses: ({ secret }) => {
      if (!spaceOf(secret))
        refuse("unauthorized", "this is not a key of ours: keys begin with sk_live_ or sk_test_");
    },
  },
  {
    name: "known",
    refuses: ({ digest, key }) => {
      if (!key || !timingSafeEqual(key.secret_sha256, digest)) refuse("unauthorized", "this key is unknown");
    },
  },
  {
    name: "space",
    refuses: ({ secret, key }) => {
      if (key && key.space !== spaceOf(secret)) refuse("unauthorized", "this key is unknown");
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
    refuses: ({ key, operation }) => {
      const way = keyWay(operation);
      if (way && key && !key.scopes.includes(way.scope)) {
        refuse("forbidden", `this key lacks the scope ${way.scope}; it has ${key.scopes.join(", ")}`);
      }
    },
  },
];

const keyWay = (operation: OperationDeclaration) =>
  operation.access.find((way) => way.kind === "key") as Extract<Access, { kind: "key" }> | undefined;

/** A payment stands for the scopes of ordinary use, and for none beyond them. */
const PAID_SCOPES: Scope[] = ["read", "quote", "order"];

function opensByPayment(operation: OperationDeclaration): boolean {
  const way = keyWay(operation);
  return way === undefined || PAID_SCOPES.includes(way.scope);
}

/** How long a process may go on trusting what it knows of a key, should the news of its revocation be late. */
const KEY_TTL_MS = 1_000;

/** Unknown keys an address may present a minute: each costs a look into the database. */
const GUESSES_PER_MINUTE = 100;

export type Gate = {
  admit(operation: OperationDeclaration, presented: Presented): Promise<Verdict>;
  /** Forgets what is known of all keys: called when the log tells that one has changed. */
  forgetKeys(): void;
};

export function createGate(parts: GateParts, checks: KeyCheck[] = keyChecks): Gate {
  const known = new LRUCache<string, KeyWithDigest>({ max: 100_000, ttl: KEY_TTL_MS });
  const guesses = new RateLimiterMemory({ points: GUESSES_PER_MINUTE, duration: 60 });
  const perAddress = new RateLimiterMemory({ points: parts.open_per_minute, duration: 60 });

  const look = async (digest: Buffer, ip: string) => {
    const name = digest.toString("base64");
    const held = known.get(name);
    if (held) return held;
    if (((await guesses.get(addressBlock(ip)))?.consumedPoints ?? 0) >= GUESSES_PER_MINUTE) {
      refuse(coreProblems["rate-limited"], "too many unknown keys from this address; try again in a minute", {
        retry_after_s: 60,
      });
    }
    const found = await parts.findKey(digest);
    if (found) known.set(name, found);
    else await guesses.penalty(addressBlock(ip));
    return found;
  };

  const byKey = async (
    operation: OperationDeclaration,
    secret: string,
    ip: string,
    pays: boolean,
  ): Promise<Admission> => {
    const digest = digestOf(secret);
    const key = await look(digest, ip);
    // What a payment opens needs no scope: the key only names the tenant.
    const asked = pays && opensByPayment(operation) ? checks.filter(({ name }) => name !== "scope") : checks;
    for (const check of asked) check.refuses({ secret, digest, operation, key });
    // With `known` switched off in a test there is still no caller.
    if (!key) return refuse("unauthorized", "this key is unknown");
    const { key_id, tenant, scopes, space } = key;
    const caller: Caller = { kind: "key", tenant, key_id, scopes, space };
    if (pays) return { caller, pays, headers: {} };
    const counted = keyWay(operation) !== undefined && (key.daily !== null || key.monthly !== null);
    return { caller, pays, headers: counted ? await count(key) : {} };
  };

  const count = async (key: KeyRow): Promise<Record<string, string>> => {
    const { granted, usage } = await parts.quotas.take(key);
    const windows = quotaWindows(key, usage, parts.clock.now());
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
  };

  return {
    async admit(operation, presented) {
      const pays = presented.payment !== undefined && paymentOf(operation) !== undefined;
      if (presented.secret !== undefined) return byKey(operation, presented.secret, presented.ip, pays);
      if (pays && !opensByPayment(operation))
        refuse(
          "unauthorized",
          `this needs an API key with the scope ${keyWay(operation)!.scope} beside its payment`,
        );
      if (pays) return { caller: anonymous, pays, headers: {} };
      if (operation.access.some((way) => way.kind === "open")) {
        await perAddress.consume(addressBlock(presented.ip)).catch((full: RateLimiterRes) =>
          refuse(
            coreProblems["rate-limited"],
            `free calls are limited to ${parts.open_per_minute} a minute`,
            {
              retry_after_s: Math.ceil(full.msBeforeNext / 1000),
            },
          ),
        );
        return { caller: anonymous, pays: false, headers: {} };
      }
      if (paymentOf(operation)) return "pay";
      return refuse("unauthorized", "this needs an API key: Authorization: Bearer sk_…");
    },
    forgetKeys: () => known.clear(),
  };
}

/** The secret of `Authorization: Bearer` or `X-API-Key`; two that differ are refused. */
export function presentedSecret(
  authorization: string | undefined,
  apiKey: string | undefined,
): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (authorization !== undefined && bearer === undefined) {
    refuse("unauthorized", "Authorization must read: Bearer sk_…");
  }
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    refuse("unauthorized", "Authorization and X-API-Key carry different keys; send one");
  }
  return bearer ?? apiKey;
}
