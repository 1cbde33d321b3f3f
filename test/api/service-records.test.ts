/** The service as other registries list it. */
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JWK } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Service, startService } from "../support/service.ts";

const AGENT = "340282366920938463463374607431768211456";
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { REGISTRY_AGENT_ID: AGENT } });
});
afterAll(() => service.stop());

const read = async (path: string) => {
  const answer = await fetch(service.url + path);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  return (await answer.json()) as Record<string, unknown>;
};

/** Verifies with the key at the card's URL. */
const verify = verifyAgentCardSignature(async (kid, jku) => {
  const { keys } = (await (await fetch(jku!)).json()) as { keys: (JWK & { kid: string })[] };
  return keys.find((one) => one.kid === kid)!;
});

test("A2A's own resolver finds the service's card, and its signature covers every member", async () => {
  const card = await new DefaultAgentCardResolver().resolve(service.url);
  await expect(verify(card)).resolves.toBeUndefined();
  expect(card.name).toBe("Tallystick");
  expect(card.supportedInterfaces.map(({ url }) => url)).toEqual([`${service.url}/mcp`, service.url]);
  expect(card.skills.map(({ id }) => id)).toContain("trade");
  expect((await fetch(card.iconUrl!)).headers.get("content-type")).toBe("image/png");
  const forged: ((of: AgentCard) => void)[] = [
    (of) => void (of.name = "Another"),
    (of) => void (of.skills[0]!.description = "Another"),
    (of) => void (of.supportedInterfaces[0]!.url = "https://evil.example.org/mcp"),
    (of) => void of.signatures.pop(),
  ];
  for (const forge of forged) {
    const copy = AgentCard.fromJSON(await read("/.well-known/agent-card.json"));
    forge(copy);
    await expect(verify(copy)).rejects.toThrow();
  }
});

test("the registration file names the service's addresses and its agentId, digit by digit", async () => {
  const file = await read("/.well-known/agent-registration.json");
  expect(file).toMatchObject({
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: "Tallystick",
    active: true,
    x402Support: true,
    registrations: [
      { agentId: AGENT, agentRegistry: "eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432" },
    ],
  });
  const { services, image } = file as { services: { name: string; endpoint: string }[]; image: string };
  for (const endpoint of [image, ...services.map((one) => one.endpoint)].filter((one) => /^http/.test(one)))
    expect((await fetch(endpoint)).status, endpoint).toBeLessThan(500);
});

test("a service without an agentId lists no registration", async () => {
  const other = await startService({ operations: [] });
  try {
    const answer = await fetch(`${other.url}/.well-known/agent-registration.json`);
    expect(await answer.json()).toMatchObject({ registrations: [] });
  } finally {
    await other.stop();
  }
});

/** The rules of the MCP registry. Source: its schema of 2025-12-11, ServerDetail. */
const serverJson = z.object({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url(),
  icons: z
    .array(
      z.object({
        src: z.url().max(255),
        mimeType: z.enum(["image/png", "image/svg+xml"]),
        sizes: z.array(z.string().regex(/^(\d+x\d+|any)$/)),
      }),
    )
    .min(1),
  remotes: z
    .array(z.object({ type: z.literal("streamable-http"), url: z.string().regex(/^https?:\/\/\S+$/) }))
    .length(1),
});

test("server.json keeps the MCP registry's rules, and its remote introduces itself by the same title, version and icons", async () => {
  const listed = serverJson.parse(await read("/server.json"));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(listed.remotes[0]!.url)));
  try {
    const { title, version, websiteUrl, icons } = client.getServerVersion()!;
    expect({ title, version, websiteUrl, icons }).toEqual({
      title: listed.title,
      version: listed.version,
      websiteUrl: listed.websiteUrl,
      icons: listed.icons,
    });
  } finally {
    await client.close();
  }
});
