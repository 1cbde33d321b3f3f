/** Input fields of wallets: addresses, recipients, amounts. */
import { z } from "zod";
import { lowerCase, walletAddress } from "../../core/model/fields.ts";
import { MOST_RECIPIENTS } from "./airdrop-contract.ts";
import { DECIMAL, unitsOf } from "./amount.ts";

/** An account; in lower case once it is read. */
export const account = walletAddress.transform(lowerCase);

export const recipients = z
  .array(account, "is a list of addresses")
  .min(1, "names at least one recipient")
  .max(MOST_RECIPIENTS, `names at most ${MOST_RECIPIENTS} recipients; ask for several airdrops`)
  .superRefine((accounts, context) => {
    for (const [at, one] of accounts.entries()) {
      const first = accounts.indexOf(one);
      if (first < at) context.addIssue({ code: "custom", path: [at], message: `repeats recipient ${first}` });
    }
  });

const MOST_EACH = 10_000;
const PLACES = 18;
const AMOUNT = `is a decimal from 0 to ${MOST_EACH} with at most ${PLACES} places; a string loses none of them`;

/** Tokens for each recipient, as a decimal once it is read. */
export const amountEach = z
  .union([z.number(), z.string()], AMOUNT)
  .transform(String)
  .refine(
    (text) => DECIMAL.test(text) && unitsOf(text, PLACES)! <= BigInt(MOST_EACH) * 10n ** BigInt(PLACES),
    AMOUNT,
  );
