/** A client of Tallystick for Node 20, Workers and browsers: it needs fetch and WebCrypto, and nothing of Node. */
import { toClientEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import createClient, { type Client } from "openapi-fetch";
import { createPublicClient, http } from "viem";
import { base } from "viem/chains";
import type { paths } from "../generated/openapi.d.ts";
import { remember } from "./receipt.ts";

export type { Check, Verdict } from "./checks.ts";
export { type EventProof, type ProofEvidence, verifyProof } from "./proof.ts";
export {
  type JSONWebKeySet,
  type Receipt,
  type ReceiptEvidence,
  receiptOf,
  verifyReceipt,
} from "./receipt.ts";
export type { paths };

/** A method for each way of HTTP, typed by the path: `client.GET("/v1/agent/health")`. */
export type Tallystick = Client<paths>;

/** A wallet that signs typed data, such as viem's accounts. */
export type Wallet = ConstructorParameters<typeof ExactEvmScheme>[0];

export type Options = {
  /** An API key, `sk_…`. */
  key?: string;
  fetch?: typeof globalThis.fetch;
};

export type PayOptions = Options & {
  /** The most that one call may cost, in USDC; default 1.00. */
  most?: string;
};

export type ChannelOptions = PayOptions & {
  /** Base's JSON-RPC, where the deposit is read; default: a public one. */
  rpc_url?: string;
};

/** A channel's client, which can also end it. */
export type Channel = Tallystick & {
  /** Ends the channel: the service returns the rest of the deposit. Its transaction and amount. */
  leave(): Promise<{ transaction: string; amount?: string }>;
};

const BASE = "eip155:8453";
/** A priced operation without parameters, by whose 402 a channel is ended. */
const PRICED = "/v1/agent/skills/catalog";

/** A client that pays nothing: priced calls need a key. */
export const connect = (url: string, { key, fetch = globalThis.fetch }: Options = {}): Tallystick =>
  createClient<paths>({
    baseUrl: url.replace(/\/$/, ""),
    // As a function of its own: browsers and Workers refuse a fetch that is called as a method.
    fetch: (request) => fetch(request),
    querySerializer: { array: { style: "form", explode: false } },
    ...(key !== undefined && { headers: { Authorization: `Bearer ${key}` } }),
  });

/** A client that pays each priced call by a transfer of USDC. */
export function pay(url: string, wallet: Wallet, options: PayOptions = {}): Tallystick {
  return connect(url, { ...options, fetch: paying(new ExactEvmScheme(wallet), options) });
}

/** A client that pays from one deposit: each call signs a voucher, and takes no transaction. */
export function channel(url: string, wallet: Wallet, options: ChannelOptions = {}): Channel {
  const reader = createPublicClient({ chain: base, transport: http(options.rpc_url) });
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(wallet, reader));
  const client = connect(url, { ...options, fetch: paying(scheme, options) });
  const leave = async () => {
    const { success, errorReason, transaction, amount } = await scheme.refund(
      url.replace(/\/$/, "") + PRICED,
      options.fetch && { fetch: options.fetch },
    );
    if (!success) throw new Error(`the deposit was not returned: ${errorReason}`);
    return { transaction, ...(amount !== undefined && { amount }) };
  };
  return Object.assign(client, { leave });
}

function paying(
  scheme: ExactEvmScheme | BatchSettlementEvmScheme,
  { most, fetch = globalThis.fetch }: PayOptions,
): typeof globalThis.fetch {
  const client = x402Client.fromConfig({
    schemes: [{ network: BASE, client: scheme }],
    ...(most !== undefined && { spendControls: { maxAmountPerPayment: most } }),
  });
  const wrapped = wrapFetchWithPayment((input, init) => fetch(input, init), client);
  return async (input, init) => remember(await wrapped(input, init));
}
