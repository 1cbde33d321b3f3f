/**
 * Calls the service over HTTP and retries while it is unavailable. A command has an idempotency key, so that a
 * retry is the same command.
 */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { pause } from "../core/coordination/concurrency.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";

/** Seconds before the first retry; doubled up to 30. */
const FIRST_PAUSE_S = 0.5;
const LONGEST_PAUSE_S = 30;
/** How long an address may not answer at all. */
const FIRST_ANSWER_MS = 15_000;
/** The timeout of an answer. A long poll takes up to 30 s of it. */
const ANSWER_MS = 45_000;
/** Characters of an answer quoted in a message. */
const MOST_TOLD = 300;

/**
 * `key`: the command's idempotency key, if it has one already. `until`: the time of performance.now() at which
 * retries end.
 */
export type CallOptions = { body?: object; key?: string; until?: number; signal?: AbortSignal };

/** A refusal by the service. `kind`: its problem type, such as `stale-lease`. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly status: number;
  readonly kind: string;

  constructor(status: number, kind: string, text: string) {
    super(text);
    this.status = status;
    this.kind = kind;
  }
}

export type Calls = {
  readonly url: string;
  /** The credential of later calls. */
  identify(api_key: string): void;
  /** Rejects with CallRefused when the service refuses, at the deadline, or when the signal aborts. */
  ask<Schema extends z.ZodType>(path: string, schema: Schema, asking?: CallOptions): Promise<z.infer<Schema>>;
};

/** `onAway` is called once when a service that has answered becomes unavailable. */
export function callsTo(url: string, onAway: (reason: string) => void): Calls {
  let authorization: Record<string, string> = {};
  let isAway = false;
  let hasAnswered = false;

  async function once(path: string, { body, signal }: CallOptions, key: string): Promise<Response> {
    const limit = AbortSignal.timeout(ANSWER_MS);
    return fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: {
        ...authorization,
        "Idempotency-Key": key,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
  }

  return {
    url,
    identify(api_key) {
      authorization = { Authorization: `Bearer ${api_key}` };
    },
    async ask(path, schema, asking = {}) {
      const { key = randomUUID(), signal } = asking;
      // A wrong address never answers; a service that was there comes back.
      const first_until = performance.now() + FIRST_ANSWER_MS;
      const never = new AbortController().signal;
      for (let wait_s = FIRST_PAUSE_S; ; wait_s = Math.min(2 * wait_s, LONGEST_PAUSE_S)) {
        const answer = await once(path, asking, key).catch((error: Error) => {
          if (signal?.aborted) throw error;
          return error;
        });
        const received = answer instanceof Error ? undefined : await answer.text().catch(() => undefined);
        if (!(answer instanceof Error) && received !== undefined && !isPassing(answer.status)) {
          isAway = false;
          hasAnswered = true;
          return readAnswer(url + path, answer.status, received, schema);
        }
        const reason = answer instanceof Error ? causeOf(answer) : `it answers ${answer.status}`;
        if (!isAway) onAway(reason);
        isAway = true;
        hasAnswered ||= !(answer instanceof Error) && isProblem(answer);
        const until = asking.until ?? (hasAnswered ? Number.POSITIVE_INFINITY : first_until);
        const pause_s = Math.max(wait_s, answer instanceof Error ? 0 : retryAfterOf(answer));
        if (performance.now() + pause_s * 1_000 > until)
          refuse("unavailable", `${url} is unavailable: ${reason}; check the address, and start the service`);
        await pause(pause_s * 1_000, signal ?? never);
        signal?.throwIfAborted();
      }
    },
  };
}

/** Temporary statuses: too many calls, a call with the same key in progress, or a starting service. */
const isPassing = (status: number) => status === 429 || status >= 500;

/** A starting service answers 503 with a problem; a proxy without it answers something else. */
const isProblem = ({ headers }: Response) =>
  headers.get("Content-Type")?.startsWith("application/problem+json") ?? false;

const retryAfterOf = ({ headers }: Response): number => {
  const seconds = Number(headers.get("Retry-After"));
  return Number.isFinite(seconds) ? Math.min(seconds, LONGEST_PAUSE_S) : 0;
};

const causeOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);

function readAnswer<Schema extends z.ZodType>(
  url: string,
  status: number,
  text: string,
  schema: Schema,
): z.infer<Schema> {
  const body = parsed(text);
  if (status < 200 || status > 299) throw refusedBy(status, text, body);
  const read = schema.safeParse(body);
  if (!read.success) throw new Refusal("unprocessable", `${url} is not an answer of a Tallystick`);
  return read.data;
}

function refusedBy(status: number, text: string, body: unknown): CallRefused {
  const { type = "", detail = text } = (typeof body === "object" && body !== null ? body : {}) as {
    type?: unknown;
    detail?: unknown;
  };
  return new CallRefused(status, String(type).split("#")[1] ?? "", String(detail).slice(0, MOST_TOLD));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
