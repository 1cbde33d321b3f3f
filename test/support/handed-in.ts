/** The inputs of the examples of ingest and of ideas. */

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

/** The id of a proposed idea, for evolution_pipeline. */
export async function ideaExample({ url }: Pick<Service, "url">, headers: Headers): Promise<{ id: number }> {
  const [propose] = ideaOperations;
  const answer = await post(`${url}/v1/agent/evolution/propose`, propose!.example, headers);
  const { data } = (await answer.json()) as { data: { idea_id: number } };
  return { id: data.idea_id };
}

/** Submits the batch of news_batch's example. */
export async function newsExample({ url }: Pick<Service, "url">, token: string): Promise<void> {
  const [ingest] = ingestOperations;
  await post(`${url}/v1/agent/event-correlator/ingest`, ingest!.example, { "X-Internal-Token": token });
}
