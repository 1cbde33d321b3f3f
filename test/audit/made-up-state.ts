/** A state that no chain has, with a pack's proofs of it: a forger's possible claims about an anchor. */
import { type Hex, hexToBigInt, keccak256, numberToHex, toRlp } from "viem";
import { headSlots, logIdOf } from "../../src/domain/anchoring/contract.ts";
import type { AnchorLine } from "./pack-builder.ts";

type Entry = { path: string; value: Hex };

/**
 * The digits of a short node's path, after the flag for leaf or extension and odd or even (Yellow Paper, appendix
 * C).
 */
const prefixed = (path: string, isLeaf: boolean): Hex =>
  path.length % 2 === 1 ? `0x${isLeaf ? 3 : 1}${path}` : `0x${isLeaf ? 2 : 0}0${path}`;

const leafOf = (path: string, value: Hex): Hex => toRlp([prefixed(path, true), value]);

/** A trie of two entries: a shared path, a branch, two leaves. */
function trieOfTwo([one, other]: [Entry, Entry]): { root: Hex; proofs: [Hex[], Hex[]] } {
  let shared = 0;
  while (one.path[shared] === other.path[shared]) shared++;
  const leaves = [one, other].map(({ path, value }) => leafOf(path.slice(shared + 1), value));
  const items: Hex[] = Array(17).fill("0x");
  for (const [n, { path }] of [one, other].entries())
    items[Number.parseInt(path[shared]!, 16)] = keccak256(leaves[n]!);
  const branch = toRlp(items);
  const way =
    shared > 0 ? [toRlp([prefixed(one.path.slice(0, shared), false), keccak256(branch)]), branch] : [branch];
  return {
    root: keccak256(way[0]!),
    proofs: [
      [...way, leaves[0]!],
      [...way, leaves[1]!],
    ],
  };
}

const digits = (key: Hex) => keccak256(key).slice(2);

/**
 * An anchor of this head at a Unix time in seconds, in a state with only the contract, under a true anchor's header
 * and transaction.
 */
export function madeUpAnchor(
  { size, root, origin, at }: { size: number; root: string; origin: string; at: number },
  { signer, contract, header, ...rest }: AnchorLine & { items: Hex[] },
): Omit<AnchorLine, "transaction"> {
  const [rootSlot, numbersSlot] = headSlots(signer, logIdOf(origin));
  const storage = trieOfTwo([
    { path: digits(rootSlot), value: toRlp(`0x${root}`) },
    {
      path: digits(numbersSlot),
      value: toRlp(numberToHex((BigInt(at) << 128n) + (1n << 64n) + BigInt(size), { size: 20 })),
    },
  ]);
  const account = leafOf(digits(contract), toRlp(["0x01", "0x", storage.root, keccak256("0x")]));
  const items = rest.items.with(3, keccak256(account));
  return {
    ...{ evidence: "anchor", size, root, network: rest.network, contract, signer },
    ...{ header: toRlp(items), account_proof: [account] },
    ...{ root_proof: storage.proofs[0], numbers_proof: storage.proofs[1] },
  };
}

/** An equivalent signature, with its s in the upper half of the order, which the chain refuses (EIP-2). */
export const mirrored = ({ s, yParity }: { s: Hex; yParity: number }) => ({
  s: numberToHex(SECP256K1_ORDER - hexToBigInt(s), { size: 32 }),
  yParity: 1 - yParity,
});
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
