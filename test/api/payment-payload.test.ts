/** The parsing of payments, refusals by field, and the header that requests one. */
import {
  decodePaymentRequiredHeader,
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
} from "@x402/core/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { paymentOf, takesWallet } from "../../src/api/declare/access/way.ts";
import { methodOf, pathOf } from "../../src/api/declare/operation-facts.ts";
import { createIssuer } from "../../src/api/serve/x402/issuer.ts";
import { type PaymentPayload, readPayment } from "../../src/api/serve/x402/payload.ts";
import { PaymentRefused } from "../../src/api/serve/x402/payment-refusal.ts";
import { paymentRequired } from "../../src/api/serve/x402/required.ts";
import { catalogue } from "../support/catalogue.ts";
import { countCalls, takeNote } from "../support/notes.ts";
import { scaled } from "../support/scale.ts";
import { PAYEE, payment, wallet } from "../support/wallets.ts";
import { headerOf, PRICE, presentedV1, presentedV2 } from "../support/x402.ts";

const sound = await payment(wallet(0), PRICE);
const v1 = presentedV1(sound);
const v2 = presentedV2(sound, PAYEE);

const refusal = (presented: string | object): { code: string; message: string } => {
  try {
    readPayment(presented);
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
  throw new Error("it was read");
};

describe("a payment is parsed", () => {
  test("in version 1", () => {
    expect(readPayment(headerOf(v1))).toEqual({
      x402_version: 1,
      scheme: "exact",
      network: "base",
      signed: sound,
    });
  });

  test("of version 2, with what stock clients send back of the 402", () => {
    const { v2: offered } = paymentRequired(countCalls, "/v1/agent/count", terms, { price: "0.05" });
    const [accepted] = offered.accepts;
    const echoed = { ...v2, accepted: { ...accepted, later: 1 }, resource: offered.resource };
    const extensions = {
      ...offered.extensions,
      "payment-identifier": { info: { required: false, id: "pay_7d5d747be160e280" } },
    };
    const header = headerOf({ ...echoed, extensions });
    expect(decodePaymentSignatureHeader(header)).toMatchObject({ x402Version: 2 });
    expect(readPayment(header)).toMatchObject({
      x402_version: 2,
      scheme: "exact",
      network: "eip155:8453",
      signed: sound,
      accepted: { amount: PRICE, pay_to: PAYEE, max_timeout_seconds: 300 },
      resource_url: "https://ours.example/v1/agent/count",
      identifier: "pay_7d5d747be160e280",
    } satisfies Partial<Record<keyof PaymentPayload, unknown>>);
    expect(readPayment({ ...echoed, extensions: offered.extensions })).not.toHaveProperty("identifier");
  });

  test("of version 2, with scheme and network as version 1 has them", () => {
    const repeated = { ...v2, scheme: "exact", network: "eip155:8453" };
    expect(readPayment(repeated)).toEqual(readPayment(v2));
  });

  test("in both base64 alphabets, padded or not, and as an object", () => {
    const text = Buffer.from(JSON.stringify({ ...v2, extensions: { note: "»?>~" } }));
    for (const presented of [
      text.toString("base64"),
      text.toString("base64url"),
      text.toString("base64").replace(/=+$/, ""),
      v2,
    ])
      expect(readPayment(presented)).toEqual(readPayment(v2));
  });

  test("with capital addresses, which become lower case", () => {
    const from = wallet(0).address;
    const { payload } = v1;
    const capital = { ...v1, payload: { ...payload, authorization: { ...payload.authorization, from } } };
    expect(from).not.toBe(sound.transfer.from);
    expect(readPayment(capital).signed).toEqual(sound);
  });
});

describe("an unreadable payment is refused by field", () => {
  const withAuthorization = (more: object) => ({
    ...v1,
    payload: { ...v1.payload, authorization: { ...v1.payload.authorization, ...more } },
  });
  const identified = (id: unknown) => ({ ...v2, extensions: { "payment-identifier": { info: { id } } } });

  test.each<[string, string | object, string | RegExp]>([
    ["no base64", "{}", "base64"],
    ["nothing", "", "base64"],
    ["base64 with rubbish within", `${headerOf(v1).slice(0, 40)}\n${headerOf(v1).slice(40)}`, "base64"],
    ["two headers joined", `${headerOf(v1)}, ${headerOf(v1)}`, "base64"],
    ["text beyond the limit", "A".repeat(16 * 1024 + 4), "longer than 16 KiB"],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64"), "not base64 of JSON"],
    ["no JSON", Buffer.from("{").toString("base64"), "not base64 of JSON"],
    [
      "a key that occurs twice",
      Buffer.from('{"x402Version":1,"x402Version":2}').toString("base64"),
      "not base64 of JSON",
    ],
    ["a list", headerOf([v1]), "must be a JSON object"],
    ["null", Buffer.from("null").toString("base64"), "must be a JSON object"],
    ["an unknown member", { ...v1, more: 1 }, "more"],
    [
      "an unknown member of the authorization",
      withAuthorization({ more: 1 }),
      "payload.authorization: .*more",
    ],
    ["an amount as a number", withAuthorization({ value: 50_000 }), "payload.authorization.value"],
    ["an amount below nothing", withAuthorization({ value: "-1" }), "payload.authorization.value"],
    ["an amount in hex", withAuthorization({ value: "0x1" }), "payload.authorization.value"],
    [
      "an amount beyond 256 bits",
      withAuthorization({ value: String(2n ** 256n) }),
      "value: does not fit 256 bits",
    ],
    [
      "a time with a fraction",
      withAuthorization({ validBefore: "1.5" }),
      "payload.authorization.validBefore",
    ],
    ["a short nonce", withAuthorization({ nonce: "0x00" }), "payload.authorization.nonce"],
    ["a payer that is none", withAuthorization({ from: "alice" }), "payload.authorization.from"],
    [
      "half a byte of signature",
      { ...v1, payload: { ...v1.payload, signature: "0xabc" } },
      "payload.signature",
    ],
    [
      "an endless signature",
      { ...v1, payload: { ...v1.payload, signature: `0x${"ab".repeat(2049)}` } },
      "payload.signature: has at most 4096 hex digits",
    ],
    ["no authorization", { ...v1, payload: { signature: "0x" } }, "payload.authorization"],
    ["no terms", { x402Version: 2, payload: v1.payload }, "accepted"],
    ["another network than the accepted one", { ...v2, network: "base" }, "network: is accepted.network"],
    ["another scheme than the accepted one", { ...v2, scheme: "upto" }, "scheme: is accepted.scheme"],
    ["an unknown member in version 2", { ...v2, more: 1 }, "more"],
    ["an endless name", { ...v1, ["x".repeat(9_000)]: 1 }, "^.{1,300}$"],
    ["a short identifier", identified("short"), "extensions.payment-identifier.info.id"],
    ["a long identifier", identified("x".repeat(129)), "extensions.payment-identifier.info.id"],
    ["an identifier with a blank", identified("pay 7d5d747be160e280"), "takes letters, digits, - and _"],
    ["an identifier that is a number", identified(1234567890123456), "extensions.payment-identifier.info.id"],
  ])("%s", (_, presented, answer) => {
    const { code, message } = refusal(presented);
    expect(code).toBe("invalid_payload");
    expect(message).toMatch(new RegExp(answer));
  });

  test.each([0, 3, "1", null, undefined])("x402Version %j", (x402Version) => {
    expect(refusal({ ...v1, x402Version }).code).toBe("invalid_x402_version");
  });
});

describe("any input is parsed or refused", () => {
  const members = [
    "x402Version",
    "scheme",
    "network",
    "payload",
    "accepted",
    "resource",
    "extensions",
    "__proto__",
  ];
  /** A value put into a valid payment, or removed from it. */
  const broken = fc
    .tuple(
      fc.constantFrom(v1 as object, v2 as object),
      fc.array(
        fc.oneof(
          fc.constantFrom(
            ...members,
            "signature",
            "authorization",
            "value",
            "from",
            "extra",
            "info",
            "amount",
          ),
          fc.string({ maxLength: 5 }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
      fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined }),
    )
    .map(([base, path, value]) => put(base, path, value));

  test("any text", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), outcome));
  });

  test("any JSON, as an object and in a header", () => {
    fc.assert(
      fc.property(fc.oneof(broken, fc.object({ key: fc.constantFrom(...members) })), (value) => {
        outcome(value);
        outcome(Buffer.from(JSON.stringify(value)).toString("base64"));
      }),
      { numRuns: scaled(500, 10) },
    );
  });

  test("JSON as deep as a header allows", () => {
    for (const text of ["[".repeat(12_000), `${'{"x402Version":2,"extensions":'.repeat(400)}`, deep(1_500)])
      outcome(Buffer.from(text).toString("base64"));
  });
});

