/**
 * W3C Trace Context and OpenTelemetry. A call continues its caller's trace. With src/runtime/span-export.ts, other
 * calls and ticks start traces of their own.
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
// If external instrumentation has set its context manager first, this call has no effect.
context.setGlobalContextManager(manager());

/** Counts the spans inside a tick, because a tick without any is not exported. */
const BELOW = createContextKey("tallystick: spans below");
type SpanCount = { spans: number };

export type SpanOptions = {
  kind?: keyof typeof SpanKind;
  attributes?: Attributes;
  within?: Context;
};

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

export function begin(name: string, { kind = "INTERNAL", attributes = {}, within }: SpanOptions) {
  const parent = within ?? context.active();
  const below = parent.getValue(BELOW) as SpanCount | undefined;
  if (below) below.spans++;
  const span = trace.getTracer("tallystick").startSpan(name, { kind: SpanKind[kind], attributes }, parent);
  // On Node 20 an active context slows every promise, so a span that nobody records gets none.
  if (!isSpanContextValid(span.spanContext())) return { span, run: <T>(work: () => T): T => work() };
  const inside = trace.setSpan(parent, span);
  return { span, run: <T>(work: () => T): T => context.with(inside, work) };
}

/** Runs a tick in a span. If the tick has no inner spans, the span is never ended, and so never exported. */
export function inTick<T>(name: string, work: () => Promise<T>): Promise<T> {
  const below: SpanCount = { spans: 0 };
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
const KNOWN_LENGTH = 55;
const MOST_STATE = 512;

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

export const outgoing = <T>(
  name: string,
  attributes: Attributes,
  ask: (headers: Record<string, string>) => Promise<T>,
): Promise<T> => inSpan(name, { kind: "CLIENT", attributes }, () => ask(traceHeaders()));

export function traceFields(): { trace_id?: string } {
  const now = trace.getSpanContext(context.active());
  return now ? { trace_id: now.traceId } : {};
}
