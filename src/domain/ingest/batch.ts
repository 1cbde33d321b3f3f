/** A batch of news: texts from another server of the operator, and the events found in them. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { digestOf, objectName } from "../../core/model/objects.ts";
import { refuse } from "../../core/model/refusal.ts";
import { eventKinds } from "./event-patterns.ts";

export const MOST_ITEMS = 100;
export const MOST_CHARACTERS = 65_536;
export const KEEP_DAYS = 180;
/** Events of one item at most. */
export const MOST_EVENTS = 5;

const item = z.strictObject({
  item_sha256: sha256.describe(
    "SHA-256 of the RFC 8785 form of url and text, the text in NFC with white space folded.",
  ),
  url: z.string().nullable(),
  published_at: time,
  bytes: z.int().positive(),
});

export const newsEvent = z.strictObject({
  kind: z.enum(eventKinds),
  date: z.iso.date().describe("The day on which the item was published."),
  countries: z.array(z.string()),
  hs: z.array(z.string()),
  entities: z.array(z.string()).describe("List and number of listed names, never the names."),
  confidence: z.number().min(0).max(1),
  item_sha256: sha256,
  text_sha256: sha256.describe("Names the stored object with the whole text."),
  span: z
    .strictObject({ from: z.int().nonnegative(), to: z.int().positive() })
    .describe("UTF-16 code units of the text: the sentence, word by word."),
});
export type NewsEvent = z.infer<typeof newsEvent>;

export const events = {
  NewsBatchReceived: {
    means: "A batch of news was received.",
    1: z.strictObject({
      batch_id: z.string(),
      source: z.string(),
      items: z.array(item.extend({ text_sha256: sha256 })).max(MOST_ITEMS),
      duplicates: z
        .int()
        .nonnegative()
        .describe("Items that the tenant had, or that came earlier in the batch."),
      batch_sha256: sha256.describe("SHA-256 of all items, in order."),
      received_at: time,
    }),
  },
  NewsBatchCorrelated: {
    means: "A batch of news was processed, and its events were extracted.",
    1: z.strictObject({
      extractor: z.string().describe("The extractor's version, and the searched lists of names."),
      events: z.array(newsEvent).max(MOST_ITEMS * MOST_EVENTS),
      correlated_at: time,
    }),
  },
};

export type Received = DataOf<typeof events, "NewsBatchReceived">;
export type BatchEvent = EventOf<typeof events>;
export type BatchState =
  | { status: "received"; facts: Received }
  | { status: "correlated"; facts: Received; extractor: string; events: NewsEvent[] }
  | undefined;

export const prefix = "newsbatch-";
export const streamOf = (batch_id: string) => prefix + batch_id;
export const initialState = (): BatchState => undefined;

export const evolve = (state: BatchState, event: BatchEvent): BatchState =>
  event.type === "NewsBatchReceived"
    ? { status: "received", facts: event.data }
    : {
        status: "correlated",
        facts: state!.facts,
        extractor: event.data.extractor,
        events: event.data.events,
      };

/** The same items again change nothing; different items under the same id are refused. */
export const receive =
  (data: Received) =>
  (state: BatchState): BatchEvent[] => {
    if (!state) return [{ type: "NewsBatchReceived", data }];
    if (state.facts.batch_sha256 === data.batch_sha256) return [];
    return refuse("conflict", `batch ${data.batch_id} has other items: give these another batch_id`);
  };

export const correlate =
  (data: DataOf<typeof events, "NewsBatchCorrelated">) =>
  (state: BatchState): BatchEvent[] =>
    state?.status === "received" ? [{ type: "NewsBatchCorrelated", data }] : [];

/** Normalizes a text for storage: NFC, and each run of white space becomes one space. */
export const folded = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim();

/** Digest of an item, its text folded: both members are strings, in the order of their names. */
export const itemDigest = (url: string | null, text: string): string =>
  digestOf(JSON.stringify({ text, url }));

/** The object of an item's text. */
export const objectOf = (batch_id: string, text_sha256: string) => objectName("news", batch_id, text_sha256);
