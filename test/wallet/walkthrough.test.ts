/**
 * The wallet over real HTTP on the embedded chain: an airdrop is requested, paid once, and seen in balances and
 * histories.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { DEPLOYMENT_PROXY } from "../../src/core/model/deployment.ts";
import { MULTICALL3 } from "../../src/core/model/multicall.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { reachOf } from "../../src/projections/wallet/transfers.ts";
import { transfersReactor } from "../../src/reactors/wallet/follow-transfers.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";

let service: Service;
let admin: Record<string, string>;
let reader: Record<string, string>;
beforeAll(async () => {
  // The test decides when transfers are stored.
  const others = areas.map((area) => ({
    ...area,
    reactors: area.reactors.filter((one) => one !== transfersReactor),
  }));
  service = await startService({ chain: "embedded", reactors: true, areas: others });
  admin = (await service.issue({ scopes: ["read", "order", "admin"] })).headers;
  reader = (await service.issue()).headers;
});
afterAll(() => service?.stop());

/** The fields of an airdrop, of balances or of transfers that the tests read. */
type WalletData = {
  airdrop_id: string;
  status: string;
  contract: string;
  transaction: string;
  token: { amount: string };
};
type TransferRow = { block_number: number; log_index: number; final: boolean };
type Answer<Data = WalletData> = {
  status: number;
  data: Data;
  meta: { next_cursor: string | null };
  errors: { path: string; message: string }[];
  detail: string;
};
async function answerOf<Data = WalletData>(response: Response): Promise<Answer<Data>> {
  return { ...((await response.json()) as Answer<Data>), status: response.status };
}
const get = async <Data = WalletData>(path: string, headers = reader) =>
  answerOf<Data>(await fetch(`${service.url}/v1/agent/wallet/${path}`, { headers }));
const request = (body: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
const AIRDROP = "/v1/agent/wallet/airdrop";
const airdrop = async (body: object, headers = admin) =>
  answerOf(await fetch(service.url + AIRDROP, request(body, headers)));

const someone = (digit: string) => `0x${"d".repeat(38)}${digit.padStart(2, "0")}`;
const tokensOf = async (address: string) => (await get(`balances?address=${address}`)).data.token.amount;

async function paid(airdrop_id: string): Promise<Answer> {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await get(`airdrop/${airdrop_id}`, admin);
    return answer.data.status === "paid";
  });
  return answer!;
}

test("balances are as of one block: the platform's wallet by default", async () => {
  const own = await get("balances");
  expect(own).toMatchObject({
    status: 200,
    data: {
      address: service.app.pay_to,
      is_platform: true,
      eth: "0",
      usdc: "0.00",
      token: { symbol: "TALLY", amount: "0" },
    },
    meta: { network: "eip155:8453", development_chain: true, block_number: expect.any(Number) },
  });
  const demo = await get(`balances?address=${wallet(2).address}`);
  expect(demo.data).toMatchObject({
    address: addressOf(wallet(2)),
    is_platform: false,
    eth: "10000",
    usdc: "10000.00",
    token: { address: service.app.platform_token, decimals: 18, amount: "10000" },
  });
  expect((await get("balances?address=0x12")).errors[0]!.message).toContain("40 hex digits");
});