const deep = (levels: number) =>
  JSON.stringify({ ...v2, extensions: { other: 0 } }).replace(
    ":0}",
    `:${"[".repeat(levels)}${"]".repeat(levels)}}`,
  );

function outcome(presented: string | object): void {
  try {
    expect(readPayment(presented)).toHaveProperty("signed");
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    expect(error.message.length).toBeLessThan(600);
  }
}

function put(base: object, [name, ...rest]: string[], value: unknown): object {
  const own = Object.getOwnPropertyDescriptor(base, name!)?.value as unknown;
  const inner = rest.length === 0 || typeof own !== "object" || own === null ? value : put(own, rest, value);
  const copy = { ...base };
  Object.defineProperty(copy, name!, { value: inner, enumerable: true, configurable: true });
  return copy;
}

const terms = { pay_to: PAYEE, public_url: "https://ours.example", embedded_chain: false };
const signer = {
  kid: "k".repeat(43),
  public_key: { kty: "OKP", crv: "Ed25519", x: "x" },
  sign: () => Buffer.alloc(64),
} as const;
const issuer = createIssuer(
  { signer, link_secret: Buffer.alloc(32), clock: { now: () => new Date() }, pay_to: PAYEE },
  terms.public_url,
);

describe("the 402", () => {
  const priced = [...catalogue, countCalls, takeNote].filter((operation) => paymentOf(operation));
  type Fields = Record<string, z.core.JSONSchema.JSONSchema>;
  type Bazaar = {
    info: { input: Record<string, unknown>; output: { type: string } };
    schema: {
      properties: {
        input: { properties: Record<string, { properties: Fields }> };
        output: { properties: { example: Fields } };
      };
    };
    routeTemplate?: string;
  };

  test.each(priced.map((one) => [one.name, one] as const))(
    "of %s fits into one header, with all extensions",
    (_, operation) => {
      const price = paymentOf(operation)!.unit_price;
      const path = pathOf(operation);
      const signable = { method: methodOf(operation), path, resources: ["ni:///sha-256;".padEnd(57, "x")] };
      const issued = { ...terms, issuer };
      const { headers, v2: offered } = paymentRequired(operation, path, issued, { price, signable });
      const header = headers["PAYMENT-REQUIRED"]!;
      expect(header.length).toBeLessThan(6 * 1024 + 1);
      expect(header).toBe(encodePaymentRequiredHeader(offered));
      expect(decodePaymentRequiredHeader(header)).toEqual(offered);
      expect(offered.extensions).toMatchObject({ "payment-identifier": { info: { required: false } } });
      expect(offered.extensions).toHaveProperty("offer-receipt");
      expect("sign-in-with-x" in offered.extensions!).toBe(takesWallet(operation));
      expect(headers["WWW-Authenticate"]!.length).toBeLessThan(1_024);
      const { info, schema } = offered.extensions!.bazaar as Bazaar;
      expect(info.input).toMatchObject({ type: "http", method: methodOf(operation) });
      expect(info.output.type).toMatch(/^(json|text|binary)$/);
      expect(Object.keys(schema.properties.output.properties.example)).not.toEqual([]);
      // Directories check `info` against `schema` before they list it.
      expect(z.fromJSONSchema(schema as never).safeParse(info).error).toBeUndefined();
      expect(
        z.fromJSONSchema(schema as never).safeParse({ input: { ...info.input, method: "PUT" } }).success,
      ).toBe(false);
      const place = methodOf(operation) === "POST" ? "body" : "queryParams";
      const answer = { ...(info.input[place] as object), ...(info.input.pathParams as object) };
      expect(answer).toEqual(operation.example);
      const { properties } = schema.properties.input;
      const described = [properties[place]!, properties.pathParams ?? { properties: {} }];
      expect(described.flatMap((one) => Object.keys(one.properties)).sort()).toEqual(
        Object.keys(operation.input.shape).sort(),
      );
    },
  );

  test("names the parameters of its path as routes do", () => {
    const { v2: offered } = paymentRequired(takeNote, "/v1/agent/notes/a", terms, { price: "0.01" });
    expect(offered.extensions!.bazaar).toMatchObject({
      routeTemplate: "/v1/agent/notes/:notebook",
      info: { input: { bodyType: "json", body: { text: "hello" }, pathParams: { notebook: "a" } } },
    });
  });

  test("omits long field descriptions, but no field named description", () => {
    const description = z.string().describe("what it says ".repeat(400));
    const wordy = { ...countCalls, input: z.object({ description }), example: { description: "mine" } };
    const { headers, v2: offered } = paymentRequired(wordy, "/v1/agent/count", terms, { price: "0.05" });
    expect(headers["PAYMENT-REQUIRED"]!.length).toBeLessThan(6 * 1024);
    const { info, schema } = offered.extensions!.bazaar as Bazaar;
    expect(info.input.queryParams).toEqual({ description: "mine" });
    expect(schema.properties.input.properties.queryParams).toEqual({
      type: "object",
      properties: { description: { type: "string" } },
      required: ["description"],
    });
  });

  test("names a long URL by its digest, and stays short", () => {
    const path = `/v1/agent/count?word=${"x".repeat(4_000)}`;
    const { headers, v2: offered } = paymentRequired(countCalls, path, terms, { price: "0.05" });
    expect(offered.resource!.url).toMatch(/\/v1\/agent\/count\?sha256=[0-9a-f]{64}$/);
    expect(headers["PAYMENT-REQUIRED"]!.length).toBeLessThan(6 * 1024);
  });

  test("warns on the development chain only", () => {
    const warning = "Development chain: do not sign with a funded wallet.";
    const here = paymentRequired(countCalls, "/", { ...terms, embedded_chain: true }, { price: "0.05" });
    expect(here.body.accepts[0]!.description).toContain(warning);
    expect(here.v2.resource.description).toContain(warning);
    expect(paymentRequired(countCalls, "/", terms, { price: "0.05" }).v2.resource.description).not.toContain(
      warning,
    );
  });

  test("offers a key only where a key helps, and names wrong input before the price", () => {
    const detailOf = (more: object, operation: typeof countCalls = countCalls) =>
      paymentRequired(operation, "/", terms, { price: "0.05", ...more }).body.detail;
    const keyless = { ...countCalls, access: countCalls.access.filter(({ payment: paid }) => paid) };
    expect(detailOf({})).toMatch(/costs 0.05 USDC: pay one entry of accepts, or send an API key$/);
    expect(detailOf({ has_key: true })).toMatch(/pay one entry of accepts$/);
    expect(detailOf({}, keyless as typeof countCalls)).toMatch(/pay one entry of accepts$/);
    for (const [name, needed] of [
      ["wallet_airdrop", "an API key with the scope admin"],
      ["compute_dispute", "a subject's own key"],
    ] as const) {
      const operation = catalogue.find((one) => one.name === name)! as unknown as typeof countCalls;
      expect(detailOf({}, operation)).toContain(`and needs ${needed}`);
      expect(detailOf({}, operation)).toMatch(/without it a payment is refused$/);
      expect(detailOf({ has_key: true }, operation)).toMatch(/pay one entry of accepts$/);
    }
    const errors = [{ path: "limit", message: "is at most 10" }];
    const { body } = paymentRequired(countCalls, "/", terms, { price: "0.05", errors });
    expect(body.detail).toMatch(/^Correct the input before you pay: limit is at most 10\. /);
    expect(body.errors).toEqual(errors);
  });

  test("says why a payment was refused, in both versions", () => {
    const refused = new PaymentRefused("insufficient_funds", "the wallet holds too little; fund it");
    const { body, v2: offered } = paymentRequired(countCalls, "/", terms, { price: "0.05", refused });
    expect(body).toMatchObject({
      error: "insufficient_funds",
      detail: "the wallet holds too little; fund it",
    });
    expect(offered.error).toBe("insufficient_funds");
  });
});
