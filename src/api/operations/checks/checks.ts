import { createHmac } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { limit, lowerCase, offset, walletAddress } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { LONGEST_PROOF_S, ownershipText, textDigest } from "../../../domain/access/wallet-proof.ts";
import * as checks from "../../../domain/checks/check.ts";
import * as following from "../../../domain/checks/following.ts";
import { hashPassphrase, queued, SALT_BYTES } from "../../../domain/checks/passphrase.ts";
import { cancelTypedData, checkTypedData } from "../../../domain/checks/typed-data.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { checksProjection, listChecks } from "../../../projections/checks/checks.ts";
import { isoTime, microsecondsOf } from "../../../standards/iso-time.ts";
import { json, key, operation, owner, pay } from "../../declare/index.ts";
import { signedBy, targetOf, walletOf } from "./callers.ts";
import {
  amount,
  checkId,
  checkShown,
  microOf,
  passphrase,
  shownCheck,
  signature,
  typedData,
  warning,
  warningOf,
} from "./fields.ts";

const DAY_S = 86_400;

/**
 * The id of a check is an HMAC: anybody with the id may see the check, and `fresh_id` may derive from
 * public data such as a payment's name.
 */
const idOf = ({ link_secret }: App, fresh_id: string) =>
  createHmac("sha256", link_secret).update(`check:${fresh_id}`).digest("hex").slice(0, 32);

const create = operation({
  name: "checks_create",
  route: "POST /v1/agent/checks/create",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Write a check: typed data that the issuer's wallet signs",
  description: `A check is an ERC-3009 authorization over USDC. It is worth nothing until the issuer's wallet signs the returned typed data.
Then anyone with the signature can redeem it, here or directly on chain, until it expires or is cancelled there. The service
holds no funds. docs/checks.md explains each state.`,
  access: [key("order"), pay("0.01")],
  input: z.object({
    from: walletAddress.describe("The issuer: the wallet that signs and pays"),
    to: walletAddress.describe("The payee"),
    amount,
    valid_days: z
      .int("valid_days is a whole number")
      .min(1, "valid_days is at least 1")
      .max(365, "valid_days is at most 365")
      .default(30)
      .describe("Days until it expires, 1 to 365"),
    passphrase: passphrase
      .describe("Required by checks_redeem; on chain the signature alone is enough")
      .optional(),
    mode: z
      .enum(checks.modes, "mode is transfer or receive")
      .default("transfer")
      .describe(
        "transfer: anybody may submit it on chain; receive: only the payee may, which suits a contract as payee",
      ),
  }),
  output: json(
    z.object({
      data: checkShown.extend({ typed_data: typedData }),
      meta: z.object({ warning }),
    }),
  ),
  secrets: ["passphrase"],
  moves_money: true,
  example: {
    from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    amount: "12.50",
    valid_days: 30,
  },
  handle: async ({ input, caller, app, unit }) => {
    const [from, to] = [lowerCase(input.from), lowerCase(input.to)];
    if (from === to) refuseField("to", "is the issuer itself; name another payee");
    const network = networkOf(app.chain);
    following.followedTo(await unit.watch(following, following.targetOf(network)));
    const id = idOf(app, unit.fresh_id);
    const now = app.clock.now();
    const text = input.passphrase;
    const facts: checks.CheckFacts = {
      check_id: id,
      network,
      asset: lowerCase(USDC.address),
      from,
      to,
      amount_micro: microOf(input.amount),
      mode: input.mode,
      valid_before: Math.floor(now.getTime() / 1_000) + input.valid_days * DAY_S,
      nonce: `0x${Buffer.from(app.random.bytes(32)).toString("hex")}`,
      passphrase:
        text === undefined ? null : await queued(() => hashPassphrase(text, app.random.bytes(SALT_BYTES))),
      created_at: now.toISOString(),
    };
    const target = { tenant: caller.tenant, id };
    const { state } = await unit.decide(checks, target, checks.create(facts), { is_new: true });
    const check = checks.existingCheck(state);
    return {
      data: { ...shownCheck(check, true), typed_data: checkTypedData(check.facts) },
      meta: { warning: warningOf(app) },
    };
  },
});

