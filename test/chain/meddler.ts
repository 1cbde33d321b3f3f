/** Stands between us and a node: counts what is asked, and answers itself what a test wants answered wrongly. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Meddler = {
  url: string;
  /** The methods asked for, in order. */
  asked: string[];
  /** Answers a method in the node's place; undefined passes the question on, `hangs up` breaks the connection. */
  meddle: (method: string, params: unknown[]) => { result: unknown } | "hangs up" | undefined;
  close(): Promise<void>;
};

export async function openMeddler(rpc_url: string): Promise<Meddler> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    meddler.asked.push(method);
    const answer = meddler.meddle(method, params);
    if (answer === "hangs up") return void response.destroy();
    const headers = { "content-type": "application/json" };
    if (answer)
      return void response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    const honest = await fetch(rpc_url, { method: "POST", headers, body });
    response.writeHead(200, headers).end(await honest.text());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const meddler: Meddler = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    meddle: () => undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return meddler;
}
