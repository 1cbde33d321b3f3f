/** The agent of a worker's folder: each refusal names the option that helps. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAgent } from "../../src/worker/agent.ts";
import { CallRefused, type Calls } from "../../src/worker/calls.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-worker-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A service that signs nobody up, for this reason. */
const refusing = (refused: CallRefused) =>
  ({
    url: "http://127.0.0.1:1",
    identify: () => undefined,
    ask: async (path: string) => {
      if (path === "/soul/challenge") return { challenge: "sign this" };
      throw refused;
    },
  }) as unknown as Calls;

test.each([
  [409, "key-in-use", /has the key of another agent: name another folder by --dir for second/],
  [403, "forbidden", /give the agent's API key by --key, or another name by --agent/],
] as const)("a refusal %s %s names the option that helps", async (status, kind, says) => {
  const calls = refusing(new CallRefused(status, kind, "the service's words"));
  await expect(openAgent(calls, { dir, agent_id: "second", api_key: undefined })).rejects.toThrow(says);
});
