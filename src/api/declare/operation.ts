/**
 * HTTP route, MCP tool, OpenAPI entry, price, documentation and smoke test all derive from one declaration in operations/<area>/.
 */

import { z } from "zod";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import type { InUnit } from "../../core/commands/unit.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import type { ProblemType } from "../../core/model/problem.ts";
import type { EventName } from "../../core/model/refusal.ts";
import type { Projection } from "../../core/read-models/projection.ts";
import type { Data } from "../../datasets/reading.ts";
import type { Act } from "../../domain/identity/act.ts";
import type { PricedCall, Way } from "./access/way.ts";
import { metaField, withBriefMeta } from "./brief-meta.ts";
import type { Caller } from "./caller.ts";
import type { Gauge } from "./gauge.ts";
import { schemaOfList } from "./listing.ts";
import { restsOnBesideList, restsOnField, vintageBesideList, vintageField } from "./named-vintages.ts";
import type { Output, Wire } from "./output.ts";
import { widthField } from "./picture-width.ts";

export type Method = "GET" | "POST" | "DELETE";
export type Path = `/${string}`;
export type Route = `${Method} ${Path}`;

export type Redirect = `GET ${Path}` | `POST ${Path}`;

/** The writes of a handler. The pipeline appends everything in one commit after the handler. */
export type UnitOfWork = Omit<InUnit, "command"> & {
  /** 32 hex digits, new for each command. A repeat of the command gets the same ones. */
  fresh_id: string;
  /** Names the answer's event, if the handler appended it itself. */
  names: (event: EventName) => void;
};

export type Request = {
  id: string;
  idempotency_key: string | undefined;
  /**
   * The payment that the call is charged to, if any. The handler may treat the payer as the caller: the call itself
   * settles the payment, or the caller proved to be the payer.
   */
  payment_id: string | undefined;
  /** How the caller showed that it wants this call; an agent's event records it. */
  act: Act;
};

/** Only for operations that answer with a long stream. */
export type StreamOfCall = {
  wire: Wire;
  last_event_id: string | undefined;
  /** Refuses once the caller has lost access; false once the time of its purchase is over. */
  still: () => Promise<boolean>;
  /** Set only if the stream repeats a bought one. */
  bought: { position: number } | undefined;
};

export type Context<In> = {
  input: In;
  caller: Caller;
  app: App;
  data: Data;
  /** Opens sealed values, and notes their subjects: when one of them is erased, the stored answer is deleted. */
  subjects: Pick<Subjects, "open">;
  /** The pipeline appends everything in one commit after the handler. */
  unit: UnitOfWork;
  request: Request;
  stream: StreamOfCall;
  /** Aborts when the caller leaves or loses access, when its purchase ends, or when the service stops. */
  signal: AbortSignal;
  catalogue: Catalogue;
};

/** The effect of a call. Some clients ask their user to confirm certain effects. */
export type Effect = {
  changes: "nothing" | "adds" | "takes";
  repeatable: boolean;
  /** The call affects accounts or contracts on the chain, or webhooks. */
  reaches_out: boolean;
};

export const reads = {
  changes: "nothing",
  repeatable: true,
  reaches_out: false,
} as const satisfies Effect;

export type OperationDeclaration = {
  name: string;
  route: Route;
  /** Required if the operation writes or calls external services; optional for other GETs. */
  effect?: Effect;
  /** Further paths with the same parameters. Paths under /v1/agent and /soul are also served under /api. */
  aliases?: readonly Path[];
  /** Former routes; they answer 301 to a GET with the same parameter names. */
  redirects?: readonly Redirect[];
  summary: string;
  description: string;
  envelope?: Envelope;
  access: readonly Way[];
  input: z.ZodObject;
  output: Output;
  /**
   * How the service reads the words of the input, shown in the 402 of an unpaid call. A refusal becomes the errors of
   * that 402.
   */
  understood?: (input: never, call: PricedCall) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /**
   * Refuses input that the data do not cover, for the errors of the unpaid 402, without reading a figure. "handle"
   * runs the handler up to its first figure; such a handler uses `input`, `data` and `signal` alone.
   */
  covers?: "handle" | ((input: never, call: PricedCall) => void);
  status?: 200 | 201 | 202;
  /** Secret fields. They enter the request's digest as HMACs, because the public digest would confirm a guess. */
  secrets?: string[];
  /**
   * The input field that names the command, for callers that cannot send an Idempotency-Key. It is not part of the
   * request.
   */
  named_by?: string;
  /**
   * An equal call of the same caller within these seconds counts as the same command. Calls with an idempotency key
   * are excluded.
   */
  repeats_within_s?: number;
  /**
   * The callers that may repeat a paid answer by its payment, which is public. Default: anybody for commands and data
   * answers; the payer for other reads and streams. A read for `anybody` does not learn its caller.
   */
  again_to?: "anybody" | "payer";
  /** Members of the answer, at any depth, that only its owner gets in a repeat by payment. */
  omitted_in_repeats?: readonly string[];
  /**
   * The answer is secret, so it is not stored; a repeat computes it from the log. Anonymous callers may send an
   * Idempotency-Key too, of at least 32 unguessable characters.
   */
  stores_answer?: false;
  /** The statuses with which the handler may refuse. Other statuses are logged and counted as faults. */
  refuses?: (403 | 404 | 409 | 410)[];
  body_bytes?: number;
  /** A body over `body_bytes` is invalid input (400), not 413. */
  large_body?: "invalid";
  /** Not counted as a free call: work on a paid task, or a node's heartbeat. */
  is_paid_work?: true;
  /** Refuses test keys on a real chain. */
  moves_money?: true;
  /** The call waits for this read model, so that callers see their own writes. The answer then has `as_of_position`. */
  lists?: Projection | "none";
  reads?: "log";
  example: Record<string, unknown>;
  /**
   * Fields of the example that other answers have, each with the calls to make in order. The last one's answer has the
   * field; each call takes the fields that were found before it.
   */
  example_from?: Readonly<Record<string, readonly string[]>>;
  /**
   * Names the data that an answer depends on. The same name and input give the same answer, which is cached with an
   * ETag. Other reads in `handle` are logged, and prevent caching. With `lists`, nothing is cached.
   */
  vintage?: (data: Data) => string | undefined;
  /** The Cache-Control header of an answer, but not of refusals. Also adds an ETag. */
  caching?: (input: never) => string;
  /** Runs before a stored answer is repeated, because another key of the tenant may have made the call. */
  refuseTo?: (context: Pick<Context<never>, "input" | "caller" | "app" | "data">) => void;
  handle: (context: Context<never>) => Promise<object>;
};

