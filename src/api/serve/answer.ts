import { createHash } from "node:crypto";
import type { LRUCache } from "lru-cache";
import type { App } from "../../core/app.ts";
import type { Command, InUnit, SealPersonal } from "../../core/commands/unit.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import type { EventName } from "../../core/model/refusal.ts";
import type { Sealed } from "../../core/model/sealed.ts";
import { type Data, type ReadRecord, watched } from "../../datasets/reading.ts";
import type { Act } from "../../domain/identity/act.ts";
import { asWanted } from "../declare/brief-meta.ts";
import { anonymous } from "../declare/caller.ts";
import { encodeAnswer, encodePicture } from "../declare/forms/encode.ts";
import { JSON_FORM } from "../declare/forms/form.ts";
import type { SourcedAnswer } from "../declare/forms/table.ts";
import { withPosition } from "../declare/listing.ts";
import {
  type Catalogue,
  type Context,
  type Operation,
  type OperationDeclaration,
  restsOnDataAlone,
  type UnitOfWork,
} from "../declare/operation.ts";
import { effectOf, isSameForAll } from "../declare/operation-facts.ts";
import type { Picture, ServedFile } from "../declare/output.ts";
import { widthIn } from "../declare/picture-width.ts";
import { type Call, sha256 } from "./call.ts";
import { matches } from "./conditions.ts";
import { fromCopy, streamFromCopy } from "./read-copy.ts";

/**
 * An answer before it is sent: bytes, an existing file, or a stream that has not begun. `event`: the event that the
 * handler named.
 */
export type PreparedAnswer = { status: number; vintage: string | null; event?: EventName } & (
  | {
      kind: "body";
      body: Buffer;
      etag: string;
      subjects: readonly string[];
    }
  | { kind: "file"; file: ServedFile; etag: string }
  | { kind: "stream"; chunks: AsyncIterable<string | Buffer> }
);

export type PreparedBody = Extract<PreparedAnswer, { kind: "body" }>;

/**
 * How a handler broke its declaration. `schema`: the answer does not match; `vintage`: it read undeclared data;
 * `refusal`: it refused with an undeclared status.
 */
export type BrokenPromise = "schema" | "vintage" | "refusal";

export type AnswerParts = {
  app: App;
  catalogue: Catalogue;
  /** Called to log and count a broken declaration. The caller still gets the answer, because the work is done. */
  onBroken: (operation: Operation, promise: BrokenPromise, reason: string) => void;
  finished: LRUCache<string, PreparedBody>;
};

/** For this long, a bought stream can be continued and repeated. */
export const STREAM_HOLDS_MS = 86_400_000;

/** The name under which an answer is cached; undefined if it depends on more than data and input. */
function finishedName({ operation, form, input }: Call, vintage: string | undefined): string | undefined {
  if (vintage === undefined || !restsOnDataAlone(operation) || effectOf(operation).changes !== "nothing")
    return undefined;
  return `${operation.name} ${vintage} ${form} ${JSON.stringify(input)}`;
}

export function finishedAnswer({ finished }: AnswerParts, call: Call): PreparedBody | undefined {
  if (call.confirm) return undefined;
  const name = finishedName(call, call.operation.vintage?.(call.data));
  return name === undefined ? undefined : finished.get(name);
}

export async function prepareAnswer(parts: AnswerParts, call: Call, unit: InUnit): Promise<PreparedAnswer> {
  await call.confirm?.(unit.watch);
  const noted = notingSubjects(parts.app.subjects, unit.personal);
  let event: EventName | undefined;
  const context = contextOf(parts, call, unit, { ...noted, names: (named) => (event = named) });
  const { kind } = call.operation.output;
  const made = await (kind === "stream"
    ? streamed(call, context)
    : kind === "file"
      ? filed(call, context)
      : bodied(parts, call, context, noted));
  return event ? { ...made, event } : made;
}

/** How an unsigned call was requested. Its payment itself identifies the payer. */
const unsigned = ({ kind }: Call["caller"]): Act => ({ by: kind === "payer" ? "payment" : "key" });

