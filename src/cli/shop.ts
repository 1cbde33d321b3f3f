import { setTimeout as pause } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import type { App } from "../core/app.ts";
import { time } from "../core/model/fields.ts";
import { Refusal } from "../core/model/refusal.ts";
import { decimalEuro } from "../domain/commerce/money.ts";
import { type Order, type OrderStatus, statuses } from "../domain/commerce/order.ts";
import { commerceProblems } from "../domain/commerce/problems.ts";
import {
  type ProductType,
  pricedUnits,
  productTypes,
  slug,
  type UnitName,
  unitNames,
} from "../domain/commerce/product.ts";
import { location, type Shelf, type StockLine } from "../domain/commerce/stock.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import type { OrderToHandle } from "../operator/shop.ts";
import type { StockedProduct } from "../projections/commerce/catalogue.ts";
import type { OrderKey } from "../projections/commerce/orders.ts";
import { about } from "./about.ts";
import { eraseCommand } from "./erase.ts";
import { type Columns, JSON_LINES, printList, shortTime } from "./listing.ts";
import { asCount, judgedBy, oneOf, textUpTo } from "./option-values.ts";
import { importSalesCommand } from "./shop-sales.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type Shop = typeof import("../operator/shop.ts");

export function shopCommand(terminal: Terminal): Command {
  const shop = new Command("shop").description(about.shop);
  const run = <T>(work: (app: App, operator: Shop) => Promise<T>): Promise<T> =>
    withRuntime(terminal, async ({ app }) => work(app, await import("../operator/shop.ts")));
  const erase = eraseCommand(terminal, "shop.erase")
    .description("erase a customer: nobody can open name, mail and address in orders and quotes any more")
    .argument("<email>", "the customer's mail address, in any case");
  for (const command of [...goodsCommands(run), ...orderCommands(run), erase, importSalesCommand(terminal)])
    shop.addCommand(command);
  return shop;
}

type RunInShop = <T>(work: (app: App, operator: Shop) => Promise<T>) => Promise<T>;
type InSpace = { test: boolean };
const spaceOf = ({ test }: InSpace) => (test ? "test" : "live");
const IN_YOUR_WORDS = [
  "--reason <text>",
  "the reason, in your words: at most 100 characters, which stay in the log",
  textUpTo(100),
] as const;
const TEST = ["--test", "the shop of test keys", false] as const;

function goodsCommands(run: RunInShop): Command[] {
  const list = new Command("list")
    .description("list products with their prices without tax and their stock")
    .option(...JSON_LINES)
    .option(...TEST)
    .action((options) =>
      run(async (app, operator) =>
        printList(await operator.listGoods(app, spaceOf(options)), productColumns(now()), options),
      ),
    );
  const add = new Command("add")
    .description("add a product; it sells once it has a price and stock")
    .requiredOption("--slug <name>", "the product's slug: lower-case letters, digits, hyphens", asSlug)
    .requiredOption("--type <type>", productTypes.join(", "), oneOf<ProductType>(productTypes))
    .requiredOption("--name <text>", "text for buyers", textUpTo(120))
    .requiredOption("--kg <n>", "kilograms of the base unit", asPositive)
    .option("--base <unit>", "the unit of stock", oneOf<UnitName>(unitNames), "bag")
    .option("--units <list>", "units for sale, each with its number of base units", asUnits)
    .option("--kwh <n>", "net calorific value in kWh/kg, of fuel", asPositive)
    .option(
      "--cn <code>",
      "Combined Nomenclature code of 4, 6 or 8 digits; default: that of its type",
      asCnCode,
    )
    .addOption(
      new Option("--vat <percent>", "value added tax in percent")
        .argParser(asPercent)
        .default(STANDARD_VAT_BP, String(STANDARD_VAT_BP / 100)),
    )
    .option("--id <n>", "the product_id; default: the next number", asCount)
    .option(...TEST)
    .addHelpText(
      "after",
      "\nExample: --slug pellets --type granulas --name 'Pellets 6 mm' --kg 15 --units bag=1,pallet=65",
    )
    .action((options) =>
      run(async (app, operator) => {
        const product_id = await operator.listProduct(app, spaceOf(options), {
          product_id: options.id,
          slug: options.slug,
          type: options.type,
          name: options.name,
          cn_code: options.cn,
          base_unit: options.base,
          units: options.units ?? [{ unit: options.base, base: 1 }],
          kg_per_base: options.kg,
          kwh_per_kg: options.kwh ?? null,
          vat_bp: options.vat,
        });
        print(`Product ${product_id}, ${options.slug}, is added. Next: shop price, shop receive.`);
      }),
    );
  const price = new Command("price")
    .description("set a unit's price, from now on or a later time")
    .argument("<product>", "the product's slug or product_id")
    .argument("<unit>", unitNames.join(" or "), oneOf<UnitName>(unitNames))
    .argument("<eur>", "the price of one unit, without tax, such as 4.95", asCents)
    .option("--from <time>", "when the price begins, in UTC, such as 2026-12-01T00:00:00Z", asTime)
    .option(...TEST)
    .action((name: string, unit: UnitName, net_cents: number, options) =>
      run(async (app, operator) => {
        await operator.setPrice(app, spaceOf(options), { name, unit, net_cents, from: options.from });
        print(
          `A ${unit} of ${name} costs EUR ${decimalEuro(net_cents)} without tax from ${options.from ?? "now"} on.`,
        );
      }),
    );
  const withdraw = new Command("withdraw")
    .description("take a product off the list; its orders stay")
    .argument("<product>", "the product's slug or product_id")
    .option(...TEST)
    .action((name: string, options) =>
      run(async (app, operator) => {
        await operator.withdrawProduct(app, spaceOf(options), name);
        print(`${name} is no longer sold.`);
      }),
    );
  const receive = new Command("receive")
    .description("add stock; sales use locations in the order in which they were first stocked")
    .argument("<product>", "the product's slug or product_id")
    .argument("<location>", "the location of the goods", asLocation)
    .argument("<quantity>", "the quantity in base units", asCount)
    .option("--reference <text>", "a delivery note", textUpTo(100))
    .option(...TEST)
    .action((name: string, location: string, quantity: number, options) =>
      run(async (app, operator) => {
        const facts = { name, location, quantity, reference: options.reference ?? null };
        tellShelves((await operator.receiveStock(app, spaceOf(options), facts)).shelves);
      }),
    );
  const adjust = new Command("adjust")
    .description("correct stock that was miscounted, lost or found; ordered goods cannot be removed")
    .argument("<product>", "the product's slug or product_id")
    .argument("<location>", "the location of the goods", asLocation)
    .argument("<delta>", "the change in base units: -3 for three less; write it after --", asDelta)
    .requiredOption(...IN_YOUR_WORDS)
    .option(...TEST)
    .action((name: string, location: string, delta: number, options) =>
      run(async (app, operator) => {
        const facts = { name, location, delta, reason: options.reason };
        tellShelves((await operator.adjustStock(app, spaceOf(options), facts)).shelves);
      }),
    );
  return [list, add, price, withdraw, receive, adjust];
}

