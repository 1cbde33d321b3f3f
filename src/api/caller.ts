import type { Scope } from "../domain/access/key.ts";

/** Whoever was admitted. `tenant` owns what the call causes. */
export type Caller =
  | { kind: "key"; tenant: string; key_id: string; scopes: Scope[]; space: "live" | "test" }
  | { kind: "anonymous"; tenant: "anonymous" };

export const anonymous: Caller = { kind: "anonymous", tenant: "anonymous" };

/** What is hashed with the events a caller causes: who it was, never a secret. */
export const actorOf = (caller: Caller): string =>
  caller.kind === "key" ? `key:${caller.key_id}` : caller.kind;
