/** `tallystick verify receipt` over a real log: the receipt's claims are compared with the export, line by line. */
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { program } from "../../src/cli/program.ts";
import { operatorMeta } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import {
  type ReceiptPayload,
  receiptExtension,
  receiptOf,
  signReceipt,
} from "../../src/domain/payments/receipt.ts";
import { type LoggedEvent, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { patientConfig } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { BODY, FACTS, REQUEST } from "./receipt-vector.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
const hash = (): Hex => `0x${randomBytes(32).toString("hex")}`;
const at = "2026-01-02T03:04:06.000Z";
const { answer, settlement } = FACTS;

let dir: string;
let service: Service;
let origin: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-verify-receipt-"));
  service = await startService();
  ({ origin } = await service.app.store.identity());
});
afterAll(async () => {
  await service.stop();
  await rm(dir, { recursive: true, force: true });
});

type CommandResult = { code: number; stdout: string; stderr: string };

/** The command in this process, as src/main.ts runs it. */
async function run(args: string[], data_dir = service.data_dir): Promise<CommandResult> {
  const written: string[] = [];
  const stdout = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  const settings = () => patientConfig({ DATA_DIR: data_dir });
  const root = await program({ settings, logger: () => pino({ enabled: false }) }, "verify");
  try {
    await root.parseAsync(["verify", "receipt", ...args], { from: "user" });
    return { code: Number(process.exitCode ?? 0), stdout: written.join(""), stderr: "" };
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return { code: 1, stdout: written.join(""), stderr: (error as Error).message };
  } finally {
    stdout.mockRestore();
    process.exitCode = undefined;
  }
}

/** The command as a process of its own. */
function spawned(args: string[], input = ""): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, DATA_DIR: service.data_dir };
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [bin, "verify", "receipt", ...args],
      { env },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}

const file = async (name: string, content: string) => {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
};

const decide = (id: string, decision: (state: payments.PaymentState) => payments.PaymentEvent[]) =>
  service.app.decide(payments, payments.targetOf(id), decision, { meta: operatorMeta("test") });

/** An answered payment as the log has it, its receipt, and the export of its stream. */
async function paid(settled = { ...settlement, transaction: hash() }) {
  const claim = { ...FACTS.claim, nonce: hash() };
  const payment_id = payments.idOf(claim);
  await decide(payment_id, payments.claim(claim));
  await decide(payment_id, payments.settle(settled, answer, at));
  const { tenant } = payments.targetOf(payment_id);
  const stream_id = payments.streamOf(payment_id);
  const recorded = await service.app.store.readStream({ tenant, stream_id });
  const facts = {
    ...FACTS,
    log_origin: origin,
    payment_id,
    claim,
    settlement: settled,
    event: recorded.at(-1)!,
  };
  const payload = receiptOf(facts);
  return { payment_id, tenant, stream_id, settled, payload, jws: signReceipt(payload, service.app.signer) };
}

async function exported({ tenant, stream_id }: { tenant: string; stream_id: string }): Promise<string> {
  const path = join(dir, `${randomBytes(6).toString("hex")}.ndjson`);
  await exportFile(service.app.pool, { log_id: 1, tenant, stream_id }, path);
  return path;
}

const namesOf = ({ stdout }: CommandResult) =>
  stdout
    .split("\n")
    .flatMap((line) =>
      /^(ok {2}|FAIL) +(\w+)/.test(line) ? [line.replace(/^(ok|FAIL) +(\w+).*/, "$1 $2")] : [],
    );

