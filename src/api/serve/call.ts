import { createHmac, hash } from "node:crypto";
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { Idempotency, JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import type { Command } from "../../core/commands/unit.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { Data } from "../../datasets/reading.ts";
import type { SignedAct } from "../../domain/identity/act.ts";
import type { Admission } from "../declare/access/way.ts";
import { actorOf, type Caller, type Mandate } from "../declare/caller.ts";
import { type Form, JSON_FORM } from "../declare/forms/form.ts";
import type { Fields } from "../declare/input.ts";
import type { Operation } from "../declare/operation.ts";
import type { Wire } from "../declare/output.ts";
import type { LongCall } from "./long-call.ts";

export type Call = {
  operation: Operation;
  app: App;
  data: Data;
  input: Fields;
  caller: Caller;
  /** Refuses a caller that has lost its authority, and makes the commit depend on that check. */
  confirm?: Admission["confirm"];
  /** The text that the caller signed for this call. */
  act?: SignedAct;
  form: Form;
  /** SHA-256, in hex, over JCS {operation, input, form unless JSON}; the same for HTTP and MCP. */
  request_sha256: string;
  idempotency_key: string | undefined;
  /** The service's name for a call of an operation with `repeats_within_s`, if the caller sends no key. */
  repeat_name?: string | undefined;
  min_position: number;
  payment_id?: string;
  if_none_match: string | undefined;
  last_event_id: string | undefined;
  wire: Wire;
  request_id: string;
  lasting: LongCall;
  bought?: { position: number; at: Date };
};

/** Hashes in one function call: an object for each digest takes twice as long, and makes garbage. */
export const sha256 = (text: string | Buffer): string => hash("sha256", text);

/**
 * The digest covers the requested form: the payment for a picture buys no rows, and the payment for a bounded feed buys
 * no endless one. The digest is public, so secret fields enter it as HMACs with the key `seal`.
 */
export function requestDigest(
  operation: Pick<Operation, "name" | "secrets" | "named_by">,
  { [operation.named_by ?? ""]: _, ...input }: Fields,
  form: Form | "text/event-stream" = JSON_FORM,
  seal?: Uint8Array,
): string {
  const sealed = (name: string, value: unknown) =>
    seal && value !== undefined && operation.secrets?.includes(name)
      ? createHmac("sha256", seal)
          .update(`${operation.name}:${name}:${textOf(value)}`)
          .digest("hex")
      : value;
  const textOf = (value: unknown) =>
    typeof value === "object" ? canonicalText({ value } as JsonObject, "request") : String(value);
  const fields = operation.secrets
    ? Object.fromEntries(Object.entries(input).map(([name, value]) => [name, sealed(name, value)]))
    : input;
  const request = { operation: operation.name, input: fields as JsonObject };
  return sha256(canonicalText(form === JSON_FORM ? request : { ...request, form }, "request"));
}

export const commandOf = (
  call: Pick<Call, "caller" | "request_id"> & { operation: Pick<Operation, "name"> },
  idempotency?: Idempotency,
): Command => ({
  meta: {
    actor: actorOf(call.caller),
    operation: call.operation.name,
    request_id: call.request_id,
    ...(call.caller.kind === "delegate" && onBehalf(call.caller.mandate)),
  },
  ...(idempotency && { idempotency }),
});

const onBehalf = ({ principal, delegation_id }: Mandate) => ({ on_behalf_of: principal, delegation_id });

const STRANGERS_NAME = 32;

/**
 * The owner of a command's name. A delegate never shares a name with its principal, because no tenant's name contains a
 * space.
 */
const namerOf = (caller: Caller): string =>
  caller.kind === "delegate" ? `${caller.tenant} by ${caller.mandate.delegate}` : caller.tenant;

export function idempotencyOf(
  call: Pick<Call, "caller" | "idempotency_key" | "repeat_name" | "request_sha256"> & {
    operation: Pick<Operation, "stores_answer">;
  },
): (Idempotency & { idem_key: string }) | undefined {
  const { caller, operation } = call;
  const idempotency_key = call.idempotency_key ?? call.repeat_name;
  if (idempotency_key === undefined) return undefined;
  // All anonymous callers share one tenant, and must not get each other's answers.
  if (
    caller.kind === "anonymous" &&
    (operation.stores_answer !== false || idempotency_key.length < STRANGERS_NAME)
  )
    return undefined;
  if (!/^[\x21-\x7e]{1,128}$/.test(idempotency_key)) {
    refuse("invalid", "invalid Idempotency-Key", {
      errors: [{ path: "Idempotency-Key", message: "is 1 to 128 visible ASCII characters" }],
    });
  }
  // An export of the log shows a command's name, which would let a reader fetch a stranger's answer.
  const name = operation.stores_answer === false ? sha256(idempotency_key) : idempotency_key;
  return {
    idem_key: `${namerOf(caller)}/${name}`,
    request_hash: Buffer.from(call.request_sha256, "hex"),
  };
}
