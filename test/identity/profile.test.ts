/** An agent's overview, and the paths of earlier versions. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { caller, PROXIED } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  service = await startService({ env: PROXIED });
  api = caller(service.url);
  await api.post("/soul/register", { agent_id: "scout" });
});
afterAll(() => service.stop());

test("a profile combines the answers of its parts", async () => {
  const { status, body } = await api.get("/soul/scout/profile");
  expect(status).toBe(200);
  expect(body).toEqual({
    passport: (await api.get("/soul/passport/scout")).body,
    trust: (await api.get("/soul/SX%231/trust")).body,
    dna: (await api.get("/soul/scout/dna")).body,
  });
  expect(await api.get("/soul/nobody/profile")).toMatchObject({ status: 404 });
});

test.each([
  ["GET", "/api/soul/verify/scout"],
  ["GET", "/soul/scout/verify-chain"],
])("%s %s redirects to the canonical verify, and clients follow", async (method, path) => {
  const first = await fetch(service.url + path, { method, redirect: "manual" });
  expect([first.status, first.headers.get("location")]).toEqual([301, "/v1/agent/soul/verify/scout"]);
  const followed = await fetch(service.url + path, { method });
  expect([followed.status, await followed.json()]).toMatchObject([200, { passport: { sx_id: "SX#1" } }]);
});
