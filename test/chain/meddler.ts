/** A proxy in front of a node: counts requests, and answers some wrongly for a test. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A request's fate: an answer instead of the node's, or an invalid text; `hangs up` breaks the connection, `hangs`
 * leaves it open; `swallows` forwards the request and returns nothing; undefined forwards both.
 */
export type Meddling =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | { text: string }
  | "hangs up"
  | "hangs"
  | "swallows"
  | undefined;

export type Meddler = {
  url: string;
  /** The requested methods, in order. */
  methods: string[];
  meddle: (method: string, params: unknown[]) => Meddling | Promise<Meddling>;
  close(): Promise<void>;
};

export async function openMeddler(rpc_url: string, port = 0): Promise<Meddler> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    meddler.methods.push(method);
    const answer = await meddler.meddle(method, params);
    if (answer === "hangs up") return void response.destroy();
    if (answer === "hangs") return;
    const headers = { "content-type": "application/json" };
    if (typeof answer === "object" && "text" in answer) return void response.end(answer.text);
    if (typeof answer === "object")
      return void response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    const honest = await fetch(rpc_url, { method: "POST", headers, body });
    if (answer === "swallows") return;
    response.writeHead(200, headers).end(await honest.text());
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const meddler: Meddler = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods: [],
    meddle: () => undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return meddler;
}
