/** The demo of a channel: one deposit, twenty calls without a transaction, the status, a receipt, and the rest back. */
import { randomBytes } from "node:crypto";
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import type { Hex } from "../core/model/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { CHANNELS, COLLECTOR, channelDigests, depositNonce } from "../domain/payments/channel-contract.ts";
import { decimalUsdc, USDC } from "../domain/payments/usdc.ts";
import { verifyReceipt } from "../domain/payments/verify-receipt.ts";
import { fetchAnswer, get, parsed } from "./demo-buyer.ts";
import type { DemoService } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { stories } from "./stories.ts";

const PATH = "/v1/agent/skills/catalog";
const CALLS = 20;
const CHAIN_ID = 8453;
const NETWORK = `eip155:${CHAIN_ID}`;
const VALID_S = 300;

const hex = z.string().regex(/^0x[0-9a-fA-F]+$/) as z.ZodType<Hex>;

const requirement = z.looseObject({
  scheme: z.literal("batch-settlement"),
  network: z.literal(NETWORK),
  asset: hex.refine((asset) => asset.toLowerCase() === USDC.address.toLowerCase(), "is not USDC on Base"),
  payTo: hex,
  amount: z.string().regex(/^\d{1,15}$/),
  extra: z.looseObject({
    receiverAuthorizer: hex,
    withdrawDelay: z.int().positive(),
    minDeposit: z.string().regex(/^\d{1,15}$/),
  }),
});
type Requirement = z.infer<typeof requirement>;

const required = z.looseObject({
  resource: z.looseObject({ description: z.string() }),
  accepts: z.array(z.unknown()),
});

const charge = z.looseObject({
  success: z.literal(true),
  transaction: z.string(),
  amount: z.string(),
  extra: z
    .looseObject({
      channelState: z.looseObject({ chargedCumulativeAmount: z.string(), balance: z.string() }),
    })
    .optional(),
  extensions: z
    .looseObject({
      "offer-receipt": z.looseObject({
        info: z.looseObject({ receipt: z.looseObject({ signature: z.string() }) }),
      }),
    })
    .optional(),
});
type Charge = z.infer<typeof charge>;

const jwks = z.looseObject({ keys: z.array(z.unknown()) });
const status = z.looseObject({
  data: z.looseObject({
    balance_usdc: z.string(),
    charged_usdc: z.string(),
    owed_usdc: z.string(),
    left_usdc: z.string(),
    withdraw_delay_s: z.int(),
    leave: z.looseObject({
      without_us: z.looseObject({ begin: z.looseObject({ to: z.string(), data: z.string() }).nullable() }),
    }),
  }),
});

const ended = z.looseObject({ refunded_usdc: z.string() });

export async function payByChannel({ url }: DemoService, wallet: LocalAccount): Promise<void> {
  const place = url + PATH;
  tell.step(1, "The terms of a channel", `GET ${PATH}`);
  const terms = await termsOf(place);
  const deposit = BigInt(terms.extra.minDeposit);
  if (deposit > stories.channel.most)
    refuse(
      "forbidden",
      `${url} wants a deposit of ${terms.extra.minDeposit} micro-USDC; this buyer pays less`,
    );
  tell.line("402", `${decimalUsdc(BigInt(terms.amount))} USDC a call, by the scheme ${terms.scheme}`);
  tell.line(
    "least",
    `${decimalUsdc(deposit)} USDC of deposit; ${terms.extra.withdrawDelay} s to withdraw it without the service`,
  );

  const payer = new Payer(wallet, terms);
  tell.step(2, "The first call, with the deposit", "receiveWithAuthorization of USDC, and a voucher");
  const first = await payer.pay(place, await payer.deposit(deposit));
  tell.line("channel", payer.channel_id);
  tell.line("transaction", first.charge.transaction);

  tell.step(3, `${CALLS - 1} calls, each with a voucher`, "no transaction, no gas");
  const begun = performance.now();
  let last = first;
  for (let n = 1; n < CALLS; n++) last = await payer.pay(place);
  tell.line("took", `${((performance.now() - begun) / (CALLS - 1)).toFixed(1)} ms a call`);
  tell.line("charged", `${decimalUsdc(payer.charged)} USDC in all`);

  tell.step(4, "The receipt of the last call, verified", "GET /.well-known/jwks.json");
  const { keys } = await fetchAnswer(`${url}/.well-known/jwks.json`, jwks);
  const jws = last.charge.extensions?.["offer-receipt"].info.receipt.signature;
  const { ok, checks } = verifyReceipt(jws ?? "", { keys, body: Buffer.from(last.body) });
  for (const { ok: holds, name, detail } of checks) tell.finding({ ok: holds, says: `${name}: ${detail}` });
  if (!ok) refuse("unprocessable", "the receipt does not verify; see the line marked FAIL");

  tell.step(5, "The channel's status", `GET /v1/agent/channels/{id}`);
  const { data } = await fetchAnswer(`${url}/v1/agent/channels/${payer.id}`, status);
  tell.line(
    "deposit",
    `${data.balance_usdc} USDC, of which ${data.charged_usdc} charged and ${data.left_usdc} left`,
  );
  const { begin } = data.leave.without_us;
  tell.line(
    "by the chain",
    `send ${begin?.data.slice(0, 10)}… to ${begin?.to}, and finish ${data.withdraw_delay_s} s later`,
  );

  tell.step(6, "Leaving through the service", "a payment of the type refund");
  const refund = await payer.pay(place, { type: "refund" });
  const { refunded_usdc } = ended.parse(parsed(refund.body));
  tell.line("returned", `${refunded_usdc} USDC in ${refund.charge.transaction}`);
  if (refunded_usdc !== decimalUsdc(deposit - payer.charged))
    refuse("unprocessable", "the refund is not the deposit less all charges");
}

