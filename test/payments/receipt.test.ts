/** Receipts: made from the log's facts, signed by the service's key, verified by their holders. */
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { existingSigner, isSigningKey, openSigner } from "../../src/adapters/signing-key.ts";
import { unencodedDigest } from "../../src/api/serve/unencoded-digest.ts";
import type { Signer } from "../../src/core/model/ports/signer.ts";
import {
  keyUrl,
  type ReceiptPayload,
  receiptExtension,
  receiptOf,
  signReceipt,
} from "../../src/domain/payments/receipt.ts";
import { receiptIn, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { BODY, FACTS, PRIVATE_KEY, REQUEST, REQUEST_TEXT, readVector } from "./receipt-vector.ts";

let dir: string;
let signer: Signer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-receipt-"));
  signer = await openSigner(join(dir, "absent.key"), PRIVATE_KEY);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const KID = "did:web:api.example.org#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
const vector = readVector();
const { keys } = vector.jwks;
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const partsOf = (jws: string) => jws.split(".") as [string, string, string];
const faultOf = (jws: string, given: readonly unknown[] = keys) => {
  const { ok, checks, payload } = verifyReceipt(jws, { keys: given });
  expect({ ok, payload, count: checks.length }).toEqual({ ok: false, payload: null, count: 1 });
  return checks[0]!.detail;
};

describe("the vector of docs/vectors", () => {
  test("equals the result of these facts and this key, byte for byte", () => {
    expect(receiptOf(FACTS)).toEqual(vector.payload);
    expect(signReceipt(receiptOf(FACTS), signer)).toBe(vector.jws);
    expect(vector).toMatchObject({ body: BODY, request: REQUEST_TEXT, private_key_pkcs8: PRIVATE_KEY });
    expect(keys).toEqual([{ ...signer.public_key, kid: KID, use: "sig", alg: "EdDSA" }]);
  });

  test("has the members of x402's offer-receipt, under its names", () => {
    expect(vector.payload).toMatchObject({
      version: 1,
      network: "eip155:8453",
      resourceUrl: FACTS.resource_url,
      payer: FACTS.claim.payer,
      issuedAt: 1_767_323_045,
      transaction: FACTS.settlement.transaction,
    });
    expect(JSON.parse(Buffer.from(partsOf(vector.jws)[0], "base64url").toString())).toEqual({
      alg: "EdDSA",
      kid: KID,
    });
  });

  test("verifies with its answer and its request", () => {
    const { ok, checks, payload } = verifyReceipt(vector.jws, {
      keys,
      body: Buffer.from(BODY),
      request: REQUEST,
    });
    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(["signature", "members", "body", "request"]);
    expect(payload).toEqual(vector.payload);
  });

  test("verifies by a set that names the key only by its thumbprint", () => {
    expect(verifyReceipt(vector.jws, { keys: [{ ...signer.public_key, kid: signer.kid }] }).ok).toBe(true);
  });

  test("is invalid under a key that anybody can sign with", () => {
    const x = Buffer.alloc(32).fill(1, 0, 1).toString("base64url");
    const weak = { kty: "OKP", crv: "Ed25519", x, kid: KID };
    const [head, payload] = partsOf(vector.jws);
    const forged = `${head}.${payload}.${Buffer.alloc(64).fill(1, 0, 1).toString("base64url")}`;
    expect(verifyReceipt(forged, { keys: [weak] })).toMatchObject({ ok: false, payload: null });
  });

  test("is invalid for another answer or another request", () => {
    const other = {
      keys,
      body: Buffer.from(`${BODY} `),
      request: { operation: "top-partners", input: { reporter: "FR", limit: 3 } },
    };
    const failed = verifyReceipt(vector.jws, other).checks.filter(({ ok }) => !ok);
    expect(failed.map(({ name }) => name)).toEqual(["body", "request"]);
    const renamed = { ...REQUEST, operation: "balance" };
    expect(verifyReceipt(vector.jws, { keys, request: renamed }).ok).toBe(false);
  });
});

describe("a receipt is refused if it is forged", () => {
  const [header, , signature] = partsOf(vector.jws);

  test.each(Object.keys(vector.payload))("in %s", (member) => {
    const value = vector.payload[member as keyof ReceiptPayload];
    const other =
      typeof value === "number"
        ? value + 1
        : typeof value === "string"
          ? `${value.slice(0, -1)}~`
          : { ...value, position: 1 };
    const forged = part({ ...vector.payload, [member]: other });
    expect(faultOf(`${header}.${forged}.${signature}`)).toMatch(/altered/);
    const { [member as keyof ReceiptPayload]: _, ...without } = vector.payload;
    expect(faultOf(`${header}.${part(without)}.${signature}`)).toMatch(/altered/);
  });

  test.each(["origin", "position", "event_id", "event_hash"])("in event.%s", (member) => {
    const event = { ...vector.payload.event, [member]: "00" };
    expect(faultOf(`${header}.${part({ ...vector.payload, event })}.${signature}`)).toMatch(/altered/);
  });

  test("in its signature, bit by bit of the first and last byte", () => {
    const bytes = Buffer.from(signature, "base64url");
    for (const at of [0, 63])
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << bit;
        expect(faultOf(`${vector.jws.slice(0, -86)}${flipped.toString("base64url")}`)).toMatch(/altered/);
      }
  });

  test("or cut anywhere", () => {
    for (let length = 0; length < vector.jws.length; length += 7) faultOf(vector.jws.slice(0, length));
    faultOf(`${vector.jws}.${signature}`);
    faultOf(`${vector.jws}=`);
    faultOf(`${vector.jws}A`);
  });
});

