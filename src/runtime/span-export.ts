/** OTLP over HTTP. The SDK is large, so it loads only with an endpoint. */
import { trace } from "@opentelemetry/api";
import { inTime } from "../core/coordination/concurrency.ts";

const STOP_MS = 2_000;

export type SpanSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>;
  OTEL_SERVICE_NAME: string;
  OTEL_TRACES_SAMPLER_ARG: number;
};

/** Samples traces without a caller's decision; the returned function flushes and stops. */
export async function sendSpans(settings: SpanSettings): Promise<() => Promise<void>> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return async () => undefined;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": settings.OTEL_SERVICE_NAME }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  trace.setGlobalTracerProvider(provider);
  return async () => {
    trace.disable();
    // An unavailable collector must not delay the stop.
    await inTime(STOP_MS, provider.shutdown(), () => new Error("late")).catch(() => undefined);
  };
}
