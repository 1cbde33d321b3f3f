/** One receipt with fixed facts and a fixed key, as docs/vectors/receipt.json has it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ReceiptFacts, ReceiptPayload } from "../../src/domain/payments/receipt.ts";

export const VECTOR_FILE = new URL("../../docs/vectors/receipt.json", import.meta.url);

/** The example key of RFC 8037, appendix A.1, as PKCS #8. */
export const PRIVATE_KEY = Buffer.from(
  "302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
  "hex",
).toString("base64");

export const BODY = '{"success":true,"partners":["FR","NL"],"vintage":"2026-01"}';

const PAYER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const ASSET = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const NONCE = `0x${"1f".repeat(32)}` as const;

/** In the order of RFC 8785. */
export const REQUEST_TEXT = '{"input":{"limit":3,"reporter":"DE"},"operation":"top-partners"}';
export const REQUEST = { operation: "top-partners", input: { reporter: "DE", limit: 3 } };

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const RESOURCE_URL = "https://api.example.org/v1/agent/trade/top-partners?reporter=DE&limit=3";

export const FACTS: ReceiptFacts = {
  resource_url: RESOURCE_URL,
  log_origin: "log.example.org/main/5f1d0c3ab2e94f77",
  payment_id: `eip155:8453:${ASSET}:${PAYER}:${NONCE}`,
  claim: {
    network: "eip155:8453",
    asset: ASSET,
    payer: PAYER,
    pay_to: "0x209693bc6afc0c5328ba36faf03c514ef312287c",
    amount_micro: 50_000,
    valid_after: "0",
    valid_before: "1767326400",
    nonce: NONCE,
    signature: `0x${"5a".repeat(65)}`,
    operation: "top-partners",
    request_sha256: sha256(REQUEST_TEXT),
    tenant: `wallet:${PAYER}`,
    seen_block: 24_000_000,
    claimed_at: "2026-01-02T03:04:05.678Z",
    holder: null,
    resource_sha256: sha256(RESOURCE_URL),
  },
  settlement: {
    transaction: `0x${"ab".repeat(32)}`,
    block_number: 24_000_001,
    block_hash: `0x${"cd".repeat(32)}`,
    fee_wei: "45000000000",
  },
  answer: { status: 200, sha256: sha256(BODY), vintage: sha256("manifest") },
  event: {
    position: 1234,
    event_id: "019b76da-a800-7000-8000-000000000003",
    event_hash: Buffer.alloc(32, 0x3d),
    recorded_at_us: 1_767_323_045_678_901,
  },
};

type Vector = {
  note: string;
  jwks: { keys: Record<string, unknown>[] };
  private_key_pkcs8: string;
  request: string;
  body: string;
  payload: ReceiptPayload;
  jws: string;
};

export const readVector = () => JSON.parse(readFileSync(VECTOR_FILE, "utf8")) as Vector;