type HandlerResult<Kind extends PreparedAnswer["kind"]> = Promise<Extract<PreparedAnswer, { kind: Kind }>>;

function contextOf(
  { app, catalogue }: AnswerParts,
  call: Call,
  unit: InUnit,
  { subjects, personal, names }: Pick<Context<never>, "subjects"> & Pick<UnitOfWork, "personal" | "names">,
): Context<never> {
  const { operation, input, caller, idempotency_key, payment_id, last_event_id, request_id } = call;
  let fresh_id: string | undefined;
  return {
    input: input as never,
    caller: isSameForAll(operation) ? anonymous : caller,
    app,
    data: call.data,
    subjects,
    unit: {
      decide: effectOf(operation).changes === "nothing" ? onlyReads(operation) : unit.decide,
      watch: unit.watch,
      reserve: unit.reserve,
      personal,
      store: unit.store,
      get fresh_id() {
        fresh_id ??= freshId(app, unit.command);
        return fresh_id;
      },
      names,
    },
    request: { id: request_id, idempotency_key, payment_id, act: call.act ?? unsigned(caller) },
    stream: {
      get wire() {
        return call.wire;
      },
      last_event_id,
      still: () => call.lasting.check(),
      bought: call.bought && { position: call.bought.position },
    },
    get signal() {
      return call.lasting.signal;
    },
    catalogue,
  };
}

async function streamed(call: Call, context: Context<never>): HandlerResult<"stream"> {
  const { operation, bought, payment_id, lasting, data, app } = call;
  const handle = operation.handle as unknown as (
    of: Context<never>,
  ) => Promise<AsyncIterable<string | Buffer>>;
  if (bought || payment_id !== undefined)
    lasting.endAt(new Date((bought?.at ?? app.clock.now()).getTime() + STREAM_HOLDS_MS));
  const chunks = lasting.checked(await streamFromCopy(call, context, handle));
  return { kind: "stream", status: statusOf(operation), chunks, vintage: operation.vintage?.(data) ?? null };
}

async function filed({ operation, data, lasting }: Call, context: Context<never>): HandlerResult<"file"> {
  const file = (await operation.handle(context)) as ServedFile;
  await lasting.checkAnswer();
  const vintage = operation.vintage?.(data) ?? null;
  return { kind: "file", status: statusOf(operation), file, etag: `"${file.sha256}"`, vintage };
}

async function bodied(
  parts: AnswerParts,
  call: Call,
  context: Context<never>,
  { noted }: { noted: () => string[] },
): HandlerResult<"body"> {
  const { operation, lasting } = call;
  const vintage = operation.vintage?.(call.data);
  const name = finishedName(call, vintage);
  const before = name === undefined ? undefined : parts.finished.get(name);
  if (before) return before;
  const reading = operation.vintage && watched(call.data);
  const given = await fromCopy(call, reading ? reRead(context, reading.data) : context, (of) =>
    handled(operation, of),
  );
  await lasting.checkAnswer();
  const rests_on = operation.output.kind === "json" ? reading?.restsOn() : undefined;
  const sourced = rests_on === undefined ? given : withRestsOn(given as SourcedAnswer, rests_on);
  const wanted = call.form === JSON_FORM ? asWanted(sourced, call.input) : sourced;
  const body = await encoded(parts, call, wanted);
  const etag = name === undefined && operation.caching === undefined ? "" : etagOf(body);
  const subjects = noted();
  const status = statusOf(operation);
  const made = { kind: "body", status, body, etag, vintage: rests_on ?? vintage ?? null, subjects } as const;
  if (name !== undefined && subjects.length === 0 && mayCache(parts, call, { vintage: vintage!, reading }))
    parts.finished.set(name, made);
  return made;
}

const reRead = (context: Context<never>, data: Data): Context<never> =>
  Object.defineProperties({} as Context<never>, {
    ...Object.getOwnPropertyDescriptors(context),
    data: { value: data, enumerable: true },
  });

