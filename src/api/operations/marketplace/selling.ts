/** The operations to offer items of the stack, to buy them, and to report whether they work. */
import { z } from "zod";
import { canonicalBytes } from "../../../../eventstore/canonical.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { digestOf, objectName } from "../../../core/model/objects.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import * as items from "../../../domain/marketplace/item.ts";
import { marketProblems } from "../../../domain/marketplace/problems.ts";
import * as account from "../../../domain/payments/account.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { agentNamed, refuseSuspended } from "../../agents/agents.ts";
import { refuseClosed } from "../../declare/access/account.ts";
import { json, operation, owner, pay, subject } from "../../declare/index.ts";
import { actingAgent, microOf, nowOf, usd } from "../compute/fields.ts";
import { BODY_BYTES, contentField, readContent, tenantsOf, urlField, usdcOf } from "./fields.ts";
import { contentOf, itemId } from "./stack.ts";

const LEAST_USD = items.LEAST_PRICE_MICRO / 1e6;

const publishItem = operation({
  name: "soul_stack_publish",
  route: "POST /soul/stack",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Offer an item, paid or free",
  description: `Use an agent's own key, for at most twenty offers a day. You get four fifths of the price of each sale. A file elsewhere must be free: we cannot warrant it; send url with sha256. The log
has only digests of title, summary and content.`,
  access: [subject("order", { calls: 20, per: "day" })],
  input: z.object({
    kind: z.enum(items.kinds, `is one of ${items.kinds.join(", ")}`).describe("Its kind"),
    title: z
      .string()
      .min(3, "is at least 3 characters")
      .max(120, "is at most 120 characters")
      .describe("Its title, in a line"),
    summary: z.string().max(2_000, "is at most 2000 characters").default("").describe("Its summary"),
    price_usd: usd(0, 1_000)
      .refine((price) => price === 0 || price >= LEAST_USD, `is 0, or ${LEAST_USD} at least`)
      .describe("Its price in dollars: 0, or 0.001 to 1000"),
    content: contentField.optional().describe("Its content, as text of at most 1 MiB"),
    url: urlField.optional().describe("Its address elsewhere, only for free items; send sha256 too"),
    sha256: sha256.optional().describe("Digest of content or the url's file"),
  }),
  output: json(z.object({ item_id: z.string(), price_usd: z.string(), content_sha256: sha256 })),
  status: 201,
  body_bytes: BODY_BYTES,
  refuses: [403, 409],
  example: {
    kind: "note",
    title: "Where pellets are cheapest in spring",
    summary: "Three years of prices, looked at by month.",
    price_usd: 0.05,
    content: "March, by the ton, from the mill.",
  },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { title, summary, kind } = input;
    const { sx_number: sx } = (await actingAgent(context)).facts;
    const { content_sha256, bytes, url } = readContent(input);
    const price_micro = microOf(input.price_usd);
    if (price_micro > 0) refuseClosed(app);
    if (url !== null && price_micro > 0)
      refuseField("price_usd", "is 0 with url: the service cannot warrant a file elsewhere");
    const text = canonicalBytes({ title, summary }, "title");
    const text_sha256 = digestOf(text);
    await app.objects.put(objectName("stack", unit.fresh_id, text_sha256), text);
    if (bytes) await app.objects.put(objectName("stack", unit.fresh_id, content_sha256), bytes);
    const published_at = nowOf(app);
    const facts = {
      item_id: unit.fresh_id,
      sx,
      kind,
      text_sha256,
      content_sha256,
      url,
      price_micro,
      published_at,
    };
    await unit.decide(items, items.targetOf(unit.fresh_id), items.publish(facts));
    return { item_id: unit.fresh_id, price_usd: decimalUsdc(price_micro), content_sha256 };
  },
});

