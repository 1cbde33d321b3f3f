import { once } from "node:events";
import type { Response } from "express";
import type { Answer, Question } from "./pipeline.ts";
import type { ProblemAnswer } from "./problem.ts";

type Sent = Exclude<Answer, { kind: "refused" }> | ({ kind: "problem" } & ProblemAnswer);

/** Sends an answer of the pipeline; resolves when the last byte is handed over. */
export async function sendAnswer(res: Response, answer: Sent, question?: Question): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  switch (answer.kind) {
    case "body":
      return sendBytes(res, answer.status, answer.body);
    case "unchanged":
      res.writeHead(304).end();
      return;
    case "pay":
      res.setHeader("Content-Type", "application/json; charset=utf-8");
      return sendBytes(res, answer.status, Buffer.from(JSON.stringify(answer.body)));
    case "problem":
      res.setHeader("Content-Type", "application/problem+json; charset=utf-8");
      return sendBytes(res, answer.status, Buffer.from(JSON.stringify(answer.problem)));
    case "stream":
      return sendStream(res, answer.status, answer.chunks, question?.wire === "sse");
  }
}

function sendBytes(res: Response, status: number, body: Buffer): void {
  res.statusCode = status;
  res.setHeader("Content-Length", body.length);
  res.end(body);
}

/**
 * NDJSON, or server-sent events. The first chunk is awaited before the headers go, so that a refusal still gets its
 * status; after that a slow reader stops the source, and a fault can only cut the connection.
 */
async function sendStream(
  res: Response,
  status: number,
  chunks: AsyncIterable<string | Buffer>,
  sse: boolean,
): Promise<void> {
  const source = chunks[Symbol.asyncIterator]();
  let next = await source.next();
  res.statusCode = status;
  res.setHeader(
    "Content-Type",
    sse ? "text/event-stream; charset=utf-8" : "application/x-ndjson; charset=utf-8",
  );
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("X-Accel-Buffering", "no");
  res.flushHeaders();
  try {
    while (!next.done && !res.destroyed) {
      if (!res.write(next.value)) await drained(res);
      // A compressor holds bytes back; a tailing reader must see each chunk when it is written.
      (res as Response & { flush?: () => void }).flush?.();
      next = await source.next();
    }
    res.end();
  } catch (error) {
    res.destroy(error as Error);
  } finally {
    await source.return?.();
  }
}

async function drained(res: Response): Promise<void> {
  const gone = new AbortController();
  const closed = () => gone.abort();
  res.once("close", closed);
  await once(res, "drain", { signal: gone.signal }).catch(() => undefined);
  res.off("close", closed);
}
