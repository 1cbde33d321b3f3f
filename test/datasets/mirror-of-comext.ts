/** A server with bulk files like Eurostat's, which can misbehave. */
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

export type FileRequest = {
  url: string;
  range: string | undefined;
  ifRange: string | undefined;
  status: number;
};

/** A request's fault; undefined answers it properly. */
export type Whim = {
  status?: number;
  headers?: Record<string, string>;
  /** Break the connection after this many bytes of the body, once they are in the part file. */
  cut_after?: number;
  /** Answer 200 and the whole file for any range. */
  ignore_range?: boolean;
  /** Send this many bytes per tick, so that a reader can be killed in between. */
  slowly?: boolean;
  body?: Buffer;
};

/** The fault of the nth request (from 0) for a month; undefined answers it properly. */
export type Mood = (period: number, nth: number) => Whim | "cut" | undefined;

/** Serves months like Eurostat, each with its own archive; a missing month is a 404. */
export async function comextArchive(months: ReadonlyMap<number, Buffer>, mood: Mood = () => undefined) {
  const requests: { period: number; method: string; status: number; from: number }[] = [];
  /** Whether HEAD is answered, and the reader's folder: a cut line waits until half of the bytes are there. */
  const heads = { answer: true };
  const reader = { dir: "" };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const period = Number(/full_v2_(\d{6})/.exec(request.url!)?.[1]);
    const method = request.method!;
    const nth = requests.filter((one) => one.period === period && one.method === "GET").length;
    const given = method === "GET" ? mood(period, nth) : undefined;
    const whim = given === "cut" ? {} : (given ?? {});
    const body = whim.body ?? months.get(period);
    const etag = `"${period}"`;
    const isRange = request.headers["if-range"] === etag && !whim.ignore_range;
    const from = isRange ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0;
    const refused = method === "HEAD" && !heads.answer ? 405 : undefined;
    const status = whim.status ?? refused ?? (body === undefined ? 404 : from > 0 ? 206 : 200);
    requests.push({ period, method, status, from });
    const rest = status < 300 ? body!.subarray(from) : Buffer.from("no");
    response.writeHead(status, {
      "content-length": String(rest.length),
      etag,
      ...(status === 206 && { "content-range": `bytes ${from}-${body!.length - 1}/${body!.length}` }),
      ...whim.headers,
    });
    if (method === "HEAD") response.end();
    else if (given === "cut") {
      const half = Math.ceil(rest.length / 2);
      response.write(rest.subarray(0, half));
      const landing = landed(join(reader.dir, `full_v2_${period}.7z.part`), from + half);
      void landing.then(() => response.destroy());
    } else response.end(rest);
  };
  return { url: await listening(createServer(answer)), requests, heads, reader };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/files?file=full_v2_{period}.7z`;
}

async function landed(part: string, length: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const size = await stat(part).then(
      (found) => found.size,
      () => -1,
    );
    if (size >= length) return;
    await sleep(5);
  }
}

/** Serves the bytes as the file of any month; `part` is the reader's part file. */
export async function comextMirror(bytes: Buffer, part: string) {
  const requests: FileRequest[] = [];
  const whims: Whim[] = [];
  const file = { bytes, etag: '"one"' as string | undefined, modified: "Mon, 02 Mar 2026 10:00:00 GMT" };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    // HEAD always works.
    if (request.method === "HEAD") {
      response.writeHead(200, { "content-length": String(file.bytes.length) }).end();
      return;
    }
    const whim = whims.shift() ?? {};
    const { range, "if-range": ifRange } = request.headers;
    const body = whim.body ?? file.bytes;
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    const isSame = ifRange === (file.etag ?? file.modified);
    const partial = range !== undefined && isSame && !whim.ignore_range;
    const status = whim.status ?? (partial ? (from < body.length ? 206 : 416) : 200);
    requests.push({ url: request.url!, range, ifRange: ifRange as string | undefined, status });
    const rest = status === 206 ? body.subarray(from) : status === 200 ? body : Buffer.from("no");
    const headers: Record<string, string> = {
      "content-length": String(rest.length),
      "last-modified": file.modified,
      ...(file.etag && { etag: file.etag }),
      ...(status === 206 && { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` }),
      ...whim.headers,
    };
    response.writeHead(status, headers);
    if (whim.cut_after !== undefined) {
      response.write(rest.subarray(0, whim.cut_after));
      void landed(part, (status === 206 ? from : 0) + whim.cut_after).then(() => response.destroy());
    } else if (whim.slowly) {
      let at = 0;
      const timer = setInterval(() => {
        response.write(rest.subarray(at, at + 1_000));
        at += 1_000;
        if (at >= rest.length) response.end();
        if (at >= rest.length || response.destroyed) clearInterval(timer);
      }, 10);
    } else response.end(rest);
  }

  return { url: await listening(createServer(answer)), requests, whims, file };
}