/** Latvia's standard rate, in basis points. */
const STANDARD_VAT_BP = 2_100;

const now = () => new Date().toISOString();

const productColumns = (at: string): Columns<StockedProduct> => [
  ["PRODUCT", ({ facts }) => String(facts.product_id)],
  ["SLUG", ({ facts }) => facts.slug],
  ["TYPE", ({ facts }) => facts.type],
  [
    "PRICES",
    (product) =>
      pricedUnits(product, at)
        .map(({ unit, net_cents }) => `${unit} EUR ${decimalEuro(net_cents)}`)
        .join(", ") || "none",
  ],
  [
    "STOCK",
    ({ facts, shelves }) =>
      shelves
        .map(({ location, on_hand, reserved }) => `${location} ${on_hand - reserved} ${facts.base_unit}`)
        .join(", ") || "none",
  ],
  ["STATUS", ({ withdrawn_at }) => (withdrawn_at ? `withdrawn ${shortTime(withdrawn_at)}` : "on sale")],
];

function tellShelves(shelves: readonly Shelf[]): void {
  for (const { location, on_hand, reserved } of shelves)
    print(`${location.padEnd(20)} ${on_hand} on hand, ${reserved} reserved, ${on_hand - reserved} available`);
}

const ORDER_COLUMNS: Columns<OrderToHandle> = [
  ["ORDER", ({ order }) => String(order.facts.order_id)],
  ["GOODS", ({ order: { facts } }) => `${facts.quantity} ${facts.unit} ${facts.slug}`],
  ["EUR", ({ order: { facts } }) => decimalEuro(facts.gross_cents)],
  ["USDC", ({ order: { facts } }) => decimalUsdc(facts.usdc_micro)],
  ["BUYER", ({ tenant }) => tenant],
  ["CUSTOMER", ({ customer }) => (customer ? JSON.stringify(customer) : "erased")],
];

/** An order's JSON without its sealed customer. */
const orderObject = ({ tenant, order, customer }: OrderToHandle) => ({
  tenant,
  customer,
  ...order,
  facts: { ...order.facts, customer: undefined },
});

function ofOrder(name: string, about: string): Command {
  return new Command(name)
    .description(about)
    .argument("<order_id>", "as `shop orders` lists it", asOrderId)
    .option("--tenant <name>", "the order's buyer, if two buyers have this order_id");
}

