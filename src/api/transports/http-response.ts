import type { Response } from "express";
import type { ProblemAnswer } from "../serve/problem.ts";
import type { CallRequest } from "../serve/read-call.ts";
import type { Answer } from "../serve/respond.ts";
import { commonHeaders } from "./common-headers.ts";
import { statesLength } from "./content-coding.ts";
import { sendFile } from "./send-file.ts";
import type { SignAnswer, UnsignedAnswer } from "./signed-answer.ts";

type SendableAnswer = Exclude<Answer, { kind: "refused" }> | ({ kind: "problem" } & ProblemAnswer);

const headersOf = (res: Response): Record<string, string> => ({
  ...commonHeaders,
  "X-Request-Id": res.locals.request_id as string,
});

export const setCommonHeaders = (res: Response): Response => setHeaders(res, headersOf(res));

function setHeaders(res: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  return res;
}

export async function sendAnswer(
  res: Response,
  answer: SendableAnswer,
  question?: CallRequest,
  sign?: SignAnswer,
): Promise<void> {
  const headers = Object.assign(headersOf(res), answer.headers);
  if (answer.kind !== "file" && answer.kind !== "stream")
    headers.Vary = varyOf(headers.Vary ?? (res.getHeader("Vary") as string | undefined));
  switch (answer.kind) {
    case "body":
      return sendBytes(res, { status: answer.status, headers, body: answer.body }, sign);
    case "file":
      return sendFile(res, headers, answer.file);
    case "unchanged":
      res.writeHead(304, headers).end();
      return;
    case "pay":
      headers["Content-Type"] = "application/json; charset=utf-8";
      return sendBytes(
        res,
        { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer.body)) },
        sign,
      );
    case "problem":
      headers["Content-Type"] = "application/problem+json; charset=utf-8";
      return sendBytes(
        res,
        { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer.problem)) },
        sign,
      );
    case "stream":
      return sendStream(res, answer, headers, question?.wire === "sse");
  }
}

/** Always names Accept-Encoding, because the bytes depend on it even for a caller that sends none. */
const varyOf = (vary?: string) => (vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`);

/** Writes all headers at once, because setting them one by one takes Node three times as long. */
async function sendBytes(res: Response, answer: UnsignedAnswer, sign?: SignAnswer): Promise<void> {
  const { status, body } = answer;
  const headers = sign ? await sign(answer) : answer.headers;
  const { "Content-Type": type, "Cache-Control": cache_control } = headers;
  if (statesLength(res.req, { length: body.length, type, cache_control }))
    headers["Content-Length"] = String(body.length);
  res.writeHead(status, headers).end(body);
}

/** The buffer of a stream in bytes, so large that a fast reader never waits for the source. */
const AHEAD = 512 * 1024;

/**
 * Sends the headers first, so that the consumer of an idle feed sees the connection. A slow reader pauses the source.
 * An error can only cut the connection.
 */
async function sendStream(
  res: Response,
  { status, chunks }: Extract<SendableAnswer, { kind: "stream" }>,
  headers: Record<string, string>,
  sse: boolean,
): Promise<void> {
  res.writeHead(status, {
    ...headers,
    "Content-Type": sse ? "text/event-stream; charset=utf-8" : "application/x-ndjson; charset=utf-8",
    // Forbids compression, by us or by a proxy, because a compressor would delay lines.
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
  });
  res.flushHeaders();
  if (res.req.method !== "HEAD") {
    for await (const chunk of chunks) {
      if (!res.write(chunk) && res.writableLength > AHEAD) await drained(res);
      if (res.destroyed) return;
    }
  }
  res.end();
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.on("drain", done).on("close", done);
  });
}