describe("a header that lies about the algorithm or the key", () => {
  const [, payload, signature] = partsOf(vector.jws);
  const by = (header: object, mac: (signed: string) => Buffer | string) => {
    const signed = `${part(header)}.${payload}`;
    return `${signed}.${Buffer.from(mac(signed)).toString("base64url")}`;
  };

  test("alg none, in any case, with a signature or without", () => {
    for (const alg of ["none", "None", "NONE", "", null]) {
      expect(faultOf(by({ alg, kid: KID }, () => Buffer.from(signature, "base64url")))).toMatch(/algorithm/);
      faultOf(`${part({ alg, kid: KID })}.${payload}.`);
    }
  });

  test("HS256 with the public key as the secret", () => {
    const { x } = signer.public_key;
    const publicKey = createPublicKey({ key: signer.public_key, format: "jwk" });
    const secrets = [
      x,
      Buffer.from(x, "base64url"),
      publicKey.export({ type: "spki", format: "pem" }),
      JSON.stringify(keys[0]),
    ];
    for (const secret of secrets) {
      const hmac = (signed: string) => createHmac("sha256", secret).update(signed).digest();
      expect(faultOf(by({ alg: "HS256", kid: KID }, hmac))).toMatch(/algorithm is "HS256"/);
      faultOf(by({ alg: "EdDSA", kid: KID }, hmac));
    }
  });

  test("a key of another name, or another key of the same name", () => {
    const stranger = generateKeyPairSync("ed25519");
    const { x } = stranger.publicKey.export({ format: "jwk" });
    const signed = (header: object) =>
      by(header, (text) => sign(null, Buffer.from(text), stranger.privateKey));
    expect(faultOf(signed({ alg: "EdDSA", kid: "did:web:api.example.org#mine" }))).toMatch(
      /none of the 1 given keys/,
    );
    expect(faultOf(signed({ alg: "EdDSA", kid: KID }))).toMatch(/altered, or another key/);
    // A key in the header proves nothing.
    const jwk = { kty: "OKP", crv: "Ed25519", x };
    expect(faultOf(signed({ alg: "EdDSA", kid: KID, jwk }))).toMatch(/another key than the one it names/);
    expect(faultOf(signed({ alg: "EdDSA", jwk }))).toMatch(/names no key/);
  });

  test("crit, which is unknown here", () => {
    const header = { alg: "EdDSA", kid: KID, crit: ["b64"], b64: false };
    expect(faultOf(by(header, (text) => Buffer.from(signer.sign(Buffer.from(text)))))).toMatch(/extensions/);
  });

  test("useless sets of keys", () => {
    const [key] = keys;
    const useless = [
      [],
      [null, 1, "x", {}],
      [{ ...key, kty: "oct", k: "AAAA" }],
      [{ ...key, use: "enc" }],
      [{ ...key, x: "AA" }],
      [{ ...key, kid: undefined }],
    ];
    for (const set of useless) expect(faultOf(vector.jws, set)).toMatch(/none of the/);
  });
});

