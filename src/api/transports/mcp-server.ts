/** The MCP server of one host: its tools, resources and skills, and its views if the host can show them. */
import {
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type Tool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import {
  childrenOf,
  SKILLS_EXTENSION,
  skillAt,
  skillFolderAt,
  skillResources,
  skills,
} from "../describe/mcp-skills.ts";
import { mcpImplementation } from "../describe/service-records.ts";
import { VIEW_TYPE, viewAt, viewResources } from "../describe/views.ts";
import type { ServedOperation } from "../serve/pipeline.ts";
import { type CallOrigin, type CallParts, callTool } from "./mcp-call.ts";
import { createResources, resourceTemplates } from "./mcp-resources.ts";
import { meantBy } from "./mcp-tools.ts";
import { PlainServer } from "./plain-server.ts";

export const APPS_EXTENSION = "io.modelcontextprotocol/ui";

/**
 * Hosts may cache lists: they depend on the address and the host alone, and change only with a new version of the
 * service.
 */
const LISTS = { ttlMs: 3_600_000, cacheScope: "public" } as const;
const MINUTE = 60_000;

/** One HTTP request of a host. Each request has its own server. */
export type HostRequest = {
  tools: (showsViews: boolean) => Tool[];
  origin: CallOrigin;
  /** True if this host declared Apps in an earlier `initialize` of its session. */
  has_apps_session: boolean;
  is_keyed: boolean;
  /** Called with the operation that a tool call names. */
  onOperation: (name: string) => void;
};

export const showsViews = (capabilities: ClientCapabilities | undefined): boolean => {
  const { mimeTypes } = (capabilities?.extensions?.[APPS_EXTENSION] ?? {}) as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_TYPE);
};

export function serverFactory(
  parts: CallParts,
  served: ReadonlyMap<string, ServedOperation>,
  instructions: string,
): (request: HostRequest) => Server {
  const resources = createResources(served);
  return ({ tools, origin, has_apps_session, is_keyed, onOperation }) => {
    const server = new PlainServer(mcpImplementation(parts.public_url), {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        extensions: { [APPS_EXTENSION]: {}, [SKILLS_EXTENSION]: { directoryRead: true } },
      },
      instructions,
      cacheHints: {
        "tools/list": LISTS,
        "server/discover": LISTS,
        "prompts/list": LISTS,
        "resources/templates/list": LISTS,
        "resources/list": { ttlMs: MINUTE, cacheScope: is_keyed ? "private" : "public" },
        "resources/read": { ttlMs: MINUTE, cacheScope: "private" },
      },
    });
    const hasViews = () => has_apps_session || showsViews(server.getClientCapabilities());
    const countMessage = messageCounter();
    server.setRequestHandler("tools/list", () => {
      countMessage();
      return { tools: tools(hasViews()) };
    });
    server.setRequestHandler("tools/call", async ({ params }) => {
      countMessage();
      const meant = meantBy(params.name, params.arguments);
      const operation = meant && served.get(meant.name);
      if (!operation) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(meant?.name));
      onOperation(meant.name);
      return callTool(parts, operation, { ...params, ...meant }, origin, hasViews());
    });
    server.setRequestHandler("resources/list", async ({ params }) => {
      countMessage();
      const page = await resources.list(params?.cursor, origin);
      if (params?.cursor !== undefined) return page;
      const own = [...(await skillResources()), ...(hasViews() ? viewResources : [])];
      return { ...page, resources: [...own, ...page.resources] };
    });
    server.setRequestHandler("resources/templates/list", () => {
      countMessage();
      return { resourceTemplates };
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      countMessage();
      const own = (await viewAt(uri)) ?? (await skillAt(uri));
      return own ? { contents: [own], ...LISTS } : resources.read(uri, origin);
    });
    servePrompts(server, countMessage);
    serveSkills(server, countMessage);
    return server;
  };
}

/** Serves each skill also as a prompt, for people whose host knows no skills. */
function servePrompts(server: Server, countMessage: () => void): void {
  server.setRequestHandler("prompts/list", async () => {
    countMessage();
    return {
      prompts: (await skills()).map(({ frontmatter: { name, description } }) => ({ name, description })),
    };
  });
  server.setRequestHandler("prompts/get", async ({ params: { name } }) => {
    countMessage();
    const skill = (await skills()).find(({ frontmatter }) => frontmatter.name === name);
    const file = skill && (await skillAt(skill.uri));
    if (!file)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${name.slice(0, 80)}`);
    return {
      description: skill.frontmatter.description,
      messages: [{ role: "user", content: { type: "text", text: file.text } }],
    };
  });
}

const page = z.looseObject({ cursor: z.string().optional() }).optional();
const named = z.looseObject({ uri: z.string() });
const complete = { resultType: "complete" } as const;

/** Serves the methods of the Skills extension, under their names in both revisions. */
function serveSkills(server: Server, countMessage: () => void): void {
  server.setRequestHandler("skills/list", { params: page }, async () => {
    countMessage();
    return { ...complete, skills: await skills(), ...LISTS };
  });
  server.setRequestHandler("skills/get", { params: named }, async ({ uri }) => {
    countMessage();
    const skill = (await skills()).find((one) => one.uri === uri);
    if (!skill)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no skill is served at ${uri.slice(0, 200)}`);
    return { ...complete, skill, ...LISTS };
  });
  server.setRequestHandler("resources/directory/read", { params: named }, async ({ uri }) => {
    countMessage();
    const skill = await skillFolderAt(uri);
    if (!skill) throw new ResourceNotFoundError(uri, `${uri.slice(0, 200)} is not a directory resource`);
    return { ...complete, resources: childrenOf(skill) };
  });
}

/** The most messages in a batch. Newer revisions have no batches, and a batch saves nothing. */
const MOST_MESSAGES = 10;

function messageCounter(): () => void {
  let messages = 0;
  return () => {
    if (++messages > MOST_MESSAGES)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `at most ${MOST_MESSAGES} messages come in one request; send the others by themselves`,
      );
  };
}

const unknownTool = (name: string | undefined) =>
  name === undefined
    ? "operations_call takes the name of an operation, and its arguments as an object; operations_find finds names"
    : `there is no tool ${name.slice(0, 80)}; tools/list names the most used, and operations_find finds the rest`;
