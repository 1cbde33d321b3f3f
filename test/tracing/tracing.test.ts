/**
 * A caller's trace continues in the service's log lines, its spans and its own requests; a test collector receives
 * it.
 */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonRpc } from "../../src/adapters/json-rpc.ts";
import { openModel } from "../../src/adapters/model.ts";
import { createModelTokens } from "../../src/adapters/model-tokens.ts";
import { createWebhooks } from "../../src/adapters/webhooks.ts";
import { begin, continued, inSpan, inTick, traceFields, traceHeaders } from "../../src/core/tracing.ts";
import { sendSpans } from "../../src/runtime/span-export.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;

type Heard = { path: string; headers: IncomingHttpHeaders; body: string };
type Value = { stringValue?: string; intValue?: number };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Value }[];
};
type Sent = {
  resourceSpans: { resource: Pick<Span, "attributes">; scopeSpans: { spans: Span[] }[] }[];
};

/** The collector, a model, an RPC endpoint and a webhook in one. */
class Others {
  readonly heard: Heard[] = [];
  readonly #server: Server = createServer(async (req, res) => {
    const body = await text(req);
    this.heard.push({ path: req.url!, headers: req.headers, body });
    res.setHeader("content-type", "application/json");
    res.end(
      req.url === "/rpc" ? JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: "0x1" }) : "{}",
    );
  });
  url = "";
  async open(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close = () => new Promise((done) => this.#server.close(done));
  /** The spans sent so far. */
  spans = (): Span[] => this.#sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  services = () => this.#sent().map(({ resource }) => valuesOf(resource)["service.name"]);
  #sent = () =>
    this.heard
      .filter(({ path }) => path === "/collector/v1/traces")
      .flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans);
}

const valuesOf = ({ attributes }: Pick<Span, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

const [SERVER, CLIENT] = [2, 3];

let service: Service;
let others: Others;
beforeAll(async () => {
  others = new Others();
  await others.open();
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
  await others?.close();
});

const register = (name: string, traceparent: string) =>
  fetch(`${service.url}/soul/register`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent },
    body: JSON.stringify({ agent_id: name }),
  });
const lineOf = (answer: Response) =>
  until(() => {
    const id = answer.headers.get("x-request-id");
    return (
      service.logged.find(({ request_id, status }) => request_id === id && status !== undefined) ?? false
    );
  });