/** `success` sends `{ data, meta }` as `{ success: true, data, meta }`; `none` sends the answer as it is. */
export type Envelope = "success" | "none";

export type Operation = OperationDeclaration & {
  area: string;
  envelope: Envelope;
  aliases: readonly Path[];
  redirects: readonly Redirect[];
};

type EffectDeclaration =
  | { route: `GET ${Path}`; effect?: Effect }
  | { route: `POST ${Path}` | `DELETE ${Path}`; effect: Effect };

export type OfferedArea = {
  /** One lower-case word: OpenAPI's tag and a value of `?areas=`. */
  name: string;
  about: string;
  envelope: Envelope;
  operations: readonly OperationDeclaration[];
  /** Schemas that several answers extend; OpenAPI lists each once, under this name. */
  shares?: Readonly<Record<string, z.ZodObject>>;
  problems: Readonly<Record<string, ProblemType>>;
  gauges?: readonly Gauge[];
};

export type Catalogue = {
  areas: readonly OfferedArea[];
  operations: readonly Operation[];
  problems: readonly ProblemType[];
};

export type TypedDeclaration<Input extends z.ZodObject> = Omit<
  OperationDeclaration,
  "route" | "effect" | "input" | "example" | "example_from" | "caching" | "handle"
> &
  EffectDeclaration & {
    input: Input;
    example: z.input<Input>;
    example_from?: Partial<Record<keyof z.input<Input> & string, readonly string[]>>;
    caching?: (input: z.output<Input>) => string;
    refuseTo?: (call: Pick<Context<z.output<Input>>, "input" | "caller" | "app" | "data">) => void;
    handle: (context: Context<z.output<Input>>) => Promise<object>;
  };

export function operation<Input extends z.ZodObject>(given: TypedDeclaration<Input>): OperationDeclaration {
  const declared = withWidth(given);
  const { input, lists, output, refuses = [], vintage } = declared;
  if (output.kind !== "json") return declared as OperationDeclaration;
  const listed = lists === undefined || lists === "none" ? output.schema : schemaOfList(output.schema);
  if (vintage === undefined)
    return { ...declared, output: { ...output, schema: listed } } as OperationDeclaration;
  const { meta } = listed.shape;
  if (!(meta instanceof z.ZodObject)) throw new Error(`${declared.name} rests on data and has no meta`);
  const isData = restsOnDataAlone(declared);
  const brief = withBriefMeta(meta);
  const schema = listed.extend({
    meta: (brief ?? meta).extend({ rests_on: isData ? restsOnField : restsOnBesideList }),
  });
  return {
    ...declared,
    input: input.extend({
      vintage: isData ? vintageField : vintageBesideList,
      ...(brief && { meta: metaField }),
    }),
    output: { ...output, schema },
    refuses: [...new Set([...refuses, 404 as const])],
  } as OperationDeclaration;
}

/** Adds the input `width` to an operation whose answer can be drawn as a picture. */
function withWidth<Input extends z.ZodObject>(declared: TypedDeclaration<Input>): TypedDeclaration<Input> {
  const { output, input } = declared;
  const isDrawn = output.kind === "picture" || (output.kind === "json" && output.chart !== undefined);
  return isDrawn ? { ...declared, input: input.extend({ width: widthField }) as unknown as Input } : declared;
}

export const restsOnDataAlone = ({ vintage, lists }: Pick<OperationDeclaration, "vintage" | "lists">) =>
  vintage !== undefined && (lists === undefined || lists === "none");