async function termsOf(place: string): Promise<Requirement> {
  const answer = await get(place);
  await answer.body?.cancel();
  const { resource, accepts } = headerOf(answer, "PAYMENT-REQUIRED", required);
  if (!/development chain/i.test(resource.description))
    refuse("forbidden", `${place} does not settle on a development chain, but this story pays play money`);
  const found = accepts.map((one) => requirement.safeParse(one)).find(({ success }) => success)?.data;
  return found ?? refuse("unprocessable", `${place} offers no channel in USDC on Base`);
}

function headerOf<Schema extends z.ZodType>(answer: Response, name: string, schema: Schema): z.infer<Schema> {
  const text = answer.headers.get(name) ?? refuse("unprocessable", `the answer has no ${name} header`);
  const read = schema.safeParse(parsed(Buffer.from(text, "base64").toString()));
  return read.success ? read.data : refuse("unprocessable", `the ${name} header does not conform to x402`);
}

type Paid = { body: string; charge: Charge };

/** A payer with one channel; it signs what it is charged, and never more. */
class Payer {
  readonly channel_id: Hex;
  readonly id: string;
  readonly #config;
  readonly #wallet: LocalAccount;
  readonly #terms: Requirement;
  charged = 0n;

  constructor(wallet: LocalAccount, terms: Requirement) {
    this.#wallet = wallet;
    this.#terms = terms;
    const address = lower(wallet.address);
    this.#config = {
      payer: address,
      payer_authorizer: address,
      receiver: lower(terms.payTo),
      receiver_authorizer: lower(terms.extra.receiverAuthorizer),
      token: lower(terms.asset),
      withdraw_delay_s: terms.extra.withdrawDelay,
      salt: random(),
    };
    this.channel_id = channelDigests(CHAIN_ID).channelId(this.#config);
    this.id = `${NETWORK}:${this.#config.token}:${address}:${this.channel_id}`;
  }

  /** Signed for the contract's collector; it can go into this channel alone. */
  async deposit(amount: bigint): Promise<object> {
    const salt = random();
    const valid_before = BigInt(Math.floor(Date.now() / 1_000) + VALID_S);
    const word = { type: "uint256" } as const;
    const signature = await this.#wallet.signTypedData({
      domain: { name: USDC.name, version: USDC.version, chainId: CHAIN_ID, verifyingContract: USDC.address },
      types: {
        ReceiveWithAuthorization: [
          { name: "from", type: "address" },
          { name: "to", type: "address" },
          { name: "value", ...word },
          { name: "validAfter", ...word },
          { name: "validBefore", ...word },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "ReceiveWithAuthorization",
      message: {
        from: this.#config.payer,
        to: COLLECTOR,
        value: amount,
        validAfter: 0n,
        validBefore: valid_before,
        nonce: depositNonce(this.channel_id, salt),
      },
    });
    const erc3009Authorization = { validAfter: "0", validBefore: String(valid_before), salt, signature };
    return { type: "deposit", deposit: { amount: String(amount), authorization: { erc3009Authorization } } };
  }

  /** Pays for a call; `more` makes it a deposit or a refund, and a refund charges nothing. */
  async pay(place: string, more: { type?: string } = {}): Promise<Paid> {
    const price = more.type === "refund" ? 0n : BigInt(this.#terms.amount);
    const max = this.charged + price;
    const signature = await this.#wallet.signTypedData({
      domain: {
        name: "x402 Batch Settlement",
        version: "1",
        chainId: CHAIN_ID,
        verifyingContract: CHANNELS,
      },
      types: {
        Voucher: [
          { name: "channelId", type: "bytes32" },
          { name: "maxClaimableAmount", type: "uint128" },
        ],
      },
      primaryType: "Voucher",
      message: { channelId: this.channel_id, maxClaimableAmount: max },
    });
    const payment = {
      x402Version: 2,
      accepted: this.#terms,
      payload: {
        ...{ type: "voucher", ...more },
        channelConfig: this.#wireConfig(),
        voucher: { channelId: this.channel_id, maxClaimableAmount: String(max), signature },
      },
    };
    const answer = await get(place, {
      "PAYMENT-SIGNATURE": Buffer.from(JSON.stringify(payment)).toString("base64"),
    });
    const body = await answer.text();
    if (!answer.ok) refuse("unprocessable", `${place} answered ${answer.status}: ${body.slice(0, 500)}`);
    this.charged = max;
    return { body, charge: headerOf(answer, "PAYMENT-RESPONSE", charge) };
  }

  #wireConfig() {
    const { payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay_s, salt } =
      this.#config;
    return {
      ...{ payer, receiver, token, salt },
      payerAuthorizer: payer_authorizer,
      receiverAuthorizer: receiver_authorizer,
      withdrawDelay: withdraw_delay_s,
    };
  }
}

const random = (): Hex => `0x${randomBytes(32).toString("hex")}`;
const lower = (value: Hex) => value.toLowerCase() as Hex;
