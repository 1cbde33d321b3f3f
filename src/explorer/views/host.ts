/** The frame's side of MCP Apps (2026-01-26): JSON-RPC with the host by postMessage, and nothing else. */
import { el, part } from "../dom.ts";

export type ToolResult = {
  structuredContent?: Record<string, unknown>;
  content?: { type: string; text?: string }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
};

export type ToolInput = Record<string, unknown>;

type HostContext = {
  theme?: "light" | "dark";
  safeAreaInsets?: Record<"top" | "right" | "bottom" | "left", number>;
};

type Message = {
  jsonrpc?: string;
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message?: string };
};

const PROTOCOL = "2026-01-26";
const METHOD_NOT_FOUND = -32_601;

const waiting = new Map<
  number,
  { resolve(result: Record<string, unknown>): void; reject(error: Error): void }
>();
let lastId = 0;

// A frame without an origin can only name any target; the parent is the host.
const send = (message: object) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function request(method: string, params: object): Promise<Record<string, unknown>> {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const notify = (method: string, params: object = {}) => send({ method, params });

/** Shows each result of the tool in `<main>`, as the host delivers it. */
export function openView(
  name: string,
  show: (result: ToolResult, input: ToolInput) => Node[] | Promise<Node[]>,
): void {
  const main = part("main");
  let input: ToolInput = {};
  const say = (text: string) => main.replaceChildren(el("p", { class: "verdict" }, text));

  const shown = async (result: ToolResult) => {
    if (result.isError) return main.replaceChildren(...refusal(result));
    try {
      main.replaceChildren(...(await show(result, input)));
    } catch {
      say("This answer cannot be shown; its text is in the conversation.");
    }
  };

  const notifications: Record<string, (params: Record<string, unknown>) => void> = {
    "ui/notifications/tool-input": ({ arguments: given }) => {
      input = (given ?? {}) as ToolInput;
    },
    "ui/notifications/tool-result": (params) => void shown(params as ToolResult),
    "ui/notifications/tool-cancelled": () => say("The call was cancelled: there is nothing to show."),
    "ui/notifications/host-context-changed": (params) => dress(params as HostContext),
  };

  addEventListener("message", ({ source, data }: MessageEvent<Message>) => {
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params = {}, result, error } = data;
    if (method === undefined) {
      const asked = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error) asked?.reject(new Error(error.message ?? "the host refused"));
      else asked?.resolve(result ?? {});
    } else if (id === undefined) notifications[method]?.(params);
    else if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
    else send({ id, error: { code: METHOD_NOT_FOUND, message: `this view has no ${method}` } });
  });
  openLinksInHost();
  void begin(name);
}

async function begin(name: string): Promise<void> {
  const { hostContext } = await request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: `tallystick-${name}`, version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  dress((hostContext ?? {}) as HostContext);
  notify("ui/notifications/initialized");
  const tellSize = () => {
    const { scrollWidth: width } = document.documentElement;
    notify("ui/notifications/size-changed", {
      width,
      height: Math.ceil(document.body.getBoundingClientRect().height),
    });
  };
  new ResizeObserver(tellSize).observe(document.body);
}

/** The host's theme counts, not the system's. */
function dress({ theme, safeAreaInsets }: HostContext): void {
  if (theme) document.documentElement.dataset.theme = theme;
  if (!safeAreaInsets) return;
  const { top, right, bottom, left } = safeAreaInsets;
  document.documentElement.style.padding = [top, right, bottom, left].map((side) => `${side}px`).join(" ");
}

/** A sandboxed frame cannot open windows; the host can. */
function openLinksInHost(): void {
  addEventListener("click", (click) => {
    const link = (click.target as Element | null)?.closest?.("a");
    if (!link || !/^https?:/.test(link.href)) return;
    click.preventDefault();
    void request("ui/open-link", { url: link.href }).catch(() => undefined);
  });
}

const MICRO = 1_000_000;

/** A 402 says its price; another refusal its own sentence. */
function refusal({ structuredContent = {} }: ToolResult): HTMLElement[] {
  const { detail, title, accepts } = structuredContent as {
    detail?: string;
    title?: string;
    accepts?: { amount?: string }[];
  };
  const amount = accepts?.[0]?.amount;
  const paid =
    amount === undefined ? undefined : `This call costs ${Number(amount) / MICRO} USDC. Nothing was charged.`;
  return [
    el(
      "p",
      { class: `verdict ${paid ? "" : "bad"}`.trim() },
      el("strong", {}, paid ?? title ?? "The call was refused."),
    ),
    ...(detail ? [el("p", { class: "soft" }, detail)] : []),
  ];
}
