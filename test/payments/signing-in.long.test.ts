/** Foreign sign-ins at size. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { scaled } from "../support/scale.ts";
import { expectForeignRefused, openSignInSetup, type SignInSetup } from "./sign-in-setup.ts";

let setup: SignInSetup;
beforeAll(async () => {
  setup = await openSignInSetup();
});
afterAll(() => setup?.close());

test("none of a thousand signatures for another host, path or time, or with a nonce used before, is accepted", async () => {
  await expectForeignRefused(setup, scaled(1_000, 50));
  expect((await fetch(`${setup.service.url}/health`)).status).toBe(200);
}, 900_000);
