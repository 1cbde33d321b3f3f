/**
 * Traces, as W3C Trace Context and OpenTelemetry have them. A call goes on in its caller's, which stands in log lines and goes along with
 * what is sent to others. Where src/runtime/span-export.ts was told to record spans, each call and each turn of a reactor without one begins one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";

/** The context of whatever runs now, by Node's own means. */
const manager = (): ContextManager => {
  const current = new AsyncLocalStorage<Context>();
  return {
    active: () => current.getStore() ?? ROOT_CONTEXT,
    with: (of, work, self, ...args) => current.run(of, () => work.apply(self, args)),
    bind: (of, target) =>
      typeof target === "function"
        ? (((...args: unknown[]) => current.run(of, () => target(...args))) as typeof target)
        : target,
    enable() {
      return this;
    },
    disable() {
      current.disable();
      return this;
    },
  };
};
// Whoever instruments the process from outside has set one already, and ours is not taken.
context.setGlobalContextManager(manager());

/** How many spans began below one that is dropped where there are none. */
const BELOW = createContextKey("tallystick: spans below");
type Below = { spans: number };

export type SpanOptions = {
  kind?: keyof typeof SpanKind;
  attributes?: Attributes;
  /** The context that it begins in; what runs now, unless it is said. */
  within?: Context;
};

/** Runs `work` in a span that ends with it. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { span, run } = begin(name, options);
  return run(async () => {
    try {
      return await work(span);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A span whose end is somebody else's matter; `run` has what it is given run in it. */
export function begin(name: string, { kind = "INTERNAL", attributes = {}, within }: SpanOptions) {
  const parent = within ?? context.active();
  const below = parent.getValue(BELOW) as Below | undefined;
  if (below) below.spans++;
  const span = trace.getTracer("tallystick").startSpan(name, { kind: SpanKind[kind], attributes }, parent);
  // Node 20 charges every promise of the process for a context that is carried along: where nobody listens there is none.
  if (!isSpanContextValid(span.spanContext())) return { span, run: <T>(work: () => T): T => work() };
  const inside = trace.setSpan(parent, span);
  return { span, run: <T>(work: () => T): T => context.with(inside, work) };
}

/** Runs a turn in a trace of its own. One in which nothing else began a span is no news, and never ends: so it is sent nowhere. */
export function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const below: Below = { spans: 0 };
  const { span, run } = begin(name, { within: ROOT_CONTEXT.setValue(BELOW, below) });
  below.spans = 0;
  return run(async () => {
    try {
      return await work();
    } finally {
      if (below.spans > 0) span.end();
    }
  });
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
/** A version that is known has no more than that. */
const KNOWN_LENGTH = 55;
const MOST_STATE = 512;

/** Where a caller's trace goes on: what its headers say, or nowhere where they say nothing that can be read. */
export function continued(traceparent: string | undefined, tracestate: string | undefined): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [text, traceId = "", spanId = "", flags = "00"] = TRACEPARENT.exec(traceparent) ?? [];
  const isRead = text !== undefined && !(traceparent.startsWith("00") && traceparent.length !== KNOWN_LENGTH);
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate && tracestate.length <= MOST_STATE && { traceState: createTraceState(tracestate) }),
  };
  if (!isRead || !isSpanContextValid(spanContext)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

/** The headers by which what is asked of others joins the trace of what runs now; none outside of any. */
export function traceHeaders(): Record<string, string> {
  const now = trace.getSpanContext(context.active());
  if (!now) return {};
  const flags = (now.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0");
  const state = now.traceState?.serialize();
  return {
    traceparent: `00-${now.traceId}-${now.spanId}-${flags}`,
    ...(state && { tracestate: state }),
  };
}

/** Asks another service in a span of its own; what is asked is sent with the headers that it is given. */
export const outgoing = <T>(
  name: string,
  attributes: Attributes,
  ask: (headers: Record<string, string>) => Promise<T>,
): Promise<T> => inSpan(name, { kind: "CLIENT", attributes }, () => ask(traceHeaders()));

/** What a log line says of the trace that it is written in. */
export function traceFields(): { trace_id?: string } {
  const now = trace.getSpanContext(context.active());
  return now ? { trace_id: now.traceId } : {};
}
