/** The last lines of a start, and of `tallystick status`: the address, a key, and calls to try. */
import { join } from "node:path";
import { COMMAND } from "./command-name.ts";

const DEMO = COMMAND === "bin/tallystick" ? "npm run demo" : `${COMMAND} demo`;

/** The key of the sandbox, in DATA_DIR. */
export const sandboxKeyPath = (dataDir: string): string => join(dataDir, "sandbox.key");

/** Without the sandbox's key: how to issue one. */
export function readyText(url: string, key: string | undefined): string {
  const pages = `
Ready: open ${url} in a browser (the log ${url}/log, OpenAPI ${url}/openapi.json, MCP ${url}/mcp)
`;
  if (!key) return `${pages}\nIssue a key with \`${COMMAND} keys issue --tenant NAME\`.\n`;
  return `${pages}
Sandbox key  ${key}

Try:
  curl -s '${url}/v1/agent/health'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/v1/agent/trade/top-partners?reporter=DE&limit=3'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z'
  ${DEMO}     # pays a first call with a demo wallet
`;
}
