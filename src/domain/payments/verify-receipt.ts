/**
 * Verifies a receipt against the service's keys and, if given, the answer, the request and the log's events. It shares
 * no code with the signing, so one mistake cannot be on both sides.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { isWeakKey } from "../../standards/ed25519.ts";

/** One claim of a receipt, and whether it holds. */
export type Check = { name: string; ok: boolean; detail: string };

export type VerifiedReceipt = {
  /** All checks passed. */
  ok: boolean;
  checks: Check[];
  /** null unless the signature holds. */
  payload: Members | null;
};

export type Evidence = {
  /** The `keys` of the service's JWK set. */
  keys: readonly unknown[];
  /** The received answer, decoded. */
  body?: Uint8Array | undefined;
  /** The request, with its defaults filled in. */
  request?: { operation: string; input: unknown; form?: unknown } | undefined;
  /** Events of the payment's stream, from an export with verified hashes. */
  log?: { origin: string; events: readonly LoggedEvent[] } | undefined;
};

/** A line of an export; an export of one stream has no positions. */
export type LoggedEvent = {
  position?: number;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  event_hash: string;
  recorded_at_us: number;
  type: string;
  /** JSON text. */
  payload: string;
};

type Members = { [name: string]: unknown };

/** Stops at an invalid signature: an unsigned text claims nothing. */
export function verifyReceipt(jws: string, evidence: Evidence): VerifiedReceipt {
  const checks: Check[] = [];
  try {
    const { kid, payload } = signedBy(evidence.keys, jws);
    checks.push({ name: "signature", ok: true, detail: `Ed25519, by ${kid}` });
    checks.push(check("members", membersFault(payload, kid), "as x402's offer-receipt, version 1, and ours"));
    // These checks read members whose form was checked before.
    if (checks.every(({ ok }) => ok)) checks.push(...evidenceChecks(payload, evidence));
    return { ok: checks.every(({ ok }) => ok), checks, payload };
  } catch (error) {
    if (!(error instanceof Unsigned)) throw error;
    return { ok: false, checks: [{ name: "signature", ok: false, detail: error.message }], payload: null };
  }
}

/** Finds the JWS in a text: itself, or inside a PAYMENT-RESPONSE as JSON or base64. undefined = none. */
export function receiptIn(text: string): string | undefined {
  const bare = text.trim().replace(/^(x-)?payment-response:\s*/i, "");
  if (/^[\w-]+\.[\w-]*\.[\w-]*$/.test(bare)) return bare;
  try {
    const response = JSON.parse(bare.startsWith("{") ? bare : Buffer.from(bare, "base64").toString());
    const receipt = response.extensions["offer-receipt"].info.receipt;
    return receipt.format === "jws" && typeof receipt.signature === "string" ? receipt.signature : undefined;
  } catch {
    return undefined;
  }
}

class Unsigned extends Error {}

/** The payload of a JWS by one of the keys; we choose the algorithm, never the header. */
function signedBy(keys: readonly unknown[], jws: string): { kid: string; payload: Members } {
  const parts = jws.split(".");
  const [header, body, signature] = parts.map(decoded);
  if (parts.length !== 3 || !header || !body || !signature)
    throw new Unsigned("this is not a compact JWS: three parts of base64url");
  const { alg, kid, crit, jwk } = jsonOf(header) ?? {};
  if (alg !== "EdDSA") throw new Unsigned(`the algorithm is ${JSON.stringify(alg)}, and only EdDSA counts`);
  if (crit !== undefined) throw new Unsigned("the header requires unknown extensions");
  if (typeof kid !== "string") throw new Unsigned("the header names no key");
  const candidates = keys.filter(isOkp).filter((key) => isCalled(key, kid));
  if (candidates.length === 0) throw new Unsigned(`none of the ${keys.length} given keys is ${kid}`);
  if (jwk !== undefined && !candidates.some(({ x }) => isOkp(jwk) && jwk.x === x))
    throw new Unsigned("the header carries another key than the one it names");
  const signed = Buffer.from(jws.slice(0, jws.lastIndexOf(".")));
  if (!candidates.some((key) => hasSigned(key, signed, signature)))
    throw new Unsigned(`not by ${kid}: the receipt was altered, or another key signed it`);
  const payload = jsonOf(body);
  if (!payload) throw new Unsigned("the payload is not a JSON object");
  return { kid, payload };
}

/** x402 names a key by a DID URL; a set may contain only its fragment. */
const isCalled = (key: Okp, kid: string) =>
  typeof key.kid === "string" && (key.kid === kid || kid.endsWith(`#${key.kid}`));

type Okp = { kty: "OKP"; crv: "Ed25519"; x: string; kid?: unknown };

