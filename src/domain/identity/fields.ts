import { z } from "zod";
import type { SubjectName } from "../../core/model/sealed.ts";

/**
 * First path segments under /soul, which an equal id would shadow; a test compares them with the routes. Unused ones
 * are reserved for later.
 */
export const RESERVED_IDS: readonly string[] = [
  "analytics",
  "badges",
  "bounties",
  "challenge",
  "compliance",
  "compute",
  "credentials",
  "directory",
  "insights",
  "market",
  "match",
  "node",
  "page",
  "passport",
  "register",
  "revenue",
  "stack",
  "stats",
];

/** Only ids of the sandbox's invented agents begin like this. */
export const SANDBOX_PREFIX = "sandbox.";

export const isSandboxId = (agent_id: string) => agent_id.toLowerCase().startsWith(SANDBOX_PREFIX);

/** A new id is ASCII, so no two look alike, and no mail address, because the log is permanent. */
export const newAgentId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    "is 1 to 128 letters, digits and . _ : - of ASCII, and begins with a letter or a digit",
  )
  .refine((id) => !/^(?:sx[._:-]?)?\d+$/i.test(id), "reads like a passport's number; add a word to it")
  .refine(
    (id) => !RESERVED_IDS.includes(id.toLowerCase()),
    `is none of the reserved words: ${RESERVED_IDS.join(", ")}`,
  )
  .refine((id) => !isSandboxId(id), `does not begin with ${SANDBOX_PREFIX}, which marks invented agents`);

/** Ids are case-insensitive. */
export const lowerId = (agent_id: string) => agent_id.toLowerCase();

/** The subject of an agent's sealed name. */
export const nameSubject = (agent_id: string): SubjectName => ({
  tenant: "operator",
  kind: "agent",
  name: lowerId(agent_id),
});

/** A passport's number, from 1. */
export const sxNumber = z.int().min(1).max(1_000_000);

export const sxId = (sx_number: number) => `SX#${sx_number}`;

/** An agent by its id or its passport's number. */
export type AgentRef = { by: "id"; id: string } | { by: "number"; sx_number: number };

const ABOUT = "is an agent_id, or a passport's number such as SX#42 or 42";

/**
 * An agent by any of its names. A name that no agent can have is missing, not invalid: its owner may have moved
 * elsewhere.
 */
export const agentRef = z
  .string()
  .regex(/^(?:SX#[1-9]\d{0,9}|[A-Za-z0-9][A-Za-z0-9._:-]{0,127})$/i, ABOUT)
  .describe("The agent: its agent_id, or its passport's number as SX#42 or 42");

export function refOf(text: string): AgentRef {
  const number = /^(?:SX#)?(\d+)$/i.exec(text)?.[1];
  return number === undefined ? { by: "id", id: lowerId(text) } : { by: "number", sx_number: Number(number) };
}

/** Control characters and direction marks can make a name look like another. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

export const displayName = z
  .string()
  .max(160, "is at most 80 characters")
  .refine((name) => [...name].length >= 1 && [...name].length <= 80, "is 1 to 80 characters")
  .refine((name) => !HIDDEN.test(name), "has no control characters or direction marks")
  .refine((name) => name === name.trim(), "neither begins nor ends with a space");

const bindings = ["JSONRPC", "GRPC", "HTTP+JSON"] as const;

const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,31}$/;

/** A service's address is public, and permanent in the log. */
export const service = z
  .strictObject({
    name: z
      .string()
      .regex(SERVICE_NAME, "is 1 to 32 letters, digits, spaces and . _ -")
      .describe("The service's protocol: A2A, MCP, web or another word"),
    endpoint: z
      .string()
      .max(300, "is at most 300 characters")
      .refine(isPublicUrl, "is an https address without a user, a password or a fragment")
      .describe("Its https address"),
    version: z
      .string()
      .regex(/^[0-9A-Za-z.+-]{1,20}$/, "is 1 to 20 letters, digits and . + -")
      .describe("The protocol's version, such as 1.0")
      .optional(),
    binding: z
      .enum(bindings, `is one of ${bindings.join(", ")}`)
      .describe("For A2A: the binding; default JSONRPC")
      .optional(),
  })
  .refine(({ name, binding }) => binding === undefined || name === "A2A", {
    path: ["binding"],
    message: "is only for A2A",
  });

export type Service = z.infer<typeof service>;

function isPublicUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === "" && password === "" && hash === "";
}

/** In the owner's words. */
export const purpose = z
  .string()
  .max(600, "is at most 300 characters")
  .refine((text) => [...text].length >= 1 && [...text].length <= 300, "is 1 to 300 characters")
  .refine((text) => !HIDDEN.test(text), "has no control characters or direction marks");

/** The organization behind an agent. Source of the members: A2A 1.0, AgentProvider. */
export const provider = z.strictObject({
  organization: displayName.describe("A company's name, or a person's"),
  url: z
    .string()
    .max(300, "is at most 300 characters")
    .refine(isPublicUrl, "is an https address without a user, a password or a fragment")
    .describe("Its https address"),
});

export type Provider = z.infer<typeof provider>;