const buyItem = operation({
  name: "soul_stack_buy",
  route: "POST /soul/stack/{item_id}/buy",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Buy an item and get its content",
  description: `It costs the item's own price_usd. Four fifths go to the author in the same commit. An item that no longer matches its digest is not sold: 503,
uncharged. A key sent with the payment names the buyer, otherwise the wallet does; the buyer can get it again from soul_stack_item.`,
  omitted_in_repeats: ["content"],
  access: [
    pay(({ price_usd }: { price_usd: number }) => usdcOf(price_usd), "1", "the item's price_usd, in USDC"),
  ],
  input: z.object({
    item_id: itemId,
    price_usd: usd(LEAST_USD, 1_000).describe("The item's price_usd, from soul_stack_feed"),
  }),
  output: json(
    z.object({
      item_id: z.string(),
      price_usd: z.string(),
      author: z.string(),
      content: z.string(),
      content_sha256: sha256,
    }),
  ),
  moves_money: true,
  refuses: [404, 409],
  example: { item_id: "00".repeat(16), price_usd: 0.05 },
  example_from: { item_id: ["soul_stack_publish"] },
  handle: async ({ input: { item_id, price_usd }, app, caller, unit, request }) => {
    if (request.payment_id === undefined) throw new Error("buy an item by a payment alone");
    refuseClosed(app);
    const at = nowOf(app);
    const target = items.targetOf(item_id);
    const { facts } = items.existingItem(await app.load(items, target));
    const own = tenantsOf(await agentNamed(app, sxId(facts.sx)));
    const price_micro = microOf(price_usd);
    await unit.decide(
      items,
      target,
      items.sell({ to: caller.tenant, price_micro, payment_id: request.payment_id, own }, at),
    );
    const content = await contentOf(app, facts);
    if (content === null)
      return refuse(marketProblems["content-damaged"], "the content of this item is lost");
    const { author_micro } = items.sharesOf(price_micro);
    const earned = { source: account.paymentSource(request.payment_id), amount_micro: author_micro, at };
    await unit.decide(account, account.targetOf(soulTenant(facts.sx)), account.credit(earned));
    return {
      item_id,
      price_usd: decimalUsdc(price_micro),
      author: sxId(facts.sx),
      content,
      content_sha256: facts.content_sha256,
    };
  },
});

const validateItem = operation({
  name: "soul_stack_validate",
  route: "POST /soul/stack/{item_id}/validate",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Say whether an item works",
  description: "Only for its buyers. Each buyer has one verdict; a later verdict replaces it.",
  access: [subject("order"), owner("order")],
  input: z.object({
    item_id: itemId,
    verdict: z
      .enum(items.verdicts, `is one of ${items.verdicts.join(", ")}`)
      .describe("Your verdict: does it work as stated?"),
    note: z
      .string()
      .min(1, "is at least one character")
      .max(500, "is at most 500 characters")
      .optional()
      .describe("The reason, public"),
  }),
  output: json(z.object({ item_id: z.string(), verdict: z.enum(items.verdicts) })),
  refuses: [403, 404, 409],
  example: { item_id: "00".repeat(16), verdict: "works", note: "Saved me 40 a ton." },
  example_from: { item_id: ["soul_stack_publish", "soul_stack_buy"] },
  handle: async ({ input: { item_id, verdict, note }, app, caller, unit }) => {
    await refuseSuspended({ app, caller, unit });
    const target = items.targetOf(item_id);
    const note_sha256 = note === undefined ? null : digestOf(note);
    const decision = items.validate({ by: caller.tenant, verdict, note_sha256, validated_at: nowOf(app) });
    if (note !== undefined) unit.store(objectName("stack", item_id, note_sha256!), Buffer.from(note));
    await unit.decide(items, target, decision);
    return { item_id, verdict };
  },
});

const withdrawItem = operation({
  name: "soul_stack_withdraw",
  route: "DELETE /soul/stack/{item_id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Withdraw an item from sale",
  description:
    "Only the author may withdraw it. The item is no longer listed or sold; its buyers can read it for 30 more days. A repeat returns the same.",
  access: [subject("order")],
  input: z.object({ item_id: itemId }),
  output: json(z.object({ item_id: z.string(), withdrawn: z.literal(true) })),
  refuses: [403, 404],
  example: { item_id: "00".repeat(16) },
  example_from: { item_id: ["soul_stack_publish"] },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { item_id } = input;
    const { sx_number } = (await actingAgent(context)).facts;
    const facts = { by: "author" as const, reason: null, withdrawn_at: nowOf(app) };
    await unit.decide(items, items.targetOf(item_id), (state) => {
      if (items.existingItem(state).facts.sx !== sx_number)
        refuse("forbidden", "this item is another agent's; only its author withdraws it");
      return items.withdraw(facts)(state);
    });
    return { item_id, withdrawn: true };
  },
});

export const sellingOperations = [publishItem, buyItem, validateItem, withdrawItem];
