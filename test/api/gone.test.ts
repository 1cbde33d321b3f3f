/** Callers that leave in the middle: nobody is left to be answered, and it is not a fault of the service. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { sampleOperations, script } from "../payments/sample-operations.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let begun = () => {};
/** Waits as long as the caller is there. */
const patient = operation({
  name: "test_patient",
  route: "GET /v1/agent/test/patient",
  summary: "Waits",
  description: "Waits as long as its caller does.",
  access: [key("read")],
  input: z.object({}),
  output: json(z.object({ data: z.object({}) })),
  example: {},
  handle: async ({ signal }) => {
    begun();
    await sleep(600_000, undefined, { signal });
    return { data: {} };
  },
});

let service: Awaited<ReturnType<typeof startService>>;
let authorization: string;
beforeAll(async () => {
  service = await startService({ operations: [...sampleOperations, patient] });
  const { headers } = await service.issue();
  authorization = `Authorization: ${headers.Authorization}\r\n`;
});
afterAll(async () => {
  script.before = async () => {};
  await service?.stop();
});

async function caller(text: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

const noticed = (request_id: string) =>
  until(() => service.logged.some((line) => line.request_id === request_id && line.cut_off === true));

/** The logged faults, once the call with this id was noticed as aborted. */
async function faultsOf(request_id: string) {
  await noticed(request_id);
  // Any log entry precedes the next call's answer.
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  return service.logged.filter((line) => line.request_id === request_id && Number(line.level) >= 40);
}

const WAITS_FOR_A_LOCK =
  "select 1 from pg_locks where not granted and relation = 'access.quota_usage'::regclass";

const HOST = "Host: x\r\n";

test.each([
  [
    "while it sends its body",
    "POST /v1/agent/test/order",
    "Content-Type: application/json\r\nContent-Length: 100\r\n",
    '{"na',
  ],
  [
    "in the middle of a chunk",
    "POST /v1/agent/test/order",
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
    "40\r\n{",
  ],
])("a caller that leaves %s causes no fault", async (name, line, headers, body) => {
  const request_id = name.replaceAll(" ", "-");
  const socket = await caller(
    `${line} HTTP/1.1\r\n${HOST}${authorization}X-Request-Id: ${request_id}\r\n${headers}\r\n${body}`,
  );
  // The call is in progress once its head was read, and a later one was answered.
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  socket.destroy();
  expect(await faultsOf(request_id)).toEqual([]);
});

test("a caller that leaves before its body is read causes no fault", async () => {
  const { headers } = await service.issue({ daily: 10 });
  const counting = new Client({ connectionString: service.database_url });
  await counting.connect();
  try {
    await counting.query("begin; lock table access.quota_usage in exclusive mode");
    const socket = await caller(
      `POST /v1/agent/test/order HTTP/1.1\r\n${HOST}Authorization: ${headers.Authorization}\r\nX-Request-Id: left-early\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
    );
    await until(async () => (await counting.query(WAITS_FOR_A_LOCK)).rowCount === 1);
    socket.destroy();
    await noticed("left-early");
  } finally {
    await counting.end();
  }
  // A key's calls are counted in order: once a later one is answered, the first one continued.
  const later = await fetch(`${service.url}/v1/agent/test/order`, { method: "POST", headers });
  expect(later.status).toBe(400);
  expect(await faultsOf("left-early")).toEqual([]);
});

test("a caller that leaves while its call waits causes no fault", async () => {
  const waiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const socket = await caller(
    `GET /v1/agent/test/patient HTTP/1.1\r\n${HOST}${authorization}X-Request-Id: waited-for\r\n\r\n`,
  );
  await waiting;
  socket.destroy();
  expect(await faultsOf("waited-for")).toEqual([]);
});

test("a caller that leaves while its call is handled causes no fault", async () => {
  const handling = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  script.before = async () => {
    begun();
    await gone;
  };
  const socket = await caller(
    `GET /v1/agent/test/echo HTTP/1.1\r\n${HOST}${authorization}X-Request-Id: handled-for-nobody\r\n\r\n`,
  );
  await handling;
  socket.destroy();
  await noticed("handled-for-nobody");
  go();
  expect(await faultsOf("handled-for-nobody")).toEqual([]);
});

test("a caller that leaves in the middle of an answer causes no fault", async () => {
  const socket = await caller(
    `GET /v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z&follow=true HTTP/1.1\r\n${HOST}${authorization}X-Request-Id: streamed\r\n\r\n`,
  );
  await once(socket, "data");
  socket.destroy();
  expect(await faultsOf("streamed")).toEqual([]);
});
