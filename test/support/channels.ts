/** The payer's side of a channel, written from x402's specification of batch-settlement without a client of it. */
import { randomBytes } from "node:crypto";
import type { HDAccount, PrivateKeyAccount } from "viem/accounts";
import { encodeAbiParameters, hashTypedData, keccak256 } from "viem/utils";
import type { Hex } from "../../src/core/model/chain.ts";
import type { ChannelConfig, DepositAuthorization } from "../../src/domain/payments/channel-contract.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";

type Account = HDAccount | PrivateKeyAccount;

export const SETTLEMENT = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";
const COLLECTOR = "0x4020806089470a89826cB9fB1f4059150b550004";

export const domain = {
  name: "x402 Batch Settlement",
  version: "1",
  chainId: 8453,
  verifyingContract: SETTLEMENT,
} as const;

const CONFIG = [
  { name: "payer", type: "address" },
  { name: "payerAuthorizer", type: "address" },
  { name: "receiver", type: "address" },
  { name: "receiverAuthorizer", type: "address" },
  { name: "token", type: "address" },
  { name: "withdrawDelay", type: "uint40" },
  { name: "salt", type: "bytes32" },
] as const;

/** The config in the names of the wire. */
export const wireConfig = (config: ChannelConfig) => ({
  payer: config.payer,
  payerAuthorizer: config.payer_authorizer,
  receiver: config.receiver,
  receiverAuthorizer: config.receiver_authorizer,
  token: config.token,
  withdrawDelay: config.withdraw_delay_s,
  salt: config.salt,
});

export const channelIdOf = (config: ChannelConfig): Hex =>
  hashTypedData({
    domain,
    types: { ChannelConfig: CONFIG },
    primaryType: "ChannelConfig",
    message: wireConfig(config),
  });

export const saltOf = (): Hex => `0x${randomBytes(32).toString("hex")}`;

export const signVoucher = (account: Account, channel_id: Hex, max: number | bigint): Promise<Hex> =>
  account.signTypedData({
    domain,
    types: {
      Voucher: [
        { name: "channelId", type: "bytes32" },
        { name: "maxClaimableAmount", type: "uint128" },
      ],
    },
    primaryType: "Voucher",
    message: { channelId: channel_id, maxClaimableAmount: BigInt(max) },
  });

/** An ERC-3009 deposit, valid for five minutes. */
export async function signDeposit(
  account: Account,
  channel_id: Hex,
  amount_micro: number,
  {
    from = account.address as Hex,
    ...more
  }: { from?: Hex; valid_before?: string; valid_after?: string } = {},
): Promise<DepositAuthorization> {
  const salt = saltOf();
  const times = { valid_after: "0", valid_before: String(Math.floor(Date.now() / 1000) + 300), ...more };
  const words = [{ type: "bytes32" }, { type: "uint256" }] as const;
  const signature = await account.signTypedData({
    domain: { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address },
    types: {
      ReceiveWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "ReceiveWithAuthorization",
    message: {
      from,
      to: COLLECTOR,
      value: BigInt(amount_micro),
      validAfter: BigInt(times.valid_after),
      validBefore: BigInt(times.valid_before),
      nonce: keccak256(encodeAbiParameters(words, [channel_id, BigInt(salt)])),
    },
  });
  return { amount_micro, ...times, salt, signature };
}

/** The requirement of a channel in a 402. */
export type ChannelTerms = {
  scheme: string;
  amount: string;
  payTo: Hex;
  asset: Hex;
  maxTimeoutSeconds: number;
  extra: {
    receiverAuthorizer: Hex;
    withdrawDelay: number;
    minDeposit: string;
    channelState?: Record<string, string | number>;
    voucherState?: { signedMaxClaimable: string; signature: Hex };
  };
};

const decoded = (header: string | null) =>
  JSON.parse(Buffer.from(header ?? "e30=", "base64").toString()) as {
    error?: string;
    accepts?: ChannelTerms[];
    success?: boolean;
    transaction?: string;
    amount?: string;
    extra?: { chargedAmount?: string; channelState: Record<string, string | number> };
    extensions?: object;
  };

/** A 402's error and its terms of a channel. */
export function requiredOf(answer: Response): { error: string; terms: ChannelTerms } {
  const { error = "", accepts = [] } = decoded(answer.headers.get("PAYMENT-REQUIRED"));
  return { error, terms: accepts.find(({ scheme }) => scheme === "batch-settlement")! };
}

/** The settlement in an answer. */
export const chargeOf = (answer: Response) => decoded(answer.headers.get("PAYMENT-RESPONSE"));

export async function termsOf(url: string, init: RequestInit = {}): Promise<ChannelTerms> {
  return requiredOf(await fetch(url, init)).terms;
}

/** A payer with one channel, which counts its own charges. */
export class ChannelPayer {
  readonly config: ChannelConfig;
  readonly id: Hex;
  readonly #account: Account;
  charged = 0;

  constructor(account: Account, { payTo, asset, extra }: ChannelTerms, more: Partial<ChannelConfig> = {}) {
    this.#account = account;
    const address = account.address.toLowerCase() as Hex;
    this.config = {
      payer: address,
      payer_authorizer: address,
      receiver: payTo.toLowerCase() as Hex,
      receiver_authorizer: extra.receiverAuthorizer.toLowerCase() as Hex,
      token: asset.toLowerCase() as Hex,
      withdraw_delay_s: extra.withdrawDelay,
      salt: saltOf(),
      ...more,
    };
    this.id = channelIdOf(this.config);
  }

  /** The payment of one call, whose voucher charges up to `max`. */
  async payment(
    terms: ChannelTerms,
    {
      max = this.charged + Number(terms.amount),
      deposit,
      refund,
    }: { max?: number; deposit?: number | DepositAuthorization; refund?: true | number } = {},
  ) {
    const signed = typeof deposit === "number" ? await signDeposit(this.#account, this.id, deposit) : deposit;
    const signature = await signVoucher(this.#account, this.id, max);
    const voucher = { channelId: this.id, maxClaimableAmount: String(max), signature };
    const type = refund ? "refund" : signed ? "deposit" : "voucher";
    return {
      x402Version: 2,
      accepted: { network: "eip155:8453", ...terms },
      payload: {
        type,
        channelConfig: wireConfig(this.config),
        voucher,
        ...(signed && {
          deposit: {
            amount: String(signed.amount_micro),
            authorization: {
              erc3009Authorization: {
                validAfter: signed.valid_after,
                validBefore: signed.valid_before,
                salt: signed.salt,
                signature: signed.signature,
              },
            },
          },
        }),
        ...(typeof refund === "number" && { amount: String(refund) }),
      },
    };
  }

  /** Pays for a call; what it was charged counts. */
  async pay(
    url: string,
    terms: ChannelTerms,
    how: Parameters<ChannelPayer["payment"]>[1] = {},
    init: RequestInit = {},
  ): Promise<Response> {
    const answer = await present(url, await this.payment(terms, how), init);
    const charge = answer.ok ? chargeOf(answer).extra : undefined;
    if (charge) this.charged = Number(charge.channelState.chargedCumulativeAmount);
    return answer;
  }
}

export const present = (url: string, payment: object, init: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    ...init,
    headers: {
      ...init.headers,
      "PAYMENT-SIGNATURE": Buffer.from(JSON.stringify(payment)).toString("base64"),
    },
  });
