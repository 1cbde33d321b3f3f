/** A log of paid calls and its chain: receipts match it, and its dates match the blocks. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { jsonRpc } from "../../src/adapters/json-rpc.ts";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { anchorTick } from "../../src/anchoring/anchor-signed.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import type { AskChain } from "../../src/audit/ask-chain.ts";
import { verifyPack } from "../../src/audit/verify-pack.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type LoggedEvent, receiptIn, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { failures } from "../eventstore/verify-support.ts";
import { buy, present } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

let workshop: Workshop;
let service: Service;
let dir: string;
let file: string;
let bought: Awaited<ReturnType<typeof buy>>;
const url = () => `${service.url}/v1/agent/test/echo?say=dated`;

beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY as Hex, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain });
  dir = await mkdtemp(join(tmpdir(), "tallystick-dated-"));
  bought = await buy(wallet(0), url());
  await turnOf(service.app, "log-signing", ({ app }) => signTick(app, AT_ONCE));
  await turnOf(service.app, "log-anchoring", ({ app }) => anchorTick(app, AT_ONCE));
  file = join(dir, "log.ndjson");
  await exportFile(service.app.pool, { log_id: 1, beside: evidenceFor(service.app) }, file);
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
  await rm(dir, { recursive: true, force: true });
});

const asking = (): AskChain => jsonRpc({ rpc_url: workshop.node.rpc_url });
const verified = (ask: AskChain) => verifyPack(openExport(file), { recover: recoverKey, ask });

test("a log whose dates fit its blocks verifies, and so does a receipt against it", async () => {
  const report = await verified(asking());
  expect(failures(report)).toEqual({});
  const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as { keys: object[] };
  const [header, ...lines] = (await readFile(file, "utf8")).trim().split("\n");
  const events = lines.filter((line) => line.startsWith('{"position"')).map((line) => JSON.parse(line));
  const jws = receiptIn(bought.answer.headers.get("payment-response")!)!;
  const log = { origin: JSON.parse(header!).origin, events: events as LoggedEvent[] };
  const { ok, checks } = verifyReceipt(jws, { keys, log });
  expect(checks.filter((one) => !one.ok)).toEqual([]);
  expect(checks.map(({ name }) => name)).toContain("claim");
  expect(ok).toBe(true);
});

test("a log dated years before its blocks does not verify", async () => {
  const years = 6 * 365 * 86_400;
  const later: AskChain = async (method, params) => {
    const answer = await asking()<{ timestamp?: Hex } | null>(method, params);
    const time = answer?.timestamp;
    return (time ? { ...answer, timestamp: `0x${(Number(time) + years).toString(16)}` } : answer) as never;
  };
  const report = await verified(later);
  expect(report.verdicts.find(({ ok }) => !ok)?.reason).toMatch(/is dated .* and names block \d+ of /);
  expect(Object.keys(failures(report))).toEqual(["anchor"]);
});

test("the payment with another spelling of the request is answered, without a receipt", async () => {
  const receipt = (answer: Response) => receiptIn(answer.headers.get("payment-response")!);
  expect(receipt(await present(url(), bought.payment))).toBe(receipt(bought.answer));
  const respelt = await present(`${url().replace("say", "%73ay")}`, bought.payment);
  expect(respelt.status).toBe(200);
  expect(receipt(respelt)).toBeUndefined();
});
