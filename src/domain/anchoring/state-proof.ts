/**
 * An account's storage in a block's state, proven from the block's header down: RLP and the Merkle-Patricia tries of
 * Ethereum (Yellow Paper, appendices B and D).
 */
import { fromRlp, keccak256, toRlp } from "viem/utils";
import type { Hex } from "../../core/model/chain.ts";

/** Thrown where bytes do not match their claim; the message names the fault. */
export class StateProofError extends Error {
  override readonly name = "StateProofError";
}

/** Items of an RLP list, each a string of bytes or another list. */
type Rlp = Hex | readonly Rlp[];

/** The needed parts of a block's header. `hash` is the block's. */
export type BlockHeader = { hash: Hex; number: bigint; state_root: Hex; timestamp: number };

const STATE_ROOT = 3;
const NUMBER = 8;
const TIMESTAMP = 11;
const FEWEST_ITEMS = 15;

/** Reads a header in RLP. Throws StateProofError. */
export function readHeader(header: Hex): BlockHeader {
  const items = decoded(header, "the header");
  if (!Array.isArray(items) || items.length < FEWEST_ITEMS || items.some(Array.isArray))
    throw new StateProofError("the header is not a list of the items of a block header");
  const texts = items as Hex[];
  const state_root = texts[STATE_ROOT]!;
  if (state_root.length !== 66) throw new StateProofError("the header's state root is not 32 bytes");
  return {
    hash: keccak256(header) as Hex,
    number: numberIn(texts[NUMBER]!),
    state_root: state_root as Hex,
    timestamp: Number(numberIn(texts[TIMESTAMP]!)),
  };
}

/** The storage root of an account in the state with this root. Throws StateProofError where the proof does not show it. */
export function storageRoot(state_root: Hex, account: Hex, proof: readonly Hex[]): Hex {
  const leaf = valueAt(state_root, keccak256(account), proof, "the account");
  const fields = leaf === undefined ? undefined : decoded(leaf, "the account");
  if (!Array.isArray(fields) || fields.length !== 4 || typeof fields[2] !== "string")
    throw new StateProofError(`the state has no account ${account}`);
  return fields[2] as Hex;
}

/** The word in a slot of the storage with this root, 0 where none was written. Throws StateProofError. */
export function storedWord(storage_root: Hex, slot: Hex, proof: readonly Hex[]): bigint {
  const leaf = valueAt(storage_root, keccak256(slot), proof, "the slot");
  if (leaf === undefined) return 0n;
  const word = decoded(leaf, "the slot");
  if (typeof word !== "string" || word.length > 66) throw new StateProofError("the slot holds no word");
  return numberIn(word);
}

/**
 * Follows a key's 64 digits from the root down, each node identified by its hash or, under 32 bytes, embedded in its
 * parent. Undefined: the trie proves that there is no such key.
 */
function valueAt(root: Hex, key: Hex, proof: readonly Hex[], what: string): Hex | undefined {
  const path = key.slice(2);
  const nodes = proof.values();
  let used = 0;
  let digits = 0;
  let wanted: Rlp = root;
  const next = (): readonly Rlp[] => {
    if (typeof wanted !== "string") return wanted;
    const node = nodes.next().value;
    used++;
    if (node === undefined) throw new StateProofError(`the proof of ${what} ends too early`);
    if (keccak256(node) !== wanted)
      throw new StateProofError(`node ${used} of the proof of ${what} is not the node that its parent names`);
    const items = decoded(node, `node ${used} of the proof of ${what}`);
    if (typeof items === "string")
      throw new StateProofError(`node ${used} of the proof of ${what} is not a list`);
    return items;
  };
  const finished = <T>(value: T): T => {
    if (used !== proof.length) throw new StateProofError(`the proof of ${what} continues after its end`);
    return value;
  };

  for (;;) {
    const node = next();
    if (node.length === 17) {
      if (digits === path.length) throw new StateProofError(`the proof of ${what} is longer than its key`);
      wanted = node[Number.parseInt(path[digits++]!, 16)]!;
      if (wanted === "0x") return finished(undefined);
      continue;
    }
    const [encoded, child] = node;
    if (node.length !== 2 || typeof encoded !== "string" || child === undefined)
      throw new StateProofError(`node ${used} of the proof of ${what} is neither branch, extension nor leaf`);
    const { part, leaf } = hexPrefix(encoded, what);
    if (!path.startsWith(part, digits)) return finished(undefined);
    digits += part.length;
    if (leaf) {
      if (digits !== path.length || typeof child !== "string")
        throw new StateProofError(`the leaf of ${what} belongs to another key`);
      return finished(child);
    }
    wanted = child;
  }
}

/** The digits of a short node's path, after a first digit that encodes leaf or extension, and odd or even. */
function hexPrefix(encoded: Hex, what: string): { part: string; leaf: boolean } {
  const flag = Number.parseInt(encoded[2] ?? "", 16);
  if (!(flag <= 3)) throw new StateProofError(`the proof of ${what} has a node with an unknown prefix`);
  return { part: encoded.slice(flag % 2 === 1 ? 3 : 4), leaf: flag >= 2 };
}

function decoded(bytes: Hex, what: string): Rlp {
  let value: Rlp;
  try {
    value = fromRlp(bytes, "hex") as Rlp;
  } catch {
    throw new StateProofError(`${what} is not RLP`);
  }
  if (toRlp(value) !== bytes) throw new StateProofError(`${what} is not canonical RLP`);
  return value;
}

const numberIn = (bytes: Hex): bigint => (bytes === "0x" ? 0n : BigInt(bytes));
