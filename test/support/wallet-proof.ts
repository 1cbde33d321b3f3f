/** SIGN-IN-WITH-X of a wallet for a call, as a stock client signs it. */
import { createHash, randomBytes } from "node:crypto";
import type { HDAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";

type Call = { method: "GET" | "POST" | "DELETE"; body?: object; nonce?: string };

export async function walletProof(
  account: HDAccount,
  url: string,
  { method, body, nonce = randomBytes(8).toString("hex") }: Call,
): Promise<{ "SIGN-IN-WITH-X": string }> {
  const uri = new URL(url);
  const issuedAt = new Date();
  const digest = (of: object) =>
    createHash("sha256")
      .update(canonicalText(of as JsonObject, "body"))
      .digest("base64url");
  const fields = {
    domain: uri.host,
    address: account.address,
    statement: `Call ${method} ${uri.pathname} as the owner of what this wallet caused.`,
    uri: uri.href,
    version: "1" as const,
    nonce,
    ...(body && { resources: [`ni:///sha-256;${digest(body)}`] }),
  };
  const message = createSiweMessage({ ...fields, chainId: 8453, issuedAt });
  const signature = await account.signMessage({ message });
  const signed = { ...fields, chainId: "eip155:8453", issuedAt: issuedAt.toISOString(), signature };
  return { "SIGN-IN-WITH-X": Buffer.from(JSON.stringify(signed)).toString("base64") };
}
