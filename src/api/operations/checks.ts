import { createHmac } from "node:crypto";
import { z } from "zod";
import type { App } from "../../app.ts";
import { lowerCase, walletAddress } from "../../domain/address.ts";
import * as checks from "../../domain/checks/check.ts";
import * as following from "../../domain/checks/following.ts";
import { isPassphrase, keepPassphrase, SALT_BYTES } from "../../domain/checks/passphrase.ts";
import {
  contractCalls,
  isAccepted,
  judgeRedemption,
  keySignature,
  REDEMPTION_GAS,
  redemptionCalls,
} from "../../domain/checks/redemption.ts";
import {
  cancelTypedData,
  checkTypedData,
  redemptionCall,
  revocationCall,
} from "../../domain/checks/typed-data.ts";
import { USDC } from "../../domain/payments/usdc.ts";
import type { Hex } from "../../domain/ports.ts";
import { refuse } from "../../domain/refusal.ts";
import { checksProjection, findCheck, listChecks } from "../../projections/checks/checks.ts";
import { actorOf, type Caller } from "../caller.ts";
import { json, key, operation, pay } from "../operation.ts";
import {
  amount,
  checkId,
  checkShown,
  microOf,
  passphrase,
  sentBy,
  shownCheck,
  signature,
  transaction,
  typedData,
  warning,
  warningOf,
} from "./check-fields.ts";

const networkOf = ({ chain }: App) => `eip155:${chain.chain_id}`;
const DAY_S = 86_400;

/** Whoever pays shows a wallet by that; a key shows none. */
const walletOf = (caller: Caller): Hex | undefined => (caller.kind === "payer" ? caller.wallet : undefined);

/** A test key moves no money of a real chain, and what it says there would bind wallets that are not its own. */
function refuseTestKey({ embedded_chain }: App, caller: Caller): void {
  if (caller.kind === "key" && caller.space === "test" && !embedded_chain)
    refuse("forbidden", "a test key moves no money of a real chain; use a live key, or pay");
}

type Named = { tenant: string; id: string; followed: boolean };

/** Where the stream of a check lies: whoever has its id may ask, whosever it is. One just made may not be listed yet. */
async function targetOf(app: App, caller: Caller, id: string): Promise<Named> {
  const listed = await findCheck(app.pool, id);
  if (listed) return { ...listed, id };
  const { tenant } = caller;
  if (await app.load(checks, { tenant, id })) return { tenant, id, followed: true };
  const isCurrent = await app.caughtUp(checksProjection);
  const found = await findCheck(app.pool, id);
  if (found) return { ...found, id };
  return isCurrent
    ? refuse("not_found", "there is no such check")
    : refuse("unavailable", "the list of checks is behind; ask again shortly", { retry_after_s: 1 });
}

/** Ids open a check to whoever has them, and what `fresh_id` is made of may be known: a payment's name is public. */
const idOf = ({ link_secret }: App, fresh_id: string) =>
  createHmac("sha256", link_secret).update(`check:${fresh_id}`).digest("hex").slice(0, 32);

const create = operation({
  name: "checks_create",
  area: "checks",
  route: "POST /v1/agent/checks/create",
  summary: "Write a check: typed data that the issuer's wallet signs",
  description: `A check is an ERC-3009 authorization over USDC. The answer's typed data is worth nothing until the issuer's wallet has signed it;
then whoever has the signature can draw the check, here or at the chain directly, until it expires or is cancelled there. Nothing is
held by the service. docs/checks.md says what each state means.`,
  access: [key("order"), pay("0.01")],
  input: z.object({
    from: walletAddress.describe("The issuer: the wallet that signs, and whose USDC it is"),
    to: walletAddress.describe("The payee"),
    amount,
    valid_days: z
      .int("valid_days is a whole number")
      .min(1, "valid_days is at least 1")
      .max(365, "valid_days is at most 365")
      .default(30)
      .describe("Days until it expires, 1 to 365"),
    passphrase: passphrase
      .describe("Asked for by checks_redeem; it does not bind the chain, where the signature alone counts")
      .optional(),
    mode: z
      .enum(checks.modes, "mode is transfer or receive")
      .default("transfer")
      .describe(
        "transfer: anybody may carry it to the chain; receive: the payee alone, for payees that are contracts",
      ),
  }),
  output: json(
    z.object({
      data: checkShown.extend({ typed_data: typedData }),
      meta: z.object({ warning }),
    }),
  ),
  secrets: ["passphrase"],
  example: {
    from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    amount: "12.50",
    valid_days: 30,
  },
  handle: async ({ input, caller, app, decide, watch, fresh_id }) => {
    refuseTestKey(app, caller);
    const [from, to] = [lowerCase(input.from), lowerCase(input.to)];
    if (from === to)
      refuse("invalid", "invalid input: to", {
        errors: [{ path: "to", message: "is the issuer itself; a check is for somebody else" }],
      });
    const network = networkOf(app);
    following.followedTo(await watch(following, following.targetOf(network)));
    const id = idOf(app, fresh_id);
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
      passphrase: text === undefined ? null : await keepPassphrase(text, app.random.bytes(SALT_BYTES)),
      created_at: now.toISOString(),
    };
    const { state } = await decide(checks, { tenant: caller.tenant, id }, checks.create(facts));
    const check = checks.standing(state);
    return {
      data: { ...shownCheck(check, true), typed_data: checkTypedData(check.facts) },
      meta: { warning: warningOf(app) },
    };
  },
});

