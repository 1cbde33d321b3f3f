/**
 * The one shape of everything the service sells or does. An operation is declared once, in operations/<area>/;
 * its HTTP route, MCP tool, OpenAPI entry, price, documentation and smoke test all derive from the declaration.
 */

import { z } from "zod";
import type { App } from "../../core/app.ts";
import type { Decide, Reserve, SealPersonal, StoreObject, Watch } from "../../core/commands/unit.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import type { ProblemType } from "../../core/model/problem.ts";
import type { EventName } from "../../core/model/refusal.ts";
import type { Projection } from "../../core/read-models/projection.ts";
import type { Data } from "../../datasets/reading.ts";
import type { Way } from "./access/way.ts";
import type { Caller } from "./caller.ts";
import type { Gauge } from "./gauge.ts";
import { schemaOfList } from "./listing.ts";
import { restsOnBesideList, restsOnField, vintageBesideList, vintageField } from "./named-vintages.ts";
import type { Output, Wire } from "./output.ts";

export type Method = "GET" | "POST" | "DELETE";
export type Path = `/${string}`;
export type Route = `${Method} ${Path}`;

export type Redirect = `GET ${Path}` | `POST ${Path}`;

export type Context<In> = {
  input: In;
  caller: Caller;
  app: App;
  /** The data that the call reads: the current data, or those that its `vintage` names. */
  data: Data;
  /** Opens personal data: the answer is forgotten when a subject that was opened for it is erased. */
  subjects: Pick<Subjects, "open">;
  /** Stages decisions; the pipeline appends them all in one commit when the answer is ready. */
  decide: Decide;
  /** An entity as it is now; what is decided counts only if it stays so until then. */
  watch: Watch;
  /** Takes what is counted outside the log, once for the command; what is taken for nothing is given back. */
  reserve: Reserve;
  /** Personal data as a member of an event: it stands there sealed. */
  personal: SealPersonal;
  /** Stores bytes that an event names by their digest, unless the command is refused. */
  store: StoreObject;
  /** 32 hex digits to name what the command makes: others for each command, the same when it is said again. */
  fresh_id: string;
  /** The caller's own name for the command, where it gave one. */
  idempotency_key: string | undefined;
  /**
   * The payment that the call is charged to; undefined where it is charged to none. Its wallet may be taken for the caller: the call
   * settles it itself, or the caller has shown that it is the payer.
   */
  payment_id: string | undefined;
  /** Says which event the answer stands for, where `handle` appended it itself. */
  names: (event: EventName) => void;
  /** Aborted when the caller goes away or may not be served any more, when what it bought is over, and when the service stops. */
  signal: AbortSignal;
  /** For a stream that wakes: refuses once the caller may not be served any more; false when what it bought is over. */
  still: () => Promise<boolean>;
  /** The purchase of a stream that is given again; undefined where it is bought now, or not at all. */
  bought: { position: number } | undefined;
  wire: Wire;
  last_event_id: string | undefined;
  request_id: string;
  /** Everything the service offers, this operation among it. */
  catalogue: Catalogue;
};

/** What a call does to what is there, beyond its answer and its price: clients ask their user before some of it. */
export type Effect = {
  /** `nothing`: it only reads; `adds`: what was there stays; `takes`: something is spent, ended or sent away. */
  changes: "nothing" | "adds" | "takes";
  /** Asked twice with the same input, it does no more than once. */
  repeatable: boolean;
  /** It deals with what is not the service's own: accounts and contracts on the chain, webhooks. */
  reaches_out: boolean;
};

/** What is asked by GET unless it says otherwise: the pipeline hands it no decision. */
export const reads = {
  changes: "nothing",
  repeatable: true,
  reaches_out: false,
} as const satisfies Effect;