const statusOf = ({ status = 200 }: Operation): number => status;

/** Notes the subjects whose data the answer may include. */
function notingSubjects(subjects: Subjects, personal: SealPersonal) {
  const opened = new Set<string>();
  const sealed: Sealed[] = [];
  return {
    // Values are sealed at the first decision. Without a decision nothing was sealed, so nothing is noted.
    noted: () => [...new Set([...opened, ...sealed.flatMap(({ subject_id }) => subject_id ?? [])])],
    subjects: {
      async open(page) {
        const all = await subjects.open(page);
        for (const { erased, subject_id } of all) if (!erased) opened.add(subject_id);
        return all;
      },
    } satisfies Context<never>["subjects"],
    personal: (value: Parameters<SealPersonal>[0]) => {
      const member = personal(value);
      sealed.push(member);
      return member;
    },
  };
}

const onlyReads =
  ({ name }: Operation): UnitOfWork["decide"] =>
  () => {
    throw new Error(`${name} decides, and its effect says that it changes nothing`);
  };

export const withRestsOn = (answer: SourcedAnswer, rests_on: string) => ({
  ...answer,
  meta: { ...answer.meta, rests_on },
});

export async function handled(operation: OperationDeclaration, context: Context<never>) {
  const { lists } = operation;
  const as_of = lists && lists !== "none" ? await context.app.asOf(lists) : undefined;
  const answer = await operation.handle(context);
  return as_of === undefined ? answer : withPosition(answer, as_of);
}

/**
 * An answer may be cached only if it depended on its declared vintage alone. Otherwise it would survive a change of
 * other data.
 */
function mayCache(
  { onBroken }: AnswerParts,
  { operation, data }: Call,
  { vintage, reading }: { vintage: string; reading: ReadRecord | undefined },
): boolean {
  const declared = watched(data);
  // The vintage changed during the call, so the correct answer does not belong to the vintage that was read before.
  if (operation.vintage?.(declared.data) !== vintage) return false;
  const missed = [...(reading?.read ?? [])].filter((state) => !declared.read.has(state));
  if (missed.length > 0) onBroken(operation, "vintage", `read and not declared: ${missed.join("; ")}`);
  return missed.length === 0;
}

/** A digest of the command's idempotency key, which no other command has. Random without a key, and the same in each run. */
function freshId({ random, once }: App, command: Command): string {
  if (command.idempotency) return sha256(command.idempotency.idem_key).slice(0, 32);
  const known = once("serve: fresh ids", () => new WeakMap<Command, string>());
  const id = known.get(command) ?? Buffer.from(random.bytes(16)).toString("hex");
  known.set(command, id);
  return id;
}

async function encoded(
  { app, onBroken }: AnswerParts,
  { operation, form, input }: Call,
  answer: object,
): Promise<Buffer> {
  const { output } = operation;
  if (output.kind === "picture") return encodePicture(form, answer as Picture, app.printer, widthIn(input));
  if (output.kind !== "json") return answer as Buffer;
  const before = form === JSON_FORM ? constants.get(answer) : undefined;
  if (before?.operation === operation) return before.body;
  const fits = output.schema.safeParse(answer);
  if (!fits.success) onBroken(operation, "schema", fits.error.message);
  if (form !== JSON_FORM)
    return encodeAnswer(output, form, answer as SourcedAnswer, app.printer, widthIn(input));
  const body = Buffer.from(
    JSON.stringify(operation.envelope === "success" ? { success: true, ...answer } : answer),
  );
  if (Object.isFrozen(answer)) constants.set(answer, { operation, body });
  return body;
}

/** Caches the bytes of frozen answers, which are the same for every call. */
const constants = new WeakMap<object, { operation: Operation; body: Buffer }>();

/** Weak, because a compressor may change the bytes on the wire. */
const etagOf = (body: Buffer) => `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

export const isUnchanged = (call: Call, made: PreparedAnswer) =>
  made.kind !== "stream" && matches(call.if_none_match, made.etag);
