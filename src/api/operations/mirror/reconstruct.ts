import { Refusal } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import {
  anyTargetInput,
  type MirrorInput,
  reconstructInput,
  reconstructOutput,
} from "../../../projections/mirror/answers/answer.ts";
import { reconstructChart } from "../../../projections/mirror/answers/chart.ts";
import { dollarsIn, ratesVintages } from "../../../projections/mirror/answers/dollars.ts";
import { countryMonths, reconstruct } from "../../../projections/mirror/answers/reconstruct.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import type { PricedCall } from "../../declare/access/way.ts";
import { type Context, json, key, operation, pay, reads, type Usdc } from "../../declare/index.ts";

/** The price of one country-month in USDC. */
const UNIT_PRICE = "1.00";

/** One dollar for each covered country-month. For a request that will be refused, the price of one month. */
function priceOfMonths(input: MirrorInput, { data }: { data: Data }): Usdc {
  try {
    return `${Math.max(1, countryMonths(dataOf(data), input))}`;
  } catch (error) {
    if (error instanceof Refusal) return UNIT_PRICE;
    throw error;
  }
}

const costs = `One country-month costs ${UNIT_PRICE} USDC, so a year costs twelve, and a request without
\`year\` hundreds: start with a \`month\`. Stock x402 clients also cap a payment (x402-fetch 1.x at 0.10, @x402/fetch 2 at 1.00 USDC). Months that nobody
has reported in full are left out and free.`;

const shared = {
  area: "mirror" as const,
  access: [key("read"), pay(priceOfMonths, UNIT_PRICE, `${UNIT_PRICE} USDC a country-month`)],
  output: json(reconstructOutput, { table: "data", chart: reconstructChart }),
  vintage: (data: Data) => {
    const trade = vintage(data);
    return trade && [trade, ...ratesVintages(data.reference)].join("+");
  },
  covers: (input: MirrorInput, { data }: PricedCall) => void countryMonths(dataOf(data), input),
  handle: ({ input, data, signal }: Context<MirrorInput>) =>
    reconstruct(dataOf(data), (synthetic) => dollarsIn(data.reference, synthetic), input, signal),
};

const reconstructOperation = operation({
  ...shared,
  name: "mirror_reconstruct",
  route: "GET /v1/agent/mirror/reconstruct",
  summary: "The trade of China, Russia, India or Mexico with the EU27, from the EU's own figures",
  description: `Like sovereign_mirror, for four countries that do not report here. ${costs}`,
  input: reconstructInput,
  example: { target_country: "CN", direction: "EXPORT", hs: "44", month: "2024-03" },
});

const sovereignOperation = operation({
  ...shared,
  name: "sovereign_mirror",
  route: "POST /v1/agent/sovereign/mirror",
  effect: reads,
  summary: "The trade of any country with the EU27, from its partners' figures",
  description: `A country's imports are the EU27's exports to it plus freight and insurance (τ); its exports are the EU27's imports from it minus freight and insurance.
For one of the 27, the partners are the other 26. It covers trade with the EU27, not the world. Each month shows the parts of its
\`confidence\`, the missing reporters, and the figures left out. ${costs}`,
  input: anyTargetInput,
  example: { target_country: "TR", direction: "EXPORT", hs: "44", month: "2024-03" },
});

export const mirrorOperations = [reconstructOperation, sovereignOperation];
