/** Sends a file with the conditions and ranges of RFC 9110, 13 and 14. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { ServedFile } from "../declare/output.ts";
import { type ByteRange, byteRanges, matchesStrongly } from "./byte-ranges.ts";

type Headers = Record<string, string>;

/** Refuses before anything is sent. Once the status is sent, an error can only cut the connection. */
export async function sendFile(res: Response, headers: Headers, { path, name }: ServedFile): Promise<void> {
  const { method, headers: request } = res.req;
  const ifMatch = request["if-match"];
  // Conditions on dates are ignored, because the file has no date of its last change.
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, headers.ETag!))
    refuse(coreProblems["precondition-failed"], "the file's ETag is not the one in If-Match");
  const file = await open(path).catch(() =>
    refuse("unavailable", "the file is unavailable", { retry_after_s: 5 }),
  );
  try {
    const { size } = await file.stat();
    const whole = { from: 0, to: size - 1 };
    // Ranges are ignored for HEAD.
    const ranges =
      method === "GET" && isSameFile(request["if-range"] as string | undefined, headers.ETag!)
        ? byteRanges(request.range, size)
        : undefined;
    if (ranges?.length === 0) {
      res.setHeader("Content-Range", `bytes */${size}`);
      refuse(
        coreProblems["range-not-satisfiable"],
        "the file has no such range; Content-Range states its length",
      );
    }
    const plan = planOf(ranges ?? [whole], size, ranges === undefined ? undefined : headers["Content-Type"]!);
    res.writeHead(ranges === undefined ? 200 : 206, {
      ...headers,
      "Accept-Ranges": "bytes",
      "Content-Disposition": `attachment; filename="${name}"`,
      ...plan.headers,
    });
    if (method === "HEAD") return void res.end();
    await pipeline(bytesOf(file, plan.parts), res).catch((error) => {
      if (!res.destroyed) throw error;
    });
  } finally {
    await file.close();
  }
}

/** If the file has another tag, it is sent whole, so that parts of two files are never joined. */
const isSameFile = (ifRange: string | undefined, etag: string) =>
  ifRange === undefined || ifRange.trim() === etag;

type Part = { before: string; range?: ByteRange };

/** `type`: the media type of the file; undefined if the whole file is sent. */
function planOf(
  ranges: ByteRange[],
  size: number,
  type: string | undefined,
): { headers: Headers; parts: Part[] } {
  const rangeText = ({ from, to }: ByteRange) => `bytes ${from}-${to}/${size}`;
  const [only] = ranges;
  if (ranges.length === 1)
    return {
      headers: {
        "Content-Length": String(lengthOf(only!)),
        ...(type !== undefined && { "Content-Range": rangeText(only!) }),
      },
      parts: [{ before: "", range: only! }],
    };
  const boundary = randomUUID();
  const parts: Part[] = ranges.map((range, at) => ({
    before: `${at === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${rangeText(range)}\r\n\r\n`,
    range,
  }));
  parts.push({ before: `\r\n--${boundary}--\r\n` });
  const length = parts.reduce(
    (sum, { before, range }) => sum + before.length + (range ? lengthOf(range) : 0),
    0,
  );
  return {
    headers: {
      "Content-Type": `multipart/byteranges; boundary=${boundary}`,
      "Content-Length": String(length),
    },
    parts,
  };
}

const lengthOf = ({ from, to }: ByteRange) => to - from + 1;

async function* bytesOf(file: FileHandle, parts: Part[]): AsyncGenerator<Buffer> {
  for (const { before, range } of parts) {
    if (before !== "") yield Buffer.from(before);
    if (range && range.to >= range.from)
      yield* file.createReadStream({
        start: range.from,
        end: range.to,
        autoClose: false,
      }) as AsyncIterable<Buffer>;
  }
}