function isOkp(key: unknown): key is Okp {
  if (typeof key !== "object" || key === null) return false;
  const { kty, crv, x, use = "sig", alg = "EdDSA" } = key as Members;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || use !== "sig" || alg !== "EdDSA")
    return false;
  const bytes = decoded(x);
  return bytes?.length === 32 && !isWeakKey(bytes);
}

const hasSigned = ({ kty, crv, x }: Okp, signed: Uint8Array, signature: Uint8Array) =>
  verify(null, signed, createPublicKey({ key: { kty, crv, x }, format: "jwk" }), signature);

/** Decodes canonical base64url; undefined for any other text. */
function decoded(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return text !== "" && bytes.toString("base64url") === text ? bytes : undefined;
}

function jsonOf(bytes: Buffer): Members | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}

const check = (name: string, fault: string | undefined, detail: string): Check => ({
  name,
  ok: fault === undefined,
  detail: fault ?? detail,
});

const ADDRESS = /^0x[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const CHAIN = /^eip155:\d+$/;

const FORMS: { [member: string]: (value: unknown) => boolean } = {
  version: (value) => value === 1,
  network: (value) => isText(value, CHAIN),
  resourceUrl: (value) => typeof value === "string" && URL.canParse(value),
  payer: (value) => isText(value, ADDRESS),
  issuedAt: isCount,
  // A voucher moves nothing on the chain.
  transaction: (value) => value === "" || isText(value, /^0x[0-9a-f]{64}$/),
  asset: (value) => isText(value, ADDRESS),
  amount: (value) => isText(value, /^[1-9]\d*$/),
  payTo: (value) => isText(value, ADDRESS),
  payment_id: (value) => isText(value, /^eip155(:[0-9a-fx]+){4}(:[1-9]\d*)?$/),
  operation: (value) => isText(value, /./),
  request_sha256: (value) => isText(value, SHA256),
  answer_status: isCount,
  answer_sha256: (value) => value === null || isText(value, SHA256),
  vintage: (value) => value === null || isText(value, /./),
  event: (value) => {
    const { origin, position, event_id, event_hash } = (value ?? {}) as Members;
    return isText(origin, /./) && isCount(position) && isText(event_id, /./) && isText(event_hash, SHA256);
  },
};

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === "string" && form.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function membersFault(payload: Members, kid: string): string | undefined {
  const wrong = Object.entries(FORMS).find(([name, fits]) => !fits(payload[name]))?.[0];
  if (wrong) return `${wrong} is ${JSON.stringify(payload[wrong])}`;
  const { network, asset, payer, payment_id, resourceUrl } = payload as { [name: string]: string };
  if (!payment_id!.startsWith(`${network}:${asset}:${payer}:`))
    return "payment_id belongs to another network, asset or payer";
  if (isVoucher(payload) !== (payload.transaction === ""))
    return isVoucher(payload)
      ? "transaction is not empty, although a voucher paid"
      : "transaction is empty, although no voucher paid";
  const service = `did:web:${encodeURIComponent(new URL(resourceUrl!).host)}`;
  return kid.startsWith(`${service}#`) ? undefined : `the key ${kid} is not of ${service}`;
}

/** The payment's id has a sixth part for a voucher: the sum of all charges of its channel. */
const isVoucher = ({ payment_id }: Members) => String(payment_id).split(":").length === 6;

/** The stream of the payment, or of the voucher's channel. */
export function streamOfReceipt(payload: Members): string {
  const id = String(payload.payment_id);
  return isVoucher(payload) ? `channel-${id.slice(0, id.lastIndexOf(":"))}` : `payment-${id}`;
}

function evidenceChecks(payload: Members, { body, request, log }: Evidence): Check[] {
  const checks: Check[] = [];
  if (body)
    checks.push(check("body", bodyFault(payload, body), `${body.length} bytes, as they were answered`));
  if (request) {
    const { operation } = request;
    const isSame = sha256(canonical(request)) === payload.request_sha256;
    const fault = isSame
      ? undefined
      : `the receipt is for another request: ${payload.operation}, ${payload.request_sha256}`;
    checks.push(check("request", fault, `${operation}, with this input`));
  }
  return log ? [...checks, ...logChecks(payload, log)] : checks;
}

function bodyFault({ answer_sha256 }: Members, body: Uint8Array): string | undefined {
  if (answer_sha256 === null) return "the receipt has no digest of this answer: it was a stream, or private";
  const digest = sha256(body);
  return digest === answer_sha256
    ? undefined
    : `this body has the digest ${digest}, the receipt has ${answer_sha256}`;
}

/** Checks the receipt's event, and the claim and settlement before it in the stream. */
function logChecks(payload: Members, { origin, events }: NonNullable<Evidence["log"]>): Check[] {
  const recorded = payload.event as Members;
  const event = events.find(({ event_hash }) => event_hash === recorded.event_hash);
  if (!event) return [check("event", `no event of this export has the hash ${recorded.event_hash}`, "")];
  const { stream_id, tenant, event_id, position = recorded.position } = event;
  const issuedAt = Math.floor(event.recorded_at_us / 1_000_000);
  const place = { origin, position, event_id, stream_id, tenant, issuedAt };
  const expected = {
    ...recorded,
    stream_id: streamOfReceipt(payload),
    tenant: `wallet:${payload.payer}`,
    issuedAt: payload.issuedAt,
  };
  const { sha256: answer_sha256, status, vintage } = (payloadOf(event).answer ?? {}) as Members;
  const answer = { answer_sha256, answer_status: status, vintage };
  const checks = [
    check("event", difference(place, expected), `position ${recorded.position} of ${origin}`),
    check("answer", difference(answer, payload), `recorded by ${event.type}`),
  ];
  const stream = events.filter((one) => one.stream_id === stream_id);
  if (isVoucher(payload)) return [...checks, ...channelChecks(payload, event, stream)];
  if (stream.some(({ type }) => type === "PaymentSettled"))
    checks.push(check("settlement", settlementFault(payload, stream), String(payload.transaction)));
  const claimed = stream.findLast(
    ({ type, version }) => type === "PaymentClaimed" && version <= event.version,
  );
  if (claimed) {
    const { network, asset, payer, pay_to, operation, request_sha256, ...more } = payloadOf(claimed);
    const amount = String(more.amount_micro);
    const claim = { network, asset, payer, payTo: pay_to, amount, operation, request_sha256 };
    const url = "the SHA-256 of resourceUrl";
    const fault = difference(
      { ...claim, [url]: more.resource_sha256 },
      { ...payload, [url]: sha256(String(payload.resourceUrl)) },
    );
    checks.push(check("claim", fault, `${amount} of ${asset} by ${payer}`));
  }
  return checks;
}

/** Checks the voucher and its channel's charges up to it: each voucher adds exactly its call's price. */
function channelChecks(payload: Members, event: LoggedEvent, stream: readonly LoggedEvent[]): Check[] {
  const { network, token, payer, receiver } = payloadOf(
    stream.find(({ type }) => type === "ChannelOpened") ?? event,
  );
  const { operation, request_sha256, resource_sha256, ...voucher } = payloadOf(event);
  const url = "the SHA-256 of resourceUrl";
  const amount = String(voucher.price_micro);
  const of_channel = { network, asset: token, payer, payTo: receiver };
  const fault = difference(
    { ...of_channel, amount, operation, request_sha256, [url]: resource_sha256 },
    { ...payload, [url]: sha256(String(payload.resourceUrl)) },
  );
  const sum = String(payload.payment_id).split(":")[5];
  const wrongSum =
    String(voucher.charged_micro) === sum
      ? undefined
      : `the log's sum of charges is ${voucher.charged_micro}`;
  return [
    check("voucher", fault ?? wrongSum, `${amount} of ${token} by ${payer}`),
    check("charges", chargesFault(stream, event.version), `${sum} in all, each voucher by its own price`),
  ];
}

function chargesFault(stream: readonly LoggedEvent[], last: number): string | undefined {
  let charged = 0;
  for (const event of stream) {
    if (event.version > last) return undefined;
    const { charged_micro, price_micro, claimed_micro } = payloadOf(event) as { [name: string]: number };
    if (event.type === "ChannelSeen") charged = Math.max(charged, claimed_micro!);
    if (event.type !== "VoucherAccepted") continue;
    if (charged_micro !== charged + price_micro!)
      return `version ${event.version} of the channel charges ${charged_micro} after ${charged}, at the price ${price_micro}`;
    charged = charged_micro!;
  }
  return undefined;
}

/** A reorg may have moved or reverted the settlement after the answer. */
function settlementFault({ transaction }: Members, stream: readonly LoggedEvent[]): string | undefined {
  const settlement = stream.findLast(
    (event) => payloadOf(event).transaction === transaction && /^Payment/.test(event.type),
  );
  if (!settlement) return `no event of this export settles ${transaction}`;
  return settlement.type === "PaymentSettled" ? undefined : "the chain reverted the settlement afterwards";
}

const payloadOf = ({ payload }: LoggedEvent) => JSON.parse(payload) as Members;

/** The first member that differs between log and receipt. */
function difference(logged: Members, stated: Members): string | undefined {
  const name = Object.keys(logged).find((one) => logged[one] !== stated[one]);
  if (name === undefined) return undefined;
  return `${name} is ${JSON.stringify(logged[name])} in the log and ${JSON.stringify(stated[name])} in the receipt`;
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

/** RFC 8785 of a JSON value. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
