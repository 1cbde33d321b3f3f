/** Our own clients, each from its package, call a real service and verify what they got. */
import { execFile, spawnSync } from "node:child_process";
import type { webcrypto } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { clientFolder } from "./built.ts";

type Answer = { data?: { data: unknown }; error?: { status: number; detail: string }; response: Response };
type Client = Record<"GET" | "POST", (path: string, init?: object) => Promise<Answer>>;
type Verdict = { ok: boolean; checks: { name: string; ok: boolean; detail: string }[] };
type Event = { origin: string; position: number; event_id: string; event_hash: string };
type Receipt = Record<string, unknown> & { event: Event; transaction: string; answer_sha256: string };
type Proof = { event: object; checkpoint: string; inclusion: { size: number; proof: string[] } };
/** The functions of the package, by the members that this test uses. */
type Sdk = {
  connect(url: string, options?: object): Client;
  pay(url: string, account: object, options?: object): Client;
  channel(url: string, account: object, options: object): Client & { leave(): Promise<{ amount?: string }> };
  receiptOf(answer: Response): string | undefined;
  verifyReceipt(of: Response | string, given: object): Promise<Verdict & { receipt: Receipt | null }>;
  verifyProof(proof: Proof, given: object): Promise<Verdict>;
};

const PLACE = "/v1/agent/skills/catalog";
const PRICE = 1_000n;
const REQUEST = { operation: "skills_catalog", input: {} };

