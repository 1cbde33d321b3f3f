/** One admitted call: what is asked, by whom, and the answer made for it. */

import { createHash, createHmac } from "node:crypto";
import type { LRUCache } from "lru-cache";
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { Idempotency, JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import type { Command, InUnit, SealPersonal } from "../../core/commands/unit.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import { type EventName, refuse } from "../../core/model/refusal.ts";
import type { Sealed } from "../../core/model/sealed.ts";
import type { Data } from "../../datasets/reading.ts";
import { watched } from "../../datasets/reading.ts";
import type { Admission } from "../declare/access/way.ts";
import { actorOf, anonymous, type Caller, type Mandate } from "../declare/caller.ts";
import { encodeAnswer, encodePicture } from "../declare/forms/encode.ts";
import { type Form, JSON_FORM } from "../declare/forms/form.ts";
import type { Marked } from "../declare/forms/table.ts";
import type { Fields } from "../declare/input.ts";
import { withPosition } from "../declare/listing.ts";
import { fromCopy, streamFromCopy } from "../declare/log-position.ts";
import {
  type Catalogue,
  type Context,
  type Operation,
  type OperationDeclaration,
  restsOnDataAlone,
} from "../declare/operation.ts";
import { effectOf, isSameForAll } from "../declare/operation-facts.ts";
import type { Picture, ServedFile, Wire } from "../declare/output.ts";
import type { LastingCall } from "./lasting.ts";

export type Call = {
  operation: Operation;
  app: App;
  /** The data that the call reads: what is current, or what its `vintage` names. */
  data: Data;
  input: Fields;
  caller: Caller;
  /** Refuses where the caller may not act any more, and has the commit rest on what it saw. */
  confirm?: Admission["confirm"];
  form: Form;
  /** SHA-256 of JCS {operation, input}, in hex: the same for HTTP and MCP. A form that is not JSON stands there too. */
  request_sha256: string;
  idempotency_key: string | undefined;
  /** How much of the log the answer has to know; 0 where it was not asked for. */
  min_position: number;
  /** The payment that it is charged to. */
  payment_id?: string;
  if_none_match: string | undefined;
  last_event_id: string | undefined;
  wire: Wire;
  request_id: string;
  lasting: LastingCall;
  /** The purchase of a stream that is given again. */
  bought?: { position: number; at: Date };
  /** Set by a handler that appended the event of its answer itself. */
  named?: EventName;
};

/** An answer before it is sent: bytes, a file that is there, or a stream that has not begun. */
export type PreparedAnswer =
  | {
      kind: "body";
      status: number;
      body: Buffer;
      etag: string;
      vintage: string | null;
      /** Of whom it tells what stands sealed in the log. */
      subjects: readonly string[];
    }
  | { kind: "file"; status: number; file: ServedFile; etag: string; vintage: string | null }
  | { kind: "stream"; status: number; chunks: AsyncIterable<string | Buffer>; vintage: string | null };

export type PreparedBody = Extract<PreparedAnswer, { kind: "body" }>;

/** `schema`: an answer does not fit its own; `vintage`: it read data it does not name; `refusal`: its status is not declared. */
export type BrokenPromise = "schema" | "vintage" | "refusal";

export type AnswerParts = {
  app: App;
  catalogue: Catalogue;
  /** Told where an operation does what its declaration does not say: logged and counted, never a 500 after work was done. */
  onBroken: (operation: Operation, promise: BrokenPromise, reason: string) => void;
  /** Finished answers of this process, by operation, vintage, form and input. */
  finished: LRUCache<string, PreparedBody>;
};

export const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

/**
 * The form is part of what is asked: a payment or an Idempotency-Key that got a picture is not answered with rows, and one that
 * bought a feed as it stood is not answered with server-sent events, which go on. The digest is public, and a short secret could be guessed from it: `seal` is the key under which secrets stand in it.
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

/** A bought stream goes on, and is given again, for so long after its purchase. */
export const STREAM_HOLDS_MS = 86_400_000;

/** What a finished answer is kept under; undefined of one that rests on more than data and input. */
function finishedName({ operation, form, input }: Call, vintage: string | undefined): string | undefined {
  if (vintage === undefined || !restsOnDataAlone(operation) || effectOf(operation).changes !== "nothing")
    return undefined;
  return `${operation.name} ${vintage} ${form} ${JSON.stringify(input)}`;
}

/** The answer that this process has finished before, for whoever may ask without more ado. */
export function finishedBefore({ finished }: AnswerParts, call: Call): PreparedBody | undefined {
  if (call.confirm) return undefined;
  const name = finishedName(call, call.operation.vintage?.(call.data));
  return name === undefined ? undefined : finished.get(name);
}

/** Makes the answer. What is decided on the way is staged in the unit. */
export async function prepareAnswer(parts: AnswerParts, call: Call, unit: InUnit): Promise<PreparedAnswer> {
  const { app, operation, input, caller, idempotency_key, payment_id, last_event_id, request_id } = call;
  await call.confirm?.(unit.watch);
  const names = (event: EventName) => {
    call.named = event;
  };
  const noting = notingSubjects(app.subjects, unit.personal);
  const context = {
    input: input as never,
    caller: isSameForAll(operation) ? anonymous : caller,
    app,
    data: call.data,
    subjects: noting.subjects,
    decide: effectOf(operation).changes === "nothing" ? onlyReads(operation) : unit.decide,
    watch: unit.watch,
    reserve: unit.reserve,
    personal: noting.personal,
    store: unit.store,
    get fresh_id() {
      return freshId(app, unit.command);
    },
    idempotency_key,
    payment_id,
    names,
    get signal() {
      return call.lasting.signal;
    },
    still: () => call.lasting.check(),
    bought: call.bought && { position: call.bought.position },
    get wire() {
      return call.wire;
    },
    last_event_id,
    request_id,
    catalogue: parts.catalogue,
  };
  const status = operation.status ?? 200;
  const vintage = operation.vintage?.(call.data);
  const { output } = operation;
  if (output.kind === "stream") {
    const handle = operation.handle as (of: typeof context) => Promise<AsyncIterable<string | Buffer>>;
    const { bought } = call;
    if (bought || payment_id !== undefined)
      call.lasting.endAt(new Date((bought?.at ?? app.clock.now()).getTime() + STREAM_HOLDS_MS));
    const chunks = call.lasting.checked(await streamFromCopy(call, context, handle));
    return { kind: "stream", status, chunks, vintage: vintage ?? null };
  }
  if (output.kind === "file") {
    const file = (await operation.handle(context)) as ServedFile;
    await call.lasting.checkAnswer();
    return { kind: "file", status, file, etag: `"${file.sha256}"`, vintage: vintage ?? null };
  }
  const name = finishedName(call, vintage);
  const before = name === undefined ? undefined : parts.finished.get(name);
  if (before) return before;
  const reading = operation.vintage && watched(call.data);
  if (reading) context.data = reading.data;
  const given = await fromCopy(call, context, (context) => handled(operation, context));
  await call.lasting.checkAnswer();
  const rests_on = output.kind === "json" ? reading?.restsOn() : undefined;
  const answer = rests_on === undefined ? given : withRestsOn(given as Marked, rests_on);
  const body = await encoded(parts, call, answer);
  const etag = name === undefined && operation.caching === undefined ? "" : etagOf(body);
  const subjects = noting.noted();
  const made: PreparedBody = {
    kind: "body",
    status,
    body,
    etag,
    vintage: rests_on ?? vintage ?? null,
    subjects,
  };
  if (
    name !== undefined &&
    subjects.length === 0 &&
    mayKeep(parts, call, { vintage: vintage!, read: reading!.read })
  )
    parts.finished.set(name, made);
  return made;
}

/** Notes whose personal data a handler has at hand, opened or to be sealed: its answer may tell of it. */
function notingSubjects(subjects: Subjects, personal: SealPersonal) {
  const noted = new Set<string>();
  const sealed: Sealed[] = [];
  return {
    // A value is sealed when the first decision is made; without one nothing is recorded of it.
    noted: () => [...new Set([...noted, ...sealed.flatMap(({ subject_id }) => subject_id ?? [])])],
    subjects: {
      async open(page) {
        const opened = await subjects.open(page);
        for (const { erased, subject_id } of opened) if (!erased) noted.add(subject_id);
        return opened;
      },
    } satisfies Context<never>["subjects"],
    personal: (value: Parameters<SealPersonal>[0]) => {
      const member = personal(value);
      sealed.push(member);
      return member;
    },
  };
}

/** What clients are told only reads may not come to decide anything. */
const onlyReads =
  ({ name }: Operation): Context<never>["decide"] =>
  () => {
    throw new Error(`${name} decides, and its effect says that it changes nothing`);
  };

export const withRestsOn = (answer: Marked, rests_on: string) => ({
  ...answer,
  meta: { ...answer.meta, rests_on },
});

/** Waits for the read model of a list, and handles the call. */
export async function handled(operation: OperationDeclaration, context: Context<never>) {
  const { lists } = operation;
  const as_of = lists && lists !== "none" ? await context.app.asOf(lists) : undefined;
  const answer = await operation.handle(context);
  return as_of === undefined ? answer : withPosition(answer, as_of);
}

/** An answer that rests on more than its name says would be served when that has changed. */
function mayKeep(
  { onBroken }: AnswerParts,
  { operation, data }: Call,
  made: { vintage: string; read: ReadonlySet<string> },
): boolean {
  const declared = watched(data);
  // The vintage was swapped meanwhile; then the answer is right but belongs under another name.
  if (operation.vintage?.(declared.data) !== made.vintage) return false;
  const missed = [...made.read].filter((state) => !declared.read.has(state));
  if (missed.length > 0) onBroken(operation, "vintage", `read and not declared: ${missed.join("; ")}`);
  return missed.length === 0;
}

/** Two tenants or operations never share an idempotency key, so its digest names nothing twice. */
const freshId = ({ random }: App, command: Command): string =>
  command.idempotency
    ? sha256(command.idempotency.idem_key).slice(0, 32)
    : Buffer.from(random.bytes(16)).toString("hex");

async function encoded(
  { app, onBroken }: AnswerParts,
  { operation, form }: Call,
  answer: object,
): Promise<Buffer> {
  const { output } = operation;
  if (output.kind === "picture") return encodePicture(form, answer as Picture, app.printer);
  if (output.kind !== "json") return answer as Buffer;
  const before = form === JSON_FORM ? constants.get(answer) : undefined;
  if (before?.operation === operation) return before.body;
  const fits = output.schema.safeParse(answer);
  if (!fits.success) onBroken(operation, "schema", fits.error.message);
  if (form !== JSON_FORM) return encodeAnswer(output, form, answer as Marked, app.printer);
  const body = Buffer.from(
    JSON.stringify(operation.envelope === "success" ? { success: true, ...answer } : answer),
  );
  if (Object.isFrozen(answer)) constants.set(answer, { operation, body });
  return body;
}

/** An answer that its operation froze is one that it gives again: what was made of it once stays true. */
const constants = new WeakMap<object, { operation: Operation; body: Buffer }>();

/** Weak, because the bytes on the wire may be compressed. */
const etagOf = (body: Buffer) => `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

/** True when the caller has this answer already. */
export const isUnchanged = (call: Call, made: PreparedAnswer) =>
  made.kind !== "stream" && made.etag !== "" && matches(call.if_none_match, made.etag);

/** By weak comparison (RFC 9110, 13.1.2): a client or a cache between may have dropped the `W/`. */
export const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === "*" ||
    header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.replace(/^W\//, "")));

/** What is hashed with every event of the call: who acted, and for whom where that is another. */
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

/** Characters of a name that nobody guesses. */
const STRANGERS_NAME = 32;

/** Whose word a command's name is: a delegate's own, who must not take the principal's. No tenant has a space in its name. */
const namerOf = (caller: Caller): string =>
  caller.kind === "delegate" ? `${caller.tenant} by ${caller.mandate.delegate}` : caller.tenant;

/** The caller's own name for this command; the same word used by two tenants names two commands. */
export function idempotencyOf(
  call: Pick<Call, "caller" | "idempotency_key" | "request_sha256"> & { operation: Pick<Operation, "kept"> },
): (Idempotency & { idem_key: string }) | undefined {
  const { caller, idempotency_key, operation } = call;
  if (idempotency_key === undefined) return undefined;
  // Strangers share the anonymous tenant, and must not meet each other's answers.
  if (caller.kind === "anonymous" && (operation.kept !== false || idempotency_key.length < STRANGERS_NAME))
    return undefined;
  if (!/^[\x21-\x7e]{1,128}$/.test(idempotency_key)) {
    refuse("invalid", "invalid Idempotency-Key", {
      errors: [{ path: "Idempotency-Key", message: "is 1 to 128 visible ASCII characters" }],
    });
  }
  // The log shows the name to whoever has an export, and who knows a stranger's own word for it would be the stranger.
  const name = operation.kept === false ? sha256(idempotency_key) : idempotency_key;
  return {
    idem_key: `${namerOf(caller)}/${name}`,
    request_hash: Buffer.from(call.request_sha256, "hex"),
  };
}