export type OperationDeclaration = {
  /** operationId and MCP tool name. */
  name: string;
  route: Route;
  /** What a call of it does. What is asked by GET reads, and says so only where it reaches out, or where it does more all the same. */
  effect?: Effect;
  /** Other paths it is served at, with the same parameters. Paths under /v1/agent and /soul are served under /api too. */
  aliases?: readonly Path[];
  /** Routes of before that answer 301 with where it is, which a client then asks by GET; their parameters have the same names. */
  redirects?: readonly Redirect[];
  summary: string;
  description: string;
  /** Where its answers travel otherwise than those of its area. */
  envelope?: Envelope;
  access: readonly Way[];
  input: z.ZodObject;
  output: Output;
  /** 200 unless said otherwise. */
  status?: 200 | 201 | 202;
  /** Fields of the input that must not be guessed from the request's digest, which is public. */
  secrets?: string[];
  /** The field of the input that names the command, for callers who cannot send Idempotency-Key; it says nothing of what is asked. */
  named_by?: string;
  /**
   * To whom its answer is given again for a payment, which anybody can read off the chain. A command's is, to anybody who makes the same
   * call, and so is an answer from data alone; any other read and every stream is given again to the payer. A read for `anybody` is the
   * same for all: its handler is not told who asks.
   */
  again_to?: "anybody" | "payer";
  /** Members of the answer, however deep, that are told once: given again for a payment, it comes without them to all but its owner. */
  told_once?: readonly string[];
  /**
   * Its answers are kept nowhere, for they hold what only the caller may: said again under its Idempotency-Key a call is answered anew
   * from what was recorded. Strangers may name a call so too, by 32 characters or more, which nobody else can guess.
   */
  kept?: false;
  /** Statuses it may refuse with beside those that every operation of its kind has; any other is logged and counted. */
  refuses?: (403 | 404 | 409 | 410)[];
  /** Bytes of a JSON body that it takes, where those are more than usual. */
  body_bytes?: number;
  /** Work on a task that somebody has paid for, or a node's word that it is at it: it does not count among free calls. */
  is_paid_work?: true;
  /** What it does may move money, or bind a wallet to; a test key is refused where that is of a real chain. */
  moves_money?: true;
  /**
   * The read model that its list is from: the call waits for it, so that callers see what they wrote, and the answer says
   * `as_of_position`. A list that is from none says `none`.
   */
  lists?: Projection | "none";
  /** Where it reads the log itself, and decides nothing upon it, a copy of the database may be read as well; a list reads its read model. */
  reads?: "log";
  /** A valid input: documentation and smoke test at once. */
  example: Record<string, unknown>;
  /**
   * Names the data an answer rests on. Same name and same input, same answer: it is kept, with an ETag. What `handle` reads
   * beyond what this looked at is logged and counted, and the answer is not kept. One that `lists` a read model, too, is made anew each time.
   */
  vintage?: (data: Data) => string | undefined;
  /** The Cache-Control of what it answers (never of a refusal), which then has an ETag too. */
  caching?: (input: never) => string;
  /** Refuses a caller for what is asked, before it is told what was answered under the same name: another key of its tenant may have asked. */
  refuseTo?: (asked: Pick<Context<never>, "input" | "caller" | "app" | "data">) => void;
  handle: (context: Context<never>) => Promise<object>;
};

/** How answers of an area travel: `success` wraps `{ data, meta }` as `{ success: true, data, meta }`; `none` leaves them flat. */
export type Envelope = "success" | "none";

/** An operation in its place: what its area says of all its operations stands in each. */
export type Operation = OperationDeclaration & {
  area: string;
  envelope: Envelope;
  aliases: readonly Path[];
  redirects: readonly Redirect[];
};

/** A GET reads unless it says otherwise; whatever else there is has to say what it does. */
type Effected =
  | { route: `GET ${Path}`; effect?: Effect }
  | { route: `POST ${Path}` | `DELETE ${Path}`; effect: Effect };

/** What the API knows of an area. */
export type OfferedArea = {
  /** One lower-case word: the tag in OpenAPI and the name in `?areas=`. */
  name: string;
  /** What it is for, in a line. */
  about: string;
  envelope: Envelope;
  operations: readonly OperationDeclaration[];
  /** Objects that answers have all fields of, beside their own: OpenAPI says those once, under these names. */
  shares?: Readonly<Record<string, z.ZodObject>>;
  /** The kinds of problems that are its own; their file in src/domain declares them. */
  problems: Readonly<Record<string, ProblemType>>;
  /** What operators watch of it, beside its read models and reactors. */
  gauges?: readonly Gauge[];
};

/** Areas that offer something, all their operations in order, and every kind of problem that a call may end in. */
export type Catalogue = {
  areas: readonly OfferedArea[];
  operations: readonly Operation[];
  problems: readonly ProblemType[];
};

/** An operation as it is written down: `example` and `handle` fit `input`. */
export type Declared<Input extends z.ZodObject> = Omit<
  OperationDeclaration,
  "route" | "effect" | "input" | "example" | "caching" | "handle"
> &
  Effected & {
    input: Input;
    example: z.input<Input>;
    caching?: (input: z.output<Input>) => string;
    refuseTo?: (asked: Pick<Context<z.output<Input>>, "input" | "caller" | "app" | "data">) => void;
    handle: (context: Context<z.output<Input>>) => Promise<object>;
  };

/** Declares an operation. One over data takes `vintage` too, and its answer says what it rests on. */
export function operation<Input extends z.ZodObject>(declared: Declared<Input>): OperationDeclaration {
  const { input, lists, output, refuses = [], vintage } = declared;
  if (output.kind !== "json") return declared as OperationDeclaration;
  const listed = lists === undefined || lists === "none" ? output.schema : schemaOfList(output.schema);
  if (vintage === undefined)
    return { ...declared, output: { ...output, schema: listed } } as OperationDeclaration;
  const { meta } = listed.shape;
  if (!(meta instanceof z.ZodObject)) throw new Error(`${declared.name} rests on data and has no meta`);
  const isData = restsOnDataAlone(declared);
  const schema = listed.extend({
    meta: meta.extend({ rests_on: isData ? restsOnField : restsOnBesideList }),
  });
  return {
    ...declared,
    input: input.extend({ vintage: isData ? vintageField : vintageBesideList }),
    output: { ...output, schema },
    refuses: [...new Set([...refuses, 404 as const])],
  } as OperationDeclaration;
}

/** Whether the same question has the same answer as long as its vintage stands: not where a read model is in it, too. */
export const restsOnDataAlone = ({ vintage, lists }: Pick<OperationDeclaration, "vintage" | "lists">) =>
  vintage !== undefined && (lists === undefined || lists === "none");
