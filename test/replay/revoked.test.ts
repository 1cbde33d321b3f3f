/** Long calls: a caller without access is no longer served, within a stream or at the end of a wait. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { LongCall } from "../../src/api/serve/long-call.ts";
import { refuse } from "../../src/core/model/refusal.ts";
import { revokeKey } from "../../src/operator/keys.ts";
import { catalogue } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { ALL, ask, objectsOf, writerOf } from "./consumer.ts";

/** A generic wait: the test tells its handler when to continue. */
let goOn = () => {};
const waiting = operation({
  name: "test_wait",
  route: "GET /v1/agent/test/wait",
  summary: "Waits",
  description: "Waits until it is told to go on.",
  access: [key("read")],
  input: z.object({}),
  output: json(z.object({ data: z.object({ private: z.string() }), meta: z.object({}) })),
  example: {},
  handle: async ({ signal }) => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return { data: { private: "for the key's owner" }, meta: {} };
  },
});

let service: Service & { database_url: string };
let write: ReturnType<typeof writerOf>;
beforeAll(async () => {
  service = await startService({ operations: [...catalogue, waiting] });
  write = writerOf(service);
});
afterAll(() => service?.stop());

async function revoked({ key_id, headers }: Awaited<ReturnType<Service["issue"]>>): Promise<void> {
  await revokeKey(service.app, key_id);
  await until(async () => (await ask(service, ALL, { headers })).status === 401);
}

test("a following feed ends once its key is revoked, before the next event", async () => {
  const own = await service.issue({ tenant: "left" });
  const other = await service.issue({ tenant: "left" });
  const follow = async ({ headers }: typeof own, sse: boolean) =>
    objectsOf(await ask(service, `${ALL}&follow=true`, { headers, sse }), { sse });
  const [feed, events, stays] = await Promise.all([
    follow(own, false),
    follow(own, true),
    follow(other, false),
  ]);
  const upToDate = async (of: typeof feed) => {
    for await (const object of { [Symbol.asyncIterator]: () => ({ next: () => of.next() }) })
      if (object.up_to_date) return;
  };
  await Promise.all([feed, events, stays].map(upToDate));
  await revoked(own);
  await write("left", "s", [{ after: "the revocation" }]);

  const rest = async (of: typeof feed) => {
    const seen: unknown[] = [];
    try {
      for await (const object of of) seen.push(object.payload);
    } catch {
      // It was cut off.
    }
    return JSON.stringify(seen);
  };
  for (const one of [feed, events]) expect(await rest(one)).not.toContain("after");
  for (;;) {
    const { value } = await stays.next();
    if (JSON.stringify(value).includes("the revocation")) break;
  }
  await stays.return(undefined);
});

test("a waiting answer is not given to a key revoked meanwhile", async () => {
  const own = await service.issue({ tenant: "waits" });
  const answer = fetch(`${service.url}/v1/agent/test/wait`, { headers: own.headers });
  await revoked(own);
  // Longer than a process caches a key.
  await sleep(1_100);
  goOn();
  const refused = await answer;
  expect(refused.status).toBe(401);
  expect(await refused.text()).not.toContain("for the key's owner");
});

test("an idle stream is checked without events, and its source is stopped", async () => {
  let isRevoked = false;
  const lasting = new LongCall({
    still: async () => {
      if (isRevoked) refuse("unauthorized", "this key was revoked");
    },
    request: () => new AbortController().signal,
    clock: { now: () => new Date() },
    check_ms: 5,
  });
  async function* quiet() {
    yield "first";
    await new Promise<void>((resolve) => lasting.signal.addEventListener("abort", () => resolve()));
    yield "told after the revocation";
  }
  const stream = lasting.checked(quiet());
  expect((await stream.next()).value).toBe("first");
  const next = stream.next();
  isRevoked = true;
  await expect(next).rejects.toMatchObject({ code: "unauthorized" });
});
