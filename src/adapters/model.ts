/**
 * The Model port over an OpenAI-compatible endpoint: one POST of /chat/completions, at temperature 0, without
 * tools. Its answer is only text. Request and answer: the OpenAI API reference, "Create chat completion".
 */
import type pg from "pg";
import { z } from "zod";
import { digestOf } from "../core/model/objects.ts";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Model, ModelFailure, ModelResult, Question } from "../core/model/ports/model.ts";
import { outgoing } from "../core/tracing.ts";
import { createModelTokens, type ModelTokens } from "./model-tokens.ts";

export type ModelOptions = {
  /** The base of /chat/completions, such as https://api.example.org/v1. */
  base_url: string;
  /** Sent as `Authorization: Bearer …`. */
  key?: string | undefined;
  name: string;
  tokens: ModelTokens;
  /** From the first request to the end of the last answer. */
  deadline_ms?: number;
};

const TRIES = 2;
const MOST_BODY = 262_144;
const MOST_ANSWER = 2_048;

/** The answer fields in use. An answer that calls tools, was cut off, or is empty does not match. */
const completion = z.object({
  choices: z.tuple([
    z.object({
      finish_reason: z.literal("stop"),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().min(1),
        tool_calls: z.array(z.never()).nullish(),
        refusal: z.null().optional(),
      }),
    }),
  ]),
});
const usage = z.object({ usage: z.object({ total_tokens: z.int().positive() }) });

export type ModelSettings = {
  MODEL_BASE_URL?: string | undefined;
  MODEL_API_KEY?: string | undefined;
  MODEL_NAME?: string | undefined;
  MODEL_DAILY_TOKENS: number;
};

/** The configured model, with a budget shared by all processes; undefined if none is configured. */
export function modelOf(settings: ModelSettings, pool: pg.Pool, clock: Clock): Model | undefined {
  const { MODEL_BASE_URL: base_url, MODEL_NAME: name, MODEL_API_KEY: key } = settings;
  if (base_url === undefined || name === undefined) return undefined;
  const tokens = createModelTokens(pool, clock, settings.MODEL_DAILY_TOKENS);
  return openModel({ base_url, name, key, tokens });
}

type ModelReply = { text: string } | { why: ModelFailure };

export function openModel({ base_url, key, name, tokens, deadline_ms = 60_000 }: ModelOptions): Model {
  const url = `${base_url.replace(/\/+$/, "")}/chat/completions`;

  async function post(body: string, signal: AbortSignal): Promise<ModelReply & { total_tokens?: number }> {
    try {
      const answer = await outgoing("model", { "gen_ai.request.model": name }, (traced) =>
        fetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...traced,
          },
          body,
          // A redirect could send the key elsewhere.
          redirect: "manual",
          signal,
        }),
      );
      if (answer.status !== 200) {
        await answer.body?.cancel();
        return { why: "refused" };
      }
      const bytes = await bodyOf(answer);
      if (!bytes) return { why: "too_large" };
      const value = jsonOf(bytes);
      const used = usage.safeParse(value);
      const found = completion.safeParse(value);
      return {
        ...(found.success ? { text: found.data.choices[0].message.content } : { why: "unreadable" }),
        ...(used.success && { total_tokens: used.data.usage.total_tokens }),
      };
    } catch {
      return { why: signal.aborted ? "late" : "unreached" };
    }
  }

  return {
    name,
    host: new URL(base_url).host,
    async ask<Accepted, Why>(
      { instructions, data, form, signal: callers, within_ms = deadline_ms }: Question,
      read: (text: string) => { accepted: Accepted } | { why: Why },
    ): Promise<ModelResult<Accepted, Why>> {
      const request = requestOf(name, { instructions, data, form });
      const prompt_sha256 = digestOf(request);
      const signal = AbortSignal.any([callers, AbortSignal.timeout(Math.min(within_ms, deadline_ms))]);
      // A token is at least one byte.
      const most = Buffer.byteLength(request) + MOST_ANSWER;
      let spent = 0;
      let last: ModelResult<Accepted, Why> = { why: "late", prompt_sha256, answer_sha256: null, tokens: 0 };
      for (let at = 0; at < TRIES && !signal.aborted; at++) {
        const giveBack = await tokens.take(most);
        if (!giveBack) return { why: "budget_spent", prompt_sha256, answer_sha256: null, tokens: spent };
        const heard = await post(request, signal);
        // Without a plausible usage figure, all reserved tokens count as used.
        const { total_tokens = most } = heard;
        if (total_tokens < most) await giveBack(total_tokens);
        spent += Math.min(total_tokens, most);
        if ("text" in heard) {
          const answer_sha256 = digestOf(heard.text);
          last = { ...read(heard.text), prompt_sha256, answer_sha256, tokens: spent };
          if ("accepted" in last) return last;
        } else last = { why: heard.why, prompt_sha256, answer_sha256: null, tokens: spent };
      }
      callers.throwIfAborted();
      return last;
    },
  };
}

const requestOf = (
  model: string,
  { instructions, data, form }: Pick<Question, "instructions" | "data" | "form">,
): string =>
  JSON.stringify({
    model,
    temperature: 0,
    max_tokens: MOST_ANSWER,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: JSON.stringify(data) },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: form },
    },
  });

/** The answer's bytes; undefined if there are too many. */
async function bodyOf({ body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > MOST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
