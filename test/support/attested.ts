/** The agent of the attestation examples and of documents: its key is the wallet that pays for them. */
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as passports from "../../src/domain/identity/passports.ts";
import { agencyOf } from "../trust/agency.ts";

/**
 * Registers it after all existing agents, and has it attest SX#2; returns the inputs of examples that name these
 * attestations.
 */
export async function attestExamples(
  app: App,
  wallet: Hex,
): Promise<Record<string, Record<string, unknown>>> {
  const agency = agencyOf(app);
  const n = (await app.load(passports, passports.target)) + 1;
  await agency.register(n);
  await agency.prove(n, wallet);
  await agency.bind(n, wallet);
  await agency.seed(n, 20);
  await agency.attest(n, 2);
  const id = await agency.attest(n, 2, 1, "brevity");
  await agency.takeBack(id, n);
  const own = { id: `SX#${n}` };
  return {
    ...{ soul_attestation: { id }, soul_attestation_revoke: { id } },
    ...{ compliance_self_assessment: own, compliance_annex_iv: own },
  };
}
