/** How agents are named, by themselves and by others. */
import { z } from "zod";
import type { SubjectName } from "../../core/model/sealed.ts";

/**
 * First words under /soul, which an id that reads like one would shadow; a test holds them against the routes. Those that no route has
 * yet stay free for one.
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

/** What the ids of the sandbox's agents begin with; nobody else's do, so what they show is known to be invented. */
export const INVENTED = "sandbox.";

export const isInvented = (agent_id: string) => agent_id.toLowerCase().startsWith(INVENTED);

/** An id as a caller may take it. ASCII alone, so that no two look alike; in a log for ever, so no mail address. */
export const newAgentId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    "is 1 to 128 letters, digits and . _ : - of ASCII, and begins with a letter or a digit",
  )
  .refine((id) => !/^(?:sx[._:-]?)?\d+$/i.test(id), "reads like a passport's number; add a word to it")
  .refine(
    (id) => !RESERVED_IDS.includes(id.toLowerCase()),
    `is none of the service's own words: ${RESERVED_IDS.join(", ")}`,
  )
  .refine((id) => !isInvented(id), `does not begin with ${INVENTED}, which marks invented agents`);

/** Upper and lower case are one id. */
export const lowerId = (agent_id: string) => agent_id.toLowerCase();

/** Whom an agent's sealed name is about. */
export const nameSubject = (agent_id: string): SubjectName => ({
  tenant: "operator",
  kind: "agent",
  name: lowerId(agent_id),
});

/** A passport's number, counted from 1. */
export const sxNumber = z.int().min(1).max(1_000_000);

export const sxId = (sx_number: number) => `SX#${sx_number}`;

/** An agent as it is asked for: by its id or by its passport's number. */
export type AgentRef = { by: "id"; id: string } | { by: "number"; sx_number: number };

const ABOUT = "is an agent_id, or a passport's number such as SX#42 or 42";

/** An agent, by whatever names it. What no agent can be called is unknown, not wrong: its owner may have taken it elsewhere. */
export const agentRef = z
  .string()
  .regex(/^(?:SX#[1-9]\d{0,9}|[A-Za-z0-9][A-Za-z0-9._:-]{0,127})$/i, ABOUT)
  .describe("The agent: its agent_id, or its passport's number as SX#42 or 42");

export function refOf(text: string): AgentRef {
  const number = /^(?:SX#)?(\d+)$/i.exec(text)?.[1];
  return number === undefined ? { by: "id", id: lowerId(text) } : { by: "number", sx_number: Number(number) };
}

/** Control characters, and those that turn the direction of a text: a name with them shows as another. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

export const displayName = z
  .string()
  .max(160, "is at most 80 characters")
  .refine((name) => [...name].length >= 1 && [...name].length <= 80, "is 1 to 80 characters")
  .refine((name) => !HIDDEN.test(name), "has no control characters, nor any that turn the direction of text")
  .refine((name) => name === name.trim(), "neither begins nor ends with a space");

const bindings = ["JSONRPC", "GRPC", "HTTP+JSON"] as const;

const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,31}$/;

/** Where an agent is reached: public, and in the log for ever. */
export const service = z
  .strictObject({
    name: z
      .string()
      .regex(SERVICE_NAME, "is 1 to 32 letters, digits, spaces and . _ -")
      .describe("What is spoken there: A2A, MCP, web or another word"),
    endpoint: z
      .string()
      .max(300, "is at most 300 characters")
      .refine(isPublicUrl, "is an https address without a user, a password or a fragment")
      .describe("Its https address"),
    version: z
      .string()
      .regex(/^[0-9A-Za-z.+-]{1,20}$/, "is 1 to 20 letters, digits and . + -")
      .describe("Of what is spoken, such as 1.0")
      .optional(),
    binding: z
      .enum(bindings, `is one of ${bindings.join(", ")}`)
      .describe("Of A2A: how it is carried; JSONRPC unless said")
      .optional(),
  })
  .refine(({ name, binding }) => binding === undefined || name === "A2A", {
    path: ["binding"],
    message: "is A2A's alone",
  });

export type Service = z.infer<typeof service>;

function isPublicUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === "" && password === "" && hash === "";
}

/** What an agent is for, in its owner's words. */
export const purpose = z
  .string()
  .max(600, "is at most 300 characters")
  .refine((text) => [...text].length >= 1 && [...text].length <= 300, "is 1 to 300 characters")
  .refine((text) => !HIDDEN.test(text), "has no control characters, nor any that turn the direction of text");

/** Who answers for an agent. Source of the members: A2A 1.0, AgentProvider. */
export const provider = z.strictObject({
  organization: displayName.describe("A company's name, or a person's"),
  url: z
    .string()
    .max(300, "is at most 300 characters")
    .refine(isPublicUrl, "is an https address without a user, a password or a fragment")
    .describe("Its https address"),
});

export type Provider = z.infer<typeof provider>;
