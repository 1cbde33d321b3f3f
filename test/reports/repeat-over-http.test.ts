/** Repeats a report's questions over HTTP at a service that closes connections. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { askAt } from "../../src/cli/report.ts";

const QUESTION = { operation: "trade_balance", input: { reporter: "LV" }, vintage: "ab".repeat(32) };

/** Closes the connection of the requests with these numbers, like an expired keep-alive, and answers the others. */
async function closing(...closed: number[]): Promise<{ url: string; prompts: () => number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    if (closed.includes(requests)) request.socket.destroy();
    else response.setHeader("Content-Type", "application/json").end(JSON.stringify({ data: [requests] }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, prompts: () => requests };
}

test("a request whose connection closed before the answer is repeated on another", async () => {
  const { url, prompts } = await closing(2);
  const ask = askAt(url, undefined);
  expect(await ask(QUESTION)).toMatchObject({ answer: { data: [1] } });
  expect(await ask(QUESTION)).toMatchObject({ answer: { data: [3] } });
  expect(prompts()).toBe(3);
});

test("a request fails after two tries if every connection closes, with the reason", async () => {
  const { url, prompts } = await closing(1, 2);
  await expect(askAt(url, undefined)(QUESTION)).rejects.toThrow(`${url} is unreachable: other side closed`);
  expect(prompts()).toBe(2);
});

test("an unreachable service fails at once", async () => {
  const { url } = await closing();
  const elsewhere = url.replace("127.0.0.1", "127.0.0.2");
  await expect(askAt(elsewhere, undefined)(QUESTION)).rejects.toThrow(/is unreachable: .*ECONNREFUSED/);
});