const verify = operation({
  name: "checks_verify",
  route: "GET /v1/agent/checks/verify/{check_id}",
  summary: "Status of a check",
  description: `Anyone with the id may call. \`status\` follows the chain: a check cancelled here becomes \`redeemed\` if its signature was still used, and
a reorg reverts that. \`cancelled_at\` is the cancellation here; \`revoked_onchain\` is the one on chain. The service cannot see
whether the issuer has signed.`,
  access: [key("read"), pay("0.001")],
  input: z.object({ check_id: checkId }),
  output: json(
    z.object({
      data: checkShown.extend({
        cancel_typed_data: typedData
          .nullable()
          .describe("The issuer signs this to void the check on chain; null once it has ended there"),
      }),
      meta: z.object({ warning }),
    }),
  ),
  refuses: [404],
  example: { check_id: examples.check.shown },
  handle: async ({ input: { check_id }, caller, app }) => {
    const target = await targetOf(app, caller, check_id);
    const check = checks.existingCheck(await app.load(checks, target));
    return {
      data: {
        ...shownCheck(check, target.followed),
        cancel_typed_data: check.ending ? null : cancelTypedData(check.facts),
      },
      meta: { warning: warningOf(app) },
    };
  },
});

const list = operation({
  name: "checks_list",
  route: "GET /v1/agent/checks/list",
  summary: "Your checks, newest first",
  description: `Checks that your tenant created, and those from or to your wallet. Prove the wallet by paying from it, or by SIGN-IN-WITH-X.
If you send a key or a payment, the wallet's personal_sign of four lines also proves it: "Show my checks", "wallet: <wallet>",
"service: <address of this service>", "until: <until>". The wallet is in lower case.`,
  access: [owner("read"), pay("0.001")],
  lists: checksProjection,
  input: z.object({
    issuer: walletAddress.describe("Only checks from this wallet").optional(),
    recipient: walletAddress.describe("Only checks to this wallet").optional(),
    status: z
      .enum(checks.statuses, `status is one of ${checks.statuses.join(", ")}`)
      .describe("Only with this status")
      .optional(),
    limit: limit("How many to list, 1 to 100", { usual: 50 }),
    offset: offset("How many of the newest to skip"),
    wallet: walletAddress.describe("Your wallet; also send `until` and `wallet_signature`").optional(),
    until: isoTime.describe("When that signature expires: at most a day ahead").optional(),
    wallet_signature: signature.describe("The wallet's personal_sign of the four lines").optional(),
  }),
  output: json(
    z.object({
      data: z.array(checkShown),
      meta: z.object({ tenant: z.string(), count: z.int(), total: z.int(), warning }),
    }),
  ),
  example: { status: "pending", limit: 10 },
  handle: async ({ input, caller, app }) => {
    const { issuer, recipient, wallet, until, wallet_signature, ...page } = input;
    const proven = await provenWallet(app, { wallet, until, wallet_signature });
    const { tenant } = caller;
    const found = await listChecks(app.pool, {
      tenant,
      wallets: [walletOf(caller), proven].filter((one) => one !== undefined),
      issuer: issuer === undefined ? undefined : lowerCase(issuer),
      recipient: recipient === undefined ? undefined : lowerCase(recipient),
      status: undefined,
      ...page,
    });
    const data = found.checks.map(({ state, followed }) => shownCheck(state, followed));
    return { data, meta: { tenant, count: data.length, total: found.total, warning: warningOf(app) } };
  },
});

type Proof = {
  wallet?: string | undefined;
  until?: string | undefined;
  wallet_signature?: string | undefined;
};

/** The wallet that the caller proved by a signature; undefined if the input names none. */
async function provenWallet(app: App, { wallet, until, wallet_signature }: Proof): Promise<Hex | undefined> {
  const missing = Object.entries({ wallet, until, wallet_signature }).filter(
    ([, value]) => value === undefined,
  );
  if (missing.length === 3) return undefined;
  if (wallet === undefined || until === undefined || wallet_signature === undefined) {
    const message = "is required: wallet, until and wallet_signature go together";
    return refuse("invalid", "send wallet, until and wallet_signature together", {
      errors: missing.map(([path]) => ({ path, message })),
    });
  }
  const ahead_ms = microsecondsOf(until)! / 1_000 - app.clock.now().getTime();
  if (ahead_ms <= 0 || ahead_ms > LONGEST_PROOF_S * 1_000)
    refuseField("until", "is past, or more than a day ahead; sign for a time within the next day");
  const mine = lowerCase(wallet);
  const text = ownershipText(mine, app.settings.public_url, until);
  const given = lowerCase(wallet_signature);
  const field = { path: "wallet_signature", of: JSON.stringify(text) };
  await signedBy(app, { digest: textDigest(text), wallet: mine, given, field });
  return mine;
}

export const checkOperations = [create, verify, list];
