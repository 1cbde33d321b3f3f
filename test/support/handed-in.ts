/** What examples of ingest and of ideas ask about. */

import { ideaOperations } from "../../src/api/operations/evolution/ideas.ts";
import { ingestOperations } from "../../src/api/operations/ingest/ingest.ts";
import type { Service } from "./service.ts";

type Headers = Record<string, string>;

const post = (url: string, body: object, headers: Headers) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** The id of an idea that was proposed, as evolution_pipeline takes it. */
export async function ideaExample({ url }: Pick<Service, "url">, headers: Headers): Promise<{ id: number }> {
  const [propose] = ideaOperations;
  const answer = await post(`${url}/v1/agent/evolution/propose`, propose!.example, headers);
  const { data } = (await answer.json()) as { data: { idea_id: number } };
  return { id: data.idea_id };
}

/** Hands in the batch that news_batch asks for. */
export async function newsExample({ url }: Pick<Service, "url">, token: string): Promise<void> {
  const [ingest] = ingestOperations;
  await post(`${url}/v1/agent/event-correlator/ingest`, ingest!.example, { "X-Internal-Token": token });
}
