/** Verifies the signed receipt of a paid call. */
import { decodePaymentResponseHeader } from "@x402/fetch";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, type JWK } from "jose";
import { bytesOf, sha256 } from "./bytes.ts";
import { judged, need, type Verdict } from "./checks.ts";

/** The members of x402's offer-receipt, version 1, and those of the service. */
export type Receipt = {
  version: 1;
  network: string;
  resourceUrl: string;
  payer: string;
  /** Seconds of Unix time. */
  issuedAt: number;
  /** Empty if a channel's voucher paid. */
  transaction: string;
  asset: string;
  /** In the token's smallest unit. */
  amount: string;
  payTo: string;
  payment_id: string;
  operation: string;
  request_sha256: string;
  answer_status: number;
  /** null if the answer is about a person. */
  answer_sha256: string | null;
  vintage: string | null;
  event: { origin: string; position: number; event_id: string; event_hash: string };
};

export type ReceiptEvidence = {
  /** The service's key set, stored before; its address is `/.well-known/jwks.json`. */
  keys: JSONWebKeySet;
  /** The answer as it was received, decoded. A Response brings its own. */
  body?: Uint8Array | string;
  /** The request with its defaults filled in. */
  request?: { operation: string; input: unknown; form?: string };
};

/** Bodies of paid answers, which their callers read before they verify. */
const bodies = new WeakMap<Response, Promise<Uint8Array | undefined>>();

/** Keeps a copy of a paid answer's bytes for as long as its Response lives. */
export function remember(answer: Response): Response {
  if (receiptOf(answer) === undefined) return answer;
  const copy = answer.clone().arrayBuffer();
  bodies.set(
    answer,
    copy.then(
      (bytes) => new Uint8Array(bytes),
      () => undefined,
    ),
  );
  return answer;
}

/** The compact JWS in an answer's PAYMENT-RESPONSE; undefined if there is none. */
export function receiptOf(answer: Response): string | undefined {
  const header = answer.headers.get("PAYMENT-RESPONSE");
  if (header === null) return undefined;
  const { extensions } = decodePaymentResponseHeader(header) as { extensions?: Record<string, unknown> };
  const offered = extensions?.["offer-receipt"] as
    | { info?: { receipt?: { signature?: string } } }
    | undefined;
  return offered?.info?.receipt?.signature;
}

/** Checks who signed, what the receipt states, and that it is the receipt of this answer and request. */
export async function verifyReceipt(
  receipt: Response | string,
  { keys, body, request }: ReceiptEvidence,
): Promise<Verdict & { receipt: Receipt | null }> {
  const jws = typeof receipt === "string" ? receipt.trim() : receiptOf(receipt);
  const bytes = body ?? (typeof receipt === "string" ? undefined : await bodies.get(receipt));
  let stated: Receipt | undefined;
  const verdict = await judged([
    [
      "signature",
      async () => {
        need(jws, "the answer carries no receipt: streams and free answers have none");
        const { protectedHeader, payload } = await compactVerify(jws, keyFinder(keys), {
          algorithms: ["EdDSA"],
        });
        stated = JSON.parse(new TextDecoder().decode(payload)) as Receipt;
        need(ownerOf(protectedHeader.kid) === hostOf(stated), "the key is not of the receipt's service");
        return `Ed25519, by ${protectedHeader.kid}`;
      },
    ],
    ["members", () => membersOf(stated!)],
    ...(bytes === undefined ? [] : [bodyStep(() => stated!, bytes)]),
    ...(request === undefined ? [] : [requestStep(() => stated!, request)]),
  ]);
  const isSigned = verdict.checks[0]!.ok;
  return { ...verdict, receipt: (isSigned && stated) || null };
}

/** The set names each key by DID URL; a receipt of another host of the same service names it by its own. */
function keyFinder(keys: JSONWebKeySet) {
  const find = createLocalJWKSet(keys);
  return (header: Parameters<typeof find>[0]) => {
    need(typeof header?.kid === "string", "the receipt names no key");
    return find(header);
  };
}

const ownerOf = (kid: string | undefined) => kid?.split("#")[0];
const hostOf = ({ resourceUrl }: Receipt) => `did:web:${encodeURIComponent(new URL(resourceUrl).host)}`;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const HASH = /^[0-9a-f]{64}$/;
const FORMS: [name: keyof Receipt, form: RegExp][] = [
  ["version", /^1$/],
  ["network", /^eip155:\d+$/],
  ["payer", ADDRESS],
  ["issuedAt", /^[1-9]\d*$/],
  ["transaction", /^(0x[0-9a-f]{64})?$/],
  ["asset", ADDRESS],
  ["amount", /^[1-9]\d*$/],
  ["payTo", ADDRESS],
  ["operation", /./],
  ["request_sha256", HASH],
  ["answer_status", /^\d{3}$/],
];

function membersOf(stated: Receipt): string {
  for (const [name, form] of FORMS) need(form.test(String(stated[name])), `${name} is ${stated[name]}`);
  const { network, asset, payer, payment_id, amount, operation, event } = stated;
  const isTheirs = payment_id.startsWith(`${network}:${asset}:${payer}:`);
  need(isTheirs, "payment_id belongs to another network, asset or payer");
  need(HASH.test(event.event_hash) && event.position > 0, "the event has no place in the log");
  return `${payer} paid ${amount} for ${operation}`;
}

type Step = [name: string, holds: () => Promise<string>];

const bodyStep = (stated: () => Receipt, body: Uint8Array | string): Step => [
  "body",
  async () => {
    const { answer_sha256 } = stated();
    need(answer_sha256 !== null, "the receipt has no digest of the answer, which is about a person");
    const bytes = typeof body === "string" ? bytesOf(body) : body;
    need((await sha256(bytes)) === answer_sha256, "it is the receipt of another answer");
    return `${bytes.length} bytes, as they were answered`;
  },
];

const requestStep = (stated: () => Receipt, request: NonNullable<ReceiptEvidence["request"]>): Step => [
  "request",
  async () => {
    need(
      (await sha256(canonical(request))) === stated().request_sha256,
      "it is the receipt of another request",
    );
    return request.operation;
  },
];

/** RFC 8785: members in the order of their UTF-16 units, strings and numbers as JSON.stringify writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .join(",")}}`;
}

export type { JSONWebKeySet, JWK };
