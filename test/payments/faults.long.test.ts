/** Paid calls while the chain or the log fails: nothing is lost, and nothing is charged twice. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { freePort } from "../../src/adapters/free-port.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { balanceOf, rewind } from "../chain/fixture.ts";
import { type Meddling, openMeddler } from "../chain/meddler.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { sampleOperations, script } from "./sample-operations.ts";
import { expectAnswered, expectAway, nameOf, openStall, type Stall, storyOf } from "./stall.ts";

const PRICE = 50_000n;

let stall: Stall;
let keyed: { Authorization: string };
beforeAll(async () => {
  stall = await openStall();
  keyed = (await stall.service.issue()).headers;
});
afterAll(() => stall?.close());
afterEach(async () => {
  script.before = async () => {};
  stall.meddler.meddle = () => undefined;
  await expectBooks(stall.service.app, stall.workshop.chain);
});

const pay = (say: string, paid: SignedPayment) => stall.pay(say, paid);
const askedAgain = (say: string, paid: SignedPayment) => stall.askedAgain(say, paid);
const story = (paid: SignedPayment) => storyOf(stall.service, paid);
const heal = () => {
  stall.meddler.meddle = () => undefined;
};

/** Reactors alone finish a payment: settled, final, unanswered, refunded. */
async function expectRefunded(paid: SignedPayment): Promise<void> {
  // A cut connection may not have been noticed yet; the service's own ticks retry, too.
  const turn = () => stall.reconcile({ claim_holds_ms: -1_000 }).catch(String);
  await expect.poll(turn).toBe("done");
  await stall.mine(4);
  await stall.reconcile();
  await stall.reconcile({ answer_within_ms: -1_000 });
  expect(await stall.payRefunds()).toBe("done");
  expect((await story(paid)).slice(-3)).toEqual(["PaymentSettled", "RefundOpened", "RefundPaid"]);
}

type Manner = [what: string, meddling: (method: string) => Meddling | Promise<Meddling>];
const manners: Manner[] = [
  ["hangs", () => "hangs"],
  ["hangs up", () => "hangs up"],
  ["errs", () => ({ error: { code: -32603, message: "internal error" } })],
  ["answers late", () => sleep(2_200, undefined)],
  ["answers what is not JSON", () => ({ text: "<html>" })],
  ["answers nothing", () => ({ result: null })],
  ["answers garbage", () => ({ result: "0x1234" })],
  ["answers something else", () => ({ result: { no: "such thing" } })],
];
/** After the claim no contract is called any more. */
const emptied: Manner = [
  "serves empty contracts",
  (method) => (method === "eth_call" ? { result: "0x" } : undefined),
];

describe("an RPC that fails", () => {
  const nameOfCall = (what: string) => what.replaceAll(" ", "_");

  test.each([...manners, emptied])(
    "%s before sending: nothing is charged, callers by key are not affected, and it recovers",
    async (what, meddling) => {
      const said = nameOfCall(what);
      const paid = await stall.sign(said);
      const [earned, position] = [await stall.earned(), await stall.position()];
      stall.meddler.meddle = meddling;
      const asking = pay(said, paid);
      expect((await fetch(stall.echoUrl("keyed"), { headers: keyed })).status).toBe(200);
      await expectAway(await asking, "payment-unavailable");
      expect([await stall.earned(), await stall.position()]).toEqual([earned, position]);
      heal();
      await expectAnswered(await pay(said, paid), said);
      expect(await stall.earned()).toBe(earned + PRICE);
      expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
    },
  );

  test.each(manners)(
    "%s after the claim: never a fresh 402, and charged once after the recovery",
    async (what, meddling) => {
      const said = nameOfCall(what);
      const paid = await stall.sign(`${said}_claimed`);
      const earned = await stall.earned();
      script.before = async () => {
        stall.meddler.meddle = meddling;
      };
      const first = await pay(`${said}_claimed`, paid);
      script.before = async () => {};
      const type = (await story(paid)).includes("PaymentFailed") ? "payment-unavailable" : "payment-pending";
      await expectAway(first, type);
      expect(await stall.earned()).toBe(earned);
      heal();
      await expectAnswered(await askedAgain(`${said}_claimed`, paid), `${said}_claimed`);
      expect(await stall.earned()).toBe(earned + PRICE);
    },
  );
});