test("a receipt by the service's own key is still checked for its form", () => {
  const failing = (more: object, kid = signer.kid) =>
    verifyReceipt(signReceipt({ ...vector.payload, ...more } as ReceiptPayload, { ...signer, kid }), {
      keys: [{ ...signer.public_key, kid }],
      body: Buffer.from(BODY),
    }).checks.filter(({ ok }) => !ok);
  for (const member of Object.keys(vector.payload).filter((name) => name !== "resourceUrl"))
    expect(failing({ [member]: [] })).toMatchObject([{ name: "members", detail: `${member} is []` }]);
  expect(failing({ payer: `0x${"00".repeat(20)}` })).toMatchObject([
    { detail: expect.stringMatching(/another network/) },
  ]);
  expect(failing({ answer_sha256: null })).toMatchObject([
    { name: "body", detail: expect.stringMatching(/stream/) },
  ]);
  const elsewhere = signReceipt({ ...vector.payload, resourceUrl: "https://evil.example/" }, signer);
  const [head] = partsOf(vector.jws);
  const [, payload] = partsOf(elsewhere);
  const resigned = Buffer.from(signer.sign(Buffer.from(`${head}.${payload}`))).toString("base64url");
  expect(verifyReceipt(`${head}.${payload}.${resigned}`, { keys }).checks[1]).toMatchObject({
    ok: false,
    detail: `the key ${KID} is not of did:web:evil.example`,
  });
});

test("a receipt is found in each of its envelopes", () => {
  const response = { success: true, transaction: "0x", extensions: receiptExtension(vector.jws) };
  const json = JSON.stringify(response);
  const base64 = Buffer.from(json).toString("base64");
  for (const form of [
    vector.jws,
    `  ${vector.jws}\n`,
    json,
    base64,
    `PAYMENT-RESPONSE: ${base64}\r\n`,
    `x-payment-response: ${base64}`,
  ])
    expect(receiptIn(form)).toBe(vector.jws);
  const eip712 = JSON.stringify({
    extensions: { "offer-receipt": { info: { receipt: { format: "eip712", signature: "0x" } } } },
  });
  for (const other of [
    "",
    "{}",
    "{",
    "hello",
    "a.b",
    "null",
    eip712,
    Buffer.from('{"success":true}').toString("base64"),
  ])
    expect(receiptIn(other)).toBeUndefined();
});

test("the name of a key has the service's port, in did:web form", () => {
  expect(keyUrl("http://127.0.0.1:3000/v1/x", "k")).toBe("did:web:127.0.0.1%3A3000#k");
});

test("Unencoded-Digest is a dictionary of byte sequences", () => {
  // The example of the draft.
  const hello = "f8c3bf62a9aa3e6fc1619c250e48abe7519373d3edf41be62eb5dc45199af2ef";
  expect(unencodedDigest(hello)).toBe("sha-256=:+MO/YqmqPm/BYZwlDkir51GTc9Pt9BvmLrXcRRma8u8=:");
});

describe("the signing key", () => {
  test("is created once, in a file for its owner alone, and named by its thumbprint (RFC 8037, appendix A.3)", async () => {
    const path = join(dir, "signing.key");
    expect(await existingSigner(path)).toBeUndefined();
    const [first, second] = await Promise.all([openSigner(path), openSigner(path)]);
    expect(second.kid).toBe(first.kid);
    expect((await existingSigner(path))!.kid).toBe(first.kid);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(signer.kid).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    expect(first.kid).not.toBe(signer.kid);
  });

  test("from the environment is PEM, with its lines or without, or base64", async () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${PRIVATE_KEY}\n-----END PRIVATE KEY-----\n`;
    for (const form of [pem, pem.replaceAll("\n", "\\n"), PRIVATE_KEY, ` ${PRIVATE_KEY}\n`])
      expect((await existingSigner(join(dir, "absent.key"), form))!.kid).toBe(signer.kid);
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const others = [
      rsa.export({ type: "pkcs8", format: "pem" }).toString(),
      "",
      "secret",
      PRIVATE_KEY.slice(4),
    ];
    for (const other of others) expect(isSigningKey(other)).toBe(false);
  });

  test("missing from its file is reported with the file", async () => {
    const path = join(dir, "broken.key");
    await writeFile(path, "nothing");
    await expect(openSigner(path)).rejects.toThrow(`${path} holds no private key of Ed25519`);
  });
});
