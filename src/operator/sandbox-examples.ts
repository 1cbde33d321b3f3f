/** Makes the things that examples of operations name, so that each example runs with the sandbox's key. */
import { type App, operatorMeta } from "../core/app.ts";
import type { InUnit } from "../core/commands/unit.ts";
import { networkOf } from "../core/model/chain.ts";
import { lowerCase } from "../core/model/fields.ts";
import { digestOf } from "../core/model/objects.ts";
import { mailSubject, sealLocation } from "../core/model/sealed.ts";
import * as alerts from "../domain/alerts/subscription.ts";
import * as checks from "../domain/checks/check.ts";
import * as following from "../domain/checks/following.ts";
import { microUsdcOf, totalOf } from "../domain/commerce/money.ts";
import * as orders from "../domain/commerce/order.ts";
import * as product from "../domain/commerce/product.ts";
import * as stock from "../domain/commerce/stock.ts";
import * as ideas from "../domain/evolution/idea.ts";
import { readParams } from "../domain/games/drawn.ts";
import * as notices from "../domain/notices/subscription.ts";
import { USDC } from "../domain/payments/usdc.ts";
import * as rolls from "../domain/rng/roll.ts";
import * as seeds from "../domain/rng/seeds.ts";
import { examples, SANDBOX_TENANT } from "../domain/sandbox/examples.ts";
import * as executions from "../domain/skills/execution.ts";
import { skillNamed } from "../domain/skills/skills.ts";
import { demoAddresses } from "../domain/wallet/demo-accounts.ts";
import { subjectOf } from "../reactors/skills/sealed-objects.ts";

type Making = InUnit & { app: App; tenant: string; at: string; seed: seeds.ActiveSeed; position: number };

/** One entry a kind: what is made under the ids of `examples`. */
const kinds: readonly ((making: Making) => Promise<unknown>)[] = [
  ({ decide, tenant, at }) =>
    eachOf(examples.alerts, (subscription_id) =>
      decide(
        alerts,
        { tenant, id: subscription_id },
        alerts.subscribe({
          subscription_id,
          // No series deviates so far: nothing is posted to an address that is not there.
          watch: { reporter: "DE", hs: null, flow: null, threshold: 1_000, dataset: null, from: null },
          url: "https://agent.example.org/hooks/trade",
          credits: alerts.FIRST_CREDITS,
          subscribed_at: at,
        }),
      ),
    ),
  ({ decide, tenant, at, position }) =>
    eachOf(examples.notices, (subscription_id) =>
      decide(
        notices,
        { tenant, id: subscription_id },
        notices.subscribe({
          subscription_id,
          url: "https://agent.example.org/hooks/jobs",
          kinds: ["refund"],
          products: [],
          after: position,
          subscribed_at: at,
        }),
      ),
    ),
  async ({ app, decide, tenant, at, seed }) => {
    const request = {
      roll_id: examples.roll.shown,
      tenant,
      game: "dice" as const,
      params: readParams("dice", {}),
      client_seed: "example",
      rolled_at: at,
    };
    const secret = app.seeds.seed(seed.space, seed.chain, seed.index);
    const id = rolls.rollsId(seed.seed_hash, request.game, request.client_seed);
    await decide(rolls, { tenant, id }, rolls.roll(request, { seed, secret }));
  },
  async ({ decide, store, tenant, at }) => {
    const idea_id = examples.idea.shown;
    const about = { description: "A sentence for its first reader.", title: "Say what a month is" };
    const [text, draft] = [JSON.stringify(about), "A month is written YYYY-MM.\n"].map((one) =>
      Buffer.from(one),
    ) as [Buffer, Buffer];
    for (const one of [text, draft]) store(ideas.objectOf(idea_id, digestOf(one)), one);
    const facts = {
      idea_id,
      text_sha256: digestOf(text),
      target_file: "docs/example.md",
      draft_sha256: digestOf(draft),
      draft_bytes: draft.length,
      proposed_at: at,
    };
    await decide(ideas, ideas.targetOf(tenant, idea_id), ideas.propose(facts));
  },
  async ({ decide, personal, tenant, at }) => {
    const execution_id = examples.execution.ended;
    const target = executions.targetOf(tenant, execution_id);
    const task = personal({
      subject: subjectOf({ tenant, execution_id }),
      place: sealLocation(executions, target, "SkillRunRequested"),
      value: { task: "What was unusual?" },
    });
    const facts = {
      ...{
        execution_id,
        agent: "tracker" as const,
        plan_version: skillNamed("tracker").version,
        format: "markdown" as const,
        slots: {},
        task,
      },
      ...{ together: [execution_id], payment_id: null, price_micro: 0 },
      ...{
        deadline_at: new Date(Date.parse(at) + executions.DEADLINE_S * 1_000).toISOString(),
        requested_at: at,
      },
    };
    await decide(executions, target, executions.request(facts));
    await decide(executions, target, executions.cancel(at));
  },
  async (making) => {
    await placeOrder(making, examples.order.ended);
    await placeOrder(making, examples.order.paid.order_id);
  },
  async (making) => {
    await writeCheck(making, examples.check.shown);
    await writeCheck(making, examples.check.ended);
  },
];

