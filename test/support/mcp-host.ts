/** A web host of MCP Apps as the extension describes it: two origins, a sandbox between them, and its policy. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The strictest policy of a known host, the MCP Inspector, for a view that allows no origin: not even its own images. */
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "connect-src 'none'",
  "img-src 'none'",
  "font-src 'none'",
  "media-src 'none'",
  "frame-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "object-src 'none'",
  "worker-src 'none'",
].join("; ");

const SANDBOX = `<!doctype html><meta charset="utf-8"><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<body><script>
const inner = document.createElement("iframe");
inner.setAttribute("sandbox", "allow-scripts");
document.body.append(inner);
addEventListener("message", ({ source, data }) => {
  if (source === window.parent) {
    if (data.method === "ui/notifications/sandbox-resource-ready") inner.srcdoc = data.params.html;
    else inner.contentWindow.postMessage(data, "*");
  } else if (source === inner.contentWindow) window.parent.postMessage(data, "*");
});
window.parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;

const HOST = (
  sandbox: string,
) => `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>html{background:#888}body{margin:0}iframe{border:0;width:100%;height:600px;display:block}</style><body><script>
window.seen = [];
window.showView = ({ html, input, result, theme }) => new Promise((done) => {
  document.body.replaceChildren();
  const frame = document.createElement("iframe");
  frame.src = ${JSON.stringify(sandbox)};
  document.body.append(frame);
  const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  window.toView = post;
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.seen.push(data);
    switch (data.method) {
      case "ui/notifications/sandbox-proxy-ready":
        return post({ method: "ui/notifications/sandbox-resource-ready", params: { html } });
      case "ui/initialize":
        return post({ id: data.id, result: {
          protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" }, hostCapabilities: {},
          hostContext: { theme, displayMode: "inline", containerDimensions: { maxHeight: 6000 } } } });
      case "ui/notifications/initialized":
        post({ method: "ui/notifications/tool-input", params: { arguments: input } });
        return post({ method: "ui/notifications/tool-result", params: result });
      case "ui/notifications/size-changed":
        frame.style.height = data.params.height + "px";
        return done();
      default:
        if (data.id !== undefined && data.method) post({ id: data.id, result: {} });
    }
  });
});
</script>`;

async function serve(
  html: () => string,
  headers: Record<string, string>,
): Promise<{ url: string; server: Server }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...headers }).end(html());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

export async function startHost(): Promise<{ url: string; origins: string[]; stop(): void }> {
  const sandbox = await serve(() => SANDBOX, { "Content-Security-Policy": POLICY });
  const host = await serve(() => HOST(sandbox.url), {});
  return {
    url: host.url,
    origins: [host.url, sandbox.url],
    stop() {
      for (const { server } of [host, sandbox]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
