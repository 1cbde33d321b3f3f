/** The tests' wallets and their signatures; nothing here opens anything. */
import { randomBytes } from "node:crypto";
import { generatePrivateKey, type HDAccount, privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer, TransferAuthorization } from "../../src/core/model/ports/settlement.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { demoAccount, demoAddresses } from "../../src/domain/wallet/demo-accounts.ts";

export const GAS_KEY = generatePrivateKey();
export const PAYEE = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;

const wallets = demoAddresses.map((_, index) => demoAccount(index));
export const wallet = (index: number): HDAccount => wallets[index]!;

export const addressOf = ({ address }: { address: string }) => address.toLowerCase() as Hex;

/** The data that a wallet shows and signs. */
export const typedData = ({ valid_after, valid_before, ...rest }: TransferAuthorization) =>
  ({
    domain: { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message: { ...rest, validAfter: valid_after, validBefore: valid_before },
  }) as const;

/** A payment of `value` micro-USDC by one of the demo wallets, valid for five minutes. */
export async function payment(
  payer: HDAccount,
  value: bigint,
  more: Partial<TransferAuthorization> = {},
): Promise<SignedTransfer> {
  const now = BigInt(Math.floor(Date.now() / 1000));
  const transfer: TransferAuthorization = {
    from: addressOf(payer),
    to: PAYEE,
    value,
    valid_after: now - 600n,
    valid_before: now + 300n,
    nonce: `0x${randomBytes(32).toString("hex")}`,
    ...more,
  };
  return { transfer, signature: await payer.signTypedData(typedData(transfer)) };
}

/**
 * Code that answers every call with isValidSignature's magic value: PUSH4 0x1626ba7e, shift left 224, return 32
 * bytes.
 */
export const SAYS_YES: Hex = "0x631626ba7e60e01b60005260206000f3";
/** Code that answers 32 bytes of zero. */
export const SAYS_NO: Hex = "0x600060005260206000f3";
