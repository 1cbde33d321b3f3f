/** The Inspector's web client as its own pages start it: one server in its catalogue, opened by a link. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/adapters/free-port.ts";
import { binOf, NODE_22 } from "./mcp-clients.ts";

export type Inspector = {
  /** The origins of its page and of its sandbox. */
  origins: string[];
  /** The address that connects, and shows the form of an app with this input. */
  addressOf(tool: string, input: object): string;
  close(): Promise<void>;
};

/** An entry of its catalogue. */
type Server = { url: string; headers: Record<string, string>; protocolEra: "legacy" | "modern" };

/** Its links take the entry of this name as it is, and with it the headers. */
const LINKED = "deep-link";

export async function openInspector(server: Server): Promise<Inspector> {
  const dir = await mkdtemp(join(tmpdir(), "inspector-"));
  const catalog = join(dir, "mcp.json");
  const mcpServers = { [LINKED]: { type: "streamable-http", ...server } };
  await writeFile(catalog, JSON.stringify({ mcpServers }));
  const token = "token-of-a-test";
  const child = spawn(NODE_22, [binOf("inspector"), "--web", "--catalog", catalog], {
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      // It refuses 0 here alone.
      CLIENT_PORT: String(await freePort(0)),
      MCP_SANDBOX_PORT: "0",
      MCP_APP_ORIGIN_PORT: "0",
      MCP_AUTO_OPEN_ENABLED: "false",
      MCP_INSPECTOR_API_TOKEN: token,
      MCP_INSPECTOR_SECRET_STORE: "memory",
    },
  });
  const ended = once(child, "exit");
  const [page, sandbox] = await new Promise<[string, string]>((done, fail) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const [, page, sandbox] =
        /running at:\s+(http:\S+?)\?[\s\S]*Sandbox \(MCP Apps\): (http:\S+)\/sandbox\s/.exec(output) ?? [];
      if (page && sandbox) done([page, sandbox]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then(([code]) => fail(new Error(`the Inspector ended with ${code}: ${output}`)));
  });
  return {
    origins: [page, sandbox],
    addressOf(tool, input) {
      const link = new URL(page);
      const appArgs = Buffer.from(JSON.stringify(input)).toString("base64url");
      const query = { serverUrl: server.url, transport: "http", autoConnect: token, openApp: tool, appArgs };
      link.search = new URLSearchParams(query).toString();
      return link.href;
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
