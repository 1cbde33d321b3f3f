/** A wallet without a key: its data are sealed for its tenant, shown to it alone, and erased at its request. */
import type { HDAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { buy, present, settlementOf } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { letters } from "./letters.ts";
import { tablesWith } from "./traces.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain, vault: true, areas: [...areas, letters] });
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
});

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

const proofOf = (
  account: HDAccount,
  { path, ...call }: { path: string } & Parameters<typeof walletProof>[2],
) => walletProof(account, service.url + path, call);

const mail = "payer.customer@example.org";
const order = post({ mail, address: "Valnu iela 3" });
type Shown = { data: { letter_id: string; to: { mail: string } | null; erased: boolean } };

test("a purchase is repeated only for its wallet, has no digest in the log, and is erased by its wallet", async () => {
  const url = `${service.url}/v1/agent/letters`;
  const { payment, answer } = await buy(wallet(0), url, order);
  expect(answer.status).toBe(201);
  const { data } = (await answer.json()) as Shown;
  expect(data.to).toMatchObject({ mail });
  expect(settlementOf(answer).success).toBe(true);

  // A caller that repeats the order already knows its subject.
  const same = await present(url, payment, order);
  expect(((await same.json()) as Shown).data).toEqual(data);

  const path = `/v1/agent/letters/${data.letter_id}`;
  const reading = await buy(wallet(0), service.url + path);
  expect(((await reading.answer.json()) as Shown).data.to).toMatchObject({ mail });
  // The payment is public on the chain by now.
  for (const forget of ["select", "delete from access.kept_answers"]) {
    await service.app.pool.query(forget);
    const stranger = await present(service.url + path, reading.payment);
    expect(stranger.status).toBe(401);
    expect(await stranger.text()).not.toContain(mail);
    const call = { method: "GET" as const, path };
    const other = await proofOf(wallet(1), { ...call, nonce: "strangers12345678" });
    expect((await present(service.url + path, reading.payment, { headers: other })).status).toBe(403);
    const own = await proofOf(wallet(0), { ...call, nonce: "ownreading12345678" });
    const again = await present(service.url + path, reading.payment, { headers: own });
    expect(again.status).toBe(200);
    expect(((await again.json()) as Shown).data.to).toMatchObject({ mail });
  }

  const recorded = await service.app.store.readLog({ after: 0 });
  const answers = service.app
    .eventsOf(payments, recorded)
    .flatMap((event) => (event.type === "PaymentSettled" && event.data.answer ? [event.data.answer] : []));
  expect(answers.map(({ sha256 }) => sha256)).toEqual([null, null]);

  const erasing = "/v1/agent/commerce/erase";
  const body = { email: mail };
  const ask = async (account: HDAccount, nonce: string) => {
    const headers = await proofOf(account, { method: "POST", path: erasing, body, nonce });
    const init = post(body);
    return fetch(service.url + erasing, { ...init, headers: { ...init.headers, ...headers } });
  };
  expect((await ask(wallet(1), "stranger12345678")).status).toBe(404);
  const erased = await ask(wallet(0), "erasing12345678");
  expect(erased.status).toBe(200);
  const text = await erased.text();
  expect(text).toContain('"sealed_events":1');
  // The same signature again is the same command.
  const again = await ask(wallet(0), "erasing12345678");
  expect([again.status, await again.text()]).toEqual([200, text]);

  expect(await tablesWith(service.database_url, mail)).toEqual([]);
  const tenant = payments.walletTenant(addressOf(wallet(0)));
  expect(await service.app.subjects.find(mailSubject(tenant, mail))).toBeUndefined();
  const own = await proofOf(wallet(0), { method: "GET", path, nonce: "afterwards12345678" });
  const after = await present(service.url + path, reading.payment, { headers: own });
  expect(((await after.json()) as Shown).data).toMatchObject({ to: null, erased: true });
  const bought = await present(url, payment, order);
  expect(((await bought.json()) as Shown).data).toMatchObject({ to: null, erased: true });
});
