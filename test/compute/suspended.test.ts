/** A suspended agent can be read, but neither works nor spends: each operation of both markets. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { effectOf } from "../../src/api/declare/operation-facts.ts";
import { compute } from "../../src/areas/compute.ts";
import { marketplace } from "../../src/areas/marketplace.ts";
import { setSuspended } from "../../src/operator/agents.ts";
import { caller } from "../identity/agents.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { type ComputeSetup, openComputeSetup, type TestNode } from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("to-be-suspended");
  await setup.requester(`soul:${node.sx}`);
});
afterAll(() => setup.service.stop());

const changing = [...compute.operations, ...marketplace.operations].filter(
  (operation) =>
    effectOf(operation).changes !== "nothing" &&
    operation.access.some(({ kind }) => kind === "subject's key" || kind === "account"),
);

/** Calls an operation with its example, as this agent. */
function ask({ route, example }: (typeof changing)[number], headers: Record<string, string>) {
  const { call, get, post } = caller(setup.service.url);
  const [method = "", path = ""] = route.split(" ");
  const input: Record<string, unknown> = { ...example };
  if ("agent_id" in input) input.agent_id = node.agent_id;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(input[name]);
    delete input[name];
    return value;
  });
  if (method === "GET") return get(filled, headers);
  return method === "POST" ? post(filled, input, headers) : call(method, filled, undefined, headers);
}

const suspension = (suspended: boolean) =>
  setSuspended(setup.app, node.agent_id, { suspended, reason: "for a test" });

describe("a suspended agent's call", () => {
  test.each(changing.map((operation) => [operation.name, operation] as const))(
    "%s is refused",
    async (_, operation) => {
      await suspension(true);
      const { status, body } = await ask(operation, node.headers);
      expect([status, String(body.type).split("#")[1]]).toEqual([409, "agent-suspended"]);
      await suspension(false);
      const after = await ask(operation, node.headers);
      expect(String(after.body.type)).not.toMatch(/#agent-suspended$/);
    },
  );
});

test("a call of an agent that is suspended between admission and commit is refused", async () => {
  const { app } = setup;
  const before = await setup.account(`soul:${node.sx}`);
  let races = 0;
  const leaveAlone = aroundCommits(app.store, async (commit, send) => {
    if (commit.appends.some(({ stream_id }) => stream_id.startsWith("task-"))) {
      leaveAlone();
      races++;
      await suspension(true);
    }
    return send();
  });
  const { status, body } = await setup.submit(node.headers);
  expect([races, status, String(body.type).split("#")[1]]).toEqual([1, 409, "agent-suspended"]);
  expect(await setup.account(`soul:${node.sx}`)).toEqual(before);
});

test("a suspended agent can still read its data", async () => {
  const own = await node.get("/soul/compute/tasks");
  expect(own.status).toBe(200);
  expect((await node.get(`/soul/node/status/${node.agent_id}`)).status).toBe(200);
});
