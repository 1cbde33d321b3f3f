/** JSON-RPC to a node on this machine. Node's own client takes a fifth of fetch's processor time. */
import { type IncomingMessage, request } from "node:http";
import type { Rpc } from "./chain-contracts.ts";

const RPC_MS = 30_000;

export const rpcOf =
  (port: number): Rpc =>
  async (method, params) => {
    const answer = JSON.parse(
      await post(port, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })),
    ) as {
      result?: unknown;
      error?: { message: string };
    };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };

function post(port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(RPC_MS);
    // A connection of its own: the node may be closing one that was used before.
    const options = { host: "127.0.0.1", port, method: "POST", agent: false, headers, signal } as const;
    const sent = request(options, (response) => void textOf(response).then(resolve, reject));
    sent.on("error", reject);
    sent.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
