import type { RequestListener } from "node:http";
import type { Logger } from "pino";
import { refuseSuspended } from "../api/agents/agents.ts";
import { delegateAdmission, signerOf } from "../api/agents/authority.ts";
import { catalogueOf } from "../api/declare/catalogue.ts";
import { documentsOf } from "../api/describe/documents.ts";
import { createMetrics } from "../api/describe/metrics.ts";
import { createGate, type Gate } from "../api/serve/admission.ts";
import { createFreeRoom } from "../api/serve/free-room.ts";
import { createPipeline } from "../api/serve/pipeline.ts";
import { createIssuer } from "../api/serve/x402/issuer.ts";
import { createHttp, problemOfError } from "../api/transports/http.ts";
import { createMcp } from "../api/transports/mcp.ts";
import type { App } from "../core/app.ts";
import { lowerCase } from "../core/model/fields.ts";
import { type Refusal, refuse } from "../core/model/refusal.ts";
import { isOf } from "../core/read-models/typed-events.ts";
import * as key from "../domain/access/key.ts";
import { keepDataOpen } from "../operator/keep-open.ts";
import { agentKeyByDigest, keyByDigest, keysProjection } from "../projections/access/keys.ts";
import type { Runtime } from "./assemble.ts";
import { callerStatusOf } from "./caller-status.ts";
import type { Config } from "./config.ts";

/**
 * Pages show `sandbox_key` to browsers on this machine. Calls whose request id is in `own_calls` are logged at debug.
 * Follows the log until `stopping`, to forget changed keys.
 */
export async function openServer(
  runtime: Runtime,
  config: Config & { PUBLIC_URL: string },
  log: Logger,
  stopping: AbortSignal,
  { sandbox_key, own_calls = new Set() }: { sandbox_key?: string | undefined; own_calls?: Set<string> } = {},
): Promise<RequestListener> {
  const { app, areas, quotas, limits } = runtime;
  const catalogue = catalogueOf(areas);
  const public_url = config.PUBLIC_URL;
  const issuer = createIssuer(app, public_url);
  const terms = {
    ...{ pay_to: app.pay_to, public_url, embedded_chain: app.embedded_chain, issuer },
    ...(app.takes_channels && { receiver_authorizer: lowerCase(app.refunds.address) }),
  };
  const metrics = createMetrics(
    app,
    areas.flatMap(({ gauges = [] }) => gauges),
  );
  const gate = createGate({
    findKey: (digest) => keyByDigest(app.pool, digest),
    findSubjectKey: (digest) => subjectKey(app, digest),
    findSigner: signerOf(app),
    admitDelegate: delegateAdmission(app),
    refuseSuspended: (caller, watch) => refuseSuspended({ app, caller, unit: { watch } }),
    load: app.load,
    quotas,
    limits,
    clock: app.clock,
    app,
    open_per_minute: config.OPEN_CALLS_PER_MINUTE,
    opened: { SETTLE_OPEN: config.SETTLE_OPEN },
    internal: { token: config.INTERNAL_TOKEN, is_remote_allowed: config.INTERNAL_REMOTE },
  });
  void forgetChangedKeys(app, gate, stopping);
  void keepDataOpen(app, stopping, (dataset, error) =>
    log.warn({ dataset, reason: error.message }, "a dataset cannot be opened; trying again"),
  );
  const room = createFreeRoom({
    limits,
    writes_a_day: config.FREE_WRITES_A_DAY,
    mib_a_day: config.FREE_MB_A_DAY,
    callerStatusOf: callerStatusOf(app),
  });
  const serve = createPipeline({
    app,
    room,
    catalogue,
    gate,
    terms,
    limits,
    onBroken: (operation, promise, reason) => {
      metrics.broke(operation.name, promise);
      log.error({ operation: operation.name, promise, reason }, "an operation breaks its own declaration");
    },
    onAway: seldom((refusal) => log.warn({ reason: reasonOf(refusal.cause) }, refusal.message)),
    onPresented: metrics.presented,
    cache_bytes: config.ANSWER_CACHE_MB * 1024 * 1024,
  });
  const served = catalogue.operations.map(serve);
  const mcp = createMcp({
    catalogue,
    served,
    printer: app.printer,
    public_url,
    origins: config.MCP_ORIGINS,
    isVintage: (digest) => app.data.vintages.open().some(({ vintage }) => vintage === digest),
    problemOf: (error, path, request_id) => {
      const problem = problemOfError(error, { public_url }, path);
      if (problem.status === 500) log.error({ err: error, request_id }, "a call failed");
      return problem;
    },
    stopping,
  });
  return createHttp({
    app,
    served,
    documents: documentsOf(catalogue, terms, { sandbox_key }),
    mcp,
    metrics,
    log,
    public_url,
    trust_proxy: config.TRUST_PROXY,
    metrics_token: config.METRICS_TOKEN,
    own_calls,
    stopping,
  });
}

/** A new key may not be folded yet. */
const KEY_WAIT_MS = 2_000;

/** Keys work and end at once: the log says whether a known key lives, and an unknown one waits for the read model. */
async function subjectKey(app: App, digest: Buffer) {
  const known = await agentKeyByDigest(app.pool, digest);
  if (known) {
    const state = await app.load(key, { tenant: known.tenant, id: known.key_id });
    return state?.status === "revoked" ? { ...known, revoked_at: state.revoked_at } : known;
  }
  if (!(await app.caughtUp(keysProjection, { wait_ms: Math.max(KEY_WAIT_MS, app.settings.read_wait_ms) })))
    refuse("unavailable", "the list of keys lags behind the log; try again in a few seconds", {
      retry_after_s: 2,
    });
  return agentKeyByDigest(app.pool, digest);
}

async function forgetChangedKeys(app: App, gate: Gate, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const events of app.tail.subscribe({ after: app.tail.position, signal })) {
        if (!events.some((event) => isOf(key, event))) continue;
        await app.caughtUp(keysProjection);
        gate.forgetKeys();
      }
      return;
    } catch {
      // The database is unavailable; cached keys expire meanwhile.
      await app.tail.reached(Number.MAX_SAFE_INTEGER, RETRY_MS, signal);
    }
  }
}

const RETRY_MS = 1_000;

/** Logs each kind of total failure once a minute. */
const TOLD_AGAIN_MS = 60_000;

function seldom(tell: (refusal: Refusal) => void): (refusal: Refusal) => void {
  const seen = new Map<string, number>();
  return (refusal) => {
    const kind = refusal.type.slug;
    if (performance.now() - (seen.get(kind) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN_MS) return;
    seen.set(kind, performance.now());
    tell(refusal);
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}