const redeem = operation({
  name: "checks_redeem",
  area: "checks",
  route: "POST /v1/agent/checks/redeem",
  summary: "Draw a check: the transaction that pays it",
  description: `Verifies the issuer's signature (of a key, or of a contract wallet by ERC-1271), the passphrase, that the check is not expired, used
or cancelled on the chain, and that the issuer has the USDC. Then it answers the transaction to send, and the check is \`redeeming\`
until the chain shows that it was used. A wrong passphrase is counted; after ${checks.MOST_TRIES} none is looked at for ${checks.PAUSE_S / 60} minutes.`,
  access: [key("order"), pay("0.005")],
  input: z.object({
    check_id: checkId,
    signature: signature.describe("The issuer's signature of the typed data that checks_create answered"),
    passphrase: passphrase.describe("Where the check was created with one").optional(),
  }),
  output: json(
    z.object({
      data: checkShown.extend({ transaction: transaction.describe("Send this; the service does not") }),
      meta: z.object({ warning }),
    }),
  ),
  secrets: ["passphrase"],
  refuses: [403, 404, 409],
  example: { check_id: "0".repeat(32), signature: `0x${"00".repeat(64)}1b` },
  handle: async ({ input, caller, app, decide }) => {
    refuseTestKey(app, caller);
    const target = await targetOf(app, caller, input.check_id);
    const check = checks.standing(await app.load(checks, target));
    const { facts } = check;
    const at = app.clock.now().toISOString();
    checks.refuseUnlessPending(check, "redeemed");
    checks.refuseWhilePaused(check, at);
    if (facts.passphrase && input.passphrase === undefined)
      refuse("invalid", "this check has a passphrase", {
        errors: [{ path: "passphrase", message: "is required: this check was created with one" }],
      });
    const signed = await drawable(app, facts, lowerCase(input.signature));
    if (facts.passphrase) await refuseWrong(app, target, facts.passphrase, input.passphrase ?? "", caller);
    const decision = checks.askRedemption(actorOf(caller), app.clock.now().toISOString());
    const { state } = await decide(checks, target, decision);
    const payee = facts.mode === "receive" ? facts.to : null;
    return {
      data: {
        ...shownCheck(checks.standing(state), target.followed),
        transaction: sentBy(redemptionCall(facts, signed), app, payee),
      },
      meta: { warning: warningOf(app) },
    };
  },
});

/** The signature as the chain takes it; refuses a check that the chain would not pay now. */
async function drawable(app: App, facts: checks.CheckFacts, given: Hex): Promise<Hex> {
  const data = checkTypedData(facts);
  const plain = keySignature(data, facts.from, given, app.recover);
  const signed = plain ?? given;
  const answers = await app.chain.read(redemptionCalls(facts, data, signed), { gas: REDEMPTION_GAS });
  judgeRedemption(facts, plain !== undefined, answers);
  return signed;
}

/** A wrong passphrase is counted at once: what is refused here appends nothing else. */
async function refuseWrong(
  app: App,
  target: { tenant: string; id: string },
  kept: NonNullable<checks.CheckFacts["passphrase"]>,
  given: string,
  caller: Caller,
): Promise<void> {
  if (await isPassphrase(given, kept)) return;
  const actor = actorOf(caller);
  const decision = checks.refusePassphrase(actor, app.clock.now().toISOString());
  const meta = { actor, operation: "checks_redeem" };
  const { events } = await app.decide(checks, target, decision, { meta });
  refuse("forbidden", "this is not the check's passphrase", {
    type: "passphrase-wrong",
    event: events.at(-1)!,
  });
}

