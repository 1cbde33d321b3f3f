/** The bytes of a request's body, without the codings of its transfer (RFC 9110, 8.4). */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, type InputType, inflate, type Zlib } from "node:zlib";
import type { Request } from "express";
import rawBody, { type RawBodyError } from "raw-body";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal, refuse } from "../../core/model/refusal.ts";

type DecodeOptions = { info: true; maxOutputLength: number };
/** With `info`, Node also returns how many bytes the stream had. */
type Decoded = { buffer: Buffer; engine: Zlib };
type Decode = (body: InputType, options: DecodeOptions) => Promise<unknown>;

/** By name; gzip also has an older name. */
const CODINGS: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};
export const ACCEPTED_CODINGS = "gzip, deflate, br";
/** The most codings of one body; more would only cost time. */
const MOST_CODINGS = 3;

/**
 * Refuses an unknown coding with 415, a body beyond `limit` bytes, coded or decoded, and a body that does not match its
 * coding.
 */
export async function bodyBytes(req: Request, limit: number): Promise<Buffer> {
  const codings = (req.headers["content-encoding"] ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  const unknown = codings.find((coding) => !Object.hasOwn(CODINGS, coding));
  if (unknown !== undefined || codings.length > MOST_CODINGS) {
    req.res?.setHeader("Accept-Encoding", ACCEPTED_CODINGS);
    const what = unknown === undefined ? "so many codings" : `the coding ${unknown.slice(0, 40)}`;
    refuse(
      coreProblems["unsupported-media-type"],
      `${what} of a body cannot be read; send it plain, or as ${ACCEPTED_CODINGS}`,
    );
  }
  let body: Buffer;
  try {
    body = await rawBody(req, { length: req.headers["content-length"] ?? null, limit });
  } catch (error) {
    if ((error as RawBodyError).type === "entity.too.large") return refuseSize(limit);
    throw error;
  }
  // An empty body of an operation that needs none may still name a coding.
  if (body.length === 0) return body;
  for (const coding of codings.toReversed()) body = await decoded(body, coding, limit);
  return body;
}

async function decoded(body: Buffer, coding: string, limit: number): Promise<Buffer> {
  let result: Decoded;
  try {
    result = (await CODINGS[coding]!(body, { info: true, maxOutputLength: limit })) as Decoded;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return refuseSize(limit);
    throw new Refusal("invalid", `the body is not ${coding} as its Content-Encoding says`);
  }
  const rest = body.length - result.engine.bytesWritten;
  if (rest > 0)
    refuse("invalid", `the body has ${rest} bytes after the end of its ${coding} data; send that data alone`);
  return result.buffer;
}

const refuseSize = (limit: number): never =>
  refuse(coreProblems["too-large"], `the body exceeds ${limit / 1024} KiB`);
