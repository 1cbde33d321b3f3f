/**
 * A witness over HTTP (c2sp.org/tlog-witness): `POST /add-checkpoint`, `GET /<origin hash>/checkpoint`, and `GET /`
 * with its identity.
 */
import { isUtf8 } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { formatVerifierKey } from "../anchoring/note.ts";
import type { Witness } from "./witness.ts";

export type ServerOptions = {
  host: string;
  /** 0: any free port. */
  port: number;
  onError: (error: Error) => void;
};

/** A hundred signatures and a proof are some 20 KB. */
const BODY_BYTES = 64 * 1024;
const CONNECTIONS = 500;

const TEXT = "text/plain; charset=utf-8";

/** Rejects if the port is not available. */
export function serveWitness(witness: Witness, { host, port, onError }: ServerOptions): Promise<Server> {
  const limits = {
    requestTimeout: 10_000,
    headersTimeout: 5_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, (request, response) => {
    answer(witness, request, response).catch((error: Error) => {
      if (request.errored || response.destroyed) return;
      onError(error);
      send(response, 500, TEXT, "the witness cannot store its state, so it signs nothing\n");
    });
  });
  server.maxConnections = CONNECTIONS;
  return new Promise((done, fail) => {
    server.once("listening", () => done(server)).once("error", fail);
    server.listen(port, host);
  });
}

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "/"] = (request.url ?? "/").split("?");
  const origin_hash = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path)?.[1];
  const method = path === "/add-checkpoint" ? "POST" : "GET";
  if (path !== "/" && path !== "/add-checkpoint" && origin_hash === undefined)
    return send(
      response,
      404,
      TEXT,
      "there are GET /, POST /add-checkpoint and GET /<origin hash>/checkpoint\n",
    );
  if (request.method !== method) {
    response.setHeader("Allow", method);
    return send(response, 405, TEXT, `use ${method} for ${path}\n`);
  }
  if (origin_hash !== undefined) {
    const { status, type, body } = await witness.checkpoint(origin_hash);
    return send(response, status, type, body);
  }
  if (method === "GET") {
    const { key } = witness;
    const about = { name: key.name, key: formatVerifierKey(key), logs: await witness.follows() };
    return send(response, 200, "application/json", `${JSON.stringify(about, null, 2)}\n`);
  }
  const bytes = await bodyOf(request);
  if (bytes === undefined) return send(response, 413, TEXT, `a body has at most ${BODY_BYTES} bytes\n`);
  if (!isUtf8(bytes)) return send(response, 400, TEXT, "the body is not UTF-8\n");
  const { status, type, body } = await witness.addCheckpoint(bytes.toString("utf8"));
  send(response, status, type, body);
}

/** Undefined for too many bytes. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  // Does not wait for the rest of an unread body.
  if (status === 413) response.setHeader("Connection", "close");
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }).end(body);
}
