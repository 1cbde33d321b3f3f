/** The service as it is started, and stock clients that pay it 0.05 USDC. */
import { decodePaymentResponseHeader } from "@x402/fetch";
import { getAddress } from "viem";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { decodeXPaymentResponse as decodeOfAxios } from "x402-axios";
import { decodeXPaymentResponse } from "x402-fetch";
import { axiosBuyer, axiosOfVersion2, fetchOfVersion1, fetchOfVersion2, unpaid } from "./buyers.ts";
import { balanceOf, buyerWallet, transfersIn } from "./wallets.ts";

const PRICE = 50_000n;
const place = "/v1/agent/trade/top-partners?reporter=DE&limit=3";

const wallet = buyerWallet(0);
const service = inject("sandbox");

let payee: string;
let before: bigint;
beforeEach(async () => {
  payee = (await unpaid(service.url + place)).payTo;
  before = await balanceOf(service.rpc_url, wallet.address);
});

/** The answer was given, and paid exactly once. */
async function expectSold(
  answer: unknown,
  settlement: { transaction: string },
  network: string,
): Promise<void> {
  expect((answer as { data: object[] }).data[0]).toMatchObject({ rank: 1 });
  expect(settlement).toMatchObject({
    success: true,
    network,
    payer: wallet.address.toLowerCase(),
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(before - (await balanceOf(service.rpc_url, wallet.address))).toBe(PRICE);
  // Other buyers pay the same address meanwhile, and one transaction may carry several payments.
  const moved = await transfersIn(service.rpc_url, settlement.transaction);
  expect(moved.filter(({ from }) => from === wallet.address)).toEqual([
    { from: wallet.address, to: getAddress(payee), value: PRICE },
  ]);
}

describe("0.05 USDC are paid, with nothing set but the wallet, by", () => {
  test("x402-fetch 1.x", async () => {
    const answer = await (await fetchOfVersion1(wallet))(service.url + place, {});
    expect(answer.status).toBe(200);
    const settlement = decodeXPaymentResponse(answer.headers.get("X-PAYMENT-RESPONSE")!);
    await expectSold(await answer.json(), settlement, "base");
  });

  test("x402-axios", async () => {
    const { status, data, headers } = await (await axiosBuyer(wallet)).get(service.url + place);
    expect(status).toBe(200);
    await expectSold(data, decodeOfAxios(headers["x-payment-response"]), "base");
  });

  test("@x402/fetch 2.x", async () => {
    const answer = await fetchOfVersion2(wallet)(service.url + place);
    expect(answer.status).toBe(200);
    const settlement = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
    await expectSold(await answer.json(), settlement, "eip155:8453");
  });

  test("@x402/axios 2.x", async () => {
    const { status, data, headers } = await axiosOfVersion2(wallet).get(service.url + place);
    expect(status).toBe(200);
    await expectSold(data, decodePaymentResponseHeader(headers["payment-response"]), "eip155:8453");
  });
});
