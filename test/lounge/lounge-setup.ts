/** A service with seeds to bet on, and its callers. */
import type { RecordedEvent } from "../../eventstore/types.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: what answers hold is what is tested
export type Answer = { status: number; body: any };
export type Headers = Record<string, string>;

export type LoungeSetup = {
  service: Service & { database_url: string };
  keyOf(tenant: string, space?: "live" | "test"): Promise<Headers>;
  /** Asks at this service, or at another process of the service. */
  ask(headers: Headers, path: string, body?: object, url?: string): Promise<Answer>;
  /** The events of a tenant's account. */
  storyOf(tenant: string): Promise<RecordedEvent[]>;
};

export async function openLoungeSetup(env: Record<string, string>): Promise<LoungeSetup> {
  const service = await startService({ chain: "embedded", reactors: true, env });
  const setup: LoungeSetup = {
    service,
    keyOf: async (tenant, space = "live") => (await service.issue({ tenant, space })).headers,
    ask: async (headers, path, body, url = service.url) => {
      const response = await fetch(`${url}/v1/agent/${path}`, {
        headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    storyOf: (tenant) =>
      service.app.store.readStream({
        tenant,
        stream_id: "loungeaccount-main",
        after_version: 0,
        limit: 1_000,
      }),
  };
  const anybody = await setup.keyOf("anybody");
  await until(async () => (await setup.ask(anybody, "rng/seed")).status === 200);
  return setup;
}
