/** The end of a service: connections of clients that keep them open do not delay it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { drain } from "../../src/cli/drain.ts";

/** A server like the service's, with one connection in use and one idle. */
async function withCall(answer: Promise<void>) {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    if (request.url === "/idle") response.end();
    else void answer.then(() => response.end("answered"));
  });
  const called = new Promise((done) => server.on("request", ({ url }) => url === "/call" && done(undefined)));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await (await fetch(`${url}/idle`)).text();
  const call = fetch(`${url}/call`).then(
    (response) => response.text(),
    () => "cut off",
  );
  await called;
  return { server, call };
}

test("the service ends once its last call is answered, although the client keeps the connection", async () => {
  let answer = () => {};
  const { server, call } = await withCall(new Promise((done) => (answer = done)));
  const drained = drain(server, 60_000);
  answer();
  expect(await call).toBe("answered");
  // Without the repeated look this takes the whole minute, which is more than a test may.
  await drained;
});

test("a call that never ends is cut off after the longest wait", async () => {
  const { server, call } = await withCall(new Promise(() => {}));
  await drain(server, 50);
  expect(await call).toBe("cut off");
});
