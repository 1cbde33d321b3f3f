/** A server that has bulk files as Eurostat has them, and can be told to misbehave. */
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

export type Asked = { url: string; range: string | undefined; ifRange: string | undefined; status: number };

/** What to do with one request; undefined answers it properly. */
export type Whim = {
  status?: number;
  headers?: Record<string, string>;
  /** Break the connection after so many bytes of the body, once they have landed in the part file. */
  cut_after?: number;
  /** Answer 200 and the whole file, whatever range was asked for. */
  ignore_range?: boolean;
  /** Send so many bytes a tick only, so that a reader can be killed in between. */
  slowly?: boolean;
  body?: Buffer;
};

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

/** Serves the bytes as the file of any month; `part` is where the reader puts them. */
export async function comextMirror(bytes: Buffer, part: string) {
  const asked: Asked[] = [];
  const whims: Whim[] = [];
  const file = { bytes, etag: '"one"' as string | undefined, modified: "Mon, 02 Mar 2026 10:00:00 GMT" };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const whim = whims.shift() ?? {};
    const { range, "if-range": ifRange } = request.headers;
    const body = whim.body ?? file.bytes;
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    const isSame = ifRange === (file.etag ?? file.modified);
    const partial = range !== undefined && isSame && !whim.ignore_range;
    const status = whim.status ?? (partial ? (from < body.length ? 206 : 416) : 200);
    asked.push({ url: request.url!, range, ifRange: ifRange as string | undefined, status });
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

  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/files?file=full_v2_{period}.7z`, asked, whims, file };
}
