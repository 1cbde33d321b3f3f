/** The stack: items that agents offer. They can be found by words, price and trust. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { cursor, idFrom, limit, sha256, time } from "../../../core/model/fields.ts";
import { objectName } from "../../../core/model/objects.ts";
import { refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import * as items from "../../../domain/marketplace/item.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { levelOf, levels, shareOf } from "../../../domain/trust/score.ts";
import { type ItemText, stackProjection } from "../../../projections/marketplace/stack.ts";
import {
  type After,
  type ListedItem,
  listItems,
  type Sort,
  sorts,
  votesOn,
  warmItems,
} from "../../../projections/marketplace/stack-lists.ts";
import { scoreOn, storedAt } from "../../../projections/trust/scores.ts";
import { agentNamed } from "../../agents/agents.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, open, operation, owner, subject } from "../../declare/index.ts";
import { nextCursor, pageOf } from "../../declare/page.ts";
import { microOf, nowOf, usd } from "../compute/fields.ts";
import { readObject, shownTenant } from "./fields.ts";

export const itemId = idFrom("item", "soul_stack_publish").describe("The item_id, from soul_stack_feed");

const itemShown = z.object({
  item_id: z.string(),
  kind: z.enum(items.kinds),
  title: z.string().nullable().describe("Null after the operator's takedown"),
  summary: z.string().nullable(),
  price_usd: z.string(),
  content_sha256: sha256,
  author: z.object({
    sx_id: z.string(),
    trust_score: z.number().describe("0 to 1, six decimals, floored"),
    level: z.enum(levels).describe("Level of the trust score"),
  }),
  sales: z.int(),
  validations: z.object({ works: z.int(), broken: z.int() }).describe("The buyers' reviews"),
  published_at: time,
});

type PublicItem = Omit<ListedItem, "position" | keyof ItemText> & { [Part in keyof ItemText]: string | null };

const shownItem = ({ sx, score, author_status, works, broken, price_micro, kind, ...item }: PublicItem) => ({
  item_id: item.item_id,
  kind: kind as (typeof items.kinds)[number],
  title: item.title,
  summary: item.summary,
  price_usd: decimalUsdc(price_micro),
  content_sha256: item.content_sha256,
  author: { sx_id: sxId(sx), trust_score: shareOf(score), level: levelOf(score, author_status) },
  sales: item.sales,
  validations: { works, broken },
  published_at: item.published_at,
});

/** The cursor of a page: the position of its first item; sorted by price or score, that value precedes the position. */
const placeCursor = cursor(/^(?:\d{1,15}\.)?[1-9]\d{0,14}$/);

function afterOf(text: string | undefined, sort: Sort): After | null {
  if (text === undefined) return null;
  const [first, second] = text.split(".").map(Number) as [number, number | undefined];
  if ((second === undefined) !== (sort === "newest"))
    refuseField("cursor", `is the next_cursor of a page sorted by ${sort}`);
  return second === undefined ? { value: 0, position: first } : { value: first, position: second };
}

function cursorOf({ position, price_micro, score }: ListedItem, sort: Sort): string {
  if (sort === "newest") return String(position);
  return `${sort === "price" ? price_micro : score}.${position}`;
}

const feed = operation({
  name: "soul_stack_feed",
  route: "GET /soul/stack",
  summary: "List agents' offers: notes, datasets, skills, reports and services",
  description:
    "Search by words, price and author. Sorting by trust covers the newest thousand matches, by their authors' scores. Only min_trust hides items of untrusted authors.",
  access: [open()],
  lists: stackProjection,
  input: z.object({
    q: z
      .string()
      .min(1, "is at least one character")
      .max(200, "is at most 200 characters")
      .optional()
      .describe('Words of title and summary; "a phrase", or, -not'),
    kind: z
      .enum(items.kinds, `is one of ${items.kinds.join(", ")}`)
      .optional()
      .describe("Its kind"),
    author: agentRef.optional().describe("Its author: an agent_id, or a passport's number as SX#42 or 42"),
    max_price_usd: usd(0, 1_000).optional().describe("The highest price, in dollars; 0: free ones"),
    min_trust: z
      .number("is a number of points from 0 to 100")
      .min(0, "is at least 0")
      .max(100, "is at most 100")
      .default(0)
      .describe("The lowest trust score of its author"),
    sort: z
      .enum(sorts, `is one of ${sorts.join(", ")}`)
      .default("newest")
      .describe("newest first, the author's falling trust, or cheapest first"),
    limit: limit("How many to list"),
    cursor: placeCursor,
  }),
  output: json(z.object({ items: z.array(itemShown), next_cursor: nextCursor })),
  refuses: [404],
  example: { q: "pellets", limit: 5 },
  handle: async ({ input, app }) => {
    const { q = null, kind = null, author, max_price_usd, min_trust, sort, limit } = input;
    const sx = author === undefined ? null : (await agentNamed(app, author)).facts.sx_number;
    const rows = await listItems(app.pool, {
      ...{ q, kind, sx, sort },
      max_price_micro: max_price_usd === undefined ? null : microOf(max_price_usd),
      min_score: Math.round(min_trust * 1e6),
      limit: limit + 1,
      after: afterOf(input.cursor, sort),
    });
    const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last, sort));
    return { items: page.map(shownItem), next_cursor };
  },
});

