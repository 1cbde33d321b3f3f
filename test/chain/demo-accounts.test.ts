import { expect, test } from "vitest";
import { demoAccount, demoAddresses } from "../../src/domain/wallet/demo-accounts.ts";

test("the listed addresses belong to the development mnemonic", () => {
  const derived = demoAddresses.map((_, index) => demoAccount(index).address.toLowerCase());
  expect(derived).toEqual(demoAddresses);
});
