/** Which paid calls are evidence of spending: goods, attestations and refundable money are not. */
import { expect, test } from "vitest";
import { paymentOf } from "../../src/api/declare/access/way.ts";
import { effectOf } from "../../src/api/declare/operation-facts.ts";
import { NOT_SPENT } from "../../src/domain/trust/rules.ts";
import { catalogue } from "../support/catalogue.ts";

const paid = catalogue.filter((operation) => paymentOf(operation));

/** Paid calls that change something and whose price the service keeps, listed by hand. */
const KEPT = [
  "alerts_delete",
  "alerts_rotate_secret",
  "alerts_subscribe",
  "alerts_topup",
  "checks_cancel",
  "checks_create",
  "checks_redeem",
  "compliance_annex_iv",
  "compliance_annex_v",
  "compliance_full_report",
  "compliance_self_assessment",
  "evolution_pipeline",
  "evolution_propose",
  "fusion_deep_analysis",
  "lounge_dice",
  "lounge_keno",
  "lounge_order",
  "lounge_roulette",
  "notices_rotate_secret",
  "notices_subscribe",
  "orders_cancel",
  "orders_create",
  "quotes_create",
  "rng_anchor_commit",
  "rng_roll",
  "rng_roll_batch",
  "skills_auto_route",
  "skills_batch",
  "skills_run",
  "sovereign_brief",
  "sovereign_brief_deep",
  "sovereign_brief_multi",
  "trade_premium_custom_report",
  "trade_premium_deep_analysis",
  "wallet_airdrop",
];

test("every listed operation exists and has a price", () => {
  const names = paid.map(({ name }) => name);
  expect(NOT_SPENT.filter((name) => !names.includes(name))).toEqual([]);
});

test("each paid call with an effect is listed here, or its price stays with the service", () => {
  const changing = paid
    .filter((operation) => effectOf(operation).changes !== "nothing")
    .map(({ name }) => name);
  expect(changing.filter((name) => !NOT_SPENT.includes(name)).sort()).toEqual(KEPT);
});

test("every attestation operation is listed", () => {
  expect(paid.map(({ name }) => name).filter((name) => /attest(_batch)?$/.test(name))).toEqual([
    "soul_attest",
    "soul_attest_batch",
  ]);
  expect(NOT_SPENT).toEqual(expect.arrayContaining(["soul_attest", "soul_attest_batch"]));
});