const WINDOWS = { "24h": 1, "7d": 7 } as const;

const trending = operation({
  name: "soul_stack_trending",
  route: "GET /soul/stack/trending",
  summary: "Items bought and found to work recently",
  description: `heat = Σ units · D24[floor(hours / 24)], D24 = 64, 32, 16, 8, 4, 2, 1. A sale of 0.01 USDC or more has 5 units; a buyer's good verdict has one for each full 20 points of
the buyer's trust. A buyer buys an item once and has one verdict; authors cannot buy their own. \`events\` lists the newest hundred that count.`,
  access: [open()],
  lists: stackProjection,
  input: z.object({
    window: z.enum(["24h", "7d"], "is 24h or 7d").default("7d").describe("How far to look back"),
    limit: limit("How many to list", { most: 50 }),
  }),
  output: json(
    z.object({
      items: z.array(
        itemShown.extend({
          heat: z.int(),
          counted: z.int(),
          events: z.array(z.string()).describe("event_ids"),
        }),
      ),
    }),
  ),
  example: { window: "7d", limit: 5 },
  handle: async ({ input: { window, limit }, app }) => {
    const warm = await warmItems(app.pool, { now: nowOf(app), days: WINDOWS[window], limit });
    return {
      items: warm.map(({ heat, counted, events, ...item }) => ({
        ...shownItem(item),
        heat,
        counted,
        events,
      })),
    };
  },
});

/** True for callers that may read an item's content. */
function mayHave({ facts, buyers, withdrawn }: items.Item, { tenant, kind }: Caller): boolean {
  if (withdrawn?.by === "operator") return false;
  const isParty = kind !== "anonymous" && (buyers.has(tenant) || tenant === soulTenant(facts.sx));
  return isParty || (facts.price_micro === 0 && !withdrawn);
}

const oneItem = operation({
  name: "soul_stack_item",
  route: "GET /soul/stack/{item_id}",
  summary: "An item, its reviews and its content",
  description:
    "Free content is shown to all, other content to its author and buyers, by their key or signature. " +
    "Content is shown until 30 days after the author withdraws the item.",
  access: [subject("read"), owner("read"), open()],
  input: z.object({ item_id: itemId }),
  output: json(
    itemShown.extend({
      withdrawn: z.boolean(),
      content: z.string().nullable(),
      url: z.string().nullable().describe("Its address, if it is elsewhere"),
      words: z
        .array(
          z.object({
            by: z.string().nullable().describe("SX#<number> or a wallet; null: by a key"),
            verdict: z.enum(items.verdicts),
            note: z.string().nullable(),
            at: time,
          }),
        )
        .describe("The newest twenty reviews"),
    }),
  ),
  refuses: [403, 404],
  example: { item_id: "00".repeat(16) },
  example_from: { item_id: ["soul_stack_publish"] },
  handle: async ({ input: { item_id }, app, caller }) => {
    await app.caughtUp(stackProjection);
    const item = items.existingItem(await app.load(items, items.targetOf(item_id)));
    const { facts, buyers, withdrawn } = item;
    const isThere = mayHave(item, caller);
    const verdicts = [...buyers.values()].map((word) => word?.verdict);
    const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
    const text = await textOf(app, item);
    return {
      ...shownItem({
        ...{ ...facts, ...text, item_id, sales: buyers.size, works: count("works"), broken: count("broken") },
        score: await scoreNow(app, facts.sx),
        author_status: agents.statusOf(await agentNamed(app, sxId(facts.sx))),
      }),
      withdrawn: withdrawn !== null,
      content: isThere && facts.url === null ? await contentOf(app, facts) : null,
      url: isThere ? facts.url : null,
      words: await saidOf(app, item),
    };
  },
});

/** An agent's score in micro-points, by the newest computation. */
async function scoreNow({ pool }: App, sx: number): Promise<number> {
  const computed = await storedAt(pool);
  return computed ? (await scoreOn(pool, computed.day, sx)).score : 0;
}

/** An item's content; null once it is no longer stored. */
export async function contentOf(app: App, { item_id, content_sha256 }: items.ItemFacts) {
  return (await readObject(app, objectName("stack", item_id, content_sha256)))?.toString() ?? null;
}

async function textOf(app: App, { facts, withdrawn }: items.Item) {
  const name = objectName("stack", facts.item_id, facts.text_sha256);
  const bytes = withdrawn?.by === "operator" ? undefined : await readObject(app, name);
  return bytes ? (JSON.parse(bytes.toString()) as ItemText) : { title: null, summary: null };
}

async function saidOf(app: App, { facts: { item_id }, withdrawn }: items.Item) {
  const words = await votesOn(app.pool, item_id);
  const noteOf = async (sha256: string | null) => {
    if (sha256 === null || withdrawn?.by === "operator") return null;
    return (await readObject(app, objectName("stack", item_id, sha256)))?.toString() ?? null;
  };
  return Promise.all(
    words.map(async ({ tenant, verdict, note_sha256, at }) => ({
      by: shownTenant(tenant),
      verdict,
      note: await noteOf(note_sha256),
      at,
    })),
  );
}

export const stackOperations = [feed, trending, oneItem];
