/** The batch that the examples of ingest name. */

import { ingestOperations } from "../../src/api/operations/ingest/ingest.ts";
import type { Service } from "./service.ts";

type Headers = Record<string, string>;

const post = (url: string, body: object, headers: Headers) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Submits the batch of news_batch's example. */
export async function newsExample({ url }: Pick<Service, "url">, token: string): Promise<void> {
  const [ingest] = ingestOperations;
  await post(`${url}/v1/agent/event-correlator/ingest`, ingest!.example, { "X-Internal-Token": token });
}
