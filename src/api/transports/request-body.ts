/** The bytes of a request's body, without the codings of its transfer (RFC 9110, 8.4). */
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Request } from "express";
import rawBody, { type RawBodyError } from "raw-body";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal, refuse } from "../../core/model/refusal.ts";

/** By name; gzip has an older one. */
const CODINGS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
export const ACCEPTED_CODINGS = "gzip, deflate, br";
/** More codings than this would only cost time. */
const MOST_CODINGS = 3;

/**
 * Refuses an unknown coding with 415, a body beyond `limit` decoded bytes, and a body that does not match its coding.
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
  const length = codings.length === 0 ? (req.headers["content-length"] ?? null) : null;
  let stream: Readable = req;
  const decoders = codings.toReversed().map((coding) => CODINGS[coding]!());
  for (const decoder of decoders) {
    stream.on("error", (error) => decoder.destroy(error));
    stream = stream.pipe(decoder);
  }
  try {
    return await rawBody(stream, { length, limit });
  } catch (error) {
    if ((error as RawBodyError).type === "entity.too.large")
      return refuse(coreProblems["too-large"], `the body exceeds ${limit / 1024} KiB`);
    const { code = "" } = error as NodeJS.ErrnoException;
    if (/^Z_|^ERR_(?:BROTLI_|_ERROR_FORMAT|PADDING)|^ERR__ERROR/.test(code))
      throw new Refusal("invalid", `the body is not ${codings.join(", ")} as its Content-Encoding says`);
    throw error;
  } finally {
    for (const decoder of decoders) decoder.destroy();
  }
}
