/** An OpenAI-compatible endpoint on this machine with scripted answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model's request, in the body's terms. */
export type Prompt = {
  question: string;
  findings: { text: string; cites: string[] }[];
  facts: { id: string; label: string; told: string }[];
};

export type ModelRequest = {
  body: Record<string, unknown>;
  authorization: string | undefined;
  prompt: Prompt;
};

/** Answers one request, with any effect on the connection. */
export type Reply = (response: ServerResponse, prompt: Prompt, requests: readonly ModelRequest[]) => void;

export type ModelEndpoint = {
  base_url: string;
  requests: ModelRequest[];
  /** The answer to the next requests. */
  reply: Reply;
  close(): Promise<void>;
};

export async function modelEndpoint(): Promise<ModelEndpoint> {
  const endpoint: Omit<ModelEndpoint, "base_url" | "close"> = {
    requests: [],
    reply: (response) => void response.writeHead(500).end(),
  };
  const server: Server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end();
      const body = JSON.parse(text) as { messages: { role: string; content: string }[] };
      const prompt = JSON.parse(body.messages.at(-1)!.content) as Prompt;
      endpoint.requests.push({ body, authorization: request.headers.authorization, prompt });
      endpoint.reply(response, prompt, endpoint.requests);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return Object.assign(endpoint, {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/** A completion in the endpoint's format. */
export const completion = (content: string | null, more: object = {}, choice: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, finish_reason: "stop", ...choice, message: { role: "assistant", content, ...more } }],
  usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 },
});

export const sent = (response: ServerResponse, value: object, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

/** A text in the requested format. */
export const paragraphs = (...texts: string[]) =>
  JSON.stringify({
    paragraphs: texts.map((text) => ({
      text,
      cites: [...text.matchAll(/\[(F\d+)\]/g)].map(([, id]) => id),
    })),
  });