const verify = operation({
  name: "checks_verify",
  area: "checks",
  route: "GET /v1/agent/checks/verify/{check_id}",
  summary: "How a check stands",
  description: `For whoever has its id. \`status\` follows the chain: a check that was cancelled here is \`redeemed\` if its signature was used all the same, and
a reorg takes that back. \`cancelled\` is what was said here; \`revoked_onchain\` is what the chain keeps to. It does not say whether the issuer
has signed: only who holds the signature knows.`,
  access: [key("read"), pay("0.001")],
  input: z.object({ check_id: checkId }),
  output: json(
    z.object({
      data: checkShown.extend({
        cancel_typed_data: typedData
          .nullable()
          .describe("What the issuer signs to make it void on the chain; null once the chain has ended it"),
      }),
      meta: z.object({ warning }),
    }),
  ),
  refuses: [404],
  example: { check_id: "0".repeat(32) },
  handle: async ({ input: { check_id }, caller, app }) => {
    const target = await targetOf(app, caller, check_id);
    const check = checks.standing(await app.load(checks, target));
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
  area: "checks",
  route: "GET /v1/agent/checks/list",
  summary: "Your checks, newest first",
  description: "Those that you created, and for a caller who pays those from or to the wallet that pays.",
  access: [key("read"), pay("0.001")],
  input: z.object({
    issuer: walletAddress.describe("Only checks from this wallet").optional(),
    recipient: walletAddress.describe("Only checks to this wallet").optional(),
    status: z
      .enum(checks.statuses, `status is one of ${checks.statuses.join(", ")}`)
      .describe("Only checks that stand so")
      .optional(),
    limit: z
      .int("limit is a whole number")
      .min(1, "limit is at least 1")
      .max(100, "limit is at most 100")
      .default(50)
      .describe("How many to list, 1 to 100"),
    offset: z
      .int("offset is a whole number")
      .min(0, "offset is at least 0")
      .max(100_000, "offset is at most 100000")
      .default(0)
      .describe("How many of the newest to leave out"),
  }),
  output: json(
    z.object({
      data: z.array(checkShown),
      meta: z.object({ tenant: z.string(), count: z.int(), total: z.int(), warning }),
    }),
  ),
  example: { status: "pending", limit: 10 },
  handle: async ({ input: { issuer, recipient, ...page }, caller, app }) => {
    await app.caughtUp(checksProjection);
    const { tenant } = caller;
    const found = await listChecks(app.pool, {
      tenant,
      wallet: walletOf(caller),
      issuer: issuer === undefined ? undefined : lowerCase(issuer),
      recipient: recipient === undefined ? undefined : lowerCase(recipient),
      status: undefined,
      ...page,
    });
    const data = found.checks.map(({ state, followed }) => shownCheck(state, followed));
    return { data, meta: { tenant, count: data.length, total: found.total, warning: warningOf(app) } };
  },
});

const cancel = operation({
  name: "checks_cancel",
  area: "checks",
  route: "POST /v1/agent/checks/cancel",
  summary: "Cancel a pending check",
  description: `The service refuses to redeem it from then on. A signature that was given away stays valid on the chain until it is cancelled there: sign
\`cancel_typed_data\` with the issuer's wallet and send it to USDC. The caller is the key that created the check, or pays from the issuer's
wallet, or brings the issuer's signature of that same typed data; then the answer has the transaction to send, too.`,
  access: [key("order"), pay("0.001")],
  input: z.object({
    check_id: checkId,
    issuer_address: walletAddress.describe("The check's issuer; public, so it proves nothing"),
    signature: signature
      .describe("The issuer's signature of cancel_typed_data, as checks_verify tells it")
      .optional(),
  }),
  output: json(
    z.object({
      data: checkShown.extend({
        message: z.literal("Check cancelled"),
        cancel_typed_data: typedData.describe("What the issuer signs to make it void on the chain"),
        transaction: transaction
          .nullable()
          .describe("Send this to make it void on the chain; null without a signature"),
      }),
      meta: z.object({ warning }),
    }),
  ),
  refuses: [403, 404, 409],
  example: { check_id: `${"0".repeat(31)}1`, issuer_address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" },
  handle: async ({ input, caller, app, decide }) => {
    const target = await targetOf(app, caller, input.check_id);
    const check = checks.standing(await app.load(checks, target));
    const { facts } = check;
    if (lowerCase(input.issuer_address) !== facts.from)
      refuse("forbidden", "issuer_address is not the issuer of this check");
    const given = input.signature === undefined ? undefined : lowerCase(input.signature);
    const signed = given && (await issuersOwn(app, facts, given));
    const proof = signed ? "signature" : target.tenant === caller.tenant ? "creator" : "payer";
    if (proof === "payer" && walletOf(caller) !== facts.from)
      refuse(
        "forbidden",
        "only the issuer cancels a check: with the key that created it, by paying from its wallet, or with its signature of cancel_typed_data",
      );
    const cancelled_at = app.clock.now().toISOString();
    const { state } = await decide(
      checks,
      target,
      checks.cancel({ by: actorOf(caller), proof, cancelled_at }),
    );
    return {
      data: {
        message: "Check cancelled" as const,
        ...shownCheck(checks.standing(state), target.followed),
        cancel_typed_data: cancelTypedData(facts),
        transaction: signed ? sentBy(revocationCall(facts, signed), app, null) : null,
      },
      meta: { warning: warningOf(app) },
    };
  },
});

/** The issuer's signature of CancelAuthorization as the chain takes it; refuses any other. */
async function issuersOwn(app: App, facts: checks.CheckFacts, given: Hex): Promise<Hex> {
  const data = cancelTypedData(facts);
  const plain = keySignature(data, facts.from, given, app.recover);
  if (plain) return plain;
  const [answer] = await app.chain.read(contractCalls(data, facts.from, given), { gas: REDEMPTION_GAS });
  if (isAccepted(answer)) return given;
  const message = `is no signature by ${facts.from} of the CancelAuthorization that checks_verify tells`;
  return refuse("invalid", "the signature is not the issuer's", { errors: [{ path: "signature", message }] });
}

export const checkOperations = [create, redeem, verify, list, cancel];