let folder: string;
let sdk: Sdk;
let workshop: Workshop;
let service: Service;
let keys: { keys: object[] };
let log_key: string;
beforeAll(async () => {
  folder = await clientFolder();
  const entry = join(folder, "node_modules/tallystick-client/dist/index.js");
  sdk = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as Sdk;
  workshop = await openWorkshop();
  service = await startService({
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
    env: { ANCHORING: "1", CHECKPOINT_SECONDS: "86400" },
  });
  keys = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as typeof keys;
  log_key = (await (await fetch(`${service.url}/log/key`)).text()).trim();
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

/** The proof of an event, once a checkpoint covers it. */
async function proofOf(event_id: string): Promise<Proof> {
  await signTick(service.app, { checkpoint_every_events: 0 });
  const answer = await sdk
    .connect(service.url)
    .GET("/log/proof/{event_id}", { params: { path: { event_id } } });
  return answer.data as unknown as Proof;
}
const namesOf = ({ checks }: Verdict) => checks.map(({ name, ok }) => `${ok ? "ok" : "FAIL"} ${name}`);

test("a key's call is answered, and one without a key gets the 402 as an error", async () => {
  const { secret } = await service.issue();
  const keyed = await sdk.connect(service.url, { key: secret }).GET(PLACE);
  expect(keyed.data).toMatchObject({ success: true });
  const unpaid = await sdk.connect(service.url).GET(PLACE);
  expect(unpaid.error).toMatchObject({ status: 402, detail: expect.any(String) });
});

describe("a paid call", () => {
  let answer: Answer;
  let receipt: Receipt;
  beforeAll(async () => {
    const before = await balanceOf(workshop.chain, PAYEE);
    answer = await sdk.pay(service.url, wallet(3)).GET(PLACE);
    expect(answer.error).toBeUndefined();
    expect((await balanceOf(workshop.chain, PAYEE)) - before).toBe(PRICE);
  });

  test("has a receipt of this answer and this request", async () => {
    const verdict = await sdk.verifyReceipt(answer.response, { keys, request: REQUEST });
    expect(namesOf(verdict)).toEqual(["ok signature", "ok members", "ok body", "ok request"]);
    receipt = verdict.receipt!;
    expect(receipt).toMatchObject({ payer: addressOf(wallet(3)), amount: String(PRICE), payTo: PAYEE });
  });

  test("has its receipt refused if the receipt, the answer, the request or the key is another", async () => {
    const jws = sdk.receiptOf(answer.response)!;
    const [head, payload, signature] = jws.split(".") as [string, string, string];
    const altered = Buffer.from(JSON.stringify({ ...receipt, amount: "1" })).toString("base64url");
    const other = (await crypto.subtle.generateKey("Ed25519", true, ["sign"])) as webcrypto.CryptoKeyPair;
    const { x } = await crypto.subtle.exportKey("jwk", other.publicKey);
    const wrong: [string, string, object][] = [
      ["signature", `${head}.${altered}.${signature}`, {}],
      ["signature", `${head}.${payload}.${signature.replace(/^./, (one) => (one === "A" ? "B" : "A"))}`, {}],
      ["signature", jws, { keys: { keys: keys.keys.map((key) => ({ ...key, x })) } }],
      ["signature", jws, { keys: { keys: [] } }],
      ["body", jws, { body: "{}" }],
      ["request", jws, { request: { ...REQUEST, operation: "orders_list" } }],
    ];
    for (const [name, given, more] of wrong)
      expect(namesOf(await sdk.verifyReceipt(given, { keys, ...more })).at(-1)).toBe(`FAIL ${name}`);
    expect(namesOf(await sdk.verifyReceipt(jws, { keys }))).toEqual(["ok signature", "ok members"]);
  });

  test("has its event in the signed log, and an altered proof is refused", async () => {
    const { event } = (await sdk.verifyReceipt(answer.response, { keys })).receipt!;
    const proof = await proofOf(event.event_id);
    const given = { key: log_key, event };
    expect(namesOf(await sdk.verifyProof(proof, given))).toEqual([
      "ok event",
      "ok signature",
      "ok inclusion",
    ]);
    const hash = "00".repeat(32);
    const { inclusion } = proof;
    const wrong: [string, Proof, object][] = [
      ["event", proof, { ...given, event: { ...event, event_hash: hash } }],
      ["inclusion", { ...proof, event: { ...proof.event, event_hash: hash } }, { key: log_key }],
      ["inclusion", { ...proof, event: { ...proof.event, position: event.position - 1 } }, { key: log_key }],
      ["inclusion", { ...proof, inclusion: { ...inclusion, proof: inclusion.proof.slice(1) } }, given],
      ["inclusion", { ...proof, inclusion: { ...inclusion, proof: [...inclusion.proof, hash] } }, given],
      ["signature", { ...proof, checkpoint: proof.checkpoint.replace(/\n\d+\n/, "\n1\n") }, given],
      ["signature", proof, { ...given, key: log_key.replace(/\+[0-9a-f]{8}\+/, "+00000000+") }],
    ];
    for (const [name, altered, how] of wrong)
      expect(namesOf(await sdk.verifyProof(altered, how)).at(-1)).toBe(`FAIL ${name}`);
  });

  test("over the caller's own limit is not paid", async () => {
    const before = await balanceOf(workshop.chain, addressOf(wallet(3)));
    await expect(sdk.pay(service.url, wallet(3), { most: "0.0005" }).GET(PLACE)).rejects.toThrow();
    expect(await balanceOf(workshop.chain, addressOf(wallet(3)))).toBe(before);
  });
});

/** A key, and the event of its issue. */
async function issuedWithEvent() {
  const { secret, tenant } = await service.issue();
  const { rows } = await service.app.pool.query<{ event_id: string }>(
    "select event_id from eventstore.events where tenant = $1 order by position limit 1",
    [tenant],
  );
  const { event_id } = rows[0]!;
  await proofOf(event_id);
  return { tenant, secret, event_id };
}

test("the proof of the tenant's own event shows the members that its hash covers", async () => {
  const { secret, tenant, event_id } = await issuedWithEvent();
  const client = sdk.connect(service.url, { key: secret });
  const answer = await client.GET("/log/proof/{event_id}", { params: { path: { event_id } } });
  const proof = answer.data as unknown as Proof;
  const verdict = await sdk.verifyProof(proof, { key: log_key });
  expect(verdict).toMatchObject({
    ok: true,
    checks: [{ detail: expect.stringContaining("computed") }, {}, {}],
  });
  for (const more of [{ payload: "{}" }, { tenant: `${tenant}2` }, { recorded_at_us: 1 }])
    expect(
      namesOf(await sdk.verifyProof({ ...proof, event: { ...proof.event, ...more } }, { key: log_key })),
    ).toEqual(["FAIL event"]);
});

test("a channel pays many calls by one transaction, has a receipt each, and returns the rest", async () => {
  const before = await balanceOf(workshop.chain, addressOf(wallet(4)));
  const prepaid = sdk.channel(service.url, wallet(4), { rpc_url: workshop.node.rpc_url });
  const transactions: string[] = [];
  for (let call = 0; call < 3; call++) {
    const { response } = await prepaid.GET(PLACE);
    const { ok, receipt } = await sdk.verifyReceipt(response, { keys, request: REQUEST });
    expect(ok).toBe(true);
    transactions.push(receipt!.transaction);
  }
  expect(transactions).toEqual(["", "", ""]);
  expect(await prepaid.leave()).toMatchObject({ transaction: expect.stringMatching(/^0x/) });
  expect(before - (await balanceOf(workshop.chain, addressOf(wallet(4))))).toBe(3n * PRICE);
});

/** Names that Workers and browsers have, and nothing of Node. */
const WEB = [
  ...[
    "AbortController",
    "AbortSignal",
    "Headers",
    "Request",
    "Response",
    "TextDecoder",
    "TextEncoder",
    "URL",
  ],
  ...["URLSearchParams", "atob", "btoa", "clearTimeout", "crypto", "fetch", "setTimeout", "structuredClone"],
] as const;

test("the Worker's form is one file, and pays and verifies with web APIs alone", async () => {
  const file = join(folder, "node_modules/tallystick-client/dist/worker.js");
  const { metafile, outputFiles } = await build({
    entryPoints: [file],
    ...{ bundle: true, write: false, metafile: true, platform: "neutral" },
    ...{ format: "iife", globalName: "client", logLevel: "silent" },
  });
  expect(Object.keys(metafile.inputs)).toHaveLength(1);
  expect((await stat(file)).size).toBeLessThan(600_000);
  const web = vm.createContext(Object.fromEntries(WEB.map((name) => [name, globalThis[name]])));
  const worker = vm.runInContext(`${outputFiles[0]!.text}; client`, web) as Sdk;
  const { response, error } = await worker.pay(service.url, wallet(7)).GET(PLACE);
  expect(error).toBeUndefined();
  const verdict = await worker.verifyReceipt(response, { keys, request: REQUEST });
  expect(namesOf(verdict)).toEqual(["ok signature", "ok members", "ok body", "ok request"]);
  const { event } = verdict.receipt!;
  const proof = await proofOf(event.event_id);
  expect(await worker.verifyProof(proof, { key: log_key, event })).toMatchObject({ ok: true });
  const hash = "00".repeat(32);
  const altered = { ...proof, event: { ...proof.event, event_hash: hash } };
  expect(await worker.verifyProof(altered, { key: log_key })).toMatchObject({ ok: false });
});

const python = spawnSync("python3", ["-c", "import requests"]).status === 0;
test.skipIf(!python)(
  `the Python client reads a 402, and verifies a receipt and proofs${python ? "" : " (skipped: no python3 with requests here)"}`,
  async () => {
    const { secret, event_id } = await issuedWithEvent();
    const { response, data } = await sdk.pay(service.url, wallet(8)).GET(PLACE, { parseAs: "text" });
    const { receipt } = await sdk.verifyReceipt(response, { keys });
    await proofOf(receipt!.event.event_id);
    const given = {
      ...{ url: service.url, key: secret, path: PLACE, request: REQUEST, body: data, own_event_id: event_id },
      headers: { "PAYMENT-RESPONSE": response.headers.get("PAYMENT-RESPONSE") },
    };
    const found = await judgedInPython(given);
    expect(found).toEqual({
      data: (JSON.parse(data as unknown as string) as { data: unknown }).data,
      required: [402, "0.001", true],
      refused: [400, "no_such"],
      receipt: [true, ["signature", "members", "body", "request"]],
      forged: ["signature", "signature", "body", "request"].map((name) =>
        expect.stringMatching(`^${name}: `),
      ),
      proof: [null, null, true],
      refused_proofs: ["inclusion", "inclusion", "signature", "event", "event", "event"].map((name) =>
        expect.stringMatching(`^${name}: `),
      ),
    });
  },
);

/** The output of test/sdk/evidence.py for this input. */
function judgedInPython(given: object): Promise<unknown> {
  const program = fileURLToPath(new URL("evidence.py", import.meta.url));
  const PYTHONPATH = fileURLToPath(new URL("../../clients/python", import.meta.url));
  return new Promise((done, fail) => {
    const child = execFile(
      "python3",
      ["-B", program],
      { env: { ...process.env, PYTHONPATH } },
      (error, stdout, stderr) => (error ? fail(new Error(stderr)) : done(JSON.parse(stdout))),
    );
    child.stdin!.end(JSON.stringify(given));
  });
}
