/** Stock clients refuse prices above their own caps before they sign, and pay once the cap is raised. */
import { decodePaymentResponseHeader } from "@x402/fetch";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decodeXPaymentResponse } from "x402-fetch";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { report } from "../support/report.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { axiosBuyer, fetchOfVersion1, fetchOfVersion2, unpaid } from "./buyers.ts";
import { balanceOf, demoWallet } from "./wallets.ts";

const wallet = demoWallet(2);
let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: [report("half", "0.50"), report("five", "5.00")], chain });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const half = () => `${service.url}/v1/agent/test/half`;
const five = () => `${service.url}/v1/agent/test/five`;
const order = (): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: "{}",
});

let before: bigint;
const spent = async () => before - (await balanceOf(workshop.node.rpc_url, wallet.address));
beforeEach(async () => {
  before = await balanceOf(workshop.node.rpc_url, wallet.address);
});

describe("x402-fetch 1.x stops at 0.10 USDC", () => {
  test.each([half, five])("it refuses by itself, and the 402 names the remedy", async (place) => {
    const stock = await fetchOfVersion1(wallet);
    await expect(stock(place(), order())).rejects.toEqual(
      new Error("Payment amount exceeds maximum allowed"),
    );
    expect(await spent()).toBe(0n);
    const { status, description } = await unpaid(place(), order());
    expect(status).toBe(402);
    expect(description).toMatch(/x402-fetch 1\.x .*0\.10.*: raise /);
  });

  test("with a raised cap it pays", async () => {
    const raised = await fetchOfVersion1(wallet, 5_000_000n);
    for (const [place, price] of [
      [half(), "0.50"],
      [five(), "5.00"],
    ] as const) {
      const answer = await raised(place, order());
      expect(await answer.json()).toMatchObject({ data: { price } });
      const settlement = decodeXPaymentResponse(answer.headers.get("X-PAYMENT-RESPONSE")!);
      expect(settlement).toMatchObject({ success: true, network: "base" });
    }
    expect(await spent()).toBe(5_500_000n);
  });
});

describe("@x402/fetch 2.x stops at 1.00 USDC", () => {
  test("it pays 0.50", async () => {
    const answer = await fetchOfVersion2(wallet)(half(), order());
    expect(await answer.json()).toMatchObject({ data: { price: "0.50" } });
    expect(await spent()).toBe(500_000n);
  });

  test("it refuses 5.00 by itself, and the 402 names the remedy", async () => {
    await expect(fetchOfVersion2(wallet)(five(), order())).rejects.toEqual(
      new Error(
        "Failed to create payment payload: All payment requirements were rejected by spendControls.maxAmountPerPayment " +
          "($1, including USDC). Raise maxAmountPerPayment, set it to false to disable, set " +
          "allowedAssets[].maxAmountPerPayment for a per-asset atomic cap, or set spendControls: false to disable all " +
          "spend controls.",
      ),
    );
    expect(await spent()).toBe(0n);
    const { description } = await unpaid(five(), order());
    expect(description).toMatch(/@x402\/fetch 2 at 1\.00 USDC\): raise the cap/);
  });

  test("with a raised cap it pays 5.00", async () => {
    const answer = await fetchOfVersion2(wallet, "$5")(five(), order());
    expect(await answer.json()).toMatchObject({ data: { price: "5.00" } });
    const settlement = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
    expect(settlement).toMatchObject({ success: true, network: "eip155:8453" });
    expect(await spent()).toBe(5_000_000n);
  });
});

test("x402-axios has no cap: it pays any price", async () => {
  for (const [place, price] of [
    [half(), "0.50"],
    [five(), "5.00"],
  ] as const) {
    const { data } = await (await axiosBuyer(wallet)).post(place, {});
    expect(data).toMatchObject({ data: { price } });
  }
  expect(await spent()).toBe(5_500_000n);
});
