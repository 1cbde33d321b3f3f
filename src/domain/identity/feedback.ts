/** The words of one agent about another as a feedback file of ERC-8004. Source: ERC-8004, "Off-Chain Feedback File Structure". */
import { keccak256 } from "viem/utils";
import { registryOf } from "./registry.ts";

/** Words whose author paid the subject; `agent_ref`: the subject's agentId. */
export type PaidWords = {
  network: string;
  agent_ref: string;
  payer: string;
  pay_to: string;
  transaction: string;
  item_id: string;
  said_at: string;
} & (
  | { kind: "verdict"; verdict: "works" | "broken"; item_kind: string }
  | { kind: "attestation"; skill: string; weight_micro: number }
);

/** Points of a hundred: a verdict is all or nothing, and a weight of 10 is a hundred. */
const scoreOf = (words: PaidWords) =>
  words.kind === "verdict"
    ? { value: words.verdict === "works" ? 100 : 0, valueDecimals: 0, tag1: "works", tag2: words.item_kind }
    : { value: words.weight_micro / 100, valueDecimals: 3, tag1: words.skill, tag2: "attestation" };

export const feedbackFile = (words: PaidWords, public_url: string) => ({
  agentRegistry: registryOf(words.network),
  agentId: Number.isSafeInteger(Number(words.agent_ref)) ? Number(words.agent_ref) : words.agent_ref,
  clientAddress: `${words.network}:${words.payer}`,
  createdAt: words.said_at,
  ...scoreOf(words),
  endpoint: `${public_url}/soul/stack/${words.item_id}`,
  proofOfPayment: {
    fromAddress: words.payer,
    toAddress: words.pay_to,
    chainId: words.network.slice("eip155:".length),
    txHash: words.transaction,
  },
});

/** `feedbackHash` of the registry: over the file's canonical form (RFC 8785). */
export const feedbackHash = (canonical: string): string => keccak256(Buffer.from(canonical));