describe("an airdrop", () => {
  const recipients = [someone("1"), someone("2"), someone("3")];
  let first: Answer;

  test("is requested, paid in one transaction, and visible to all parties", async () => {
    const response = await airdrop({ recipients, amount_each: "1.5" });
    expect(response).toMatchObject({
      status: 200,
      data: { status: "asked", amount_each: "1.5", amount_total: "4.5", recipients, transaction: null },
    });
    first = await paid(response.data.airdrop_id);
    expect(first.data).toMatchObject({
      payer: service.app.chain.sender,
      failure: null,
      block_number: expect.any(Number),
    });
    expect(await Promise.all(recipients.map(tokensOf))).toEqual(["1.5", "1.5", "1.5"]);

    const received = await get(`history?address=${recipients[0]}`);
    expect(received.data).toMatchObject([
      {
        direction: "in",
        symbol: "TALLY",
        amount: "1.5",
        from: service.app.chain.sender,
        transaction: first.data.transaction,
      },
    ]);
    expect(received.meta).toMatchObject({ scanned_to: 0, next_cursor: null, count: 1 });
  });

  test("that is repeated is the same one, however it is written", async () => {
    for (const again of [
      { recipients, amount_each: "1.5" },
      { recipients: recipients.toReversed(), amount_each: 1.5 },
    ])
      expect((await airdrop(again)).data).toEqual(first.data);
    const both = await Promise.all([1, 2, 3].map(() => airdrop({ recipients, amount_each: "1.50" })));
    expect(both.map(({ data }) => data.airdrop_id)).toEqual([1, 2, 3].map(() => first.data.airdrop_id));
    expect(await tokensOf(recipients[0]!)).toBe("1.5");
  });

  test("with a name of its own is another, and one name has one content", async () => {
    const more = { recipients: [someone("4")], amount_each: 2 };
    const named = await airdrop({ ...more, idempotency_key: "bonus" });
    const header = await airdrop(more, { ...admin, "Idempotency-Key": "bonus-2" });
    const again = await airdrop(more, { ...admin, "Idempotency-Key": "bonus-2" });
    expect(again.data.airdrop_id).toBe(header.data.airdrop_id);
    for (const { data } of [named, header]) await paid(data.airdrop_id);
    expect(await tokensOf(someone("4"))).toBe("4");
    const other = await airdrop({ ...more, amount_each: 3, idempotency_key: "bonus" });
    expect(other).toMatchObject({ status: 422, type: expect.stringContaining("idempotency-key-reused") });
  });

  test("is refused whole for one bad recipient, and for a bad amount", async () => {
    const { platform_token } = service.app;
    for (const [bad, message] of [
      [platform_token, "token's own contract"],
      [`0x${"0".repeat(40)}`, "not all of them 0"],
      [wallet(1).address.replace("C5", "c5"), "EIP-55"],
      [first.data.contract, "the contract that pays"],
      [USDC.address, "USDC's contract"],
      [MULTICALL3, "Multicall3"],
      [ANCHOR_ADDRESS, "the contract that stores tree heads"],
      [DEPLOYMENT_PROXY.address, "the contract that deploys others"],
      [someone("1"), "repeats recipient 0"],
    ]) {
      const answer = await airdrop({ recipients: [someone("1"), bad], amount_each: 1 });
      expect(answer).toMatchObject({
        status: 400,
        errors: [{ path: "recipients.1", message: expect.stringContaining(message as string) }],
      });
    }
    for (const amount_each of [-1, 10_000.01, "1e3", "1.0000000000000000001"])
      expect(await airdrop({ recipients, amount_each })).toMatchObject({
        status: 400,
        errors: [{ path: "amount_each" }],
      });
    expect(await tokensOf(someone("1"))).toBe("1.5");
  });

  test("needs an admin key, also with a payment; only its tenant sees it", async () => {
    const body = { recipients: [someone("5")], amount_each: "0.25" };
    const sign = async () => signPayment(wallet(1), await quoteOf(service.url + AIRDROP, request(body)));
    expect((await airdrop(body, reader)).status).toBe(403);
    expect((await present(service.url + AIRDROP, await sign(), request(body))).status).toBe(401);
    expect((await present(service.url + AIRDROP, await sign(), request(body, reader))).status).toBe(403);
    const bought = await answerOf(await present(service.url + AIRDROP, await sign(), request(body, admin)));
    expect(bought.status).toBe(200);
    await paid(bought.data.airdrop_id);
    expect(await tokensOf(someone("5"))).toBe("0.25");
    const testing = (await service.issue({ space: "test", scopes: ["admin"] })).headers;
    replace(service.app, { embedded_chain: false });
    const real = await airdrop(body, testing).finally(() => {
      replace(service.app, { embedded_chain: true });
    });
    expect([real.status, real.detail]).toEqual([
      403,
      "a test key moves no money of a real chain; use a live key, or pay",
    ]);
    const stranger = (await service.issue({ tenant: "other", scopes: ["admin"] })).headers;
    expect((await get(`airdrop/${bought.data.airdrop_id}`, stranger)).status).toBe(404);
    // The one payment that was charged is the platform's income.
    expect(await get("balances")).toMatchObject({ data: { usdc: "0.10" } });
    expect((await get("history")).data).toMatchObject([{ direction: "in", symbol: "USDC", amount: "0.10" }]);
  });
});

/** Blocks become final meanwhile. */
const withoutFinal = ({ final: _, ...rest }: TransferRow) => rest;

test("a history is paged without a gap, whether blocks are final and stored, or new", async () => {
  const { sender } = service.app.chain;
  const keep = () => turn(service.app, transfersReactor, { patient: true });
  await until(async () => (await keep()).status === "done");
  const reach = await reachOf(service.app.pool, {
    network: "eip155:8453",
    account: sender,
    token: service.app.platform_token!,
  });
  expect(reach).toMatchObject({ from_block: 0n });
  expect(reach!.to_block).toBeGreaterThan(10n);
  const whole = await get<TransferRow[]>(`history?address=${sender}&limit=100`);
  // The gas key's grant, and one transfer for each recipient so far.
  expect(whole.data).toHaveLength(1 + 3 + 2 + 1);
  expect(whole.data.at(-1)).toMatchObject({ direction: "in", amount: "100000000" });
  const places = whole.data.map(({ block_number, log_index }) => [block_number, log_index]);
  expect(places).toEqual(places.toSorted((a, b) => b[0]! - a[0]! || b[1]! - a[1]!));
  const paged: object[] = [];
  let cursor = "";
  for (let pages = 0; pages < 20; pages++) {
    const page = await get<TransferRow[]>(`history?address=${sender}&limit=2${cursor}`);
    expect(page.data.length).toBeLessThanOrEqual(2);
    paged.push(...page.data.map(withoutFinal));
    if (page.meta.next_cursor === null) break;
    cursor = `&cursor=${page.meta.next_cursor}`;
  }
  expect(paged).toEqual(whole.data.map(withoutFinal));
  expect((await get("history?cursor=999999-0")).errors[0]!.path).toBe("cursor");
});
