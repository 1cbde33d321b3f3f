/** Calls of the ERC-8004 Identity Registry, an ERC-721 of agents. Source: ERC-8004 and EIP-721. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import { z } from "zod";
import type { Call, CallResult, Hex } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import type { Link } from "./agent.ts";

/** The address on Base and most chains. Source: github.com/erc-8004/erc-8004-contracts. */
export const REGISTRY = "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432";

const ABI = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function getAgentWallet(uint256 agentId) view returns (address)",
]);

/** An agentId as text: a number of 256 bits. */
const NUMBER = /^(?:0|[1-9]\d{0,77})$/;
const MOST_ID = 2n ** 256n - 1n;

const isAgentId = (text: string) => BigInt(text) <= MOST_ID;

const ABOUT = "is an agentId of the registry: a whole number from 0, as a string of digits";

export const agentId = z.string().regex(NUMBER, { error: ABOUT, abort: true }).refine(isAgentId, ABOUT);

/** Calls whose results `holdersIn` decodes. */
export const holderCalls = (ref: string): [Call, Call] => {
  const args = [BigInt(ref)] as const;
  return [
    { to: REGISTRY, data: encodeFunctionData({ abi: ABI, functionName: "ownerOf", args }) },
    { to: REGISTRY, data: encodeFunctionData({ abi: ABI, functionName: "getAgentWallet", args }) },
  ];
};

export const registryLinks = (links: readonly Link[] = []) =>
  links.flatMap(({ kind, network, ref }) =>
    kind === "erc8004" && network !== null ? [{ network, ref }] : [],
  );

/** The registry's name in registration files. */
export const registryOf = (network: string) => `${network}:${REGISTRY}`;

/** A registry agent as an asset (CAIP-19). */
export const assetOf = ({ network, ref }: { network: string; ref: string }) =>
  `${network}/erc721:${REGISTRY}/${ref}`;

/** The owner and the set wallet of an agentId; none if it is not registered. */
export const holdersIn = ([owner, wallet]: readonly (CallResult | undefined)[]): Hex[] => [
  ...addressIn("ownerOf", owner),
  ...addressIn("getAgentWallet", wallet),
];

const NOBODY = `0x${"0".repeat(40)}`;

function addressIn(functionName: "ownerOf" | "getAgentWallet", answer: CallResult | undefined): Hex[] {
  if (!answer?.success || answer.data.length !== 66) return [];
  const found = lowerCase(decodeFunctionResult({ abi: ABI, functionName, data: answer.data }));
  return found === NOBODY ? [] : [found];
}
