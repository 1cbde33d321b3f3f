/** Checks over real HTTP on the embedded chain: written, signed by a wallet, drawn, and followed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, balanceOf, wallet } from "../chain/fixture.ts";
import { until } from "../eventstore/fixture.ts";
import { signShown } from "../support/checked.ts";
import { type Ask, type Desk, openDesk } from "./desk.ts";

let desk: Desk;
let mine: Ask;
beforeAll(async () => {
  desk = await openDesk({ reactors: true });
  mine = await desk.as("acme");
}, 60_000);
afterAll(() => desk?.service.stop());

const [issuer, payee] = [wallet(0), wallet(1)];
const draft = { from: issuer.address, to: payee.address, amount: "12.5" };
const statusOf = async (check_id: string) => (await mine("GET", `verify/${check_id}`)).body.data.status;

test("a check is written, signed, drawn, and seen to be redeemed", async () => {
  const created = await mine("POST", "create", draft);
  expect(created.status).toBe(200);
  const { check_id, typed_data } = created.body.data;
  const signature = await signShown(0, typed_data);
  const drawn = await mine("POST", "redeem", { check_id, signature });
  expect(drawn.body.data).toMatchObject({ status: "pending", redeeming: true, transaction: { from: null } });
  const before = await balanceOf(desk.app.chain, addressOf(payee));
  await desk.send(drawn.body.data.transaction, 9);
  expect((await balanceOf(desk.app.chain, addressOf(payee))) - before).toBe(12_500_000n);
  await until(async () => (await statusOf(check_id)) === "redeemed");
});
