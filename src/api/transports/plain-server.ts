import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server that refuses wrong params in plain words; the SDK would send its validator's text. */
export class PlainServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const wrong = wrongParams(error);
        if (!wrong) throw error;
        const message = `${method} takes no such ${wrong.join(", ")}: send what the schema of MCP says`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
    };
  }
}

/** The params that an error of the SDK's validator names: its text is a list of issues in JSON. */
function wrongParams(error: unknown): string[] | undefined {
  const [issues] = /\[\s*\{[\s\S]*\}\s*\]$/.exec(error instanceof Error ? error.message : "") ?? [];
  if (issues === undefined) return undefined;
  try {
    const paths = (JSON.parse(issues) as { path: string[] }[]).map(({ path }) => path.join("."));
    return [...new Set(paths.map((path) => path || "params"))];
  } catch {
    return undefined;
  }
}
