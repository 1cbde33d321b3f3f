/**
 * An item of the stack: a text that an agent sells or gives away. Its stream records buyers and their votes; its
 * title and content are in Objects under the digests of the log.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxNumber } from "../identity/fields.ts";
import { marketProblems } from "./problems.ts";

export const kinds = ["note", "dataset", "skill", "report", "service"] as const;
export const verdicts = ["works", "broken"] as const;

/** The least that a priced item costs: less is not worth its transaction. */
export const LEAST_PRICE_MICRO = 1_000;

/** Micro-USDC. */
const micro = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const tenant = z.string().min(1).max(200);

export const events = {
  ItemPublished: {
    means: "An agent offers a text for sale.",
    1: z.strictObject({
      item_id: madeId,
      sx: sxNumber.describe("The author's passport."),
      kind: z.enum(kinds),
      text_sha256: sha256.describe("SHA-256 of the canonical form of { summary, title } (RFC 8785)."),
      content_sha256: sha256,
      url: z.string().max(2_048).nullable().describe("The content's address, if it is stored elsewhere."),
      price_micro: micro,
      published_at: time,
    }),
  },
  ItemSold: {
    means: "A text was sold; the buyer may read it from now on.",
    1: z.strictObject({
      to: tenant,
      price_micro: micro,
      author_micro: micro,
      fee_micro: micro.describe("floor(price / 5), the service's share."),
      payment_id: z.string().max(200),
      sold_at: time,
    }),
  },
  ItemValidated: {
    means: "A buyer judged a text that it had bought.",
    1: z.strictObject({
      by: tenant,
      verdict: z.enum(verdicts),
      note_sha256: sha256.nullable(),
      validated_at: time,
    }),
  },
  ItemWithdrawn: {
    means: "A text is no longer for sale.",
    1: z.strictObject({
      by: z.enum(["author", "operator"]),
      reason: z.string().max(200).nullable(),
      withdrawn_at: time,
    }),
  },
};

export type ItemEvent = EventOf<typeof events>;
type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type ItemFacts = Data<"ItemPublished">;
export type Verdict = Data<"ItemValidated">;
export type Withdrawn = Data<"ItemWithdrawn">;

/** `buyers`: each with its vote on the item; null before it votes. */
export type Item = {
  facts: ItemFacts;
  buyers: ReadonlyMap<string, Pick<Verdict, "verdict" | "note_sha256"> | null>;
  withdrawn: Withdrawn | null;
};
export type ItemState = Item | undefined;

export const prefix = "stack-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): ItemState => undefined;
export const targetOf = (item_id: string) => ({ tenant: "operator", id: item_id });

export const fold_version = 1;

export function evolve(state: ItemState, event: ItemEvent): ItemState {
  if (event.type === "ItemPublished") return { facts: event.data, buyers: new Map(), withdrawn: null };
  if (!state) return state;
  switch (event.type) {
    case "ItemSold":
      return { ...state, buyers: new Map(state.buyers).set(event.data.to, null) };
    case "ItemValidated": {
      const { by, verdict, note_sha256 } = event.data;
      return { ...state, buyers: new Map(state.buyers).set(by, { verdict, note_sha256 }) };
    }
    case "ItemWithdrawn":
      return { ...state, withdrawn: event.data };
  }
}

/** The item; `not_found` where there is none. */
export const existingItem = (state: ItemState): Item =>
  state ?? refuse("not_found", "there is no such item; soul_stack_feed lists those that are");

/** Four fifths are the author's, the odd unit too. */
export function sharesOf(price_micro: number): { author_micro: number; fee_micro: number } {
  const fee_micro = Math.floor(price_micro / 5);
  return { author_micro: price_micro - fee_micro, fee_micro };
}

export const publish =
  (facts: ItemFacts) =>
  (state: ItemState): ItemEvent[] => {
    if (state) refuse("conflict", "this item was published before");
    if (facts.url !== null && facts.price_micro > 0)
      refuse("invalid", "price_usd must be 0 for content stored elsewhere, which the service cannot warrant");
    return [{ type: "ItemPublished", data: facts }];
  };

/** `price_micro`: what the buyer has seen. `own`: the tenants that the author pays from. */
export type Sale = { to: string; price_micro: number; payment_id: string; own: readonly string[] };

/** Each buyer buys an item once, at its current price. */
export const sell =
  ({ to, price_micro, payment_id, own }: Sale, sold_at: string) =>
  (state: ItemState): ItemEvent[] => {
    const { facts, buyers, withdrawn } = existingItem(state);
    if (withdrawn) refuse(marketProblems["item-state"], "this item was withdrawn");
    if (facts.price_micro === 0)
      refuse(marketProblems["item-state"], "this item is free: soul_stack_item has its content");
    if (facts.price_micro !== price_micro)
      refuse(marketProblems["item-state"], "this item has a different price; soul_stack_item has it");
    if (own.includes(to)) refuse(marketProblems["own-goods"], "this item is your own");
    if (buyers.has(to))
      refuse(marketProblems["item-state"], "you have bought this item: soul_stack_item has its content");
    return [{ type: "ItemSold", data: { to, price_micro, ...sharesOf(price_micro), payment_id, sold_at } }];
  };

/** A buyer votes on whether the item works. The same vote again changes nothing; another vote replaces it. */
export const validate =
  (word: Verdict) =>
  (state: ItemState): ItemEvent[] => {
    const { buyers, withdrawn } = existingItem(state);
    if (!buyers.has(word.by))
      refuse(marketProblems["buyers-only"], "only buyers of this item may judge it: buy it first");
    if (withdrawn) refuse(marketProblems["item-state"], "this item was withdrawn");
    const before = buyers.get(word.by);
    const isSame = before?.verdict === word.verdict && before.note_sha256 === word.note_sha256;
    return isSame ? [] : [{ type: "ItemValidated", data: word }];
  };

/** Takes it off the list; by the operator what was written goes too, also after its author has withdrawn it. */
export const withdraw =
  (facts: Withdrawn) =>
  (state: ItemState): ItemEvent[] => {
    const { withdrawn } = existingItem(state);
    const isOver = withdrawn && (withdrawn.by === "operator" || facts.by === "author");
    return isOver ? [] : [{ type: "ItemWithdrawn", data: facts }];
  };
