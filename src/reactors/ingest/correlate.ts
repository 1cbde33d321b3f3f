/** Extracts events from new batches of news; the findings trigger nothing. */
import type { App } from "../../core/app.ts";
import { reactor } from "../../core/background/reactor.ts";
import * as batch from "../../domain/ingest/batch.ts";
import { EXTRACTOR, extract, type NameGazetteer, namesOf } from "../../domain/ingest/extract.ts";
import { listedNames } from "../../projections/fusion/answers/sanctions.ts";
import { newsProjection, waitingBatches } from "../../projections/ingest/news.ts";

const meta = { actor: "reactor:news", operation: "news.correlate" };

type Memory = { names?: { lists: string; gazetteer: NameGazetteer } };

export const newsReactor = reactor({
  name: "news",
  every_ms: 1_000,
  memory: (): Memory => ({}),
  async take({ app, memory, signal }) {
    const isCurrent = await app.caughtUp(newsProjection);
    const waiting = await waitingBatches(app.pool);
    for (const target of waiting) {
      if (signal.aborted) return "done";
      await correlate(app, target, memory);
    }
    return isCurrent && waiting.length === 0 ? "idle" : "done";
  },
  failures: { failed: "news is not processed; trying again" },
  resumed: "news are processed again",
});

async function correlate(
  app: App,
  { tenant, batch_id }: { tenant: string; batch_id: string },
  memory: Memory,
): Promise<void> {
  const target = { tenant, id: batch_id };
  const state = await app.load(batch, target);
  if (state?.status !== "received") return;
  const listed = listedNames(app.data.reference);
  const lists = listed?.name ?? "none";
  if (memory.names?.lists !== lists)
    memory.names = { lists, gazetteer: namesOf(listed?.index ?? { names: [], vocabulary: [] }) };
  const events: batch.NewsEvent[] = [];
  for (const { item_sha256, text_sha256, published_at } of state.facts.items) {
    const bytes = await app.objects.get(batch.objectOf(batch_id, text_sha256));
    if (!bytes) continue;
    const date = published_at.slice(0, 10);
    for (const found of extract(bytes.toString(), memory.names.gazetteer, batch.MOST_EVENTS))
      events.push({ ...found, date, item_sha256, text_sha256 });
  }
  const facts = { extractor: `${EXTRACTOR} ${lists}`, events, correlated_at: app.clock.now().toISOString() };
  await app.decide(batch, target, batch.correlate(facts), { meta });
}