const eachOf = async (ids: Readonly<Record<string, string>>, make: (id: string) => Promise<unknown>) => {
  for (const id of Object.values(ids)) await make(id);
};

/** Long enough that the examples of paying and cancelling run for as long as the sandbox is used. */
const RESERVED_MS = 10 * 365 * 86_400_000;

/** Fixed, so that the example names the order's total. */
const EUR_USD = "1.08";

/** Ten bags of pellets at their price in the sandbox. */
async function placeOrder({ decide, watch, personal, tenant, at }: Making, order_id: number): Promise<void> {
  const target = orders.targetOf(tenant, order_id);
  const goods = product.targetOf(tenant, 1);
  const sold = product.existing(await watch(product, goods));
  const [unit, quantity] = ["bag" as const, 10];
  const base = product.baseOf(sold, unit);
  const until = new Date(Date.parse(at) + RESERVED_MS).toISOString();
  const email = "sandbox@example.org";
  const customer = personal({
    subject: mailSubject(tenant, email),
    place: sealLocation(orders, target, "OrderPlaced"),
    value: { name: null, email, phone: null, delivery_address: null, notes: null },
  });
  const { events } = await decide(
    stock,
    goods,
    stock.reserve({ order_id, tenant, unit, base, quantity, until }, at),
  );
  const lines = events.flatMap((event) => (event.type === "StockReserved" ? event.data.lines : []));
  const total = totalOf(product.priceAt(sold, unit, at)!.net_cents * quantity, sold.facts.vat_bp);
  const facts: orders.OrderFacts = {
    ...{ order_id, product_id: sold.facts.product_id, slug: sold.facts.slug },
    ...{ unit, quantity, base_quantity: quantity * base },
    ...{ ...total, usdc_micro: microUsdcOf(total.gross_cents, EUR_USD) },
    ...{ eur_usd: EUR_USD, rate_as_of: at.slice(0, 10), payment: "x402", quote_id: null },
    ...{ lines, until, customer, placed_at: at },
  };
  await decide(orders, target, orders.place(facts));
}

/** The first second of 2100, a constant because the example's signature covers it. */
const VALID_BEFORE = 4_102_444_800;

/** One USDC from the first demo wallet to the second; the check's id is its nonce. */
async function writeCheck({ app, decide, tenant, at }: Making, check_id: string): Promise<void> {
  const facts: checks.CheckFacts = {
    check_id,
    network: networkOf(app.chain),
    asset: lowerCase(USDC.address),
    from: demoAddresses[0]!,
    to: demoAddresses[1]!,
    amount_micro: 1_000_000,
    mode: "transfer",
    valid_before: VALID_BEFORE,
    nonce: `0x${check_id.repeat(2)}`,
    passphrase: null,
    created_at: at,
  };
  await decide(checks, { tenant, id: check_id }, checks.create(facts));
}

/**
 * Makes what is missing in one commit, so that an interrupted start leaves all of it or nothing. False as long as a seed or the
 * chain, which reactors prepare, is not ready.
 */
export async function openSandboxExamples(app: App, tenant: string = SANDBOX_TENANT): Promise<boolean> {
  if (!app.embedded_chain) return true;
  if (await app.load(alerts, { tenant, id: examples.alerts.shown })) return true;
  const { active: seed } = await app.load(
    seeds,
    seeds.targetOf(tenant.startsWith("test:") ? "test" : "live"),
  );
  const followed = await app.load(following, following.targetOf(networkOf(app.chain)));
  if (!seed || !followed) return false;
  const at = app.clock.now().toISOString();
  const { position } = await app.store.head();
  await app.commit(
    async (unit) => {
      for (const make of kinds) await make({ ...unit, app, tenant, at, seed, position });
    },
    { meta: operatorMeta("examples.sandbox") },
  );
  return true;
}
