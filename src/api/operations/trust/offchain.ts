/** Offchain attestations of EAS. The account that signs them also writes them to the chain. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { address, chainHash, hexBytes } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import {
  type AttestationContent,
  type Offchain,
  offchainOf,
  statusCalls,
  statusIn,
} from "../../../domain/trust/eas.ts";

export const offchainShown = z
  .object({
    signer: address,
    sig: z
      .object({
        version: z.literal(2),
        uid: chainHash,
        domain: z.object({
          name: z.string(),
          version: z.string(),
          chainId: z.string(),
          verifyingContract: address,
        }),
        primaryType: z.literal("Attest"),
        types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
        message: z.object({
          version: z.literal(2),
          schema: chainHash,
          recipient: address,
          time: z.string(),
          expirationTime: z.literal("0"),
          revocable: z.literal(true),
          refUID: chainHash,
          data: hexBytes,
          salt: chainHash,
        }),
        signature: z.object({ r: chainHash, s: chainHash, v: z.int() }),
      })
      .describe("For eas-sdk, version 2"),
  })
  .describe("An EAS offchain attestation by the service's own account");

type OffchainAnswer = z.input<typeof offchainShown>;

/** The version that the EAS contract reports. It is read once in a process. */
async function versionOf({ chain, once }: App): Promise<string> {
  const cache = once("trust: EAS", (): { version?: string } => ({}));
  if (cache.version !== undefined) return cache.version;
  const status = statusIn(await chain.read(statusCalls()));
  if (!status) return refuse("unavailable", "this chain has no EAS, so you cannot attest");
  cache.version = status.version;
  return cache.version;
}

/** Returns the function that signs an attestation. Rejects with ChainUnavailable if the version of EAS is unknown. */
export async function signingOf(
  app: App,
): Promise<
  (one: AttestationContent, made_at: string) => Promise<{ offchain: Offchain; signed: OffchainAnswer }>
> {
  const contract_version = await versionOf(app);
  return async (one, made_at) => {
    const time_s = Math.floor(Date.parse(made_at) / 1_000);
    const { offchain, digest } = offchainOf(one, { chain_id: app.chain.chain_id, contract_version, time_s });
    const signature = await app.attester.sign({ hash: digest });
    const types = { Attest: [...offchain.types.Attest] };
    return {
      offchain,
      signed: {
        signer: app.chain.sender,
        sig: { ...offchain, types, signature: partsOf(signature) },
      },
    };
  };
}

/** Splits the 65 bytes of a signature. */
const partsOf = (signature: Hex): OffchainAnswer["sig"]["signature"] => ({
  r: signature.slice(0, 66),
  s: `0x${signature.slice(66, 130)}`,
  v: Number.parseInt(signature.slice(130), 16),
});
