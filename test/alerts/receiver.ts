/** A real webhook server for tests: it stores requests and gives configured answers. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = { url: string; headers: IncomingHttpHeaders; body: string };
export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** Sets the next answers: a status with headers, or a function of the response. */
  answers(with_: Answer): void;
  close(): Promise<void>;
};
export type Answer =
  | { status: number; headers?: Record<string, string> }
  | ((response: ServerResponse) => void);

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: Answer = { status: 204 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (typeof answer === "function") answer(response);
      else response.writeHead(answer.status, answer.headers).end();
    });
  });
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answers: (with_) => {
      answer = with_;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