function orderCommands(run: RunInShop): Command[] {
  type Options = { tenant?: string };
  const on = (
    order_id: number,
    { tenant }: Options,
    work: (app: App, named: OrderKey, operator: Shop) => Promise<Order>,
  ) =>
    run(async (app, operator) => {
      const named = await operator.orderNamed(app, order_id, tenant);
      print(`Order ${order_id} of ${named.tenant} is ${(await work(app, named, operator)).status}.`);
    });
  const list = new Command("orders")
    .description("list open orders: paid ones, or those with another status, with their customers")
    .option("--status <status>", statuses.join(", "), oneOf<OrderStatus>(statuses), "paid")
    .option(...JSON_LINES)
    .option(...TEST)
    .action((options) =>
      run(async (app, operator) => {
        const orders = await operator.listOrders(app, spaceOf(options), options.status);
        await printList(orders, ORDER_COLUMNS, options, orderObject);
      }),
    );
  const paid = ofOrder("paid", "record an invoice as paid")
    .option("--reference <text>", "the reference on the bank statement", textUpTo(100))
    .action((id: number, options) =>
      on(id, options, (app, named, operator) => operator.invoicePaid(app, named, options.reference ?? null)),
    );
  const ship = ofOrder("ship", "record the goods as shipped; waits until the payment is final on chain")
    .option("--carrier <name>", "the carrier", textUpTo(60))
    .option("--tracking <code>", "the carrier's number", textUpTo(100))
    .option(
      "--wait <seconds>",
      "the longest wait for the payment to be final, while the service runs",
      asCount,
      60,
    )
    .action((id: number, options) =>
      on(id, options, (app, named, operator) => {
        const sent = { carrier: options.carrier ?? null, tracking: options.tracking ?? null };
        return onceFinal(() => operator.ship(app, named, sent), options.wait);
      }),
    );
  const deliver = ofOrder("deliver", "record the goods as arrived").action((id: number, options) =>
    on(id, options, (app, named, operator) => operator.delivered(app, named)),
  );
  const takeBack = ofOrder("return", "take goods back; a USDC payment is refunded in full")
    .requiredOption(...IN_YOUR_WORDS)
    .option(
      "--restock <list>",
      "resellable goods, such as riga=10; default: all, at their old locations",
      asLines,
    )
    .option("--unsellable", "none of the goods is resellable", false)
    .action((id: number, options) =>
      on(id, options, (app, named, operator) => {
        const restocked = options.unsellable ? null : options.restock;
        return operator.returned(app, named, { reason: options.reason, restocked });
      }),
    );
  const cancel = ofOrder("cancel", "cancel an unshipped order; a USDC payment is refunded in full")
    .requiredOption(...IN_YOUR_WORDS)
    .action((id: number, options) =>
      on(id, options, (app, named, operator) => operator.cancelled(app, named, options.reason)),
    );
  return [list, paid, ship, deliver, takeBack, cancel];
}

/** Ships once the payment is final, instead of after a fixed time. */
export async function onceFinal(ship: () => Promise<Order>, seconds: number): Promise<Order> {
  for (const deadline = Date.now() + seconds * 1_000; ; await pause(1_000)) {
    try {
      return await ship();
    } catch (error) {
      const isEarly = error instanceof Refusal && error.type === commerceProblems["payment-not-final"];
      if (!isEarly || Date.now() > deadline) throw error;
    }
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const asSlug = judgedBy(slug);
const asLocation = judgedBy(location);
const asTime = judgedBy(time);

function asOrderId(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError("is an order_id: a whole number");
  return Number(text);
}

function asCents(text: string): number {
  const [, whole, fraction = ""] = /^(\d{1,6})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  if (whole === undefined || cents === 0 || cents > 10_000_000)
    throw new InvalidArgumentError("is an amount in EUR from 0.01 to 100000, such as 4.95");
  return cents;
}

function asCnCode(text: string): string {
  if (!/^\d{4}(\d\d){0,2}$/.test(text)) throw new InvalidArgumentError("is 4, 6 or 8 digits");
  return text;
}

function asPercent(text: string): number {
  if (!/^\d{1,2}(\.\d{1,2})?$/.test(text))
    throw new InvalidArgumentError("is a rate in percent below 100, such as 21");
  return Math.round(Number(text) * 100);
}

function asPositive(text: string): number {
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError("is a number above 0 with at most three places");
  return Number(text);
}

function asDelta(text: string): number {
  if (!/^[+-]?[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("is a whole number other than 0, such as -3");
  return Number(text);
}

/** Parses `bag=1,pallet=65` to names and numbers. */
function asPairs(text: string): [string, number][] {
  return text.split(",").map((pair) => {
    const [, name, count] = /^([a-z0-9-]+)=([1-9]\d{0,8})$/.exec(pair) ?? [];
    if (name === undefined) throw new InvalidArgumentError("is a list such as bag=1,pallet=65");
    return [name, Number(count)];
  });
}

const asUnits = (text: string) =>
  asPairs(text).map(([name, base]) => ({ unit: oneOf<UnitName>(unitNames)(name), base }));

const asLines = (text: string): StockLine[] =>
  asPairs(text).map(([name, quantity]) => ({ location: asLocation(name), quantity }));