describe("a receipt with all of its evidence", () => {
  test("verifies by the export of the stream, and by that of the log, compressed", async () => {
    const one = await paid();
    const body = await file("body.json", BODY);
    const receipt = await file("receipt.jws", `${one.jws}\n`);
    const given = ["--body", body, "--request", JSON.stringify(REQUEST)];
    const whole = join(dir, "log.ndjson.gz");
    await exportFile(service.app.pool, { log_id: 1 }, whole);
    for (const log of [await exported(one), whole]) {
      const ran = await run([receipt, ...given, "--export", log]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(namesOf(ran)).toEqual(
        ["signature", "members", "body", "request", "event", "answer", "settlement", "claim", "export"].map(
          (name) => `ok ${name}`,
        ),
      );
      expect(ran.stdout).toContain(`paid 0.05 USDC for ${FACTS.resource_url}`);
      expect(ran.stdout).toMatch(/\nverified\n$/);
    }
  });

  test("verifies inside the PAYMENT-RESPONSE, from standard input, as JSON", async () => {
    const { jws, payload } = await paid();
    const response = JSON.stringify({ success: true, extensions: receiptExtension(jws) });
    const header = await file("header.txt", `PAYMENT-RESPONSE: ${Buffer.from(response).toString("base64")}`);
    const { code, stdout } = await spawned(["-", "--json"], response);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, payload });
    expect((await run([header])).code).toBe(0);
  });

  test("verifies by the keys at a URL, and reports failed fetches", async () => {
    const receipt = await file("url.jws", (await paid()).jws);
    // The receipt's service is api.example.org, and so is its key's name.
    const keys = [{ ...service.app.signer.public_key, kid: service.app.signer.kid }];
    const server = createServer((req, res) =>
      res.writeHead(req.url === "/jwks" ? 200 : 404).end(JSON.stringify({ keys })),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await run([receipt, "--jwks", `${url}/jwks`], dir)).code).toBe(0);
    expect(await run([receipt, "--jwks", `${url}/none`], dir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("answers 404"),
    });
    await new Promise((done) => server.close(done));
    expect((await run([receipt, "--jwks", `${url}/jwks`], dir)).stderr).toContain("cannot fetch");
  });
});

