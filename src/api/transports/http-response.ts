import type { Response } from "express";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal } from "../../core/model/refusal.ts";
import type { ServedFile } from "../declare/output.ts";
import type { ProblemAnswer } from "../serve/problem.ts";
import type { CallRequest } from "../serve/read-call.ts";
import type { Answer } from "../serve/respond.ts";
import { commonHeaders } from "./common-headers.ts";
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
  switch (answer.kind) {
    case "body":
      return sendBytes(res, { status: answer.status, headers, body: answer.body }, sign);
    case "file":
      return sendFile(setHeaders(res, headers), answer.file);
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

/** Setting headers one by one takes Node thrice as long. */
async function sendBytes(res: Response, answer: UnsignedAnswer, sign?: SignAnswer): Promise<void> {
  const { status, body } = answer;
  const headers = sign ? await sign(answer) : answer.headers;
  headers["Content-Length"] = String(body.length);
  res.writeHead(status, headers).end(body);
}

/** express's `send` handles conditions and ranges (RFC 9110, 13 and 14). */
function sendFile(res: Response, { path, name }: ServedFile): Promise<void> {
  res.setHeader("Content-Disposition", `attachment; filename="${name}"`);
  return new Promise((resolve, reject) => {
    res.sendFile(path, { cacheControl: false, lastModified: false, dotfiles: "allow" }, (error?: Error) => {
      if (!error || res.headersSent || res.destroyed) return resolve();
      for (const header of ["ETag", "Cache-Control", "Content-Disposition"]) res.removeHeader(header);
      reject(fileRefusals[(error as { status?: number }).status ?? 0] ?? error);
    });
  });
}

const fileRefusals: Record<number, Refusal> = {
  404: new Refusal("unavailable", "the file is unavailable", { retry_after_s: 5 }),
  412: new Refusal(coreProblems["precondition-failed"], "the file is not the one that If-Match names"),
  416: new Refusal(
    coreProblems["range-not-satisfiable"],
    "the file has no such range; Content-Range states its length",
  ),
};

/** Large enough that the reader never waits for the source. */
const AHEAD = 512 * 1024;

/**
 * Headers go first, so that a consumer of an idle feed sees its connection. A slow reader pauses the source; an error can only
 * cut the connection.
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
    // A compressor, ours or a proxy's, would delay lines.
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
