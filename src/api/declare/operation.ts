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

/** The pipeline appends everything in one commit after the handler. */
export type UnitOfWork = Omit<InUnit, "command"> & {
  /** 32 hex digits, new for each command and the same for a repeat. */
  fresh_id: string;
  /** For a handler that appended the answer's event itself. */
  names: (event: EventName) => void;
};

export type Request = {
  id: string;
  idempotency_key: string | undefined;
  /**
   * The payment that the call is charged to, if any. Its wallet may count as the caller: the call settles the payment
   * itself, or the caller proved to be the payer.
   */
  payment_id: string | undefined;
  /** How the caller showed that it wants this call; an agent's event records it. */
  act: Act;
};

/** For long streams. */
export type StreamOfCall = {
  wire: Wire;
  last_event_id: string | undefined;
  /** Refuses once the caller lost access; false once its purchase ended. */
  still: () => Promise<boolean>;
  /** Set only for the replay of a bought stream. */
  bought: { position: number } | undefined;
};

export type Context<In> = {
  input: In;
  caller: Caller;
  app: App;
  data: Data;
  /** When an opened subject is erased, the answer is deleted. */
  subjects: Pick<Subjects, "open">;
  /** The pipeline appends everything in one commit after the handler. */
  unit: UnitOfWork;
  request: Request;
  stream: StreamOfCall;
  /** Aborts when the caller leaves or loses access, its purchase ends, or the service stops. */
  signal: AbortSignal;
  catalogue: Catalogue;
};

/** Clients confirm some effects with their user. */
export type Effect = {
  changes: "nothing" | "adds" | "takes";
  repeatable: boolean;
  /** Affects accounts or contracts on the chain, or webhooks. */
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
  /** Required if the operation writes or calls outside services; otherwise optional for a GET. */
  effect?: Effect;
  /** Take the same parameters. Paths under /v1/agent and /soul are also served under /api. */
  aliases?: readonly Path[];
  /** Former routes; they answer 301 to a GET with the same parameter names. */
  redirects?: readonly Redirect[];
  summary: string;
  description: string;
  envelope?: Envelope;
  access: readonly Way[];
  input: z.ZodObject;
  output: Output;
  /** The reading of the input's words, which the unpaid 402 shows. A refusal becomes the errors of that 402. */
  understood?: (input: never, call: PricedCall) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /**
   * Refuses input that the data do not cover, for the errors of the unpaid 402. It reads no figure. `handle`: the handler
   * runs as far as its first figure; it uses `input`, `data` and `signal` alone.
   */
  covers?: "handle" | ((input: never, call: PricedCall) => void);
  status?: 200 | 201 | 202;
  /** Fields that stay secret: the request's digest is public, so it could confirm a guess. */
  secrets?: string[];
  /** Names the command for callers that cannot send Idempotency-Key; no part of the request. */
  named_by?: string;
  /**
   * A call without an idempotency key that equals an earlier call of its caller within these seconds is the same
   * command. A call with a key is not.
   */
  repeats_within_s?: number;
  /**
   * Who gets a repeat for a payment, which is public. Default: anybody for commands and data answers, the payer for other reads
   * and streams. A read for `anybody` does not learn its caller.
   */
  again_to?: "anybody" | "payer";
  /** Members of the answer, at any depth, that a repeat for a payment omits for all but the owner. */
  omitted_in_repeats?: readonly string[];
  /**
   * The answer is secret and not stored: a repeat is answered from the log. Strangers may use an Idempotency-Key here
   * too, of 32 unguessable characters or more.
   */
  stores_answer?: false;
  /** Any other status is logged and counted. */
  refuses?: (403 | 404 | 409 | 410)[];
  body_bytes?: number;
  /** A body over `body_bytes` is invalid input (400), not 413. */
  large_body?: "invalid";
  /** Work on a paid task, or a node's heartbeat: not counted as a free call. */
  is_paid_work?: true;
  /** Refuses test keys on a real chain. */
  moves_money?: true;
  /** The call waits for this read model, so that callers see their own writes; the answer has `as_of_position`. */
  lists?: Projection | "none";
  reads?: "log";
  example: Record<string, unknown>;
  /**
   * Names the data an answer depends on; the same name and input give the same answer, which is cached with an ETag. Other reads
   * in `handle` are logged, and prevent caching. With `lists`, nothing is cached.
   */
  vintage?: (data: Data) => string | undefined;
  /** The Cache-Control header, not for refusals. Adds an ETag. */
  caching?: (input: never) => string;
  /** Runs before a stored answer is returned: another key of the tenant may have made the call. */
  refuseTo?: (context: Pick<Context<never>, "input" | "caller" | "app" | "data">) => void;
  handle: (context: Context<never>) => Promise<object>;
};

/** `success` wraps `{ data, meta }` as `{ success: true, data, meta }`; `none` leaves them flat. */
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
  /** Base objects of several answers; OpenAPI lists each once, under this name. */
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
  "route" | "effect" | "input" | "example" | "caching" | "handle"
> &
  EffectDeclaration & {
    input: Input;
    example: z.input<Input>;
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

/** An answer that can be had as a picture has a width. */
function withWidth<Input extends z.ZodObject>(declared: TypedDeclaration<Input>): TypedDeclaration<Input> {
  const { output, input } = declared;
  const isDrawn = output.kind === "picture" || (output.kind === "json" && output.chart !== undefined);
  return isDrawn ? { ...declared, input: input.extend({ width: widthField }) as unknown as Input } : declared;
}

export const restsOnDataAlone = ({ vintage, lists }: Pick<OperationDeclaration, "vintage" | "lists">) =>
  vintage !== undefined && (lists === undefined || lists === "none");
