/** `tallystick anchor endorse`: the account that anchors names the next one, once. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, onTestFinished, test, vi } from "vitest";
import { program } from "../../src/cli/program.ts";
import { endorsedSuccessor, successorCall } from "../../src/domain/anchoring/contract.ts";
import { demoAddresses } from "../../src/domain/wallet/demo-accounts.ts";
import { patientConfig } from "../support/patience.ts";
import { PAYEE } from "../support/wallets.ts";
import { openAnchoringSetup } from "./anchoring-setup.ts";

const NEXT = privateKeyToAccount(generatePrivateKey()).address;

test("the command endorses the next account on the chain, and refuses a second endorsement", async () => {
  const setup = await openAnchoringSetup();
  const DATA_DIR = await mkdtemp(join(tmpdir(), "tallystick-endorse-"));
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await setup.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
  const { rpc_url, gas_key, pay_to } = setup.chain;
  const settings = () =>
    patientConfig({
      DATABASE_URL: setup.database_url,
      DATA_DIR,
      BASE_RPC_URL: rpc_url,
      GAS_KEY: gas_key,
      PAY_TO: pay_to,
    });
  const written: string[] = [];
  const output = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => void output.mockRestore());
  const endorse = async (address: string) => {
    const root = await program({ settings, logger: () => pino({ enabled: false }) }, "anchor");
    await root.parseAsync(["anchor", "endorse", address], { from: "user" });
  };

  await expect(endorse(demoAddresses[0]!)).rejects.toThrow(/private key is published by Foundry/);
  await endorse(NEXT);
  expect(written.join("")).toContain(`${NEXT.toLowerCase()} is endorsed by 0x`);
  const { chain } = setup.app;
  const [answer] = await chain.read([successorCall(chain.sender)]);
  expect(endorsedSuccessor(answer!)).toBe(NEXT.toLowerCase());

  await expect(endorse(PAYEE)).rejects.toThrow(/has endorsed a successor/);
});