const recording = (share = 1) =>
  sendSpans({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${others.url}/collector`,
    OTEL_EXPORTER_OTLP_HEADERS: { "x-collector": "ours" },
    OTEL_SERVICE_NAME: "tallystick-test",
    OTEL_TRACES_SAMPLER_ARG: share,
  });

describe("without a collector", () => {
  test("a caller's trace is recorded in the log, unless it is unreadable", async () => {
    const line = await lineOf(await register("followed", TRACEPARENT));
    expect(line).toMatchObject({ trace_id: TRACE, operation: "soul_register" });
    const other = await lineOf(await register("unfollowed", `00-${TRACE}-${CALLER}`));
    expect(other).not.toHaveProperty("trace_id");
    expect(others.spans()).toEqual([]);
  });

  test.each([
    ["", "nothing"],
    ["junk", "no traceparent"],
    [`ff-${TRACE}-${CALLER}-01`, "a version that is none"],
    [`00-${"0".repeat(32)}-${CALLER}-01`, "a trace of zeros"],
    [`00-${TRACE}-${"0".repeat(16)}-01`, "a span of zeros"],
    [`00-${TRACE.toUpperCase()}-${CALLER}-01`, "capitals"],
    [`${TRACEPARENT}-more`, "more than its version has"],
  ])("%j is %s", (traceparent) => {
    const { run } = begin("call", { within: continued(traceparent, undefined) });
    expect(run(traceHeaders)).toEqual({});
  });

  test("a trace's sampling decision is passed on unchanged, also for later versions of the header", async () => {
    for (const came of [TRACEPARENT, `00-${TRACE}-${CALLER}-00`, `cc-${TRACE}-${CALLER}-01-later`]) {
      const { run } = begin("call", { within: continued(came, "vendor=1,other=2") });
      const { traceparent, tracestate } = run(traceHeaders);
      expect(traceparent).toBe(`00-${TRACE}-${CALLER}-${came.includes("-01") ? "01" : "00"}`);
      expect(tracestate).toBe("vendor=1,other=2");
    }
    expect(traceHeaders()).toEqual({});
    expect(traceFields()).toEqual({});
  });
});

describe("with a collector", () => {
  test("a call is a span of its caller's trace, and its append a span below that", async () => {
    const end = await recording();
    const answer = await register("recorded", TRACEPARENT);
    expect(answer.status).toBe(200);
    await lineOf(answer);
    await end();
    const ours = others.spans().filter(({ traceId }) => traceId === TRACE);
    const call = ours.find(({ kind }) => kind === SERVER)!;
    expect(call).toMatchObject({ name: "POST soul_register", parentSpanId: CALLER });
    expect(valuesOf(call)).toMatchObject({
      "http.request.method": "POST",
      "url.path": "/soul/register",
      "http.response.status_code": 200,
      "tallystick.request_id": answer.headers.get("x-request-id"),
    });
    expect(ours.find(({ name }) => name === "append")).toMatchObject({ parentSpanId: call.spanId });
    expect(others.services()).toContain("tallystick-test");
    expect(others.heard.find(({ path }) => path.startsWith("/collector"))!.headers["x-collector"]).toBe(
      "ours",
    );
  });

  test("requests to webhooks, the model and the chain are in the trace, each in a span of its own", async () => {
    const end = await recording();
    const tokens = createModelTokens(service.app.pool, service.app.clock, 1_000_000);
    const model = openModel({ base_url: others.url, name: "m", tokens });
    const webhooks = createWebhooks({ allow_private: true, ports: [[1, 65_535]] });
    const question = { instructions: "", data: {}, form: {}, signal: new AbortController().signal };
    const { span, run } = begin("call", { within: continued(TRACEPARENT, undefined) });
    await run(async () => {
      await webhooks.post({ url: `${others.url}/hook`, headers: {}, body: "{}" });
      await jsonRpc({ rpc_url: `${others.url}/rpc` })("eth_blockNumber", []);
      await model.ask(question, () => ({ why: "unread" }));
    });
    span.end();
    await end();
    for (const [path, name] of [
      ["/hook", "webhook POST"],
      ["/rpc", "eth_blockNumber"],
      ["/chat/completions", "model"],
    ]) {
      const requests = others.spans().filter((one) => one.name === name && one.traceId === TRACE);
      const sent = others.heard.filter((one) => one.path === path).map(({ headers }) => headers.traceparent);
      expect(requests.length, name).toBeGreaterThan(0);
      for (const { spanId, kind, parentSpanId } of requests) {
        expect(kind).toBe(CLIENT);
        expect(parentSpanId).toBe(span.spanContext().spanId);
        expect(sent, path).toContain(`00-${TRACE}-${spanId}-01`);
      }
    }
  });

  test("a reactor's tick with work is a trace of its own; a tick without work is not traced", async () => {
    const end = await recording();
    await inTick("idle-reactor", async () => undefined);
    await inTick("busy-reactor", () => inSpan("append", {}, async () => undefined));
    await end();
    const names = others.spans().map(({ name }) => name);
    expect(names).not.toContain("idle-reactor");
    const turn = others.spans().find(({ name }) => name === "busy-reactor")!;
    expect(turn.parentSpanId ?? "").toBe("");
    expect(turn.traceId).not.toBe(TRACE);
  });

  test("the configured share of calls without a sampling decision is recorded, and a caller's decision is followed", async () => {
    const end = await recording(0);
    const before = others.spans().length;
    await lineOf(await register("unsampled", ""));
    await lineOf(await register("refused", `00-${TRACE}-${CALLER}-00`));
    await lineOf(await register("wanted", TRACEPARENT));
    await end();
    const calls = others
      .spans()
      .slice(before)
      .filter(({ kind }) => kind === SERVER);
    expect(calls.map(({ traceId }) => traceId)).toEqual([TRACE]);
  });

  test("an unavailable collector delays no answer and no stop", async () => {
    const away = await sendSpans({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_HEADERS: {},
      OTEL_SERVICE_NAME: "tallystick-test",
      OTEL_TRACES_SAMPLER_ARG: 1,
    });
    expect((await register("unheard", TRACEPARENT)).status).toBe(200);
    await away();
  });
});
