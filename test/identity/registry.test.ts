/** The service calls the ERC-8004 registry like the registry's own clients. */
import { expect, test } from "vitest";
import { holderCalls, REGISTRY } from "../../src/domain/identity/registry.ts";

test("ownerOf and getAgentWallet are called with the number in 32 bytes at the registry's address", () => {
  // Selectors and address from agent0-sdk 1.7.1 (IDENTITY_REGISTRY_ABI, DEFAULT_REGISTRIES[8453]); the package itself
  // has a thousand dependencies.
  expect(REGISTRY).toBe("0x8004A169FB4a3325136EB29fA0ceB6D2e539a432");
  const number = "7".padStart(64, "0");
  expect(holderCalls("7")).toEqual([
    { to: REGISTRY, data: `0x6352211e${number}` },
    { to: REGISTRY, data: `0x00339509${number}` },
  ]);
});
