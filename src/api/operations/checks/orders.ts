import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Call, Hex } from "../../../core/model/chain.ts";
import { lowerCase, walletAddress } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as checks from "../../../domain/checks/check.ts";
import { isPassphrase, type PassphraseHash, queued } from "../../../domain/checks/passphrase.ts";
import { checkProblems } from "../../../domain/checks/problems.ts";
import {
  isAccepted,
  judgeRedemption,
  keySignature,
  redemptionCalls,
  signatureCall,
} from "../../../domain/checks/redemption.ts";
import {
  cancelTypedData,
  checkTypedData,
  digestOf,
  redemptionCall,
  revocationCall,
} from "../../../domain/checks/typed-data.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { askStranger } from "../../declare/access/wallet-signature.ts";
import { actorOf, type Caller } from "../../declare/caller.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import { signedBy, targetOf, walletOf } from "./callers.ts";
import {
  checkId,
  checkShown,
  passphrase,
  sentBy,
  shownCheck,
  signature,
  transaction,
  typedData,
  warning,
  warningOf,
} from "./fields.ts";

const redeem = operation({
  name: "checks_redeem",
  route: "POST /v1/agent/checks/redeem",
  effect: { changes: "takes", repeatable: true, reaches_out: true },
  summary: "Redeem a check: the transaction that pays it",
  description: `Verifies the issuer's signature (of a key, or of a contract wallet by ERC-1271), the passphrase, and the issuer's USDC. The check must not be expired, used
or cancelled on chain. The answer is the transaction to send. The check is \`redeeming\`
until the chain shows its use. After ${checks.MOST_TRIES} wrong passphrases no passphrase is accepted for ${checks.PAUSE_S / 60} minutes.`,
  access: [key("order"), pay("0.005")],
  input: z.object({
    check_id: checkId,
    signature: signature.describe("The issuer's signature of the typed data from checks_create"),
    passphrase: passphrase.describe("Required if the check was created with one").optional(),
  }),
  output: json(
    z.object({
      data: checkShown.extend({
        transaction: transaction.describe("Send it yourself; the service does not"),
      }),
      meta: z.object({ warning }),
    }),
  ),
  secrets: ["passphrase"],
  moves_money: true,
  refuses: [403, 404, 409],
  example: { check_id: examples.check.shown, signature: examples.check.signature },
  handle: async ({ input, caller, app, unit }) => {
    const target = await targetOf(app, caller, input.check_id);
    const check = checks.existingCheck(await app.load(checks, target));
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
    const { state } = await unit.decide(checks, target, decision);
    const payee = facts.mode === "receive" ? facts.to : null;
    return {
      data: {
        ...shownCheck(checks.existingCheck(state), target.followed),
        transaction: sentBy(redemptionCall(facts, signed), app, payee),
      },
      meta: { warning: warningOf(app) },
    };
  },
});

/** Returns the signature in the form that the chain accepts. Refuses a check that the chain would not pay now. */
async function drawable(app: App, facts: checks.CheckFacts, given: Hex): Promise<Hex> {
  const { chain, recover } = app;
  const digest = digestOf(checkTypedData(facts));
  const plain = keySignature(digest, facts.from, given, recover);
  const signed = plain ?? given;
  const [now, used, balance, trial] = redemptionCalls(facts, signed) as [Call, Call, Call, Call];
  const [isContract] = await chain.hasCode([facts.from]);
  if (!isContract) {
    judgeRedemption(facts, plain !== undefined, await chain.read([now, used, balance, trial]));
    return signed;
  }
  const [known, accepted, tried] = await Promise.all([
    chain.read([now, used, balance]),
    askStranger(app, signatureCall(facts.from, digest, signed)),
    askStranger(app, trial),
  ]);
  judgeRedemption(facts, isAccepted(accepted), [...known, tried]);
  return signed;
}

/** A wrong passphrase is counted at once, before the next attempt is checked. The call appends nothing else. */
const refuseWrong = (
  app: App,
  target: { tenant: string; id: string },
  stored: PassphraseHash,
  given: string,
  caller: Caller,
): Promise<void> =>
  queued(async () => {
    const nowOf = () => app.clock.now().toISOString();
    checks.refuseWhilePaused(checks.existingCheck(await app.load(checks, target)), nowOf());
    if (await isPassphrase(given, stored)) return;
    const actor = actorOf(caller);
    const meta = { actor, operation: "checks_redeem" };
    const { events } = await app.decide(checks, target, checks.refusePassphrase(actor, nowOf()), { meta });
    refuse(checkProblems["passphrase-wrong"], "this is not the check's passphrase", {
      event: events.at(-1)!,
    });
  });

const cancel = operation({
  name: "checks_cancel",
  route: "POST /v1/agent/checks/cancel",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel a pending check",
  description: `The service then refuses to redeem it. A signature you gave away stays valid on chain until it is cancelled there: sign
\`cancel_typed_data\` with the issuer's wallet and send it to USDC. Use a key of the tenant that created the check, pay from the issuer's
wallet, or send the issuer's signature of that typed data. With that signature you also get the transaction to send.`,
  access: [key("order"), pay("0.001")],
  input: z.object({
    check_id: checkId,
    issuer_address: walletAddress.describe("The check's issuer; public, so it proves nothing"),
    signature: signature
      .describe("The issuer's signature of cancel_typed_data from checks_verify")
      .optional(),
  }),
  output: json(
    z.object({
      data: checkShown.extend({
        message: z.literal("Check cancelled"),
        cancel_typed_data: typedData.describe("The issuer signs this to void the check on chain"),
        transaction: transaction
          .nullable()
          .describe("Send this to void the check on chain; null without a signature"),
      }),
      meta: z.object({ warning }),
    }),
  ),
  refuses: [403, 404, 409],
  example: { check_id: examples.check.ended, issuer_address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" },
  handle: async ({ input, caller, app, unit }) => {
    const target = await targetOf(app, caller, input.check_id);
    const check = checks.existingCheck(await app.load(checks, target));
    const { facts } = check;
    if (lowerCase(input.issuer_address) !== facts.from)
      refuse("forbidden", "issuer_address is not the issuer of this check");
    const given = input.signature === undefined ? undefined : lowerCase(input.signature);
    const signed = given && (await issuersOwn(app, facts, given));
    const proof = signed ? "signature" : target.tenant === caller.tenant ? "creator" : "payer";
    if (proof === "payer" && walletOf(caller) !== facts.from)
      refuse(
        "forbidden",
        "only the issuer cancels a check: use a key of the tenant that created it, pay from its wallet, or send its signature of cancel_typed_data",
      );
    const cancelled_at = app.clock.now().toISOString();
    const { state } = await unit.decide(
      checks,
      target,
      checks.cancel({ by: actorOf(caller), proof, cancelled_at }),
    );
    return {
      data: {
        message: "Check cancelled" as const,
        ...shownCheck(checks.existingCheck(state), target.followed),
        cancel_typed_data: cancelTypedData(facts),
        transaction: signed ? sentBy(revocationCall(facts, signed), app, null) : null,
      },
      meta: { warning: warningOf(app) },
    };
  },
});

/**
 * Returns the issuer's signature of CancelAuthorization in the form that the chain accepts. Refuses any other
 * signature.
 */
const issuersOwn = (app: App, facts: checks.CheckFacts, given: Hex): Promise<Hex> =>
  signedBy(app, {
    digest: digestOf(cancelTypedData(facts)),
    wallet: facts.from,
    given,
    field: { path: "signature", of: "the CancelAuthorization from checks_verify" },
  });

export const checkOrderOperations = [redeem, cancel];