test("the service publishes its signing key as a JWK set and as a DID document", async () => {
  const set = await fetch(`${service.url}/.well-known/jwks.json`);
  expect(set.headers.get("content-type")).toMatch(/^application\/jwk-set\+json/);
  const { keys } = (await set.json()) as { keys: { kid: string }[] };
  const host = new URL(service.url).host.replace(":", "%3A");
  const { kid, public_key } = service.app.signer;
  const named = { ...public_key, use: "sig", alg: "EdDSA" };
  // Credentials over http name the key by itself.
  expect(keys).toEqual([
    { ...named, kid: `did:web:${host}#${kid}` },
    { ...named, kid: expect.stringMatching(/^did:key:(z6Mk\w+)#\1$/) },
  ]);
  const did = (await (await fetch(`${service.url}/.well-known/did.json`)).json()) as Record<string, unknown>;
  expect(did).toMatchObject({
    id: `did:web:${host}`,
    verificationMethod: [{ id: keys[0]!.kid, type: "JsonWebKey", publicKeyJwk: public_key }],
    assertionMethod: [keys[0]!.kid],
  });
});

describe("a receipt is refused", () => {
  /** The right key's signature of wrong facts, as a lying service would make it. */
  const lie = async (more: Partial<ReceiptPayload>, log: string, payload: ReceiptPayload) => {
    const { signer } = service.app;
    const [header, ...lines] = (await readFile(log, "utf8")).trim().split("\n").slice(0, -1);
    const events = lines.map((line) => JSON.parse(line) as LoggedEvent);
    const { checks } = verifyReceipt(signReceipt({ ...payload, ...more }, signer), {
      keys: [{ ...signer.public_key, kid: signer.kid }],
      log: { origin: JSON.parse(header!).origin, events },
    });
    return checks.filter(({ ok }) => !ok).map(({ name }) => name);
  };
  const digest = createHash("sha256").update("other").digest("hex");

  test("with the first difference to the log", async () => {
    const one = await paid();
    const log = await exported(one);
    const { payload } = one;
    const event = (more: Partial<ReceiptPayload["event"]>) => ({ event: { ...payload.event, ...more } });
    expect(await lie({}, log, payload)).toEqual([]);
    expect(await lie({ transaction: hash() }, log, payload)).toEqual(["settlement"]);
    expect(await lie({ amount: "5" }, log, payload)).toEqual(["claim"]);
    expect(await lie({ payTo: payload.payer as Hex }, log, payload)).toEqual(["claim"]);
    expect(await lie({ request_sha256: digest }, log, payload)).toEqual(["claim"]);
    expect(await lie({ issuedAt: payload.issuedAt - 315_360_000 }, log, payload)).toEqual(["event"]);
    expect(await lie({ resourceUrl: `${payload.resourceUrl}&limit=4` }, log, payload)).toEqual(["claim"]);
    expect(await lie({ answer_sha256: digest }, log, payload)).toEqual(["answer"]);
    expect(await lie({ vintage: null }, log, payload)).toEqual(["answer"]);
    expect(await lie(event({ event_hash: digest }), log, payload)).toEqual(["event"]);
    expect(await lie(event({ origin: "other" }), log, payload)).toEqual(["event"]);
    const whole = join(dir, "positions.ndjson");
    await exportFile(service.app.pool, { log_id: 1 }, whole);
    expect(await lie(event({ position: 1 }), whole, payload)).toEqual(["event"]);
    // The event of another payment.
    expect(await lie({ event: (await paid()).payload.event }, log, payload)).toEqual(["event"]);
  });

  test("if the chain reverted its settlement; a renewed settlement is valid again", async () => {
    const one = await paid();
    const receipt = await file("reorg.jws", one.jws);
    await decide(one.payment_id, payments.reorg(one.settled.transaction, at));
    const ran = await run([receipt, "--export", await exported(one)]);
    expect(ran.stdout).toMatch(/FAIL settlement +the chain reverted the settlement/);
    const again = { ...one.settled, block_hash: hash() };
    await decide(one.payment_id, payments.settle(again, null, at));
    expect((await run([receipt, "--export", await exported(one)])).code).toBe(0);
  });

  test("with an export that `verify` refuses: of another log, or unlike the auditor's", async () => {
    const one = await paid();
    const receipt = await file("refused.jws", one.jws);
    const log = await exported(one);
    expect((await run([receipt, "--export", log, "--origin", origin])).code).toBe(0);
    const other = await run([receipt, "--export", log, "--origin", "another.example/log"]);
    expect([other.code, namesOf(other).at(-1)]).toEqual([1, "FAIL export"]);
    const { kid: _, public_key } = service.app.signer;
    const key = formatVerifierKey(verifierKey(origin, "ed25519", public_key));
    const unsigned = await run([receipt, "--export", log, "--key", key]);
    expect(unsigned.stdout).toMatch(/FAIL export +signature: there is no checkpoint/);
    const lines = (await readFile(log, "utf8")).split("\n");
    const bad = '{"evidence":"checkpoint","note":"forged"}';
    await writeFile(log, lines.toSpliced(1, 0, bad).join("\n"));
    expect((await run([receipt, "--export", log])).stdout).toMatch(/FAIL export +signature: a note holds no/);
  });

  test("with any altered export", async () => {
    const one = await paid();
    const receipt = await file("export.jws", one.jws);
    const log = await exported(one);
    await writeFile(log, (await readFile(log, "utf8")).replace("top-partners", "top-products"));
    const ran = await run([receipt, "--export", log]);
    expect(ran.code).toBe(1);
    expect(namesOf(ran)).toEqual(["ok signature", "ok members", "FAIL export"]);
  });
});

describe("missing evidence is reported with its remedy", () => {
  test("a missing file, or a file without a receipt", async () => {
    expect(await run(["nowhere.jws"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot read nowhere.jws"),
    });
    expect(await run([bin])).toMatchObject({ code: 1, stderr: expect.stringContaining("holds no receipt") });
  });

  test("a request in another form", async () => {
    const { code, stderr } = await spawned(["x", "--request", "{}"]);
    expect(code).toBe(1);
    expect(stderr).toContain('{"operation": "top-partners"');
    expect(stderr).not.toContain("    at ");
  });

  test("no key, no set of keys, no export", async () => {
    const receipt = await file("no.jws", (await paid()).jws);
    expect((await run([receipt], dir)).stderr).toContain("set the service's keys by --jwks");
    expect((await run([receipt, "--jwks", receipt])).stderr).toContain("is not a JWK set");
    const answer = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const ran = await run([receipt, "--export", join(dir, "none.ndjson")]);
    expect([ran.code, ran.stdout, answer.mock.calls.join("")]).toEqual([
      2,
      "",
      expect.stringContaining("none.ndjson: there is no such file"),
    ]);
    answer.mockRestore();
  });

  test("names in a forged receipt cannot control the terminal", async () => {
    const kid = "\u001b[2Jdid:web:x#y";
    const header = Buffer.from(JSON.stringify({ alg: "EdDSA", kid })).toString("base64url");
    const { stdout } = await run([await file("escape.jws", `${header}.e30.AA`)]);
    expect(stdout).toContain("\\u{1b}[2J");
    expect(stdout).not.toContain("\u001b");
  });
});