describe("an RPC that fails once the transaction may be sent", () => {
  const afterSending: Manner[] = [
    [
      "takes it and is silent from then on",
      (method) => (method === "eth_sendRawTransaction" ? "swallows" : "hangs"),
    ],
    ["takes it and hangs up", (method) => (method === "eth_sendRawTransaction" ? "swallows" : "hangs up")],
    ["never takes it", (method) => (method === "eth_sendRawTransaction" ? "hangs" : undefined)],
    [
      "does not know its receipt",
      (method) => (method === "eth_getTransactionReceipt" ? { result: null } : undefined),
    ],
    [
      "tells garbage for a receipt",
      (method) => (method === "eth_getTransactionReceipt" ? { result: {} } : undefined),
    ],
  ];
  /** Interferes from the moment the signed transaction is about to be sent. */
  const meddleFromSending = (meddling: Manner[1]) => {
    let sent = false;
    stall.meddler.meddle = (method) => {
      sent ||= method === "eth_sendRawTransaction";
      return sent ? meddling(method) : undefined;
    };
  };

  test.each(afterSending)(
    "and %s: the call is pending, then answered and charged once",
    async (what, meddling) => {
      const say = what.replaceAll(" ", "_");
      const paid = await stall.sign(say, 1);
      const earned = await stall.earned();
      meddleFromSending(meddling);
      await expectAway(await pay(say, paid), "payment-pending");
      const status = await fetch(`${stall.service.url}/v1/agent/payments/${nameOf(paid)}`);
      expect(await status.json()).toMatchObject({ data: { status: "pending" } });
      heal();
      await expectAnswered(await askedAgain(say, paid), say);
      expect(await stall.earned()).toBe(earned + PRICE);
      expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
    },
  );

  test("after a nonce with a gap: pending, then answered and charged once", async () => {
    const paid = await stall.sign("gap", 1);
    const earned = await stall.earned();
    stall.meddler.meddle = (method) =>
      method === "eth_getTransactionCount" ? { result: "0x270f" } : undefined;
    await expectAway(await pay("gap", paid), "payment-pending");
    heal();
    await expectAnswered(await askedAgain("gap", paid), "gap");
    expect(await stall.earned()).toBe(earned + PRICE);
  });

  test("without another call: the payment is found settled, and refunded", async () => {
    const paid = await stall.sign("forgotten", 1);
    const earned = await stall.earned();
    meddleFromSending(afterSending[0]![1]);
    await expectAway(await pay("forgotten", paid), "payment-pending");
    expect(await stall.reconcile({ claim_holds_ms: -1_000 })).toBe("away");
    expect(await story(paid)).toEqual(["PaymentClaimed"]);
    heal();
    expect(await stall.earned()).toBe(earned + PRICE);
    await expectRefunded(paid);
    // A late caller learns of the refund and gets no answer.
    const late = await pay("forgotten", paid);
    expect(late.status).toBe(402);
    expect(await late.text()).toContain("refunded");
  });
});

test("a reorg that reverts a settlement after its answer: sent again, and the answer stays", async () => {
  const earned = await stall.earned();
  const paid = await stall.sign("reorged", 2);
  const snapshot = await stall.workshop.rpc<Hex>("evm_snapshot");
  const text = await expectAnswered(await pay("reorged", paid), "reorged");
  await rewind(stall.workshop, snapshot);
  expect(await stall.earned()).toBe(earned);
  // On a busy machine the node may be too late for one tick: then the next one sends it.
  await until(async () => {
    expect(await stall.reconcile()).toBe("done");
    return (await story(paid)).length === 4;
  });
  expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentSettled", "PaymentReorged", "PaymentSettled"]);
  expect(await stall.earned()).toBe(earned + PRICE);
  expect(await expectAnswered(await pay("reorged", paid), "reorged")).toBe(text);
});

test("an RPC that is down at the start: the service starts, answers by key, and sells once it is up", async () => {
  const port = await freePort(0);
  // A log of its own needs a payee account of its own.
  const pay_to = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;
  const settings = { ...stall.settings, pay_to, rpc_url: `http://127.0.0.1:${port}` };
  const service = await startService({ operations: sampleOperations, chain: settings });
  try {
    const { headers } = await service.issue();
    const url = `${service.url}/v1/agent/test/echo?say=early`;
    const paid = await signPayment(wallet(3), await quoteOf(url));
    for (let i = 0; i < 5; i++) await expectAway(await present(url, paid), "payment-unavailable");
    expect((await fetch(url, { headers })).status).toBe(200);
    expect((await service.app.store.head()).position).toBe(1);
    const warned = service.logged.filter(({ msg }) => String(msg).includes("payments cannot be settled"));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatchObject({ level: 40, reason: expect.stringContaining("eth_") });
    const node = await openMeddler(stall.workshop.node.rpc_url, port);
    try {
      await expectAnswered(await present(url, paid), "early");
      expect(await balanceOf(stall.workshop.chain, pay_to)).toBe(PRICE);
      await expectBooks(service.app);
    } finally {
      await node.close();
    }
  } finally {
    await service.stop();
  }
});

describe("Postgres down right after the settlement", () => {
  const onServer = async (sql: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: inject("postgresUrl") });
    await client.connect();
    await client.query(sql, values).finally(() => client.end());
  };
  const database = () => new URL(stall.service.database_url).pathname.slice(1);
  const admit = (yes: boolean) => onServer(`alter database ${database()} with allow_connections ${yes}`);
  const cut = () =>
    onServer("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database()]);
  /** Runs `work` once, when the next payment has settled. */
  const onceSettled = (work: () => Promise<unknown>) => {
    const { settlement } = stall.service.app;
    const { settle } = settlement;
    settlement.settle = async (...payment) => {
      settlement.settle = settle;
      const receipt = await settle(...payment);
      await work();
      return receipt;
    };
  };

  test("for a while: pending, then the same payment gets its answer, and is charged once", async () => {
    const paid = await stall.sign("no_database", 5);
    const earned = await stall.earned();
    onceSettled(() => admit(false).then(cut));
    try {
      await expectAway(await pay("no_database", paid), "payment-pending");
      const meanwhile = await pay("no_database", paid);
      expect(meanwhile.status).toBe(503);
    } finally {
      await admit(true);
    }
    expect(await stall.earned()).toBe(earned + PRICE);
    await expectAnswered(await askedAgain("no_database", paid), "no_database");
    expect(await stall.earned()).toBe(earned + PRICE);
    expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  });

  test("for a moment: answered at once or at the next call, and charged once", async () => {
    const paid = await stall.sign("blip", 5);
    const earned = await stall.earned();
    onceSettled(cut);
    await expectAnswered(await askedAgain("blip", paid), "blip");
    expect(await stall.earned()).toBe(earned + PRICE);
    expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
  });

  test("without another call: the payment is found settled, and refunded", async () => {
    const paid = await stall.sign("no_database_forgotten", 5);
    onceSettled(() => admit(false).then(cut));
    await expectAway(await pay("no_database_forgotten", paid), "payment-pending").finally(() => admit(true));
    await expectRefunded(paid);
  });
});
