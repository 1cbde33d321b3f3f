/** The service's own address, in each form of HOST. */
import { expect, test } from "vitest";
import { localAddress, ownAddress } from "../../src/runtime/address.ts";
import { appSettings } from "../../src/runtime/app-settings.ts";
import { readConfig } from "../../src/runtime/config.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://127.0.0.1:3000"],
  ["::1", "http://[::1]:3000"],
])("HOST %s is reached at %s, in the command line and in answers", (HOST, address) => {
  const config = readConfig({ HOST, PORT: "3000" });
  expect(localAddress(config)).toBe(address);
  expect(ownAddress(config)).toBe(address);
  expect(appSettings(config, { embedded_chain: true }).public_url).toBe(address);
});

test("PUBLIC_URL is the address for callers", () => {
  const config = readConfig({ HOST: "::1", PUBLIC_URL: "https://tally.example.org" });
  expect(ownAddress(config)).toBe("https://tally.example.org");
  expect(localAddress(config)).toBe("http://[::1]:3000");
});
