/** News submitted like the operator's, and correlated. */
import { expect } from "vitest";
import { newsProjection } from "../../src/projections/ingest/news.ts";
import { newsReactor } from "../../src/reactors/ingest/correlate.ts";
import type { Service } from "./service.ts";
import { turn } from "./turns.ts";
import { LIMIT_MS } from "./until.ts";

export const NEWS_TOKEN = "an internal token of thirty-two characters";

/** Folds what was appended, and correlates waiting news. */
export async function correlated({ app }: Pick<Service, "app">): Promise<void> {
  const fold = async () => {
    const { position } = await app.store.head();
    await app.runner.reached(newsProjection, position, LIMIT_MS);
  };
  await fold();
  expect(await turn(app, newsReactor)).toEqual({ status: "done" });
  await fold();
}

/** Submits texts as one batch, whose events are found when this resolves. */
export async function handIn(
  service: Pick<Service, "app" | "url">,
  batch_id: string,
  texts: readonly string[],
  more: { tenant?: string; source?: string; url?: string } = {},
): Promise<void> {
  const { url, ...about } = more;
  const published_at = "2026-01-31T08:00:00Z";
  const items = texts.map((text) => ({ text, published_at, ...(url !== undefined && { url }) }));
  const answer = await fetch(`${service.url}/v1/agent/event-correlator/ingest`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Internal-Token": NEWS_TOKEN },
    body: JSON.stringify({ batch_id, source: "Example newswire", ...about, items }),
  });
  expect(answer.status).toBe(202);
  await correlated(service);
}
